"""The test of a branch as a formula over what it asks about."""

from __future__ import annotations

from collections.abc import Hashable

import libcst as cst

from sglang_lint.launches import Origin
from sglang_lint.readers.python.choices import on_branches
from sglang_lint.readers.python.conditions import (
    All,
    Any,
    Atom,
    Constant,
    Formula,
    Test,
    all_of,
    any_of,
    decided,
    negated,
)
from sglang_lint.readers.python.containers import SEQUENCES
from sglang_lint.readers.python.names import free_stamp
from sglang_lint.readers.python.nodes import children
from sglang_lint.readers.python.origins import origin_of
from sglang_lint.readers.python.run import Run
from sglang_lint.readers.python.state import State
from sglang_lint.readers.python.texts import simple_value
from sglang_lint.readers.python.things import Either, Item, Kind, Named, Plain, Ref, Text, Thing
from sglang_lint.values import Known, Unknown

# A formula with more parts is a proposition of its own.
_MAX_FORMULA = 24
_ORDER: dict[type[cst.CSTNode], str] = {
    cst.LessThan: "<",
    cst.LessThanEqual: "<=",
    cst.GreaterThan: ">",
    cst.GreaterThanEqual: ">=",
}
_FLIPPED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


def test_of(run: Run, state: State, node: cst.BaseExpression) -> Test | bool:
    """The test that an expression is, or how it comes out if that is certain.

    A value that is only a default decides nothing.
    """
    formula = _formula(run, state, node)
    if isinstance(formula, (All, Any)) and len(Test(formula, "").atoms) > _MAX_FORMULA:
        formula = _opaque(run, state, node)
    if isinstance(formula, Constant):
        return formula.truth
    test = Test(formula, run.places.text(node))
    truth = decided(test, state.path)
    return test if truth is None else truth


def by_default(run: Run, state: State, node: cst.BaseExpression) -> bool | None:
    """How a test comes out where every option and variable has its default."""
    formula = _formula(run, state, node, defaults=True)
    return formula.truth if isinstance(formula, Constant) else None


def opaque_test(key: Hashable, text: str) -> Test:
    """A decision of which nothing is known but that it is made."""
    return Test(Atom(("place", key), "holds"), text)


def _formula(
    run: Run, state: State, node: cst.BaseExpression, *, defaults: bool = False
) -> Formula:
    """An expression as a formula; with `defaults` those are taken for certain."""
    if isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.Not):
        return negated(_formula(run, state, node.expression, defaults=defaults))
    if isinstance(node, cst.BooleanOperation):
        sides = (node.left, node.right)
        inner = [_formula(run, state, side, defaults=defaults) for side in sides]
        return any_of(inner) if isinstance(node.operator, cst.Or) else all_of(inner)
    thing = run.evaluate(run, state, node)
    found = _formula_of_thing(state, thing, defaults)
    if found is not None:
        return found
    if isinstance(node, cst.Comparison):
        return _comparison(run, state, node)
    return Atom(subject_of(run, state, node), "true")


def _formula_of_thing(state: State, thing: Thing, defaults: bool) -> Formula | None:
    """A formula for a value that is known on each branch that it hangs on."""
    if isinstance(thing, Text):
        thing = on_branches(_text_truth, thing)
    if isinstance(thing, Either):
        then = _formula_of_thing(state, thing.then, defaults)
        other = _formula_of_thing(state, thing.other, defaults)
        if then is None or other is None:
            return None
        test = thing.test.formula
        return any_of([all_of([test, then]), all_of([negated(test), other])])
    if isinstance(thing, Ref):
        box = state.box(thing)
        if box.kind in (*SEQUENCES, Kind.DICT) and not box.parts:
            return Constant(False)
        return Constant(True) if any(isinstance(part, Item) for part in box.parts) else None
    if isinstance(thing, Named):
        return None
    value = simple_value(thing)
    if isinstance(value, Known) and (defaults or origin_of(thing) is Origin.WRITTEN):
        return Constant(bool(value.value))
    return None


