"""Setting names, attributes and elements."""

from __future__ import annotations

from collections.abc import Hashable

import libcst as cst

from sglang_lint.readers.python import hooks
from sglang_lint.readers.python.choices import alternatives
from sglang_lint.readers.python.containers import (
    MAPPINGS,
    elements,
    entries,
    give_up,
    key_of,
    open_up,
)
from sglang_lint.readers.python.operators import combined
from sglang_lint.readers.python.render import relocated
from sglang_lint.readers.python.run import Run
from sglang_lint.readers.python.state import State
from sglang_lint.readers.python.tests import names_in
from sglang_lint.readers.python.things import Class, Entry, Item, Kind, Ref, Removed, Thing, unknown
from sglang_lint.text import Span

_WITH_ATTRIBUTES = (Kind.INSTANCE, Kind.NAMESPACE, Kind.SERVER_ARGS)
_OPERATORS: dict[type[cst.CSTNode], type[cst.CSTNode]] = {
    cst.AddAssign: cst.Add,
    cst.SubtractAssign: cst.Subtract,
    cst.MultiplyAssign: cst.Multiply,
    cst.FloorDivideAssign: cst.FloorDivide,
    cst.DivideAssign: cst.Divide,
    cst.BitOrAssign: cst.BitOr,
    cst.ModuloAssign: cst.Modulo,
}


def assignment(run: Run, state: State, node: cst.Assign) -> None:
    """`a = b = value`."""
    thing = run.evaluate(run, state, node.value)
    for target in node.targets:
        hooks.note_patch(run, state, target.target, thing)
        assign(run, state, target.target, thing, node.value)


def annotated(run: Run, state: State, node: cst.AnnAssign) -> None:
    """`a: T = value`; without a value, the annotation may still say that it is a backend."""
    if node.value is not None:
        assign(run, state, node.target, run.evaluate(run, state, node.value), node.value)
    elif isinstance(node.target, cst.Name):
        thing = hooks.annotated_backend(run, state, node.annotation.annotation)
        if thing is not None:
            state.bind(node.target.value, thing, run.places.span(node.target))


def assign(
    run: Run,
    state: State,
    target: cst.BaseExpression,
    thing: Thing,
    value: cst.BaseExpression | None = None,
) -> None:
    """Set a target to a thing, which is written as `value`."""
    if isinstance(target, cst.Name):
        building = value is not None and target.value in names_in(value)
        state.bind(target.value, thing, run.places.span(target), building=building)
    elif isinstance(target, cst.Attribute):
        receiver = run.evaluate(run, state, target.value)
        span = run.places.span(target if value is None else value)
        key_span = run.places.span(target.attr)
        entry = Entry(target.attr.value, key_span, relocated(thing, span), span)
        _set_attribute(state, receiver, entry)
        _touch(state, target)
    elif isinstance(target, cst.Subscript):
        _set_element(run, state, target, thing, value)
        _touch(state, target)
    elif isinstance(target, (cst.Tuple, cst.List)):
        _unpack(run, state, target, thing)
    elif isinstance(target, cst.StarredElement):
        assign(run, state, target.value, unknown("the rest of a sequence"))


def _touch(state: State, target: cst.BaseExpression) -> None:
    for name in names_in(target):
        state.touch(name)


def _set_attribute(state: State, receiver: Thing, entry: Entry) -> None:
    for one in alternatives(receiver):
        if isinstance(one, Ref) and state.box(one).kind in _WITH_ATTRIBUTES:
            state.append(one, entry)
        elif isinstance(one, Class):
            state.append(Ref(one.attributes), entry)


def _set_element(
    run: Run,
    state: State,
    target: cst.Subscript,
    thing: Thing,
    value: cst.BaseExpression | None,
) -> None:
    receiver = run.evaluate(run, state, target.value)
    span = run.places.span(target if value is None else value)
    for one in alternatives(receiver):
        if not isinstance(one, Ref):
            continue
        key = _index(run, state, target)
        where = run.places.span(target.slice[0])
        if state.box(one).kind in MAPPINGS:
            if key is None:
                open_up(state, one, "a computed key", where)
            else:
                state.append(one, Entry(key[0], key[1], relocated(thing, span), span))
        elif state.box(one).kind is Kind.LIST:
            item = Item(relocated(thing, span), span)
            _set_item(state, one, None if key is None else key[0], item)


def _index(run: Run, state: State, target: cst.Subscript) -> tuple[Hashable, Span] | None:
    if len(target.slice) != 1 or not isinstance(target.slice[0].slice, cst.Index):
        return None
    node = target.slice[0].slice.value
    key = key_of(run.evaluate(run, state, node))
    return None if key is None else (key, run.places.span(node))


def _set_item(state: State, ref: Ref, index: object, item: Item) -> None:
    parts = list(state.box(ref).parts)
    in_range = isinstance(index, int) and -len(parts) <= index < len(parts)
    if in_range and isinstance(index, int) and all(isinstance(part, Item) for part in parts):
        parts[index] = item
        state.set_parts(ref, tuple(parts))
    else:
        give_up(state, ref, "an element is set", item.span)


def _unpack(run: Run, state: State, target: cst.Tuple | cst.List, thing: Thing) -> None:
    parts = state.box(thing).parts if isinstance(thing, Ref) else ()
    fits = len(parts) == len(target.elements) and all(
        isinstance(element, cst.Element) for element in target.elements
    )
    for index, element in enumerate(target.elements):
        part = parts[index] if fits else None
        value = part.thing if isinstance(part, Item) else unknown("an element")
        node = element if isinstance(element, cst.StarredElement) else element.value
        assign(run, state, node, value)


def augmented(run: Run, state: State, node: cst.AugAssign) -> None:
    """`a += b` and its like; a list changes in place."""
    value = run.evaluate(run, state, node.value)
    before = run.evaluate(run, state, node.target)
    span = run.places.span(node.value)
    operator = _OPERATORS.get(type(node.operator))
    if isinstance(before, Ref) and _changed_in_place(run, state, operator, before, value, span):
        if isinstance(node.target, cst.Name):
            state.touch(node.target.value)
        return
    spans = run.places.span(node), run.places.span(node.target), span
    after = (
        unknown("a computed value")
        if operator is None
        else combined(run, state, operator, before, value, spans)
    )
    assign(run, state, node.target, after, node.target)


def _changed_in_place(
    run: Run,
    state: State,
    operator: type[cst.CSTNode] | None,
    before: Ref,
    value: Thing,
    span: Span,
) -> bool:
    kind = state.box(before).kind
    if kind is Kind.LIST and operator is cst.Add:
        run.drafts.absorb(state, value)
        state.append(before, *elements(state, value, span))
        run.drafts.note(state, before)
        return True
    if kind in MAPPINGS and operator is cst.BitOr:
        state.append(before, *entries(state, value, span))
        return True
    return False


def delete(run: Run, state: State, target: cst.BaseExpression) -> None:
    """`del x`, `del d[k]`."""
    if isinstance(target, cst.Name):
        state.names.pop(target.value, None)
    elif isinstance(target, (cst.Tuple, cst.List)):
        for element in target.elements:
            delete(run, state, element.value)
    elif isinstance(target, cst.Subscript):
        receiver = run.evaluate(run, state, target.value)
        if not isinstance(receiver, Ref):
            return
        key = _index(run, state, target)
        if state.box(receiver).kind in MAPPINGS and key is not None:
            state.append(receiver, Removed(key[0]))
        elif state.box(receiver).kind in (*MAPPINGS, Kind.LIST):
            give_up(state, receiver, "an element is deleted", run.places.span(target))
