"""The value of an expression, node by node."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from sglang_lint.releases.extract.references import (
    ClassRef,
    EnumMember,
    External,
    FunctionRef,
    Hidden,
    Scope,
    UnresolvedError,
)

if TYPE_CHECKING:
    from sglang_lint.releases.extract.interpreter import Interpreter

# Longest text, list or number (in bits) that an operator may make.
MAX_SIZE = 20_000

_PLAIN = (str, int, float, bool, bytes, type(None), list, tuple, set, frozenset, dict)
_OPERATORS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Div: operator.truediv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.LShift: operator.lshift,
    ast.BitOr: operator.or_,
    ast.BitAnd: operator.and_,
}
_COMPARISONS: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
    ast.In: lambda left, right: left in right,
    ast.NotIn: lambda left, right: left not in right,
}


def evaluate(run: Interpreter, node: ast.expr, scope: Scope) -> object:
    """The value of an expression; raises UnresolvedError where the source does not tell it."""
    handler = _HANDLERS.get(type(node))
    if handler is None:
        raise UnresolvedError(f"an expression of kind {type(node).__name__}")
    return handler(run, node, scope)


def truth(run: Interpreter, node: ast.expr, scope: Scope) -> bool | None:
    """Whether a condition holds, None where the source does not tell."""
    value = run.lenient(node, scope)
    if value == External("typing.TYPE_CHECKING"):
        return True  # its imports name the types that annotations use
    return bool(value) if isinstance(value, _PLAIN) else None


def is_plain(value: object) -> bool:
    """Whether a value is one of Python's own, not a reference."""
    return isinstance(value, _PLAIN)


def iterate(run: Interpreter, value: object) -> list[Any]:
    """The elements of a value."""
    if isinstance(value, ClassRef) and run.is_enum(value):
        return list(run.members(value))
    if isinstance(value, (list, tuple, set, frozenset, dict, str, range)):
        if len(value) > MAX_SIZE:
            raise UnresolvedError("a sequence that is too long")
        return list(value)
    raise UnresolvedError("an iteration")


def _constant(run: Interpreter, node: ast.Constant, scope: Scope) -> object:
    return node.value


def _name(run: Interpreter, node: ast.Name, scope: Scope) -> object:
    return run.lookup(node.id, scope)


def _attribute(run: Interpreter, node: ast.Attribute, scope: Scope) -> object:
    if node.attr == "__doc__":
        raise UnresolvedError("a docstring")
    return run.attribute(run.evaluate(node.value, scope), node.attr)


def _elements(run: Interpreter, nodes: list[ast.expr], scope: Scope) -> list[Any]:
    found: list[Any] = []
    for node in nodes:
        if isinstance(node, ast.Starred):
            found.extend(iterate(run, run.evaluate(node.value, scope)))
        else:
            found.append(run.evaluate(node, scope))
    return found


def _list(run: Interpreter, node: ast.List, scope: Scope) -> object:
    return _elements(run, node.elts, scope)


def _tuple(run: Interpreter, node: ast.Tuple, scope: Scope) -> object:
    return tuple(_elements(run, node.elts, scope))


def _set(run: Interpreter, node: ast.Set, scope: Scope) -> object:
    return _hashed(set, _elements(run, node.elts, scope))


def _dict(run: Interpreter, node: ast.Dict, scope: Scope) -> object:
    found: dict[Any, object] = {}
    for key, value in zip(node.keys, node.values, strict=True):
        if key is None:
            inner = run.evaluate(value, scope)
            if not isinstance(inner, dict):
                raise UnresolvedError("an unpacked mapping")
            found.update(inner)
        else:
            # Values are often classes of other modules: only the keys are of interest.
            _hashed(found.setdefault, run.evaluate(key, scope), run.lenient(value, scope))
    return found


def _hashed(function: Callable[..., Any], *arguments: Any) -> Any:
    try:
        return function(*arguments)
    except TypeError as error:
        raise UnresolvedError(f"an unhashable value: {error}") from None


