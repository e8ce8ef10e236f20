"""Compiles the rule files into the package when it is built."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import yaml
from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CompileRules(BuildHookInterface):
    """Puts rules and model facts into the wheel as JSON, beside the files they are made from."""

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
        self._include(build_data, "sglang_lint/rules/compiled.json", compiled)
        models = (root / "sglang_lint/releases/data/models.yaml").read_text(encoding="utf-8")
        self._include(build_data, "sglang_lint/releases/data/models.json", yaml.safe_load(models))
        for path in sorted((root / "rules").rglob("*.yaml")):
            shipped = Path("sglang_lint/rules") / path.relative_to(root / "rules")
            build_data["force_include"][str(path)] = str(shipped)

    def _include(self, build_data: dict[str, Any], shipped: str, data: Any) -> None:
        target = Path(self.root, "build", shipped)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(json.dumps(data, separators=(",", ":")), encoding="utf-8")
        build_data["force_include"][str(target)] = shipped
