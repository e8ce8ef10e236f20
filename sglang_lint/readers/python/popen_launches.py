"""Launches by the helper of SGLang's tests: `popen_launch_server(model, url, ...)`."""

from __future__ import annotations

from sglang_lint.launches.entry_points import POPEN_LAUNCH_SERVER
from sglang_lint.readers.python.argv_launches import report_words
from sglang_lint.readers.python.calls import Call
from sglang_lint.readers.python.containers import elements
from sglang_lint.readers.python.drafts import Argv
from sglang_lint.readers.python.environment import settings_of
from sglang_lint.readers.python.names import api_name
from sglang_lint.readers.python.render import relocated
from sglang_lint.readers.python.texts import at_place, simple_value
from sglang_lint.readers.python.things import (
    Item,
    Literal,
    Part,
    Plain,
    Text,
    Thing,
    Unseen,
    unknown,
)
from sglang_lint.text import Span
from sglang_lint.values import Known

HELPERS = frozenset(["popen_launch_server", "popen_launch_pd_server"])
# Where these are given another program is started, which has options of its own.
_OTHER_PROGRAM = ("pd_separated", "num_replicas")


def model(call: Call) -> Thing | None:
    """What a call of the helper gives; None if it is none."""
    helper = next((api_name(name) for name in call.names if api_name(name) in HELPERS), None)
    if helper is None:
        return None
    if (not call.run.quiet or call.run.placement) and not _starts_other_program(call):
        _report(call)
    return unknown("a process")


def _starts_other_program(call: Call) -> bool:
    given = [call.argument(-1, name) for name in _OTHER_PROGRAM]
    return any(
        argument is not None and simple_value(argument.thing) not in (Known(False), Known(None))
        for argument in given
    )


def _report(call: Call) -> None:
    parts: list[Part] = []
    named = call.argument(0, "model")
    if named is None:
        parts.append(Unseen("the arguments of the helper", call.span))
    else:
        parts += model_items(named.thing, named.span)
    other = call.argument(4, "other_args")
    if other is not None:
        call.run.drafts.absorb(call.state, other.thing)
        if not (isinstance(other.thing, Plain) and other.thing.value == Known(None)):
            parts += elements(call.state, other.thing, other.span)
    elif call.unpacks:
        parts.append(Unseen("the arguments of the helper", call.span))
    span, extent = call.run.placement or (call.callee_span, call.span)
    argv = Argv(
        tuple(parts), call.state.heap, call.state.path, extent, environment=settings_of(call)
    )
    report_words(call.run, POPEN_LAUNCH_SERVER, span, argv)


def model_items(model: Thing, span: Span) -> tuple[Item, Item]:
    """The words by which the helper passes the model that is written at `span`."""
    option = Text((Literal(at_place("--model-path", span)),))
    return Item(option, span), Item(relocated(model, span), span)
