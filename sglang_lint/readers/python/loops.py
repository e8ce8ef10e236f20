"""Loops: looked through once for launches, then followed round by round where that is known."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from sglang_lint.readers.python.containers import open_up
from sglang_lint.readers.python.displays import (
    bind_target,
    forget_targets,
    joined_item,
    known_steps,
)
from sglang_lint.readers.python.nodes import children
from sglang_lint.readers.python.run import Run
from sglang_lint.readers.python.state import State
from sglang_lint.readers.python.things import Either, Item, Kind, Plain, Ref, Text, unknown
from sglang_lint.text import Span

_SETTERS = (cst.AssignTarget, cst.AnnAssign, cst.AugAssign, cst.NamedExpr, cst.For)
_BUILDERS = ("append", "extend", "insert", "update", "setdefault", "add_argument")
_WHY = "it changes in a loop"
_CHANGEABLE = (Kind.LIST, Kind.DICT, Kind.SERVER_ARGS, Kind.NAMESPACE, Kind.INSTANCE, Kind.PARSER)
# Rounds times statements of a loop that is followed round by round.
_MAX_ROUNDS = 4096


def for_loop(run: Run, state: State, node: cst.For) -> None:
    """`for target in iterated: ...`."""
    iterated = run.evaluate(run, state, node.iter)
    span = run.places.span(node.iter)
    steps = None if node.asynchronous is not None else known_steps(state, iterated, span)
    body = node.body.body
    changed = changed_names(node.body) | changed_names(node.target)
    inner = state.fork()
    forget(inner, changed, _WHY, span)
    forget_targets(inner, node.target)
    if steps is not None and isinstance(node.target, cst.Name):
        inner.names[node.target.value] = joined_item(steps, span)
        inner.scope.spans[node.target.value] = run.places.span(node.target)
    run.execute(run, inner, body)
    run.drafts.keep(inner)
    if steps is None or not _followed(run, state, node, steps):
        forget(state, changed, _WHY, span)
        forget_targets(state, node.target)
    if node.orelse is not None:
        run.execute(run, state, node.orelse.body.body)


def _followed(run: Run, state: State, node: cst.For, steps: Sequence[Item]) -> bool:
    """Go through the rounds on a copy; whether that came to an end with no early leaving."""
    if len(steps) * (1 + len(node.body.body)) > _MAX_ROUNDS or leaves_early(node.body):
        return False
    if not any(isinstance(state.names.get(n), (Ref, Text)) for n in built_names(node.body)):
        return False
    rounds = state.fork()
    with run.muting(), run.rounds():
        for step in steps:
            if not run.can_follow or not bind_target(run, rounds, node.target, step):
                return False
            run.execute(run, rounds, node.body.body)
            if not rounds.alive:
                return False
    state.become(rounds)
    return True


def built_names(node: cst.CSTNode) -> set[str]:
    """The names whose strings or containers a piece of code adds to."""
    found: set[str] = set()
    todo: list[cst.CSTNode] = [node]
    while todo:
        current = todo.pop()
        if isinstance(current, (cst.AugAssign, cst.AssignTarget)):
            found |= _targets(current.target)
        elif (
            isinstance(current, cst.Call)
            and isinstance(current.func, cst.Attribute)
            and current.func.attr.value in _BUILDERS
        ):
            found |= _targets(current.func.value)
        todo.extend(children(current))
    return found


def leaves_early(node: cst.CSTNode) -> bool:
    """Whether a loop can be left, or a round of it, before its end."""
    todo: list[cst.CSTNode] = [node]
    while todo:
        current = todo.pop()
        if isinstance(current, (cst.Break, cst.Continue, cst.Return, cst.Raise, cst.Try)):
            return True
        if not isinstance(current, (cst.FunctionDef, cst.ClassDef, cst.BaseExpression)):
            todo.extend(children(current))
    return False


def while_loop(run: Run, state: State, node: cst.While) -> None:
    """`while test: ...`: what it changes is not known in it nor after it."""
    changed = changed_names(node.body)
    span = run.places.span(node.test)
    forget(state, changed, _WHY, span)
    inner = state.fork()
    run.evaluate(run, inner, node.test)
    run.execute(run, inner, node.body.body)
    run.drafts.keep(inner)
    if node.orelse is not None:
        run.execute(run, state, node.orelse.body.body)


def changed_names(node: cst.CSTNode) -> set[str]:
    """The names that a piece of code sets, or whose objects it may change."""
    found: set[str] = set()
    todo: list[cst.CSTNode] = [node]
    while todo:
        current = todo.pop()
        if isinstance(current, _SETTERS):
            found |= _targets(current.target)
        elif isinstance(current, cst.Call):
            found |= _changed_by_call(current)
        elif isinstance(current, (cst.FunctionDef, cst.ClassDef)):
            found.add(current.name.value)
            continue
        elif isinstance(current, cst.AsName):
            found |= _targets(current.name)
        elif isinstance(current, cst.Del):
            found |= _targets(current.target)
        elif isinstance(current, (cst.Attribute, cst.Arg)):
            todo.append(current.value)
            continue
        todo.extend(child for child in children(current) if not isinstance(child, cst.Name))
    return found


def _targets(target: cst.BaseExpression) -> set[str]:
    if isinstance(target, cst.Name):
        return {target.value}
    if isinstance(target, (cst.Attribute, cst.Subscript)):
        return _targets(target.value)
    if isinstance(target, (cst.Tuple, cst.List)):
        return {name for element in target.elements for name in _targets(element.value)}
    return set()


def _changed_by_call(node: cst.Call) -> set[str]:
    """What a method is called on, and the names that go into a call as they are."""
    found = _targets(node.func.value) if isinstance(node.func, cst.Attribute) else set()
    for argument in node.args:
        if isinstance(argument.value, cst.Name) and not argument.star:
            found.add(argument.value.value)
    return found


def forget(state: State, names: set[str], why: str, span: Span) -> None:
    """Forget what some code may have changed: values as a whole, objects from here on."""
    for name in names:
        thing = state.names.get(name)
        if thing is None:
            continue
        if isinstance(thing, Ref):
            if state.box(thing).kind in _CHANGEABLE:
                open_up(state, thing, why, span)
        elif isinstance(thing, (Text, Plain, Either)):
            state.names[name] = unknown(why)
        state.touch(name)
