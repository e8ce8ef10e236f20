"""Evaluating a call: its arguments, then the first that knows what the callee does."""

from __future__ import annotations

from collections.abc import Callable

import libcst as cst

from sglang_lint.readers.python import (
    argparse_options,
    argv_launches,
    evidence,
    functions,
    hooks,
    keyword_launches,
    library,
    methods,
    popen_launches,
)
from sglang_lint.readers.python.attributes import attribute_of
from sglang_lint.readers.python.calls import Argument, Call
from sglang_lint.readers.python.containers import open_up
from sglang_lint.readers.python.run import Run
from sglang_lint.readers.python.sinks import only_shows
from sglang_lint.readers.python.state import State
from sglang_lint.readers.python.things import Kind, Ref, Thing, unknown

Model = Callable[[Call], Thing | None]

_MODELS: tuple[Model, ...] = (
    keyword_launches.model,
    popen_launches.model,
    argparse_options.model,
    library.model,
    methods.model,
    functions.model,
)


def call(run: Run, state: State, node: cst.Call) -> Thing:
    """What a call gives, with whatever it starts noted."""
    receiver, method = None, None
    if isinstance(node.func, cst.Attribute):
        receiver = run.evaluate(run, state, node.func.value)
        method = node.func.attr.value
        callee = attribute_of(state, receiver, method)
    else:
        callee = run.evaluate(run, state, node.func)
    arguments = tuple(_argument(run, state, argument) for argument in node.args)
    made = Call(run, state, node, callee, receiver, method, arguments)
    hooks.note_call(made)
    evidence.note(made)
    for model in _MODELS:
        result = model(made)
        if result is not None:
            return result
    argv_launches.note(made)
    _let_go(made)
    return unknown("the result of a call")


def _argument(run: Run, state: State, node: cst.Arg) -> Argument:
    thing = run.evaluate(run, state, node.value)
    keyword = node.keyword
    return Argument(
        thing,
        node.value,
        run.places.span(node.value),
        node.star,
        None if keyword is None else keyword.value,
        None if keyword is None else run.places.span(keyword),
    )


def _let_go(made: Call) -> None:
    """What goes into a call that nobody knows may come out with more in it."""
    if only_shows(made):
        return
    for argument in made.arguments:
        thing = argument.thing
        if argument.star or not isinstance(thing, Ref):
            continue
        if made.state.box(thing).kind in (Kind.LIST, Kind.DICT, Kind.PARSER, Kind.NAMESPACE):
            open_up(made.state, thing, f"it is passed to `{made.last_name}`", argument.span)


def hand_over(run: Run, state: State, thing: Thing) -> None:
    """A value leaves the body: a list of arguments that does is used by somebody."""
    argv_launches.hand_over(run, state, thing)
