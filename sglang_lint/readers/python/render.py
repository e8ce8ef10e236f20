"""Words and keywords of a launch from abstract values, in one variant."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import replace

from sglang_lint.launches import Keyword, Origin, Related, Tail, Word
from sglang_lint.readers.python.origins import origin_of
from sglang_lint.readers.python.texts import at_place, simple_value
from sglang_lint.readers.python.things import (
    Box,
    Entry,
    Fork,
    Hole,
    Item,
    Kind,
    Literal,
    Part,
    Parts,
    Plain,
    Ref,
    Removed,
    Text,
    Thing,
    Unseen,
)
from sglang_lint.readers.python.unfold import Choices
from sglang_lint.text import MappedText, Span
from sglang_lint.values import Known, OneOf, Unknown, Value, candidates

Heap = Mapping[int, Box]
# Containers nested deeper than this are no argument of a launch.
MAX_NESTING = 8


def value_of(thing: Thing, heap: Heap, choices: Choices, depth: int = 0) -> Value:
    """What is known of a thing; a list of known things is their tuple."""
    thing = choices.settle(thing)
    if not isinstance(thing, Ref):
        return simple_value(thing)
    box = heap[thing.box]
    if box.kind not in (Kind.LIST, Kind.TUPLE) or depth > MAX_NESTING:
        return Unknown(f"a {box.kind.value}")
    values: list[Hashable] = []
    for part in choices.flat(box.parts):
        value = (
            value_of(part.thing, heap, choices, depth + 1)
            if isinstance(part, Item)
            else Unknown(part.why if isinstance(part, Unseen) else "a computed list")
        )
        if not isinstance(value, Known):
            return value if isinstance(value, Unknown) else Unknown("a list of several values")
        values.append(value.value)
    return Known(tuple(values))


def words_of(parts: Parts, heap: Heap, choices: Choices) -> list[Word]:
    """The words that a list of arguments gives."""
    return [_word_of_part(part, heap, choices) for part in choices.flat(parts)]


def _word_of_part(part: Part, heap: Heap, choices: Choices) -> Word:
    if isinstance(part, Item):
        return word_of(choices.settle(part.thing), part.span, heap, choices)
    if isinstance(part, Unseen):
        return Word(Unknown(part.why), part.span, empty_at(part.span), splits=True)
    raise TypeError(f"no part of a list: {part!r}")


def word_of(thing: Thing, span: Span, heap: Heap, choices: Choices) -> Word:
    """One element of a list of arguments as the started program gets it."""
    if isinstance(thing, Text):
        literal = known_beginning(thing.parts, span)
        return Word(simple_value(thing), span, literal, False, thing.origin, thing.related)
    value = value_of(thing, heap, choices)
    options = candidates(value)
    if options is None or isinstance(thing, Ref):
        hidden = value if isinstance(value, Unknown) else Unknown("a computed value")
        return Word(hidden, span, empty_at(span), related=_related(thing))
    texts = tuple(str(option) for option in options)
    spelled: Value = Known(texts[0]) if len(texts) == 1 else OneOf(texts)
    literal = at_place(texts[0], span) if len(texts) == 1 else empty_at(span)
    return Word(spelled, span, literal, False, origin_of(thing), _related(thing))


def _related(thing: Thing) -> tuple[Related, ...]:
    return thing.related if isinstance(thing, (Plain, Text)) else ()


def known_beginning(parts: Iterable[Part], span: Span) -> MappedText:
    """The text before the first part of a string that is not known."""
    texts: list[MappedText] = []
    for part in parts:
        if not isinstance(part, Literal):
            break
        texts.append(part.text)
    return MappedText.join(texts, span.start) if texts else empty_at(span)


def empty_at(span: Span) -> MappedText:
    """No text, in its place."""
    return MappedText("", (), (), span.start)


def relocated(thing: Thing, span: Span) -> Thing:
    """The same text where it is used: what was written elsewhere stands for `span` as a whole."""
    if not isinstance(thing, Text):
        return thing
    return replace(thing, parts=_relocated_parts(thing.parts, span))


def _relocated_parts(parts: Parts, span: Span) -> Parts:
    moved: list[Part] = []
    for part in parts:
        if isinstance(part, Literal):
            text = part.text
            inside = not text.text or span.covers(text.span())
            moved.append(part if inside else Literal(at_place(text.text, span)))
        elif isinstance(part, Hole):
            moved.append(part if span.covers(part.span) else Hole(part.value, span))
        elif isinstance(part, Fork):
            then, other = _relocated_parts(part.then, span), _relocated_parts(part.other, span)
            moved.append(Fork(part.test, then, other, part.weight))
        else:
            moved.append(part)
    return tuple(moved)


def entries_of(parts: Parts, choices: Choices) -> tuple[dict[Hashable, Entry], list[Unseen]]:
    """What a dictionary holds in one variant: the last entry of each key, and what is unseen."""
    entries: dict[Hashable, Entry] = {}
    unseen: list[Unseen] = []
    for part in choices.flat(parts):
        if isinstance(part, Entry):
            entries.pop(part.key, None)
            entries[part.key] = part
        elif isinstance(part, Removed):
            entries.pop(part.key, None)
        elif isinstance(part, Unseen):
            unseen.append(part)
    return entries, unseen


def keywords_of(
    parts: Parts, heap: Heap, choices: Choices
) -> tuple[tuple[Keyword, ...], tuple[Tail, ...]]:
    """The keywords that a call passes, with the places where others may come in."""
    entries, unseen = entries_of(parts, choices)
    keywords = []
    tails = [Tail(part.why, part.span) for part in unseen]
    for entry in entries.values():
        if not isinstance(entry.key, str):
            tails.append(Tail("a key that is no name", entry.key_span))
            continue
        thing = choices.settle(entry.thing)
        value = value_of(thing, heap, choices)
        keyword = Keyword(entry.key, entry.key_span, value, entry.span, related=_related(thing))
        if isinstance(thing, (Plain, Text)):
            keyword = replace(keyword, origin=thing.origin)
        keywords.append(keyword)
    return tuple(keywords), tuple(tails)


def is_not_text(thing: Thing) -> bool:
    """Whether an element of a list of arguments is surely a number and no string.

    None is no fault: the branches that guard it against None are not followed that far.
    """
    return (
        isinstance(thing, Plain)
        and isinstance(thing.value, Known)
        and isinstance(thing.value.value, (int, float))
        and thing.origin is Origin.WRITTEN
    )
