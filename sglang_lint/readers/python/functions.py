"""Calls of functions and classes of the file itself, followed as far as they are simple."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from sglang_lint.readers.python.backends import backend_name
from sglang_lint.readers.python.calls import Call
from sglang_lint.readers.python.conditions import Test
from sglang_lint.readers.python.containers import new_list
from sglang_lint.readers.python.nodes import children
from sglang_lint.readers.python.run import MAX_CALLS, Returned, Run
from sglang_lint.readers.python.state import Scope, State, merge
from sglang_lint.readers.python.things import (
    Box,
    Class,
    Entry,
    Function,
    Item,
    Kind,
    Part,
    Plain,
    Thing,
    Unseen,
    unknown,
)
from sglang_lint.values import Known

_RESULT = "return"


def model(call: Call) -> Thing | None:
    """What a function or class of the file gives; None where that cannot be followed."""
    callee = call.callee
    if isinstance(callee, Class) or backend_name(callee) is not None:
        return call.state.new(Box(Kind.INSTANCE, of=callee))
    if call.names == ["builtins.super"]:
        return _super(call)
    if not isinstance(callee, Function) or not _can_follow(call.run, callee):
        return None
    inner = State(
        Scope(callee.scope),
        call.state.numbers,
        heap=call.state.heap,
        path=dict(call.state.path),
    )
    _bind_parameters(call, callee, inner)
    run = call.run
    run.followed.append((callee, []))
    try:
        with run.silence(), call.state.published():
            run.execute(run, inner, body_of(callee.node))
    finally:
        _, returns = run.followed.pop()
    return _finished(call, inner, returns)


def _super(call: Call) -> Thing:
    """`super()`: an object of the next class."""
    owner = call.state.names.get("__class__")
    bases = owner.bases if isinstance(owner, Class) else ()
    for base in bases:
        if isinstance(base, Class) or backend_name(base) is not None:
            return call.state.new(Box(Kind.INSTANCE, of=base))
    return unknown("an object of a base class")


def _can_follow(run: Run, callee: Function) -> bool:
    if len(run.followed) >= MAX_CALLS or not run.can_follow:
        return False
    if any(function is callee for function, _ in run.followed):
        return False
    return not _is_generator(callee.node)


def body_of(node: cst.FunctionDef | cst.ClassDef) -> Sequence[cst.CSTNode]:
    """The statements of a body, also of one on the header's line."""
    return node.body.body


def _is_generator(node: cst.FunctionDef) -> bool:
    todo: list[cst.CSTNode] = [node.body]
    while todo:
        current = todo.pop()
        if isinstance(current, cst.Yield):
            return True
        if not isinstance(current, (cst.FunctionDef, cst.Lambda, cst.ClassDef)):
            todo.extend(children(current))
    return False


def parameters_of(node: cst.FunctionDef) -> list[cst.Param]:
    """The parameters that can be passed by name or place, in order."""
    params = node.params
    return [*params.posonly_params, *params.params, *params.kwonly_params]


def _bind_parameters(call: Call, callee: Function, inner: State) -> None:
    run, params = call.run, callee.node.params
    by_place = [*params.posonly_params, *params.params]
    given: dict[str, Thing] = {}
    positional = [argument.thing for argument in call.positional()]
    if callee.owner is not None and not is_static(callee.node) and call.receiver is not None:
        positional.insert(0, call.receiver)
    for parameter, thing in zip(by_place, positional, strict=False):
        given[parameter.name.value] = thing
    for argument in call.arguments:
        if argument.keyword is not None:
            given[argument.keyword] = argument.thing
    for parameter in parameters_of(callee.node):
        name = parameter.name.value
        if name in given:
            thing = given[name]
        elif call.unpacks or parameter.default is None:
            thing = unknown(f"parameter `{name}`")
        else:
            with run.silence():
                thing = run.evaluate(run, inner, parameter.default)
        inner.bind(name, thing, run.places.span(parameter.name))
    _bind_rest(call, callee, inner, given, positional[len(by_place) :])


def _bind_rest(
    call: Call, callee: Function, inner: State, given: dict[str, Thing], rest: list[Thing]
) -> None:
    """`*args` and `**kwargs` of a function that is followed."""
    params, span = callee.node.params, call.span
    if isinstance(params.star_arg, cst.Param):
        parts: list[Part] = [Item(thing, span) for thing in rest]
        if call.unpacks:
            parts.append(Unseen("positional arguments", span))
        made = new_list(inner, tuple(parts), span, Kind.TUPLE)
        inner.bind(params.star_arg.name.value, made, span)
    if params.star_kwarg is not None:
        known = {parameter.name.value for parameter in parameters_of(callee.node)}
        entries: list[Part] = [
            Entry(a.keyword, a.keyword_span, a.thing, a.span)
            for a in call.arguments
            if a.keyword is not None and a.keyword_span is not None and a.keyword not in known
        ]
        if call.unpacks:
            entries.append(Unseen("keyword arguments", span))
        box = Box(Kind.DICT).with_parts(tuple(entries))
        inner.bind(params.star_kwarg.name.value, inner.new(box), span)


def is_static(node: cst.FunctionDef) -> bool:
    """Whether a method takes no object."""
    return any(
        isinstance(decorator.decorator, cst.Name) and decorator.decorator.value == "staticmethod"
        for decorator in node.decorators
    )


def _finished(call: Call, inner: State, returns: list[Returned]) -> Thing:
    """The result of a call that was followed; its effects go into the caller's state."""
    if inner.alive:
        returns = [*returns, Returned(inner, Plain(Known(None)))]
    before = call.state.fork()
    states: list[State] = []
    for returned in returns:
        state = returned.state.fork()
        state.scope, state.names, state.stamps = before.scope, {_RESULT: returned.thing}, {}
        state.alive = True
        states.append(state)
    if not states:
        return unknown("the result of a call")
    tests = _deciding_tests(returns, before.path)
    merged = states[-1]
    if tests is None:
        call.state.heap = {number: box for state in states for number, box in state.heap.items()}
        return unknown("the result of a call")
    for state, (test, truth) in zip(reversed(states[:-1]), reversed(tests), strict=True):
        then, other = (state, merged) if truth else (merged, state)
        merged = merge(test, then, other, before)
    call.state.heap = merged.heap
    return merged.names.get(_RESULT, unknown("the result of a call"))


def _deciding_tests(
    returns: Sequence[Returned], path: dict[Test, bool]
) -> list[tuple[Test, bool]] | None:
    """For each return but the last the test that leads to it, if that is one test."""
    ruled_out: dict[Test, bool] = dict(path)
    found = []
    for returned in returns[:-1]:
        extra = [
            (test, truth)
            for test, truth in returned.state.path.items()
            if ruled_out.get(test) is not truth
        ]
        if len(extra) != 1:
            return None
        test, truth = extra[0]
        found.append((test, truth))
        ruled_out[test] = not truth
    return found
