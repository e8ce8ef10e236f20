"""`${X#...}`, `${X//a/b}`, `${X^^}`, `${X:0:3}` on known characters, each keeping its place."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby

from sglang_lint.readers.shell.facts import integer
from sglang_lint.readers.shell.patterns import Pattern
from sglang_lint.readers.shell.pieces import Chars, Gap
from sglang_lint.text import MappedText

_MAX_TEXT = 20_000
_RANGE = re.compile(r"\s*(-?[0-9]{1,6}|\s-[0-9]{1,6}|)\s*(?::\s*(-?[0-9]{1,6})\s*)?")


def trimmed(pieces: Sequence[Chars], operator: str, pattern: Pattern) -> list[Chars] | None:
    """`#`, `##`, `%` and `%%`; None where the match would take too long."""
    text = "".join(piece.text.text for piece in pieces)
    length = len(text)
    if length > 512 and pattern.literal is None:
        return None
    longest = len(operator) == 2
    sizes = range(length, -1, -1) if longest else range(length + 1)
    if pattern.literal is not None:
        sizes = range(len(pattern.literal), len(pattern.literal) + 1)
    for size in sizes:
        if size > length:
            break
        start, end = (0, size) if operator[0] == "#" else (length - size, length)
        matched = pattern.matches(text[start:end])
        if matched is None:
            return None
        if matched:
            kept = (end, length) if operator[0] == "#" else (0, start)
            return sliced(pieces, *kept)
    return list(pieces)


def sliced(pieces: Sequence[Chars], start: int, end: int) -> list[Chars]:
    """The characters `start:end` of the whole."""
    found = []
    offset = 0
    for piece in pieces:
        length = len(piece.text)
        first, last = max(start - offset, 0), min(end - offset, length)
        if first < last:
            found.append(replace(piece, text=piece.text.slice(first, last), subject=None))
        offset += length
    return found


def substring(pieces: Sequence[Chars], bounds: str) -> list[Chars] | None:
    """`${X:offset:length}`; None where the bounds are no plain numbers."""
    found = bounds_of(bounds, sum(len(piece.text) for piece in pieces))
    return None if found is None else sliced(pieces, *found)


def bounds_of(bounds: str, size: int) -> tuple[int, int] | None:
    """Start and end of `offset:length` in something of a size; None if they are not numbers."""
    match = _RANGE.fullmatch(bounds)
    if match is None:
        return None
    offset = integer(match[1]) if match[1].strip() else 0
    length = integer(match[2]) if match[2] is not None else size
    if offset is None or length is None:
        return None
    start = offset if offset >= 0 else size + offset
    end = start + length if length >= 0 else size + length
    if start < 0 or start > size:
        return (size, size)
    return None if end < start else (start, min(end, size))


def recased(pieces: Sequence[Chars], operator: str) -> list[Chars] | None:
    """`^`, `^^`, `,` and `,,` without a pattern; None for letters of other alphabets."""
    found = []
    first = True
    for piece in pieces:
        text = piece.text.text
        if not text.isascii():
            return None
        changed = text.upper() if operator[0] == "^" else text.lower()
        if len(operator) == 1:
            changed = changed[:1] + text[1:] if first else text
        first = first and not text
        found.append(replace(piece, text=_changed(piece.text, changed), subject=None))
    return found


def substituted(
    pieces: Sequence[Chars | Gap], operator: str, pattern: Pattern, replacement: Sequence[Chars]
) -> list[Chars | Gap] | None:
    """`/` and `//`; None where the pattern is no plain text. Gaps stay what they are."""
    literal = pattern.literal
    if literal is None:
        return None
    if literal[:1] in ("#", "%") and operator == "/":
        return None
    if not literal:
        return list(pieces)
    found: list[Chars | Gap] = []
    remaining = -1 if operator == "//" else 1
    for is_gap, run in groupby(pieces, key=lambda piece: isinstance(piece, Gap)):
        if is_gap:
            # What is not known may hold the first match.
            remaining = 0 if remaining == 1 else remaining
            found.extend(run)
            if operator == "/":
                return None if any(_holds(piece, literal) for piece in pieces) else list(pieces)
            continue
        chars = [piece for piece in run if isinstance(piece, Chars)]
        text = "".join(piece.text.text for piece in chars)
        if len(text) > _MAX_TEXT:
            return None
        position = 0
        while remaining != 0 and (at := text.find(literal, position)) >= 0:
            found.extend(sliced(chars, position, at))
            position = at + len(literal)
            found.extend(_in_place_of(sliced(chars, at, position), replacement))
            remaining -= 1
        found.extend(sliced(chars, position, len(text)))
    return found


def _holds(piece: Chars | Gap, literal: str) -> bool:
    return isinstance(piece, Chars) and literal in piece.text.text


def _in_place_of(replaced: Sequence[Chars], replacement: Sequence[Chars]) -> list[Chars]:
    first, last = replaced[0], replaced[-1]
    start, end = first.text.starts[0], last.text.ends[-1]
    # What stands there is not what it says: one place for one character would claim that.
    end = start if end == start + 1 else end
    return [
        replace(
            first,
            text=MappedText(
                piece.text.text, [start] * len(piece.text), [end] * len(piece.text), start
            ),
            subject=None,
        )
        for piece in replacement
    ]


def _changed(text: MappedText, changed: str) -> MappedText:
    """Other characters in the same places, which those that differ do not cover."""
    starts = list(text.starts)
    ends = [
        end if old == new else start
        for old, new, start, end in zip(text.text, changed, starts, text.ends, strict=True)
    ]
    return MappedText(changed, starts, ends, text.anchor)
