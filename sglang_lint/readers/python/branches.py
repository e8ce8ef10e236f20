"""Both arms of a branch, and what is known in each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import libcst as cst

from sglang_lint.launches import Origin
from sglang_lint.readers.python import loops, tests
from sglang_lint.readers.python.conditions import Test
from sglang_lint.readers.python.containers import look_up
from sglang_lint.readers.python.names import free_name
from sglang_lint.readers.python.nodes import children
from sglang_lint.readers.python.origins import origin_of
from sglang_lint.readers.python.run import Run
from sglang_lint.readers.python.state import State, merge
from sglang_lint.readers.python.things import Box, Entry, Kind, Ref, Thing, unknown

_OBJECTS = (Kind.NAMESPACE, Kind.INSTANCE)


@dataclass
class _Loosened:
    """What was forgotten in an arm, to be put back where the arms meet."""

    names: dict[str, tuple[Thing, Thing | None]] = field(default_factory=dict)
    boxes: dict[int, tuple[Box, Box]] = field(default_factory=dict)

    def undo(self, arm: State) -> None:
        """Put back what the arm itself has not set since."""
        for name, (loose, before) in self.names.items():
            if arm.names.get(name) is loose:
                if before is None:
                    del arm.names[name]
                else:
                    arm.names[name] = before
        for number, (before_box, loose_box) in self.boxes.items():
            if arm.heap.get(number) is loose_box:
                arm.heap[number] = before_box


def branch(
    run: Run,
    state: State,
    test: Test,
    asked: cst.BaseExpression,
    then: Sequence[cst.CSTNode],
    other: Sequence[cst.CSTNode],
) -> None:
    """Run through both arms of a branch on `asked`, and on from where they meet."""
    before = state.fork()
    one, two = state.fork(test, True), state.fork(test, False)
    loosened = _loosen_contrary(run, before, asked, one, two)
    run.execute(run, one, then)
    run.execute(run, two, other)
    if not one.alive or not two.alive:
        # What is known after an arm that leaves is that the other was taken.
        state.become(two if not one.alive else one)
        return
    for arm in (one, two):
        loosened.undo(arm)
    state.become(merge(test, one, two, before))


def dead_arm(
    run: Run, state: State, asked: cst.BaseExpression, body: Sequence[cst.CSTNode]
) -> None:
    """Look through an arm that is not taken as things stand: it is there to be switched to.

    What the test asks about is another thing then, and not known.
    """
    dead = state.fork()
    names = tests.names_in(asked)
    loops.forget(dead, names, "it decides a branch", run.places.span(asked))
    if any(isinstance(dead.names.get(name), Ref) for name in names):
        with run.muting():
            run.execute(run, dead, body)
    else:
        run.execute(run, dead, body)


def evaluate_arms(
    run: Run,
    state: State,
    test: Test,
    asked: cst.BaseExpression,
    arms: tuple[cst.BaseExpression, cst.BaseExpression],
) -> tuple[Thing, Thing]:
    """Two expressions of which the first is taken where `asked` holds."""
    one, two = state.fork(test, True), state.fork(test, False)
    _loosen_contrary(run, state, asked, one, two)
    things = run.evaluate(run, one, arms[0]), run.evaluate(run, two, arms[1])
    for arm in (one, two):
        state.heap.update({n: box for n, box in arm.heap.items() if n not in state.heap})
    return things


def _loosen_contrary(
    run: Run, before: State, asked: cst.BaseExpression, one: State, two: State
) -> _Loosened:
    """Forget the defaults in the arm that is not taken with them: there something else is given."""
    loosened = _Loosened()
    by_default = tests.by_default(run, before, asked)
    if by_default is not None:
        _loosen(run, two if by_default else one, asked, loosened)
    return loosened


def _loosen(run: Run, arm: State, asked: cst.BaseExpression, loosened: _Loosened) -> None:
    todo: list[cst.CSTNode] = [asked]
    while todo:
        node = todo.pop()
        if isinstance(node, cst.Name):
            _loosen_name(arm, node.value, loosened)
        elif isinstance(node, cst.Attribute):
            _loosen_attribute(run, arm, node, loosened)
        else:
            todo.extend(children(node))


def _loosen_name(arm: State, name: str, loosened: _Loosened) -> None:
    before = arm.names.get(name)
    thing = before if before is not None else free_name(arm.scope.outer, name)[0]
    if thing is not None and origin_of(thing) is not Origin.WRITTEN:
        loose = unknown(f"`{name}` is given")
        loosened.names[name] = loose, before
        arm.names[name] = loose


def _loosen_attribute(run: Run, arm: State, node: cst.Attribute, loosened: _Loosened) -> None:
    receiver = run.evaluate(run, arm, node.value)
    if not isinstance(receiver, Ref) or arm.box(receiver).kind not in _OBJECTS:
        return
    box = arm.box(receiver)
    found = look_up(box.parts, node.attr.value)
    if found is None or origin_of(found) is Origin.WRITTEN:
        return
    span = run.places.span(node)
    entry = Entry(node.attr.value, span, unknown(f"`{node.attr.value}` is given"), span)
    loose = box.with_parts((*box.parts, entry))
    first = loosened.boxes.get(receiver.box, (box, box))[0]
    loosened.boxes[receiver.box] = first, loose
    arm.heap[receiver.box] = loose
