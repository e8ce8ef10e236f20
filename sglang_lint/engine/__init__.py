"""From one document to its diagnostics, without touching the disk.

`judge_argv(argv, release=..., platform=..., model=...)` judges the words after
`python -m sglang.launch_server` directly.
"""

from sglang_lint.engine.analyse import Analysis, JudgedLaunch, Settings, analyse
from sglang_lint.engine.argv import judge_argv
from sglang_lint.engine.diagnostic import Diagnostic, Edit, Fix, JudgedAs, RelatedPlace

__all__ = [
    "Analysis",
    "Diagnostic",
    "Edit",
    "Fix",
    "JudgedAs",
    "JudgedLaunch",
    "RelatedPlace",
    "Settings",
    "analyse",
    "judge_argv",
]