def _binary(run: Interpreter, node: ast.BinOp, scope: Scope) -> object:
    left, right = run.evaluate(node.left, scope), run.evaluate(node.right, scope)
    function = _OPERATORS.get(type(node.op))
    if function is None or not is_plain(left) or not is_plain(right):
        raise UnresolvedError(f"an operator {type(node.op).__name__}")
    _bounded(node.op, left, right)
    try:
        return function(left, right)
    except (TypeError, ValueError, ArithmeticError, MemoryError) as error:
        raise UnresolvedError(str(error)) from None


def _bounded(op: ast.operator, left: Any, right: Any) -> None:
    for one, other in ((left, right), (right, left)):
        if isinstance(one, int) and hasattr(other, "__len__") and one * len(other) > MAX_SIZE:
            raise UnresolvedError("a sequence that is too long")
    if isinstance(op, ast.Mod) and isinstance(left, (str, bytes)):
        raise UnresolvedError("a format")  # a width in it could ask for any amount of text
    if isinstance(left, int) and isinstance(right, int):
        bits = left.bit_length() * (abs(right) if isinstance(op, ast.Pow) else 1)
        bits += abs(right) if isinstance(op, ast.LShift) else right.bit_length()
        if bits > MAX_SIZE:
            raise UnresolvedError("a number that is too large")


def _unary(run: Interpreter, node: ast.UnaryOp, scope: Scope) -> object:
    value: Any = run.evaluate(node.operand, scope)
    if not is_plain(value):
        raise UnresolvedError("an operator on a reference")
    if isinstance(node.op, ast.Not):
        return not value
    if isinstance(value, (int, float)):
        if isinstance(node.op, ast.USub):
            return -value
        if isinstance(node.op, ast.UAdd):
            return +value
    raise UnresolvedError("an operator")


def _compare(run: Interpreter, node: ast.Compare, scope: Scope) -> object:
    left: Any = run.evaluate(node.left, scope)
    for op, comparator in zip(node.ops, node.comparators, strict=True):
        right: Any = run.evaluate(comparator, scope)
        if not is_plain(left) or not is_plain(right):
            raise UnresolvedError("a comparison of references")
        try:
            if not _COMPARISONS[type(op)](left, right):
                return False
        except TypeError as error:
            raise UnresolvedError(str(error)) from None
        left = right
    return True


def _boolean(run: Interpreter, node: ast.BoolOp, scope: Scope) -> object:
    value: object = None
    for part in node.values:
        value = run.evaluate(part, scope)
        if not is_plain(value):
            raise UnresolvedError("the truth of a reference")
        if bool(value) is isinstance(node.op, ast.Or):
            return value
    return value


def _conditional(run: Interpreter, node: ast.IfExp, scope: Scope) -> object:
    holds = truth(run, node.test, scope)
    if holds is None:
        raise UnresolvedError(f"a condition of the run: {ast.unparse(node.test)[:80]}")
    return run.evaluate(node.body if holds else node.orelse, scope)


def _subscript(run: Interpreter, node: ast.Subscript, scope: Scope) -> object:
    value: Any = run.evaluate(node.value, scope)
    if not isinstance(value, (list, tuple, dict, str)):
        raise UnresolvedError("a subscript")
    try:
        if isinstance(node.slice, ast.Slice):
            bounds = (node.slice.lower, node.slice.upper, node.slice.step)
            parts: list[Any] = [
                None if bound is None else run.evaluate(bound, scope) for bound in bounds
            ]
            return run.resolve(value[slice(*parts)])
        key: Any = run.evaluate(node.slice, scope)
        return run.resolve(value[key])
    except (LookupError, TypeError, ValueError) as error:
        raise UnresolvedError(f"a subscript: {error}") from None


def _joined(run: Interpreter, node: ast.JoinedStr, scope: Scope) -> object:
    parts = []
    for value in node.values:
        if isinstance(value, ast.FormattedValue):
            inner = run.evaluate(value.value, scope)
            if not isinstance(inner, (str, int)) or value.format_spec or value.conversion != -1:
                raise UnresolvedError("a formatted text")
            parts.append(str(inner))
        else:
            parts.append(str(run.evaluate(value, scope)))
    return "".join(parts)


def _lambda(run: Interpreter, node: ast.Lambda, scope: Scope) -> object:
    return FunctionRef(scope.module, node, scope)


