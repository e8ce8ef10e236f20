"""Which top-level statements of a module give a name its value."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

MUTATORS = frozenset(["add", "append", "extend", "update", "insert", "remove", "discard"])


@dataclass(frozen=True, slots=True)
class Event:
    """A statement that binds or changes a name, under the conditions that it stands in.

    A condition of None is one that nothing tells (the handlers of a `try`).
    """

    statement: ast.stmt
    conditions: tuple[tuple[ast.expr | None, bool], ...]


@dataclass
class Module:
    """A parsed module with, for each of its global names, what happens to it in order."""

    name: str
    is_package: bool
    tree: ast.Module
    events: dict[str, list[Event]] = field(default_factory=dict)
    stars: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        for statement, conditions in _flattened(self.tree.body, ()):
            for name in _names(statement):
                self.events.setdefault(name, []).append(Event(statement, conditions))
            if isinstance(statement, ast.ImportFrom) and statement.names[0].name == "*":
                self.stars.append(self.absolute(statement))

    def absolute(self, statement: ast.ImportFrom) -> str:
        """The dotted name of the module that a `from ... import` names."""
        if not statement.level:
            return statement.module or ""
        parts = self.name.split(".")
        keep = len(parts) - statement.level + (1 if self.is_package else 0)
        return ".".join([*parts[: max(keep, 0)], *((statement.module or "").split("."))]).strip(".")


def parse_module(name: str, text: str, is_package: bool) -> Module | None:
    """A module's tree, or None where the text is no Python."""
    try:
        return Module(name, is_package, ast.parse(text))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


_Flat = Iterator[tuple[ast.stmt, tuple[tuple[ast.expr | None, bool], ...]]]


def _flattened(body: list[ast.stmt], conditions: tuple[tuple[ast.expr | None, bool], ...]) -> _Flat:
    for statement in body:
        if isinstance(statement, ast.If):
            yield from _flattened(statement.body, (*conditions, (statement.test, True)))
            yield from _flattened(statement.orelse, (*conditions, (statement.test, False)))
        elif isinstance(statement, ast.Try):
            yield from _flattened(statement.body + statement.orelse, conditions)
            for handler in statement.handlers:
                yield from _flattened(handler.body, (*conditions, (None, True)))
            yield from _flattened(statement.finalbody, conditions)
        elif isinstance(statement, ast.With):
            yield from _flattened(statement.body, conditions)
        else:
            yield statement, conditions


def _names(statement: ast.stmt) -> Iterator[str]:
    if isinstance(statement, ast.Assign):
        for target in statement.targets:
            yield from _target_names(target)
    elif isinstance(statement, (ast.AnnAssign, ast.AugAssign)):
        yield from _target_names(statement.target)
    elif isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        yield statement.name
    elif isinstance(statement, (ast.Import, ast.ImportFrom)):
        for alias in statement.names:
            yield alias.asname or alias.name.split(".")[0]
    elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        function = statement.value.func
        if (
            isinstance(function, ast.Attribute)
            and function.attr in MUTATORS
            and isinstance(function.value, ast.Name)
        ):
            yield function.value.id


def _target_names(target: ast.expr) -> Iterator[str]:
    if isinstance(target, ast.Name):
        yield target.id
    elif isinstance(target, (ast.Tuple, ast.List)):
        for element in target.elts:
            yield from _target_names(element)
