"""The walls of the house: a lower layer never imports a higher one, and what may be loaded when."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "sglang_lint"

MAY_IMPORT = {
    "text": set(),
    "values": set(),
    "launches": {"text", "values"},
    "readers": {"text", "values", "launches"},
    "releases": {"text", "values", "launches"},
    "matrix": {"text", "values", "launches", "releases"},
    "checks": {"text", "values", "launches", "releases", "matrix"},
    "engine": {"text", "values", "launches", "releases", "matrix", "checks", "readers"},
    "project": {
        "text", "values", "launches", "releases", "matrix", "checks", "readers", "engine",
    },
}  # fmt: skip
PROCESSES_AND_NETWORK = {"subprocess", "socket", "urllib", "http", "multiprocessing", "ctypes"}


def modules(layer: str) -> Iterator[tuple[str, set[str]]]:
    for path in sorted((PACKAGE / layer).rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        imported: set[str] = set()
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                imported |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                imported |= {node.module, *(f"{node.module}.{a.name}" for a in node.names)}
        yield path.relative_to(PACKAGE).as_posix(), imported


@pytest.mark.parametrize("layer", MAY_IMPORT)
def test_a_lower_layer_never_imports_a_higher_one(layer: str) -> None:
    allowed = MAY_IMPORT[layer] | {layer}
    wrong = [
        f"{module} imports {name}"
        for module, imported in modules(layer)
        for name in imported
        if name.startswith("sglang_lint.") and name.split(".")[1] not in {*allowed, "__version__"}
    ]
    assert wrong == []


@pytest.mark.parametrize("layer", ["text", "values", "launches", "readers", "matrix", "checks"])
def test_what_is_linted_is_never_run_nor_fetched(layer: str) -> None:
    wrong = [
        f"{module} imports {name}"
        for module, imported in modules(layer)
        for name in imported
        if name.split(".")[0] in PROCESSES_AND_NETWORK
    ]
    assert wrong == []


def test_the_layers_are_all_there_is_below_the_faces() -> None:
    folders = {path.name for path in PACKAGE.iterdir() if (path / "__init__.py").is_file()}
    assert folders - set(MAY_IMPORT) == {"reports", "commands", "language_server"}
