"""Compiles the rule files into the package when it is built."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CompileRules(BuildHookInterface):
    """Puts `sglang_lint/rules/compiled.json` and the rule files themselves into the wheel."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile `rules/`; an editable install reads the rule files as they are."""
        if self.target_name != "wheel" or version == "editable":
            return
        root = Path(self.root)
        sys.path.insert(0, self.root)
        try:
            from sglang_lint.matrix.compiler import compile_rules

            compiled = compile_rules(root / "rules")
        finally:
            sys.path.remove(self.root)
        target = root / "build" / "compiled.json"
        target.parent.mkdir(exist_ok=True)
        target.write_text(json.dumps(compiled, separators=(",", ":")), encoding="utf-8")
        build_data["force_include"][str(target)] = "sglang_lint/rules/compiled.json"
        for path in sorted((root / "rules").rglob("*.yaml")):
            shipped = Path("sglang_lint/rules") / path.relative_to(root / "rules")
            build_data["force_include"][str(path)] = str(shipped)
