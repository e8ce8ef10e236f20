"""List, tuple and dictionary displays, and comprehensions over known ones."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import libcst as cst

from sglang_lint.readers.python.containers import elements, entries, key_of, new_list
from sglang_lint.readers.python.origins import related_of
from sglang_lint.readers.python.render import relocated
from sglang_lint.readers.python.run import Run
from sglang_lint.readers.python.state import State
from sglang_lint.readers.python.texts import simple_value, thing_of
from sglang_lint.readers.python.things import (
    Box,
    Entry,
    Item,
    Kind,
    Part,
    Ref,
    Thing,
    Unseen,
    unknown,
)
from sglang_lint.text import Span
from sglang_lint.values import Known, join

# A comprehension over more elements is not followed one by one.
MAX_UNROLLED = 256


def list_display(run: Run, state: State, node: cst.List) -> Thing:
    """`[a, *b]`."""
    return _sequence(run, state, node, node.elements, Kind.LIST)


def tuple_display(run: Run, state: State, node: cst.Tuple) -> Thing:
    """`(a, *b)`."""
    return _sequence(run, state, node, node.elements, Kind.TUPLE)


def set_display(run: Run, state: State, node: cst.Set) -> Thing:
    """`{a, b}`; only asked whether something is in it."""
    return _sequence(run, state, node, node.elements, Kind.TUPLE)


def _sequence(
    run: Run,
    state: State,
    node: cst.BaseExpression,
    written: Sequence[cst.BaseElement],
    kind: Kind,
) -> Ref:
    parts: list[Part] = []
    for element in written:
        thing = run.evaluate(run, state, element.value)
        span = place_of(run, thing) or run.places.span(element.value)
        if isinstance(element, cst.StarredElement):
            run.drafts.absorb(state, thing)
            parts.extend(elements(state, thing, span))
        else:
            parts.append(Item(relocated(thing, span), span))
    made = new_list(state, tuple(parts), run.places.span(node), kind)
    run.drafts.note(state, made)
    return made


def place_of(run: Run, thing: Thing) -> Span | None:
    """In a loop that is followed round by round: where this round's element was written."""
    related = related_of(thing) if run.unrolling else ()
    return related[0].span if related else None


def dict_display(run: Run, state: State, node: cst.Dict) -> Thing:
    """`{a: b, **c}`."""
    parts: list[Part] = []
    for element in node.elements:
        thing = run.evaluate(run, state, element.value)
        span = run.places.span(element.value)
        if isinstance(element, cst.DictElement):
            key = key_of(run.evaluate(run, state, element.key))
            key_span = run.places.span(element.key)
            if key is None:
                parts.append(Unseen("a computed key", key_span))
            else:
                parts.append(Entry(key, key_span, relocated(thing, span), span))
        else:
            parts.extend(entries(state, thing, span))
    return state.new(Box(Kind.DICT).with_parts(tuple(parts)))


def comprehension(
    run: Run, state: State, node: cst.ListComp | cst.GeneratorExp | cst.SetComp
) -> Thing:
    """`[f(x) for x in known]`, one element after the other."""
    span = run.places.span(node)
    _look_inside(run, state, node.for_in, [node.elt])
    rounds = _rounds(run, state, node.for_in)
    if rounds is None:
        return new_list(state, (Unseen("a comprehension", span),), span)
    parts: list[Part] = []
    with run.muting(), run.rounds():
        for inner in rounds:
            thing = run.evaluate(run, inner, node.elt)
            place = place_of(run, thing) or run.places.span(node.elt)
            parts.append(Item(relocated(thing, place), place))
    made = new_list(state, tuple(parts), span)
    run.drafts.note(state, made)
    return made


