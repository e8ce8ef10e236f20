"""The few functions and methods whose results the interpreter knows."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from sglang_lint.releases.extract.expressions import is_plain, iterate
from sglang_lint.releases.extract.modules import MUTATORS
from sglang_lint.releases.extract.references import ClassRef, FieldDefault, Hidden, UnresolvedError

if TYPE_CHECKING:
    from sglang_lint.releases.extract.interpreter import Interpreter

_COLLECT: dict[str, Callable[[list[Any]], object]] = {
    "list": list,
    "tuple": tuple,
    "set": set,
    "frozenset": frozenset,
    "sorted": sorted,
    "len": len,
    "min": min,
    "max": max,
    "reversed": lambda items: items[::-1],
    "iter": list,
    "enumerate": lambda items: [tuple(pair) for pair in enumerate(items)],
}
_STRING_METHODS = frozenset(
    [
        *("lower", "upper", "strip", "lstrip", "rstrip", "replace", "startswith", "endswith"),
        *("removeprefix", "removesuffix", "split", "rsplit", "join", "title", "capitalize"),
    ]
)
_CONTAINER_METHODS = MUTATORS | {
    "keys", "values", "items", "get", "copy", "union", "difference", "intersection", "index",
}  # fmt: skip
_FIELDS = ("dataclasses.fields", "msgspec.structs.fields")
_FIELD = ("dataclasses.field", "msgspec.field", "field")


def call_external(
    run: Interpreter, name: str, positional: list[object], keywords: dict[str, object]
) -> object:
    """The result of calling something outside the tree; UnresolvedError for all but a few."""
    if name == "sys.modules.get":
        return None  # a fresh process: the modules that matter here are not imported yet
    if name in _FIELD:
        return _field(run, keywords)
    if name in _FIELDS:
        if run.fields_of is None or not isinstance(positional[0], ClassRef):
            raise UnresolvedError("the fields of a class")
        return run.fields_of(positional[0])
    if name == "copy.copy" or name == "copy.deepcopy":
        return run.resolve(positional[0])
    if not name.startswith("builtins."):
        raise UnresolvedError(f"a call of {name}")
    return _builtin(run, name.removeprefix("builtins."), positional, keywords)


def _builtin(
    run: Interpreter, name: str, positional: list[object], keywords: dict[str, object]
) -> object:
    values: list[Any] = [run.resolve(value) for value in positional]
    if keywords:
        raise UnresolvedError(f"a call of {name} with keywords")
    try:
        if name in ("list", "tuple", "set", "frozenset") and not values:
            return _COLLECT[name]([])
        if name in _COLLECT and len(values) == 1:
            return _COLLECT[name](iterate(run, values[0]))
        if name == "next" and values:
            items = iterate(run, values[0])
            return run.resolve(items[0] if items else values[1])
        if name == "dict" and len(values) <= 1:
            return dict(values[0]) if values else {}
        if name == "range" and all(isinstance(value, int) for value in values):
            return range(*values)
        if name in ("str", "int", "float", "bool") and len(values) == 1 and is_plain(values[0]):
            return {"str": str, "int": int, "float": float, "bool": bool}[name](values[0])
        if name == "zip":
            return [tuple(row) for row in zip(*(iterate(run, v) for v in values), strict=False)]
    except (TypeError, ValueError, LookupError) as error:
        raise UnresolvedError(f"a call of {name}: {error}") from None
    raise UnresolvedError(f"a call of {name}")


def _field(run: Interpreter, keywords: dict[str, object]) -> FieldDefault:
    if "default" in keywords:
        return FieldDefault(keywords["default"])
    factory = keywords.get("default_factory")
    if factory is None:
        return FieldDefault(Hidden("no default"))
    try:
        return FieldDefault(run.call(run.resolve(factory), [], {}))
    except UnresolvedError as reason:
        return FieldDefault(Hidden(str(reason)))


def call_method(
    value: object, name: str, positional: list[object], keywords: dict[str, object]
) -> object:
    """The result of a method of a plain value; changes lists, sets and dicts in place."""
    if any(isinstance(argument, Hidden) for argument in positional) or keywords:
        raise UnresolvedError(f"method {name}")
    known = _STRING_METHODS if isinstance(value, str) else _CONTAINER_METHODS
    if not isinstance(value, (str, list, tuple, set, frozenset, dict)) or name not in known:
        raise UnresolvedError(f"method {name}")
    try:
        result = getattr(value, name)(*positional)
    except (TypeError, ValueError, LookupError, AttributeError) as error:
        raise UnresolvedError(f"method {name}: {error}") from None
    return list(result) if name in ("keys", "values", "items") else result


KNOWN_CONSTANTS: dict[str, object] = {"sys.maxsize": sys.maxsize}
