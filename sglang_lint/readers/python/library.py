"""What functions of Python's library give, as far as launches are made with them."""

from __future__ import annotations

import json
import os.path
import textwrap
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from sglang_lint.launches import Origin
from sglang_lint.readers.python.attributes import ENVIRON, attribute_of
from sglang_lint.readers.python.calls import Call
from sglang_lint.readers.python.choices import on_branches
from sglang_lint.readers.python.containers import (
    SEQUENCES,
    elements,
    entries,
    key_of,
    look_up,
    new_list,
    settled_entries,
)
from sglang_lint.readers.python.operators import computed
from sglang_lint.readers.python.origins import origin_of, with_origin
from sglang_lint.readers.python.render import relocated
from sglang_lint.readers.python.splitting import shlex_items
from sglang_lint.readers.python.state import State
from sglang_lint.readers.python.templates import as_text
from sglang_lint.readers.python.texts import (
    at_place,
    known_text,
    mapped_text,
    simple_value,
    text_of,
)
from sglang_lint.readers.python.things import (
    Box,
    Entry,
    Hole,
    Item,
    Kind,
    Named,
    Part,
    Plain,
    Ref,
    Text,
    Thing,
    Unseen,
    unknown,
)
from sglang_lint.text import MappedText
from sglang_lint.values import Known, Unknown

LibraryCall = Callable[[Call], Thing | None]
_MAX_RANGE = 256
_MAX_JSON = 8


def model(call: Call) -> Thing | None:
    """What a library function gives; None if it is none that is known here."""
    if len(call.names) != 1:
        return None
    function = _FUNCTIONS.get(call.names[0])
    return None if function is None else function(call)


def environment_value(call: Call, name_index: int = 0) -> Thing | None:
    """`os.environ.get(name, default)`."""
    name = call.argument(name_index, "key")
    if name is None:
        return None
    key = key_of(name.thing)
    found = None if key is None else look_up(call.state.box(ENVIRON).parts, key)
    if found is not None:
        return found
    default = call.argument(name_index + 1, "default")
    if default is None:
        return Plain(Unknown(f"environment variable {key or ''}".strip()), Origin.ENVIRONMENT)
    return with_origin(default.thing, Origin.VARIABLE_DEFAULT)


def _str(call: Call) -> Thing | None:
    argument = call.argument(0, "object")
    if argument is None:
        return None if call.arguments else text_of(MappedText("", (), (), call.span.start))
    call.run.drafts.show(call.state, argument.thing)
    return as_text(argument.thing, call.span)


def _convert(function: Callable[..., Any]) -> LibraryCall:
    def convert(call: Call) -> Thing | None:
        argument = call.argument(0)
        if argument is None or len(call.arguments) != 1:
            return None
        return on_branches(lambda one: computed(function, [one], call.span), argument.thing)

    return convert


def _fold(function: Callable[..., Any]) -> LibraryCall:
    def fold(call: Call) -> Thing | None:
        if len(call.arguments) < 2 or call.unpacks:
            return None
        things = [argument.thing for argument in call.arguments]
        return on_branches(lambda *given: computed(function, given, call.span), *things)

    return fold


def _int(value: Any) -> int:
    if isinstance(value, str) and len(value) > 20:
        raise ValueError
    return int(value)


def _list(call: Call) -> Thing | None:
    argument = call.argument(0)
    if argument is None:
        return new_list(call.state, (), call.span)
    call.run.drafts.absorb(call.state, argument.thing)
    made = new_list(call.state, elements(call.state, argument.thing, argument.span), call.span)
    call.run.drafts.note(call.state, made)
    return made


def _tuple(call: Call) -> Thing | None:
    made = _list(call)
    if isinstance(made, Ref):
        call.state.heap[made.box] = replace(call.state.box(made), kind=Kind.TUPLE)
    return made


def _dict(call: Call) -> Thing | None:
    parts: list[Part] = []
    for argument in call.arguments:
        if argument.keyword is not None and argument.keyword_span is not None:
            thing = relocated(argument.thing, argument.span)
            parts.append(Entry(argument.keyword, argument.keyword_span, thing, argument.span))
        elif argument.star == "*":
            parts.append(Unseen("positional arguments", argument.span))
        else:
            parts.extend(entries(call.state, argument.thing, argument.span))
    return call.state.new(Box(Kind.DICT).with_parts(tuple(parts)))


def _len(call: Call) -> Thing | None:
    argument = call.argument(0)
    if argument is not None and isinstance(argument.thing, Ref):
        box = call.state.box(argument.thing)
        if box.kind in SEQUENCES and all(isinstance(part, Item) for part in box.parts):
            return Plain(Known(len(box.parts)))
    if argument is not None and (text := known_text(argument.thing)) is not None:
        return Plain(Known(len(text)))
    return unknown("a length")


def _range(call: Call) -> Thing | None:
    values = [simple_value(argument.thing) for argument in call.arguments]
    numbers = [value.value for value in values if isinstance(value, Known)]
    if len(numbers) != len(values) or not 1 <= len(numbers) <= 3:
        return None
    if not all(isinstance(number, int) for number in numbers) or 0 in numbers[2:]:
        return None
    steps = range(*[number for number in numbers if isinstance(number, int)][:3])
    if len(steps) > _MAX_RANGE:
        return None
    parts = tuple(Item(Plain(Known(step)), call.span) for step in steps)
    return new_list(call.state, parts, call.span, Kind.TUPLE)


