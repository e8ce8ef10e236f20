"""Strings and other values made of things, as far as they are known."""

from __future__ import annotations

from collections.abc import Sequence

from sglang_lint.launches import Origin, Related
from sglang_lint.readers.python.origins import merged_related, origin_of, weakest
from sglang_lint.readers.python.things import (
    Either,
    Fork,
    Hole,
    Literal,
    Named,
    Parts,
    Plain,
    Text,
    Thing,
    weight_of,
)
from sglang_lint.text import MappedText, Span
from sglang_lint.values import Known, OneOf, Unknown, Value, join

# Texts of more parts and characters than any command has are not followed.
MAX_TEXT_PARTS = 500
MAX_TEXT = 200_000


def text_of(text: MappedText, origin: Origin = Origin.WRITTEN) -> Text:
    """A string that is known as a whole."""
    return Text((Literal(text),), origin)


def text_with(parts: Parts, things: Sequence[Thing]) -> Text:
    """A string made of parts of other things, given up where it grows past all bounds."""
    origin, related = weakest(map(origin_of, things)), merged_related(things)
    if weight_of(parts) > MAX_TEXT_PARTS or _length_of(parts) > MAX_TEXT:
        span = next((part.span for part in parts if isinstance(part, Hole)), Span(0, 0))
        return Text((Hole(Unknown("a very long text"), span),), origin, related)
    return Text(parts, origin, related)


def _length_of(parts: Parts) -> int:
    return sum(
        len(part.text)
        if isinstance(part, Literal)
        else _length_of(part.then) + _length_of(part.other)
        if isinstance(part, Fork)
        else 0
        for part in parts
    )


def at_place(text: str, span: Span) -> MappedText:
    """A text that was computed: every character of it stands for the whole of `span`."""
    return MappedText(text, [span.start] * len(text), [span.end] * len(text), span.start)


def known_text(thing: Thing) -> str | None:
    """The string that a thing is, if it is one and known as a whole."""
    if not isinstance(thing, Text):
        return None
    pieces = []
    for part in thing.parts:
        if not isinstance(part, Literal):
            return None
        pieces.append(part.text.text)
    return "".join(pieces)


def mapped_text(thing: Text) -> MappedText | None:
    """The known string of a thing with its places."""
    texts = [part.text for part in thing.parts if isinstance(part, Literal)]
    return MappedText.join(texts) if len(texts) == len(thing.parts) else None


def thing_of(
    value: Value,
    span: Span,
    origin: Origin = Origin.WRITTEN,
    related: tuple[Related, ...] = (),
) -> Text | Plain:
    """A computed value as a thing that stands at `span`."""
    if isinstance(value, Known) and isinstance(value.value, str):
        return Text((Literal(at_place(value.value, span)),), origin, related)
    if isinstance(value, OneOf) and all(isinstance(option, str) for option in value.values):
        return Text((Hole(value, span),), origin, related)
    return Plain(value, origin, related)


def simple_value(thing: Thing) -> Value:
    """What is known of a thing on no branch in particular; containers are not looked into."""
    if isinstance(thing, Plain):
        return thing.value
    if isinstance(thing, Text):
        return _text_value(thing)
    if isinstance(thing, Either):
        return join([simple_value(thing.then), simple_value(thing.other)])
    if isinstance(thing, Named):
        return Unknown(f"`{thing.name.rsplit('.', 1)[-1]}` is set elsewhere")
    return Unknown("a computed value")


def _text_value(thing: Text) -> Value:
    text = known_text(thing)
    if text is not None:
        return Known(text)
    holes = [part for part in thing.parts if not isinstance(part, Literal)]
    first = holes[0]
    if not isinstance(first, Hole):
        return Unknown("it hangs on a branch")
    if len(holes) > 1 or not isinstance(first.value, OneOf):
        return first.value if isinstance(first.value, Unknown) else Unknown("partly known")
    pieces = [part.text.text if isinstance(part, Literal) else None for part in thing.parts]
    return OneOf(
        tuple(
            "".join(str(option) if piece is None else piece for piece in pieces)
            for option in first.value.values
        )
    )