def _comprehension(
    run: Interpreter, generators: list[ast.comprehension], scope: Scope
) -> Iterator[Scope]:
    if not generators:
        yield scope
        return
    first = generators[0]
    for element in iterate(run, run.evaluate(first.iter, scope)):
        inner = Scope(scope.module, dict(scope.names), scope.class_body)
        bind(run, first.target, element, inner)
        tests = [truth(run, test, inner) for test in first.ifs]
        if None in tests:
            raise UnresolvedError("a condition of the run in a comprehension")
        if all(tests):
            yield from _comprehension(run, generators[1:], inner)


def bind(run: Interpreter, target: ast.expr, value: Any, scope: Scope) -> None:
    """Assign a value to a name or to a tuple of names."""
    if isinstance(target, ast.Name):
        scope.names[target.id] = value
    elif isinstance(target, (ast.Tuple, ast.List)):
        elements = iterate(run, value)
        if len(elements) != len(target.elts):
            raise UnresolvedError("an unpacking")
        for inner, element in zip(target.elts, elements, strict=True):
            bind(run, inner, element, scope)
    else:
        raise UnresolvedError("an assignment to an attribute or a subscript")


def _list_comprehension(run: Interpreter, node: Any, scope: Scope) -> object:
    return [run.evaluate(node.elt, inner) for inner in _comprehension(run, node.generators, scope)]


def _set_comprehension(run: Interpreter, node: ast.SetComp, scope: Scope) -> object:
    return _hashed(set, _list_comprehension(run, node, scope))


def _dict_comprehension(run: Interpreter, node: ast.DictComp, scope: Scope) -> object:
    found: dict[Any, object] = {}
    for inner in _comprehension(run, node.generators, scope):
        key, value = run.evaluate(node.key, inner), run.lenient(node.value, inner)
        _hashed(found.__setitem__, key, value)
    return found


def _call(run: Interpreter, node: ast.Call, scope: Scope) -> object:
    positional: list[object] = []
    for argument in node.args:
        if isinstance(argument, ast.Starred):
            positional.extend(iterate(run, run.evaluate(argument.value, scope)))
        else:
            positional.append(run.lenient(argument, scope))
    keywords: dict[str, object] = {}
    for keyword in node.keywords:
        value = run.lenient(keyword.value, scope)
        if keyword.arg is not None:
            keywords[keyword.arg] = value
        elif isinstance(value, dict):
            keywords.update({str(key): inner for key, inner in value.items()})
        else:
            raise UnresolvedError("unpacked keywords")
    if isinstance(node.func, ast.Attribute):
        base = run.evaluate(node.func.value, scope)
        return run.call_method(base, node.func.attr, positional, keywords)
    return run.call(run.evaluate(node.func, scope), positional, keywords)


_HANDLERS: dict[type[ast.expr], Callable[[Interpreter, Any, Scope], object]] = {
    ast.Constant: _constant,
    ast.Name: _name,
    ast.Attribute: _attribute,
    ast.List: _list,
    ast.Tuple: _tuple,
    ast.Set: _set,
    ast.Dict: _dict,
    ast.BinOp: _binary,
    ast.UnaryOp: _unary,
    ast.Compare: _compare,
    ast.BoolOp: _boolean,
    ast.IfExp: _conditional,
    ast.Subscript: _subscript,
    ast.JoinedStr: _joined,
    ast.Lambda: _lambda,
    ast.ListComp: _list_comprehension,
    ast.GeneratorExp: _list_comprehension,
    ast.SetComp: _set_comprehension,
    ast.DictComp: _dict_comprehension,
    ast.Call: _call,
}


def plain(value: object) -> Any:
    """A value as plain data, enumeration members as what they stand for.

    Raises UnresolvedError where a part of it could not be told or is a reference.
    """
    if isinstance(value, EnumMember):
        return plain(value.value)
    if isinstance(value, (set, frozenset)):
        return sorted((plain(item) for item in value), key=repr)
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, (str, int, float, bool, type(None))):
        return value
    raise UnresolvedError(value.why if isinstance(value, Hidden) else "a reference")
