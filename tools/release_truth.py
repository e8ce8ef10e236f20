"""What a real release says of a command line, asked through an oracle program.

The oracle is loaded from the file that the caller names; it offers `Worker(version, platform)` with
`ask(case)` and keeps unpacked sources under `HOME/src/VERSION`.
"""

from __future__ import annotations

import ast
import importlib.util
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from types import ModuleType, TracebackType
from typing import Any, Literal, TypeAlias

Outcome: TypeAlias = Literal["accept", "arguments", "backend"]


@dataclass(frozen=True)
class Truth:
    """A release's verdict: where it refuses, in which function, and with which words.

    `outcome` is `arguments` for a refusal while arguments are parsed and resolved, `backend` for
    one in a factory of an attention backend.
    """

    outcome: Outcome
    function: str | None = None
    message: str = ""

    @property
    def refused(self) -> bool:
        """Whether the release refuses at all."""
        return self.outcome != "accept"


def load_oracle(folder: Path) -> ModuleType:
    """The oracle's module; raises FileNotFoundError where the folder holds none."""
    path = folder / "oracle.py"
    spec = importlib.util.spec_from_file_location("release_oracle", path)
    if spec is None or spec.loader is None or not path.is_file():
        raise FileNotFoundError(path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Oracle:
    """One release on one platform; a context manager, since it runs a process."""

    def __init__(self, folder: Path, release: str, platform: str) -> None:
        module = load_oracle(folder)
        self._sources = Path(module.HOME) / "src" / release
        self._worker = module.Worker(release, platform)
        self.asked = 0

    def __enter__(self) -> Oracle:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._worker.close()

    def ask(self, argv: Sequence[str]) -> Truth | None:
        """The verdict, or None where the oracle itself doubts it or does not know the model."""
        self.asked += 1
        answer: Mapping[str, Any] = self._worker.ask({"argv": list(argv)})
        if answer.get("suspect") or answer.get("models", {}).get("substitute"):
            return None
        match answer.get("verdict"):
            case "accept":
                return self._backend(answer.get("backend_stage") or {})
            case "reject":
                function = answer.get("where_func") or "parser"
                return Truth("arguments", str(function), str(answer.get("message", "")))
        return None

    def _backend(self, stage: Mapping[str, Any]) -> Truth:
        for rejection in stage.get("factory_reject", ()):
            file, _, line = rejection["where"].rpartition(":")
            function = _function_at(self._sources / file, int(line))
            return Truth("backend", function, str(rejection.get("message", "")))
        return Truth("accept")


@lru_cache(maxsize=256)
def _function_at(path: Path, line: int) -> str | None:
    if not path.is_file():
        return None
    tree = ast.parse(path.read_text(encoding="utf-8"))
    holders = [
        node
        for node in ast.walk(tree)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        and node.lineno <= line <= (node.end_lineno or node.lineno)
    ]
    return max(holders, key=lambda node: node.lineno).name if holders else None
