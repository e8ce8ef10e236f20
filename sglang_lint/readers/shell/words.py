"""An expanded word as the record that the layers above see."""

from __future__ import annotations

from collections.abc import Sequence

from sglang_lint.launches import Origin, Related, Word
from sglang_lint.readers.shell.pieces import (
    UNSEEN,
    Assembled,
    Chars,
    Field,
    Gap,
    in_order,
    moved,
    span_of,
)
from sglang_lint.readers.shell.splitting import PASSED
from sglang_lint.text import MappedText, Span
from sglang_lint.values import Known, Unknown

_MAX_RELATED = 8


def to_word(field: Field) -> Word:
    """The word with its value, as far as that is known."""
    known: list[MappedText] = []
    gap: Gap | None = None
    origin = Origin.WRITTEN
    related: list[Related] = []
    for piece in field.pieces:
        if isinstance(piece, Gap):
            gap = gap or piece
            continue
        if gap is None:
            known.append(piece.text)
        if origin is Origin.WRITTEN:
            origin = piece.origin
        related.extend(entry for entry in piece.related if entry not in related)
    place = field.place or _span_of(field)
    passed = Related(PASSED, field.token) if field.token is not None else None
    if passed is not None and passed not in related and passed.span != place:
        related.append(passed)
    literal = MappedText.join(known, place.start)
    if not in_order(literal):
        literal = moved(literal, place)
    value = Known(literal.text) if gap is None else Unknown(gap.why)
    splits = any(isinstance(piece, Gap) and piece.many for piece in field.pieces)
    return Word(value, place, literal, splits, origin, tuple(related[:_MAX_RELATED]))


def _span_of(field: Field) -> Span:
    for piece in field.pieces:
        return span_of(piece.text) if isinstance(piece, Chars) else piece.span
    return Span(0, 0)


def to_script(pieces: Sequence[Chars | Gap], anchor: int) -> Assembled:
    """Pieces put together as the text of a script."""
    parts: list[MappedText] = []
    gaps: dict[int, Gap] = {}
    brought: list[tuple[int, int, Chars]] = []
    length = 0
    for piece in pieces:
        if isinstance(piece, Gap):
            gaps[length] = piece
            place = piece.span
            parts.append(MappedText(UNSEEN, [place.start], [place.end], place.start))
            length += 1
            continue
        end = length + len(piece.text)
        if end > length and (piece.related or piece.origin is not Origin.WRITTEN):
            brought.append((length, end, piece))
        parts.append(piece.text)
        length = end
    return Assembled(MappedText.join(parts, anchor), gaps, tuple(brought))
