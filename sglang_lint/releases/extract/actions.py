"""What an action class of the source does when its option is given."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from sglang_lint.releases.extract.interpreter import Interpreter
from sglang_lint.releases.extract.references import (
    ClassRef,
    External,
    Hidden,
    Scope,
    UnresolvedError,
)

_BUILT_IN = frozenset(
    ["store", "store_true", "store_false", "store_const", "append", "append_const", "count", "help"]
)
_BOOLEAN_OPTIONAL = External("argparse.BooleanOptionalAction")


@dataclass(frozen=True, slots=True)
class ActionFacts:
    """What an action is, as `Option.action` names it, with the defaults of its own arguments."""

    kind: str
    arguments: Mapping[str, object]
    deprecated: bool = False


def describe(run: Interpreter, action: object, keywords: Mapping[str, object]) -> ActionFacts:
    """The facts of an `action=` argument; raises UnresolvedError for one that cannot be read."""
    if action is None:
        return ActionFacts("store", {})
    if isinstance(action, str) and action in _BUILT_IN:
        return ActionFacts(action, {} if action in ("store", "append") else {"nargs": 0})
    if action == _BOOLEAN_OPTIONAL:
        return ActionFacts("boolean_optional", {"nargs": 0})
    if isinstance(action, ClassRef):
        return _custom(run, action, keywords)
    raise UnresolvedError("an action that is no class of the tree")


def _custom(run: Interpreter, action: ClassRef, keywords: Mapping[str, object]) -> ActionFacts:
    methods = {node.name: node for node in action.node.body if isinstance(node, ast.FunctionDef)}
    arguments = dict(_defaults(run, action, methods.get("__init__")))
    given = {**arguments, **keywords}
    deprecated = "deprecated" in action.node.name.lower()
    call = methods.get("__call__")
    if call is None:
        raise UnresolvedError(f"action {action.node.name}")
    stored = list(_stored(call))
    if not stored:
        kind = "refused" if _stops(call, given) else "ignored"
    elif len(stored) == 1:
        kind, const = _kind(stored[0], call, given)
        if kind == "store_const":
            arguments["const"] = const
    else:
        kind = "custom"
    return ActionFacts(kind, arguments, deprecated)


def _defaults(
    run: Interpreter, action: ClassRef, init: ast.FunctionDef | None
) -> Iterator[tuple[str, object]]:
    if init is None:
        return
    parameters = init.args.args[len(init.args.args) - len(init.args.defaults) :]
    pairs = list(zip(parameters, init.args.defaults, strict=True))
    pairs += [
        (parameter, default)
        for parameter, default in zip(init.args.kwonlyargs, init.args.kw_defaults, strict=True)
        if default is not None
    ]
    for parameter, default in pairs:
        yield parameter.arg, run.lenient(default, Scope(action.module))


def _stored(call: ast.FunctionDef) -> Iterator[ast.expr]:
    """What `setattr(namespace, self.dest, X)` stores, for each such call."""
    for node in ast.walk(call):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id == "setattr"
            and len(node.args) == 3
        ):
            yield node.args[2]


def _kind(
    stored: ast.expr, call: ast.FunctionDef, given: Mapping[str, object]
) -> tuple[str, object]:
    parameters = [parameter.arg for parameter in call.args.args]
    if isinstance(stored, ast.Constant):
        return ("store_true" if stored.value is True else "store_const"), stored.value
    if isinstance(stored, ast.Name) and len(parameters) > 3 and stored.id == parameters[3]:
        return "store", None
    if isinstance(stored, ast.Attribute) and stored.attr in given:
        value = given[stored.attr]
        return ("store_true" if value is True else "store_const"), value
    return "custom", None


def _stops(call: ast.FunctionDef, given: Mapping[str, object]) -> bool:
    """Whether the action ends the launch: it raises, or calls `parser.error`."""
    for statement in call.body:
        if isinstance(statement, ast.If) and isinstance(statement.test, ast.Compare):
            tested = statement.test.left
            known = isinstance(tested, ast.Attribute) and tested.attr in given
            if known and given[tested.attr] is None:  # type: ignore[attr-defined]
                continue
        for node in ast.walk(statement):
            if isinstance(node, ast.Raise):
                return True
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                function = node.func
                if function.attr in ("error", "exit") and isinstance(function.value, ast.Name):
                    return True
    return False


def is_told(value: object) -> bool:
    """Whether a value could be told from the source."""
    return not isinstance(value, Hidden)
