"""Options that a program declares itself with argparse: a forwarded one has its default."""

from __future__ import annotations

from sglang_lint.launches import Origin
from sglang_lint.readers.python.calls import Call
from sglang_lint.readers.python.containers import new_list
from sglang_lint.readers.python.operators import computed
from sglang_lint.readers.python.origins import with_origin
from sglang_lint.readers.python.texts import known_text
from sglang_lint.readers.python.things import (
    Box,
    Entry,
    Item,
    Kind,
    Named,
    Plain,
    Ref,
    Text,
    Thing,
    Unseen,
    unknown,
)
from sglang_lint.values import Known

_CONVERTERS = {"builtins.int": int, "builtins.float": float, "builtins.str": str}
_FLAGS = {"store_true": False, "store_false": True}


def model(call: Call) -> Thing | None:
    """What a call around an argument parser gives; None if it is none."""
    if "argparse.ArgumentParser" in call.names:
        return call.state.new(Box(Kind.PARSER))
    receiver = call.receiver
    if not isinstance(receiver, Ref) or call.state.box(receiver).kind is not Kind.PARSER:
        return None
    if call.method == "add_argument":
        _add_argument(call, receiver)
        return unknown("an option")
    if call.method in ("add_argument_group", "add_mutually_exclusive_group"):
        return receiver
    if call.method == "set_defaults":
        for argument in call.arguments:
            if argument.keyword is not None and argument.keyword_span is not None:
                thing = with_origin(argument.thing, Origin.OPTION_DEFAULT)
                entry = Entry(argument.keyword, argument.keyword_span, thing, argument.span)
                call.state.append(receiver, entry)
        return Plain(Known(None))
    if call.method == "parse_args":
        return _namespace(call, receiver)
    if call.method == "parse_known_args":
        rest = new_list(call.state, (Unseen("further options", call.span),), call.span)
        parts = (Item(_namespace(call, receiver), call.span), Item(rest, call.span))
        return call.state.new(Box(Kind.TUPLE, parts))
    return unknown("a parser")


def _namespace(call: Call, parser: Ref) -> Ref:
    return call.state.new(Box(Kind.NAMESPACE, call.state.box(parser).parts))


def _add_argument(call: Call, parser: Ref) -> None:
    names = [known_text(argument.thing) for argument in call.positional()]
    known = [name for name in names if name]
    destination = call.argument(-1, "dest")
    field = None if destination is None else known_text(destination.thing)
    if field is None:
        field = _destination(known)
    if field is None:
        call.state.append(parser, Unseen("an option", call.span))
        return
    default = _default(call, known)
    given = call.argument(-1, "default")
    span = call.span if given is None else given.span
    call.state.append(parser, Entry(field, span, default, span))


def _destination(names: list[str]) -> str | None:
    """The attribute of an option: its first long name, else its first."""
    if not names:
        return None
    long_name = next((name for name in names if name.startswith("--")), names[0])
    return long_name.lstrip("-").replace("-", "_")


def _default(call: Call, names: list[str]) -> Thing:
    required = call.argument(-1, "required")
    if names and not names[0].startswith("-"):
        return unknown("an argument of the program")
    if required is not None and required.thing != Plain(Known(False)):
        return unknown("an argument of the program")
    given = call.argument(-1, "default")
    action = call.argument(-1, "action")
    if given is None:
        kind = None if action is None else known_text(action.thing)
        if kind not in _FLAGS:
            return unknown("an argument of the program")
        return Plain(Known(_FLAGS[kind]), Origin.OPTION_DEFAULT)
    thing = given.thing
    if thing == Plain(Known(None)):
        # A program that has no default of its own waits for the user's value.
        return unknown("an argument of the program")
    converter = call.argument(-1, "type")
    if isinstance(thing, Text) and converter is not None:
        # argparse converts a default that is a string, as if it had been typed.
        function = converter.thing
        if not isinstance(function, Named) or function.name not in _CONVERTERS:
            return unknown("an argument of the program")
        thing = computed(_CONVERTERS[function.name], [thing], given.span)
    return with_origin(thing, Origin.OPTION_DEFAULT)