def _dedent(call: Call) -> Thing | None:
    argument = call.argument(0, "text")
    if argument is None or not isinstance(argument.thing, Text):
        return None
    text = mapped_text(argument.thing)
    # Blanks at the beginning of lines mean nothing to a shell, so that a text with holes may
    # keep them.
    return argument.thing if text is None else replace_text(argument.thing, dedented(text))


def dedented(text: MappedText) -> MappedText:
    """`textwrap.dedent` with places."""
    pieces: list[MappedText] = []
    place = 0
    wanted = textwrap.dedent(text.text).split("\n")
    for line, kept in zip(text.text.split("\n"), wanted, strict=True):
        place += len(line)
        pieces.append(text.slice(place - len(kept), min(place + 1, len(text))))
        place += 1
    return MappedText.join(pieces, text.anchor)


def replace_text(thing: Text, text: MappedText) -> Text:
    """The same string with other contents."""
    return replace(thing, parts=text_of(text).parts)


def _shlex_split(call: Call) -> Thing | None:
    argument = call.argument(0, "s")
    if argument is None or len(call.arguments) != 1 or not isinstance(argument.thing, Text):
        return None
    parts = shlex_items(argument.thing.parts)
    if parts is None:
        return None
    made = new_list(call.state, parts, call.span)
    call.run.drafts.note(call.state, made)
    return made


def _json(call: Call) -> Thing | None:
    argument = call.argument(0, "obj")
    if argument is not None and len(call.arguments) == 1:
        try:
            spelled = json.dumps(_plain(call.state, argument.thing, 0))
        except (TypeError, ValueError):
            return _text("JSON text")(call)
        return text_of(at_place(spelled, call.span))
    return _text("JSON text")(call)


def _plain(state: State, thing: Thing, depth: int) -> Any:
    """A known value with all that is in it; raises TypeError where anything is not known."""
    if isinstance(thing, (Text, Plain)) and origin_of(thing) is Origin.WRITTEN:
        value = simple_value(thing)
        if isinstance(value, Known):
            return value.value
    if isinstance(thing, Ref) and depth < _MAX_JSON:
        box = state.box(thing)
        if box.kind is Kind.DICT and (found := settled_entries(box.parts)) is not None:
            return {entry.key: _plain(state, entry.thing, depth + 1) for entry in found}
        items = [part.thing for part in box.parts if isinstance(part, Item)]
        if box.kind in SEQUENCES and len(items) == len(box.parts):
            return [_plain(state, item, depth + 1) for item in items]
    raise TypeError


def _same(call: Call) -> Thing | None:
    """Functions that give a copy of what they get, or a text that stands for it."""
    argument = call.argument(0)
    if argument is None or not isinstance(argument.thing, Ref):
        return argument.thing if argument is not None else None
    box = call.state.box(argument.thing)
    call.run.drafts.absorb(call.state, argument.thing)
    made = call.state.new(replace(box, sites=frozenset([call.span])))
    if box.kind in SEQUENCES:
        call.run.drafts.note(call.state, made)
    return made


def _as_dict(call: Call) -> Thing | None:
    """`asdict(x)`, `vars(x)`: a ServerArgs stays known as one, a namespace becomes a dictionary."""
    argument = call.argument(0)
    if argument is None or not isinstance(argument.thing, Ref):
        return None
    box = call.state.box(argument.thing)
    if box.kind is Kind.SERVER_ARGS:
        return call.state.new(Box(Kind.SERVER_ARGS, box.parts))
    if box.kind in (Kind.NAMESPACE, Kind.INSTANCE):
        return call.state.new(Box(Kind.DICT, box.parts))
    return None


def _join_path(call: Call) -> Thing | None:
    return on_branches(
        lambda *given: computed(_joined_path, given, call.span),
        *[argument.thing for argument in call.arguments],
    )


def _joined_path(*parts: Any) -> str:
    if not all(isinstance(part, str) for part in parts):
        raise TypeError
    joined: str = os.path.join(*parts)  # noqa: PTH118
    return joined


def _module(call: Call) -> Thing | None:
    argument = call.argument(0)
    name = None if argument is None else known_text(argument.thing)
    return None if name is None else Named(name)


def _getattr(call: Call) -> Thing | None:
    target, name = call.argument(0), call.argument(1)
    text = None if name is None else known_text(name.thing)
    if target is None or text is None:
        return None
    return attribute_of(call.state, target.thing, text)


def _text(why: str) -> LibraryCall:
    def made(call: Call) -> Thing:
        for argument in call.arguments:
            call.run.drafts.show(call.state, argument.thing)
        return Text((Hole(Unknown(why), call.span),))

    return made


_FUNCTIONS: dict[str, LibraryCall] = {
    "builtins.str": _str,
    "builtins.int": _convert(_int),
    "builtins.float": _convert(float),
    "builtins.bool": _convert(bool),
    "builtins.abs": _convert(abs),
    "builtins.min": _fold(min),
    "builtins.max": _fold(max),
    "builtins.list": _list,
    "builtins.tuple": _tuple,
    "builtins.dict": _dict,
    "builtins.len": _len,
    "builtins.range": _range,
    "builtins.repr": _text("a repr"),
    "builtins.getattr": _getattr,
    "builtins.vars": _as_dict,
    "os.getenv": environment_value,
    "os.path.join": _join_path,
    "textwrap.dedent": _dedent,
    "inspect.cleandoc": _dedent,
    "shlex.split": _shlex_split,
    "json.dumps": _json,
    "copy.copy": _same,
    "copy.deepcopy": _same,
    "dataclasses.asdict": _as_dict,
    "importlib.import_module": _module,
    "pytest.importorskip": _module,
}
