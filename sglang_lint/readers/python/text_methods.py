"""Methods of strings."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable

from sglang_lint.readers.python.calls import Call
from sglang_lint.readers.python.choices import on_branches
from sglang_lint.readers.python.containers import elements, new_list
from sglang_lint.readers.python.library import replace_text
from sglang_lint.readers.python.splitting import blank_items
from sglang_lint.readers.python.templates import format_method, in_place
from sglang_lint.readers.python.texts import at_place, known_text, mapped_text, text_of
from sglang_lint.readers.python.things import (
    Fork,
    Hole,
    Item,
    Literal,
    Part,
    Parts,
    Plain,
    Text,
    Thing,
    Unseen,
    fork,
    unknown,
)
from sglang_lint.text import MappedText, Span
from sglang_lint.values import Known, Unknown

TextMethod = Callable[[Call, Text], Thing | None]


def text_method(call: Call, text: Text) -> Thing | None:
    """What a method of a string gives; None if there is no such method."""
    name = call.method or ""
    branching = _BRANCHING_METHODS.get(name)
    if branching is not None:
        return on_branches(lambda one: _on_one_branch(branching, call, one), text)
    method = _TEXT_METHODS.get(name)
    found = None if method is None else method(call, text)
    if found is None and hasattr(str, name):
        return unknown("a computed text")
    return found


def _on_one_branch(method: TextMethod, call: Call, text: Thing) -> Thing:
    found = method(call, text) if isinstance(text, Text) else None
    return found or unknown("a computed text")


def _format(call: Call, text: Text) -> Thing | None:
    positional = [argument.thing for argument in call.positional()]
    named = {a.keyword: a.thing for a in call.arguments if a.keyword is not None}
    if call.unpacks:
        return None
    return format_method(text, positional, named, call.span)


def _split(call: Call, text: Text) -> Thing | None:
    if call.arguments:
        return None
    parts = blank_items(text.parts)
    if parts is None:
        return None
    made = new_list(call.state, parts, call.span)
    call.run.drafts.note(call.state, made)
    return made


def _join(call: Call, text: Text) -> Thing | None:
    argument = call.argument(0)
    separator = mapped_text(text)
    if argument is None or separator is None:
        return None
    call.run.drafts.show(call.state, argument.thing)
    parts = elements(call.state, argument.thing, argument.span)
    return Text(_joined(parts, Literal(separator), first=True))


def _joined(parts: Parts, separator: Literal, *, first: bool) -> Parts:
    """The elements of a list with a separator before each but the first."""
    found: list[Part] = []
    for part in parts:
        if isinstance(part, Fork):
            if first:
                # Whether a separator follows hangs on the branch, so what does is left open.
                return (*found, Hole(Unknown(f"it hangs on `{part.test.text}`"), Span(0, 0)))
            then = _joined(part.then, separator, first=False)
            found.extend(fork(part.test, then, _joined(part.other, separator, first=False)))
            continue
        if not first:
            found.append(separator)
        first = False
        if isinstance(part, Item):
            found.extend(in_place(part.thing, part.span).parts)
        elif isinstance(part, Unseen):
            found.append(Hole(Unknown(part.why), part.span))
    return tuple(found)


def shlex_join(call: Call) -> Thing | None:
    """`shlex.join(words)`."""
    argument = call.argument(0)
    if argument is None:
        return None
    call.run.drafts.show(call.state, argument.thing)
    parts = elements(call.state, argument.thing, argument.span)
    quoted = tuple(_quoted(part) for part in parts)
    return Text(_joined(quoted, Literal(at_place(" ", argument.span)), first=True))


def _quoted(part: Part) -> Part:
    if isinstance(part, Fork):
        return Fork(
            part.test,
            tuple(map(_quoted, part.then)),
            tuple(map(_quoted, part.other)),
            part.weight,
        )
    text = known_text(part.thing) if isinstance(part, Item) else None
    if not isinstance(part, Item) or text is None or shlex.quote(text) == text:
        return part
    return Item(text_of(at_place(shlex.quote(text), part.span)), part.span)


def _stripped(characters: str) -> TextMethod:
    def strip(call: Call, text: Text) -> Thing | None:
        mapped = mapped_text(text)
        if call.arguments or mapped is None:
            return text if not call.arguments else None
        source = mapped.text
        start = len(source) - len(source.lstrip()) if "l" in characters else 0
        end = len(source.rstrip()) if "r" in characters else len(source)
        return replace_text(text, mapped.slice(start, max(start, end)))

    return strip


def _replace(call: Call, text: Text) -> Thing | None:
    old, new = call.argument(0), call.argument(1)
    mapped = mapped_text(text)
    if old is None or new is None or len(call.arguments) != 2 or mapped is None:
        return None
    before, after = known_text(old.thing), known_text(new.thing)
    if not before or after is None:
        return None
    pieces: list[MappedText] = []
    place = 0
    for match in re.finditer(re.escape(before), mapped.text):
        pieces.append(mapped.slice(place, match.start()))
        pieces.append(at_place(after, mapped.span(match.start(), match.end())))
        place = match.end()
    pieces.append(mapped.slice(place))
    return replace_text(text, MappedText.join(pieces))


def _cased(function: Callable[[str], str]) -> TextMethod:
    def cased(call: Call, text: Text) -> Thing | None:
        mapped = mapped_text(text)
        if call.arguments or mapped is None or len(function(mapped.text)) != len(mapped):
            return None
        return replace_text(text, mapped.replaced(function(mapped.text)))

    return cased


def _asked(function: Callable[[str, str], bool]) -> TextMethod:
    def asked(call: Call, text: Text) -> Thing | None:
        argument = call.argument(0)
        known = known_text(text)
        part = None if argument is None else known_text(argument.thing)
        if known is None or part is None or len(call.arguments) != 1:
            return unknown("a question about a text")
        return Plain(Known(function(known, part)), text.origin)

    return asked


_TEXT_METHODS: dict[str, TextMethod] = {
    "format": _format,
    "split": _split,
    "join": _join,
    "strip": _stripped("lr"),
    "lstrip": _stripped("l"),
    "rstrip": _stripped("r"),
}
# Methods that are asked on each branch of a text by itself.
_BRANCHING_METHODS: dict[str, TextMethod] = {
    "replace": _replace,
    "lower": _cased(str.lower),
    "upper": _cased(str.upper),
    "startswith": _asked(str.startswith),
    "endswith": _asked(str.endswith),
}
