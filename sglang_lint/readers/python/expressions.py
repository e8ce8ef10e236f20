"""Evaluating expressions as far as they can be known without running anything."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import libcst as cst

from sglang_lint.launches import Related
from sglang_lint.readers.python import branches, calling, displays, operators, tests
from sglang_lint.readers.python.attributes import attribute_of
from sglang_lint.readers.python.choices import either
from sglang_lint.readers.python.containers import choose, item_at, key_of, look_up
from sglang_lint.readers.python.displays import joined_item
from sglang_lint.readers.python.names import builtin, free_name
from sglang_lint.readers.python.origins import with_related
from sglang_lint.readers.python.run import Run
from sglang_lint.readers.python.state import State
from sglang_lint.readers.python.templates import formatted, joined
from sglang_lint.readers.python.texts import text_of
from sglang_lint.readers.python.things import (
    Box,
    Either,
    Entry,
    Item,
    Kind,
    Named,
    Plain,
    Ref,
    Text,
    Thing,
    unknown,
)
from sglang_lint.values import Known, Unknown

Evaluator = Callable[[Run, State, Any], Thing]

# Numbers longer than this are no argument of anything.
_MAX_DIGITS = 400
_CONSTANTS = {"None": None, "True": True, "False": False}


def evaluate(run: Run, state: State, node: cst.BaseExpression) -> Thing:
    """What an expression stands for; raises TooMuchError when the file takes too much work."""
    run.step()
    evaluator = _EVALUATORS.get(type(node))
    if evaluator is None:
        return unknown("a computed value")
    return evaluator(run, state, node)


def _name(run: Run, state: State, node: cst.Name) -> Thing:
    name = node.value
    if name in _CONSTANTS:
        return Plain(Known(_CONSTANTS[name]))
    thing = state.names.get(name)
    if thing is not None:
        span = state.scope.spans.get(name)
    else:
        thing, span = free_name(state.scope.outer, name)
    if thing is None:
        return builtin(state.scope, name)
    if span is None or not isinstance(thing, (Text, Plain, Either)):
        return thing
    return with_related(thing, Related(f"`{name}` is set here", span))


def _number(run: Run, state: State, node: cst.BaseNumber) -> Thing:
    written = getattr(node, "value", "")
    if len(written) > _MAX_DIGITS:
        return unknown("a very long number")
    return Plain(Known(ast.literal_eval(written)))


def _string(run: Run, state: State, node: cst.SimpleString) -> Thing:
    text = run.places.string(node)
    return Plain(Unknown("bytes")) if text is None else text_of(text)


def _concatenated(run: Run, state: State, node: cst.ConcatenatedString) -> Thing:
    parts: list[Thing] = []
    rest: cst.BaseExpression = node
    while isinstance(rest, cst.ConcatenatedString):
        parts.append(evaluate(run, state, rest.left))
        rest = rest.right
    parts.append(evaluate(run, state, rest))
    return joined(parts)


def _attribute(run: Run, state: State, node: cst.Attribute) -> Thing:
    return attribute_of(state, evaluate(run, state, node.value), node.attr.value)


def _subscript(run: Run, state: State, node: cst.Subscript) -> Thing:
    thing = evaluate(run, state, node.value)
    indices = [element.slice for element in node.slice]
    for index in indices:
        if isinstance(index, cst.Index):
            key = evaluate(run, state, index.value)
        elif isinstance(index, cst.Slice):
            bounds = [index.lower, index.upper, index.step]
            values = [None if part is None else evaluate(run, state, part) for part in bounds]
            return operators.sliced(state, thing, values, run.places.span(node))
    if len(indices) != 1 or isinstance(thing, Named):
        return _of_name(state, thing)
    return _item(state, thing, key)


def _of_name(state: State, thing: Thing) -> Thing:
    # `list[int]` and `Optional[X]` are types, `sys.argv[1]` an argument.
    return thing if isinstance(thing, Named) and thing.name != "sys.argv" else unknown("an element")


def _item(state: State, thing: Thing, key: Thing) -> Thing:
    if isinstance(thing, Either):
        return either(thing.test, _item(state, thing.then, key), _item(state, thing.other, key))
    known_key = key_of(key)
    if not isinstance(thing, Ref):
        return unknown("an element")
    box = state.box(thing)
    if known_key is None:
        return any_element(box)
    found: Thing | None = None
    if box.kind is Kind.DICT:
        found = look_up(box.parts, known_key)
    elif box.kind is Kind.ENVIRON:
        found = look_up(box.parts, known_key) or unknown(f"environment variable {known_key}")
    elif box.kind in (Kind.LIST, Kind.TUPLE) and isinstance(known_key, int):
        found = item_at(box.parts, known_key)
    return found or unknown("an element")


def any_element(box: Box) -> Thing:
    """What is known of an element of which nobody knows which it is."""
    items: list[Item] = [
        Item(part.thing, part.span) for part in box.parts if isinstance(part, (Item, Entry))
    ]
    if box.kind is Kind.ENVIRON or len(items) != len(box.parts) or not items:
        return unknown("an element")
    return joined_item(items, items[0].span)


def _conditional(run: Run, state: State, node: cst.IfExp) -> Thing:
    test = tests.test_of(run, state, node.test)
    if isinstance(test, bool):
        return evaluate(run, state, node.body if test else node.orelse)
    then, other = branches.evaluate_arms(run, state, test, node.test, (node.body, node.orelse))
    return choose(state, test, then, other)


def _walrus(run: Run, state: State, node: cst.NamedExpr) -> Thing:
    thing = evaluate(run, state, node.value)
    if isinstance(node.target, cst.Name):
        state.bind(node.target.value, thing, run.places.span(node.target))
    return thing


def _lambda(run: Run, state: State, node: cst.Lambda) -> Thing:
    inner = state.fork()
    for parameter in (*node.params.params, *node.params.kwonly_params, *node.params.posonly_params):
        inner.names[parameter.name.value] = unknown("a parameter")
    evaluate(run, inner, node.body)
    return unknown("a function")


def _await(run: Run, state: State, node: cst.Await) -> Thing:
    return evaluate(run, state, node.expression)


def _yield(run: Run, state: State, node: cst.Yield) -> Thing:
    value = node.value
    if isinstance(value, cst.From):
        evaluate(run, state, value.item)
    elif value is not None:
        calling.hand_over(run, state, evaluate(run, state, value))
    return unknown("a value that is sent in")


_EVALUATORS: dict[type[cst.CSTNode], Evaluator] = {
    cst.Name: _name,
    cst.Integer: _number,
    cst.Float: _number,
    cst.SimpleString: _string,
    cst.ConcatenatedString: _concatenated,
    cst.FormattedString: formatted,
    cst.Attribute: _attribute,
    cst.Subscript: _subscript,
    cst.IfExp: _conditional,
    cst.NamedExpr: _walrus,
    cst.Lambda: _lambda,
    cst.Await: _await,
    cst.Yield: _yield,
    cst.Call: calling.call,
    cst.UnaryOperation: operators.unary,
    cst.BinaryOperation: operators.binary,
    cst.BooleanOperation: operators.boolean,
    cst.Comparison: operators.comparison,
    cst.List: displays.list_display,
    cst.Tuple: displays.tuple_display,
    cst.Set: displays.set_display,
    cst.Dict: displays.dict_display,
    cst.ListComp: displays.comprehension,
    cst.GeneratorExp: displays.comprehension,
    cst.SetComp: displays.comprehension,
    cst.DictComp: displays.dict_comprehension,
}
