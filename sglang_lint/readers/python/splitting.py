"""Cutting a command string into words: at blanks as `str.split`, by quotes as `shlex.split`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from sglang_lint.launches import Word
from sglang_lint.readers.python.render import empty_at, known_beginning
from sglang_lint.readers.python.texts import at_place, simple_value
from sglang_lint.readers.python.things import (
    Fork,
    Hole,
    Item,
    Literal,
    Part,
    Parts,
    Text,
    Unseen,
    weight_of,
)
from sglang_lint.text import MappedText, Span
from sglang_lint.values import Unknown

_JOINED_LINE = re.compile(r"\\\n|\\")


def blank_items(parts: Iterable[Part]) -> Parts | None:
    """`text.split()` as the parts of a list; None where a branch would cut through a word."""
    found: list[Part] = []
    word: list[Part] = []

    def close() -> None:
        if word:
            found.append(_element(tuple(word)))
            word.clear()

    for part in parts:
        if isinstance(part, Fork):
            then, other = blank_items(part.then), blank_items(part.other)
            if then is None or other is None or not _stands_alone(part, bool(word)):
                return None
            close()
            weight = 1 + weight_of(then) + weight_of(other)
            found.append(Fork(part.test, then, other, weight))
        elif isinstance(part, Literal):
            text = part.text
            place = 0
            for match in re.finditer(r"\s+", text.text):
                if match.start() > place:
                    word.append(Literal(text.slice(place, match.start())))
                close()
                place = match.end()
            if place < len(text):
                word.append(Literal(text.slice(place)))
        else:
            word.append(part)
    close()
    return tuple(found)


def _stands_alone(part: Fork, after_word: bool) -> bool:
    """Whether what hangs on a branch begins with a blank where it follows a word."""
    return not after_word or all(
        not arm or (isinstance(arm[0], Literal) and arm[0].text.text[:1].isspace())
        for arm in (part.then, part.other)
    )


def _element(word: Parts) -> Part:
    """A word of a text: an unknown stretch that is all of it may hold blanks, or be empty."""
    span = _span_of(word)
    if len(word) == 1 and isinstance(word[0], Hole) and isinstance(word[0].value, Unknown):
        return Unseen(word[0].value.why, word[0].span)
    return Item(Text(word), span)


def _span_of(word: Parts) -> Span:
    spans = [
        part.text.span() if isinstance(part, Literal) else part.span
        for part in word
        if isinstance(part, (Literal, Hole))
    ]
    whole = spans[0]
    for span in spans[1:]:
        whole = whole.to(span)
    return whole


def blank_words(parts: Iterable[Part], *, backslashes: bool) -> list[Word]:
    """The words of a text that hangs on no branch; with `backslashes` those are blanks too."""
    plain = [_blanked(part) if backslashes else part for part in parts]
    words = []
    for part in blank_items(plain) or ():
        if isinstance(part, Item) and isinstance(part.thing, Text):
            literal = known_beginning(part.thing.parts, part.span)
            words.append(Word(simple_value(part.thing), part.span, literal))
        elif isinstance(part, Unseen):
            words.append(Word(Unknown(part.why), part.span, empty_at(part.span), splits=True))
    return words


def _blanked(part: Part) -> Part:
    """A part with its backslashes turned into blanks."""
    if not isinstance(part, Literal) or "\\" not in part.text.text:
        return part
    blank = _JOINED_LINE.sub(lambda match: " " * len(match[0]), part.text.text)
    return Literal(part.text.replaced(blank))


# Stands for an unknown stretch while a text is cut into words; no command holds it.
_STAND_IN = "\N{OBJECT REPLACEMENT CHARACTER}"


def shlex_items(parts: Parts) -> Parts | None:
    """`shlex.split(text)` as the parts of a list; None where that cannot be told."""
    if not _quotes(parts):
        return blank_items(parts)
    pieces: list[MappedText] = []
    holes: list[Hole] = []
    for part in parts:
        if isinstance(part, Literal) and _STAND_IN not in part.text.text:
            pieces.append(part.text)
        elif isinstance(part, Hole):
            holes.append(part)
            pieces.append(at_place(_STAND_IN, part.span))
        else:
            return None
    words = shlex_words(MappedText.join(pieces))
    if words is None:
        return None
    waiting = iter(holes)
    return tuple(_element(_with_holes(word, waiting)) for word in words)


def _with_holes(word: MappedText, holes: Iterator[Hole]) -> Parts:
    found: list[Part] = []
    place = 0
    for match in re.finditer(_STAND_IN, word.text):
        if match.start() > place:
            found.append(Literal(word.slice(place, match.start())))
        found.append(next(holes))
        place = match.end()
    if place < len(word) or not found:
        found.append(Literal(word.slice(place)))
    return tuple(found)


def _quotes(parts: Iterable[Part]) -> bool:
    return any(
        _quotes((*part.then, *part.other))
        if isinstance(part, Fork)
        else isinstance(part, Literal) and not set(part.text.text).isdisjoint("\\'\"")
        for part in parts
    )


def shlex_words(text: MappedText) -> list[MappedText] | None:
    """`shlex.split(text)` with places; None where that would raise."""
    words: list[MappedText] = []
    word: list[MappedText] = []
    started = False
    index, source = 0, text.text
    while index < len(source):
        char = source[index]
        if char.isspace() and char in " \t\r\n":
            if started:
                words.append(_joined(word, text, index))
            word, started = [], False
            index += 1
            continue
        started = True
        piece, index = _shlex_piece(text, index)
        if index < 0:
            return None
        word.extend(piece)
    if started:
        words.append(_joined(word, text, len(source)))
    return words


def _joined(word: list[MappedText], text: MappedText, end: int) -> MappedText:
    return MappedText.join(word) if word else text.slice(end, end)


def _shlex_piece(text: MappedText, index: int) -> tuple[list[MappedText], int]:
    """One piece of a word and where it ends, -1 where it does not."""
    source = text.text
    char = source[index]
    if char == "\\":
        if index + 1 >= len(source):
            return [], -1
        return [text.slice(index + 1, index + 2)], index + 2
    if char == "'":
        end = source.find("'", index + 1)
        return ([], -1) if end < 0 else ([text.slice(index + 1, end)], end + 1)
    if char == '"':
        return _double_quoted(text, index + 1)
    return [text.slice(index, index + 1)], index + 1


def _double_quoted(text: MappedText, index: int) -> tuple[list[MappedText], int]:
    pieces: list[MappedText] = []
    source = text.text
    while index < len(source):
        char = source[index]
        if char == '"':
            return pieces, index + 1
        if char == "\\" and source[index + 1 : index + 2] in ("\\", '"'):
            index += 1
        pieces.append(text.slice(index, index + 1))
        index += 1
    return [], -1