def dict_comprehension(run: Run, state: State, node: cst.DictComp) -> Thing:
    """`{k: v for ... in known}`."""
    span = run.places.span(node)
    _look_inside(run, state, node.for_in, [node.key, node.value])
    rounds = _rounds(run, state, node.for_in)
    if rounds is None:
        return state.new(Box(Kind.DICT, (Unseen("a comprehension", span),)))
    parts: list[Part] = []
    with run.muting(), run.rounds():
        for inner in rounds:
            key_thing = run.evaluate(run, inner, node.key)
            key, thing = key_of(key_thing), run.evaluate(run, inner, node.value)
            key_span = place_of(run, key_thing) or run.places.span(node.key)
            where = place_of(run, thing) or run.places.span(node.value)
            if key is None:
                parts.append(Unseen("a computed key", where))
            else:
                parts.append(Entry(key, key_span, relocated(thing, where), where))
    return state.new(Box(Kind.DICT).with_parts(tuple(parts)))


def _rounds(run: Run, state: State, clause: cst.CompFor) -> list[State] | None:
    """The state of each round of a comprehension."""
    iterated = run.evaluate(run, state, clause.iter)
    run.drafts.absorb(state, iterated)
    if clause.inner_for_in is not None or clause.asynchronous is not None:
        return None
    if not run.can_follow:
        return None
    steps = known_steps(state, iterated, run.places.span(clause.iter))
    if steps is None:
        return None
    rounds: list[State] = []
    for item in steps:
        inner = state.fork()
        # Objects made in a round have to outlive it.
        inner.heap = state.heap
        if not bind_target(run, inner, clause.target, item):
            return None
        kept = True
        for condition in clause.ifs:
            value = simple_value(run.evaluate(run, inner, condition.test))
            if not isinstance(value, Known):
                return None
            kept = kept and bool(value.value)
        if kept:
            rounds.append(inner)
    return rounds


def known_steps(state: State, iterated: Thing, span: Span) -> list[Item] | None:
    """The elements that a loop goes over if all of them are seen and hang on no branch."""
    parts = elements(state, iterated, span)
    items = [part for part in parts if isinstance(part, Item)]
    return items if len(items) == len(parts) and len(items) <= MAX_UNROLLED else None


def bind_target(run: Run, state: State, target: cst.BaseExpression, item: Item) -> bool:
    """Set the target of a loop to an element; False where the target is of no simple kind."""
    if isinstance(target, cst.Name):
        state.names[target.value] = item.thing
        state.touch(target.value)
        state.scope.spans[target.value] = item.span
        return True
    if not isinstance(target, (cst.Tuple, cst.List)) or not isinstance(item.thing, Ref):
        return False
    parts = state.box(item.thing).parts
    if len(parts) != len(target.elements):
        return False
    return all(
        isinstance(part, Item) and bind_target(run, state, element.value, part)
        for element, part in zip(target.elements, parts, strict=True)
    )


def joined_item(items: Iterable[Item], span: Span) -> Thing:
    """What is known of an element of a loop in any round."""
    things = [item.thing for item in items]
    if len(things) == 1:
        return things[0]
    if not things or any(isinstance(thing, Ref) for thing in things):
        return unknown("an element")
    return thing_of(join(simple_value(thing) for thing in things), span)


def _look_inside(
    run: Run, state: State, clause: cst.CompFor, nodes: Sequence[cst.BaseExpression]
) -> None:
    """Look for launches in a comprehension, whatever its rounds are."""
    inner = state.fork()
    inner.heap = state.heap
    iterated = run.evaluate(run, inner, clause.iter)
    span = run.places.span(clause.iter)
    steps = known_steps(inner, iterated, span)
    if steps is not None and isinstance(clause.target, cst.Name):
        inner.names[clause.target.value] = joined_item(steps, span)
    else:
        forget_targets(inner, clause.target)
    rest = clause.inner_for_in
    while rest is not None:
        forget_targets(inner, rest.target)
        rest = rest.inner_for_in
    for node in nodes:
        run.evaluate(run, inner, node)


def forget_targets(state: State, target: cst.BaseExpression) -> None:
    """Set the names of a target to something unknown."""
    if isinstance(target, cst.Name):
        state.names[target.value] = unknown("it changes in a loop")
        state.touch(target.value)
    elif isinstance(target, (cst.Tuple, cst.List)):
        for element in target.elements:
            forget_targets(state, element.value)