def _text_truth(thing: Thing) -> Thing:
    value = simple_value(thing)
    known = Known(bool(value.value)) if isinstance(value, Known) else Unknown("a text")
    return Plain(known, origin_of(thing))


def _comparison(run: Run, state: State, node: cst.Comparison) -> Formula:
    formulas = []
    left = node.left
    for part in node.comparisons:
        formulas.append(_compared(run, state, left, part.operator, part.comparator))
        left = part.comparator
    return all_of(formulas)


def _compared(
    run: Run,
    state: State,
    left: cst.BaseExpression,
    compared_by: cst.BaseCompOp,
    right: cst.BaseExpression,
) -> Formula:
    constant = _constant(run, state, right)
    if constant is None:
        flipped = _constant(run, state, left)
        if flipped is None or isinstance(compared_by, (cst.In, cst.NotIn)):
            return _pair(run, state, left, compared_by, right)
        left, constant = right, flipped
        order = _ORDER.get(type(compared_by))
        if order is not None:
            return Atom(subject_of(run, state, left), _FLIPPED[order], constant[0])
    subject, value = subject_of(run, state, left), constant[0]
    if isinstance(compared_by, cst.Equal):
        return Atom(subject, "==", value)
    if isinstance(compared_by, cst.NotEqual):
        return negated(Atom(subject, "==", value))
    if isinstance(compared_by, cst.Is):
        return Atom(subject, "is", value)
    if isinstance(compared_by, cst.IsNot):
        return negated(Atom(subject, "is", value))
    if isinstance(compared_by, cst.In) and isinstance(value, tuple):
        return Atom(subject, "in", value)
    if isinstance(compared_by, cst.NotIn) and isinstance(value, tuple):
        return negated(Atom(subject, "in", value))
    order = _ORDER.get(type(compared_by))
    if order is not None:
        return Atom(subject, order, value)
    return _pair(run, state, left, compared_by, right)


def _pair(
    run: Run,
    state: State,
    left: cst.BaseExpression,
    compared_by: cst.BaseCompOp,
    right: cst.BaseExpression,
) -> Formula:
    """A comparison of two things of which neither is known."""
    contrary = isinstance(compared_by, (cst.NotEqual, cst.IsNot, cst.NotIn))
    plain = {cst.NotEqual: "Equal", cst.IsNot: "Is", cst.NotIn: "In"}
    name = plain.get(type(compared_by), type(compared_by).__name__)
    subject = (subject_of(run, state, left), name, subject_of(run, state, right))
    atom = Atom(subject, "holds")
    return negated(atom) if contrary else atom


def _constant(run: Run, state: State, node: cst.BaseExpression) -> tuple[Hashable] | None:
    thing = run.evaluate(run, state, node)
    if isinstance(thing, Ref):
        box = state.box(thing)
        if box.kind not in SEQUENCES or not all(isinstance(part, Item) for part in box.parts):
            return None
        values = [simple_value(part.thing) for part in box.parts if isinstance(part, Item)]
        known = [value.value for value in values if isinstance(value, Known)]
        return (tuple(known),) if len(known) == len(values) else None
    value = simple_value(thing)
    if isinstance(value, Known) and origin_of(thing) is Origin.WRITTEN:
        return (value.value,)
    return None


def subject_of(run: Run, state: State, node: cst.BaseExpression) -> Hashable:
    """What an expression is about: its text, with the settings of the names in it."""
    stamps = tuple(sorted((name, free_stamp(state, name)) for name in names_in(node)))
    return run.places.text(node), stamps


def _opaque(run: Run, state: State, node: cst.BaseExpression) -> Formula:
    return Atom(subject_of(run, state, node), "holds")


def names_in(node: cst.CSTNode) -> set[str]:
    """The names that an expression mentions, attributes left out."""
    found: set[str] = set()
    todo: list[cst.CSTNode] = [node]
    while todo:
        current = todo.pop()
        if isinstance(current, cst.Name):
            found.add(current.value)
        elif isinstance(current, cst.Attribute):
            todo.append(current.value)
        else:
            todo.extend(children(current))
    return found
