"""Operators on things, as far as their operands are known."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import libcst as cst

from sglang_lint.launches import Origin
from sglang_lint.readers.python import tests
from sglang_lint.readers.python.choices import alternatives, on_branches
from sglang_lint.readers.python.containers import (
    MAPPINGS,
    SEQUENCES,
    choose,
    elements,
    entries,
    new_list,
)
from sglang_lint.readers.python.origins import merged_related, origin_of, weakest, with_origin
from sglang_lint.readers.python.run import Run
from sglang_lint.readers.python.state import State
from sglang_lint.readers.python.templates import in_place, joined, percent
from sglang_lint.readers.python.texts import (
    known_text,
    mapped_text,
    simple_value,
    text_of,
    thing_of,
)
from sglang_lint.readers.python.things import (
    Box,
    Entry,
    Item,
    Kind,
    Plain,
    Ref,
    Text,
    Thing,
    unknown,
)
from sglang_lint.text import Span
from sglang_lint.values import Known, Truth, Unknown, candidates, one_of, truth_of

# Numbers and repetitions past this are no argument of a launch.
_MAX_NUMBER = 1 << 64
_MAX_REPEAT = 64
_MAX_TEXT = 100_000

_UNARY: dict[type[cst.CSTNode], Callable[[Any], Any]] = {
    cst.Minus: operator.neg,
    cst.Plus: operator.pos,
    cst.BitInvert: operator.invert,
    cst.Not: operator.not_,
}
_BINARY: dict[type[cst.CSTNode], Callable[[Any, Any], Any]] = {
    cst.Add: operator.add,
    cst.Subtract: operator.sub,
    cst.Multiply: operator.mul,
    cst.Divide: operator.truediv,
    cst.FloorDivide: operator.floordiv,
    cst.Modulo: operator.mod,
}
_COMPARE: dict[type[cst.CSTNode], Callable[[Any, Any], Any]] = {
    cst.Equal: operator.eq,
    cst.NotEqual: operator.ne,
    cst.LessThan: operator.lt,
    cst.LessThanEqual: operator.le,
    cst.GreaterThan: operator.gt,
    cst.GreaterThanEqual: operator.ge,
    cst.Is: operator.is_,
    cst.IsNot: operator.is_not,
    cst.In: lambda one, two: one in two,
    cst.NotIn: lambda one, two: one not in two,
}


def unary(run: Run, state: State, node: cst.UnaryOperation) -> Thing:
    """`-x`, `not x` and their like."""
    operand = run.evaluate(run, state, node.expression)
    function = _UNARY[type(node.operator)]
    span = run.places.span(node)
    return on_branches(lambda one: computed(lambda value: function(value), [one], span), operand)


def binary(run: Run, state: State, node: cst.BinaryOperation) -> Thing:
    """`a + b` and its like."""
    left = run.evaluate(run, state, node.left)
    right = run.evaluate(run, state, node.right)
    spans = run.places.span(node), run.places.span(node.left), run.places.span(node.right)
    return combined(run, state, type(node.operator), left, right, spans)


def combined(
    run: Run,
    state: State,
    kind: type[cst.CSTNode],
    left: Thing,
    right: Thing,
    spans: tuple[Span, Span, Span],
) -> Thing:
    """Two things under a binary operator; the spans are those of all, the left, the right."""
    whole, first, second = spans
    one, two = _kind(state, left), _kind(state, right)
    if kind is cst.Add and (one in SEQUENCES or two in SEQUENCES):
        parts = (*elements(state, left, first), *elements(state, right, second))
        sum_kind = Kind.TUPLE if Kind.TUPLE in (one, two) else Kind.LIST
        run.drafts.absorb(state, left, right)
        made = new_list(state, parts, whole, sum_kind)
        run.drafts.note(state, made)
        return made
    if kind is cst.BitOr and (one in MAPPINGS or two in MAPPINGS):
        merged = (*entries(state, left, first), *entries(state, right, second))
        return state.new(Box(Kind.DICT).with_parts(merged))
    if kind is cst.Modulo and isinstance(left, Text):
        return _percent(run, state, left, right, whole)

    if kind is cst.Add and any(isinstance(one, Text) for one in _alternatives_of(left, right)):
        return joined([in_place(left, first), in_place(right, second)])

    def apply(a: Thing, b: Thing) -> Thing:
        if kind is cst.Multiply and isinstance(a, Text):
            return _repeated(a, b)
        function = _BINARY.get(kind)
        if function is None:
            return unknown("a computed value")
        return computed(_bounded(function), [a, b], whole)

    return on_branches(apply, left, right)


def _alternatives_of(*things: Thing) -> list[Thing]:
    return [one for thing in things for one in alternatives(thing)]


def _kind(state: State, thing: Thing) -> Kind | None:
    return state.box(thing).kind if isinstance(thing, Ref) else None


def _bounded(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def apply(one: Any, two: Any) -> Any:
        for value in (one, two):
            if not isinstance(value, (int, float)) or abs(value) > _MAX_NUMBER:
                raise ValueError
        return function(one, two)

    return apply


def computed(function: Callable[..., Any], operands: Sequence[Thing], span: Span) -> Thing:
    """`function` of values where all are known or are a few candidates."""
    results: list[Any] = [()]
    for operand in operands:
        value = simple_value(operand)
        options = candidates(value)
        if options is None:
            return Plain(value, weakest(map(origin_of, operands)), merged_related(operands))
        results = [(*result, option) for result in results for option in options]
    try:
        value = one_of([function(*result) for result in results])
    except (ValueError, TypeError, ArithmeticError):
        value = Unknown("a computed value")
    return thing_of(value, span, weakest(map(origin_of, operands)), merged_related(operands))


def _repeated(text: Text, times: Thing) -> Thing:
    known, value = mapped_text(text), simple_value(times)
    if known is None or not isinstance(value, Known) or not isinstance(value.value, int):
        return unknown("a repeated text")
    if value.value > _MAX_REPEAT or len(known) * value.value > _MAX_TEXT:
        return unknown("a repeated text")
    return joined([text_of(known)] * value.value)


def _percent(run: Run, state: State, left: Text, right: Thing, span: Span) -> Thing:
    positional: list[Thing] = [right]
    named: dict[str, Thing] = {}
    if isinstance(right, Ref):
        box = state.box(right)
        if box.kind is Kind.TUPLE:
            positional = [part.thing for part in box.parts if isinstance(part, Item)]
            if len(positional) != len(box.parts):
                return unknown("a formatted text")
        elif box.kind is Kind.DICT:
            named = {str(p.key): p.thing for p in box.parts if isinstance(p, Entry)}
    for thing in positional:
        run.drafts.show(state, thing)
    return percent(left, positional, named, span) or unknown("a formatted text")


def boolean(run: Run, state: State, node: cst.BooleanOperation) -> Thing:
    """`a or b`, `a and b`."""
    left = run.evaluate(run, state, node.left)
    right = run.evaluate(run, state, node.right)
    is_or = isinstance(node.operator, cst.Or)
    if is_or and isinstance(left, Plain) and left.origin is Origin.ENVIRONMENT:
        return with_origin(right, Origin.VARIABLE_DEFAULT)
    truth = _truth(state, left)
    if truth is not Truth.UNKNOWN:
        # What a default decides is no more certain than the default.
        taken = left if (truth is Truth.TRUE) is is_or else right
        origin = weakest([origin_of(left), origin_of(taken)])
        return taken if origin is Origin.WRITTEN else with_origin(taken, origin)
    test = tests.test_of(run, state, node.left)
    if isinstance(test, bool):
        return left if test is is_or else right
    return choose(state, test, left, right) if is_or else choose(state, test, right, left)


def _truth(state: State, thing: Thing) -> Truth:
    if isinstance(thing, Ref):
        box = state.box(thing)
        if box.kind in (*SEQUENCES, Kind.DICT) and not box.parts:
            return Truth.FALSE
        if any(isinstance(part, (Item, Entry)) for part in box.parts):
            return Truth.TRUE
        return Truth.UNKNOWN
    if isinstance(thing, (Text, Plain)):
        return truth_of(simple_value(thing))
    return Truth.UNKNOWN


def comparison(run: Run, state: State, node: cst.Comparison) -> Thing:
    """`a == b` and its like; a list that is compared is looked at, not used."""
    operands = [run.evaluate(run, state, node.left)]
    operands += [run.evaluate(run, state, part.comparator) for part in node.comparisons]
    for operand in operands:
        run.drafts.show(state, operand)
    if len(operands) != 2:
        return unknown("a comparison")
    function = _COMPARE[type(node.comparisons[0].operator)]
    left, right = operands
    if isinstance(right, Ref) and _kind(state, right) in SEQUENCES:
        parts = [part.thing for part in state.box(right).parts if isinstance(part, Item)]
        if len(parts) != len(state.box(right).parts):
            return unknown("a comparison")
        values = [simple_value(part) for part in parts]
        if not all(isinstance(value, Known) for value in values):
            return unknown("a comparison")
        right = Plain(Known(tuple(v.value for v in values if isinstance(v, Known))))
    span = run.places.span(node)
    return on_branches(lambda one, two: computed(function, [one, two], span), left, right)


def sliced(state: State, thing: Thing, bounds: Sequence[Thing | None], span: Span) -> Thing:
    """`thing[a:b:c]` of a known text or of a list that hangs on no branch."""
    values = [None if part is None else simple_value(part) for part in bounds]
    if any(value is not None and not isinstance(value, Known) for value in values):
        return unknown("a part of a list")
    numbers = [value.value if isinstance(value, Known) else None for value in values]
    if not all(number is None or isinstance(number, int) for number in numbers):
        return unknown("a part of a list")
    where = slice(*[number if isinstance(number, int) else None for number in numbers])
    if isinstance(thing, Ref) and _kind(state, thing) in SEQUENCES:
        box = state.box(thing)
        if all(isinstance(part, Item) for part in box.parts) and where.step != 0:
            return new_list(state, box.parts[where], span, box.kind)
    text = known_text(thing)
    if text is not None and isinstance(thing, Text) and where.step in (None, 1):
        mapped = mapped_text(thing)
        if mapped is not None:
            start, stop, _ = where.indices(len(text))
            return text_of(mapped.slice(start, max(start, stop)), thing.origin)
    return unknown("a part of something")
