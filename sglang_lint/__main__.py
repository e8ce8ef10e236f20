"""`python -m sglang_lint`."""

from sglang_lint.cli import main

raise SystemExit(main())
