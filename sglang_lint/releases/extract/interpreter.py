"""What names, attributes and calls of a source tree stand for, told from the source alone.

This is a small interpreter over `ast` that knows only plain values (numbers, strings, lists, sets,
dicts) and references. Whatever it does not know raises UnresolvedError; it never imports the code.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable

from sglang_lint.releases.extract import expressions, statements
from sglang_lint.releases.extract.known_calls import KNOWN_CONSTANTS, call_external, call_method
from sglang_lint.releases.extract.modules import Event, Module, parse_module
from sglang_lint.releases.extract.references import (
    ClassRef,
    EnumMember,
    External,
    FieldInfo,
    FunctionRef,
    Hidden,
    Host,
    Imported,
    Instance,
    Scope,
    UnresolvedError,
)
from sglang_lint.releases.extract.tree import SourceTree

# Bounds for trees that are made to exhaust the reader.
MAX_STEPS = 400_000
MAX_DEPTH = 60

_ABSENT = Hidden("no such member")


class Interpreter:
    """Evaluates expressions of one source tree.

    `notes` collects what was decided without knowing a condition of the run. `fields_of`, once
    set, answers `dataclasses.fields(...)` for a class; `helpers` answer calls of functions of these
    names, which work by reflection.
    """

    def __init__(self, tree: SourceTree) -> None:
        self.tree = tree
        self.notes: list[str] = []
        self.fields_of: Callable[[ClassRef], list[FieldInfo]] | None = None
        self.helpers: dict[str, Callable[[list[object]], None]] = {}
        self._modules: dict[str, Module | None] = {}
        self._globals: dict[tuple[str, str], object] = {}
        self._pending: set[tuple[str, str]] = set()
        self._steps = 0
        self._depth = 0

    def module(self, name: str) -> Module | None:
        """A module of the tree, parsed once; None where there is none or it is no Python."""
        if name not in self._modules:
            text = self.tree.source(name)
            self._modules[name] = (
                None if text is None else parse_module(name, text, self.tree.is_package(name))
            )
        return self._modules[name]

    def evaluate(self, node: ast.expr, scope: Scope) -> object:
        """The value of an expression; raises UnresolvedError where the source does not tell it."""
        self._steps += 1
        if self._steps > MAX_STEPS or self._depth > MAX_DEPTH:
            raise UnresolvedError("too much to evaluate")
        self._depth += 1
        try:
            return expressions.evaluate(self, node, scope)
        finally:
            self._depth -= 1

    def lenient(self, node: ast.expr, scope: Scope) -> object:
        """The value of an expression, or Hidden."""
        noted = len(self.notes)
        try:
            return self.evaluate(node, scope)
        except UnresolvedError as reason:
            del self.notes[noted:]  # made on a way that led nowhere
            return Hidden(str(reason))

    def lookup(self, name: str, scope: Scope) -> object:
        """What a name stands for; raises UnresolvedError where nothing tells."""
        if name in scope.names:
            return self.resolve(scope.names[name])
        if scope.class_body is not None:
            found = self._class_member(scope.class_body, name)
            if found is not _ABSENT:
                return self.resolve(found)
        return self.global_value(scope.module, name)

    def global_value(self, module: str, name: str) -> object:
        """What a module's global name stands for."""
        key = (module, name)
        if key not in self._globals:
            if key in self._pending:
                raise UnresolvedError(f"{name} is defined by itself")
            self._pending.add(key)
            try:
                self._globals[key] = self._global(module, name)
            finally:
                self._pending.discard(key)
        return self.resolve(self._globals[key])

    def resolve(self, value: object) -> object:
        """A value with imports looked up; raises UnresolvedError for one that could not be told."""
        if isinstance(value, Imported):
            if value.name and self.tree.source(f"{value.module}.{value.name}") is not None:
                return Imported(f"{value.module}.{value.name}", None)
            if self.tree.source(value.module) is None:
                dotted = f"{value.module}.{value.name}" if value.name else value.module
                return External(dotted)
            if value.name is None:
                return value
            return self.global_value(value.module, value.name)
        if isinstance(value, Hidden):
            raise UnresolvedError(value.why)
        return value

    def resolved_or_hidden(self, value: object) -> object:
        """As `resolve`, with Hidden for what could not be told."""
        try:
            return self.resolve(value)
        except UnresolvedError as reason:
            return Hidden(str(reason))

    def attribute(self, value: object, name: str) -> object:
        """An attribute of a value."""
        if isinstance(value, External):
            dotted = f"{value.name}.{name}"
            return KNOWN_CONSTANTS.get(dotted, External(dotted))
        if isinstance(value, Imported):
            return self.resolve(Imported(value.module, name))
        if isinstance(value, EnumMember) and name in ("name", "value"):
            return value.name if name == "name" else value.value
        if isinstance(value, FieldInfo) and name in ("name", "default"):
            return self.resolve(value.name if name == "name" else value.default)
        if isinstance(value, Instance):
            if name in value.keywords:
                return self.resolve(value.keywords[name])
            value = value.kind
        if isinstance(value, ClassRef):
            found = self._class_member(value, name)
            if found is not _ABSENT:
                return self.resolve(found)
        raise UnresolvedError(f"attribute {name}")

    def is_enum(self, value: ClassRef) -> bool:
        """Whether a class is an enumeration, by the names of its bases."""
        return any(
            ast.unparse(base).rsplit(".", 1)[-1].endswith(("Enum", "Flag"))
            for base in value.node.bases
        )

    def members(self, value: ClassRef) -> list[EnumMember]:
        """The members of an enumeration, in order."""
        scope = Scope(value.module, {}, value)
        return [
            EnumMember(target.id, self.evaluate(statement.value, scope))
            for statement in value.node.body
            if isinstance(statement, ast.Assign)
            for target in statement.targets
            if isinstance(target, ast.Name) and not target.id.startswith("_")
        ]

    def bases(self, value: ClassRef) -> list[ClassRef]:
        """The base classes that are defined in the tree."""
        scope = Scope(value.module)
        found = (self.lenient(base, scope) for base in value.node.bases)
        return [base for base in found if isinstance(base, ClassRef)]

    def call(
        self, function: object, positional: list[object], keywords: dict[str, object]
    ) -> object:
        """The result of a call; raises UnresolvedError where it is not told by the source."""
        if isinstance(function, External):
            return call_external(self, function.name, positional, keywords)
        if isinstance(function, FunctionRef):
            node = function.node
            if isinstance(node, ast.FunctionDef) and node.name in self.helpers:
                return self.helpers[node.name](positional)
            return statements.call_function(self, function, positional, keywords)
        if isinstance(function, ClassRef):
            return Instance(function, tuple(positional), keywords)
        raise UnresolvedError("a call")

    def call_method(
        self, value: object, name: str, positional: list[object], keywords: dict[str, object]
    ) -> object:
        """The result of calling a method of a value."""
        if isinstance(value, Host):
            return value.receiver.call(name, positional, keywords)
        if isinstance(value, (External, Imported, ClassRef, Instance, FunctionRef, EnumMember)):
            return self.call(self.attribute(value, name), positional, keywords)
        return call_method(value, name, positional, keywords)

    def _class_member(self, value: ClassRef, name: str) -> object:
        for statement in value.node.body:
            scope = Scope(value.module, {}, value)
            if isinstance(statement, ast.FunctionDef) and statement.name == name:
                return FunctionRef(value.module, statement, Scope(value.module))
            bound = _bound_value(statement, name)
            if bound is None:
                continue
            key = (value.module, f"{value.node.name}.{name}")
            if key in self._pending:
                return _ABSENT  # `X: A[X, ...]`: the class's name is not yet bound, the module's is
            self._pending.add(key)
            try:
                found = self.evaluate(bound, scope)
            finally:
                self._pending.discard(key)
            return EnumMember(name, found) if self.is_enum(value) else found
        for base in self.bases(value):
            inherited = self._class_member(base, name)
            if inherited is not _ABSENT:
                return inherited
        return _ABSENT

    def _global(self, module: str, name: str) -> object:
        loaded = self.module(module)
        if loaded is None:
            raise UnresolvedError(f"module {module}")
        events = loaded.events.get(name)
        if events:
            value = statements.replay(self, loaded, name, self._certain(loaded, events))
            if value is not None:
                return value
        for star in loaded.stars:
            found = self.resolved_or_hidden(Imported(star, name))
            if not isinstance(found, Hidden):
                return found
        if hasattr(builtins, name):
            return External(f"builtins.{name}")
        raise UnresolvedError(f"name {name}")

    def _certain(self, module: Module, events: list[Event]) -> list[tuple[ast.stmt, bool]]:
        """The events that happen, each with whether that is certain."""
        kept = []
        for event in events:
            certain, happens = True, True
            for test, expected in event.conditions:
                truth = None if test is None else expressions.truth(self, test, Scope(module.name))
                if truth is None:
                    certain = False
                elif truth is not expected:
                    happens = False
            if happens:
                kept.append((event.statement, certain))
        return kept


def _bound_value(statement: ast.stmt, name: str) -> ast.expr | None:
    if isinstance(statement, ast.Assign):
        named = any(
            isinstance(target, ast.Name) and target.id == name for target in statement.targets
        )
        return statement.value if named else None
    if isinstance(statement, ast.AnnAssign):
        target = statement.target
        return statement.value if isinstance(target, ast.Name) and target.id == name else None
    return None
