"""Cutting what an expansion yields into words, and giving each word its place."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import pairwise

from sglang_lint.launches import Related
from sglang_lint.readers.shell.pieces import (
    Chars,
    Field,
    Fields,
    Gap,
    Piece,
    in_order,
    moved,
    span_of,
    with_quoting,
)
from sglang_lint.text import Span

_BLANKS = re.compile(r"[ \t\n]+")
_GLOB = re.compile(r"[*?]")
PASSED = "passed to the launch here"


def _unglued(elements: Fields, glued: bool) -> Fields:
    """Elements of which the first or last may vanish run into the text that touches them."""
    ends = (elements.fields[0], elements.fields[-1]) if len(elements.fields) > 1 else ()
    gaps = [
        piece for field in ends for piece in field.pieces if isinstance(piece, Gap) and piece.many
    ]
    return Fields((Field((gaps[0],)),), elements.quoted) if glued and gaps else elements


def split(pieces: Iterable[Piece], own: Span) -> list[Field]:
    """The words that one written word at `own` becomes."""
    splitter = _Splitter()
    whole = list(pieces)
    for piece in whole:
        splitter.add(_unglued(piece, len(whole) > 1) if isinstance(piece, Fields) else piece)
    splitter.close()
    several = len(splitter.done) > 1
    return [_settled(_globbed(field), own, several) for field in splitter.done]


@dataclass
class _Splitter:
    def __post_init__(self) -> None:
        self.done: list[Field] = []
        self._pieces: list[Chars | Gap] = []
        self._begun = False
        self._whole: Field | None = None

    def add(self, piece: Piece) -> None:
        if isinstance(piece, Fields):
            self._elements(piece)
        elif isinstance(piece, Gap) or piece.quoted:
            self._extend(piece)
        else:
            self._cut(piece)

    def close(self) -> None:
        if self._begun:
            whole = self._whole
            self.done.append(
                Field(
                    tuple(_opened(self._pieces)),
                    whole.place if whole else None,
                    whole.token if whole else None,
                )
            )
        self._pieces, self._begun, self._whole = [], False, None

    def _extend(self, piece: Chars | Gap) -> None:
        self._pieces.append(piece)
        self._begun = True
        self._whole = None

    def _cut(self, piece: Chars) -> None:
        position = 0
        for blank in _BLANKS.finditer(piece.text.text):
            self._extend_slice(piece, position, blank.start())
            self.close()
            position = blank.end()
        self._extend_slice(piece, position, len(piece.text))

    def _extend_slice(self, piece: Chars, start: int, end: int) -> None:
        if start < end:
            whole = start == 0 and end == len(piece.text)
            self._extend(piece if whole else replace(piece, text=piece.text.slice(start, end)))

    def _elements(self, elements: Fields) -> None:
        for index, element in enumerate(elements.fields):
            if index:
                self.close()
            if not elements.quoted:
                for inner in element.pieces:
                    self.add(with_quoting(inner, False))
                continue
            fresh = not self._begun
            for inner in element.pieces:
                self._extend(with_quoting(inner, True))
            self._begun = True
            self._whole = element if fresh else None


def _opened(pieces: list[Chars | Gap]) -> list[Chars | Gap]:
    """Unquoted gaps with nothing around them are no word, one word or many."""
    if pieces and all(isinstance(piece, Gap) and not piece.quoted for piece in pieces):
        return [replace(piece, many=True) if isinstance(piece, Gap) else piece for piece in pieces]
    return pieces


def _globbed(field: Field) -> Field:
    for index, piece in enumerate(field.pieces):
        if isinstance(piece, Gap) or piece.quoted:
            continue
        match = _GLOB.search(piece.text.text)
        if match is not None:
            before = replace(piece, text=piece.text.slice(0, match.start()))
            span = span_of(piece.text, match.start(), match.end())
            gap = Gap("a file name pattern", span, False, many=True, token=piece.token)
            return replace(field, pieces=(*field.pieces[:index], before, gap))
    return field


def _settled(field: Field, own: Span, several: bool) -> Field:
    if field.place is not None:
        return field
    tokens = [piece.token for piece in field.pieces]
    written = _written_span(field)
    if written is not None and tokens and None not in tokens:
        return replace(field, place=written, token=tokens[0])
    pieces = tuple(_at_token(piece) for piece in field.pieces)
    here = _written_span(replace(field, pieces=pieces)) if several else None
    return Field(pieces, here or own)


def _at_token(piece: Chars | Gap) -> Chars | Gap:
    if piece.token is None:
        return piece
    if isinstance(piece, Gap):
        return replace(piece, span=piece.token, token=None)
    passed = Related(PASSED, piece.token)
    related = piece.related if passed in piece.related else (*piece.related, passed)
    return replace(piece, text=moved(piece.text, piece.token), related=related, token=None)


def _written_span(field: Field) -> Span | None:
    """From the first to the last character, where they stand one behind the other."""
    spans = [
        span_of(piece.text) if isinstance(piece, Chars) else piece.span
        for piece in field.pieces
        if isinstance(piece, Gap) or len(piece.text)
    ]
    if not spans:
        return None
    if not all(in_order(piece.text) for piece in field.pieces if isinstance(piece, Chars)):
        return None
    if any(left.end > right.start for left, right in pairwise(spans)):
        return None
    return spans[0].to(spans[-1])
