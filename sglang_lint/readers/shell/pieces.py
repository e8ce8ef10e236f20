"""What an expansion yields: characters with their places, and gaps that only a run fills."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from sglang_lint.launches import Origin, Related
from sglang_lint.text import MappedText, Span

# Stands in a script's text for what its host language hides (a template's `{{ ... }}`), one for
# each hidden character, so that places stay the same; a run of them is one unknown part. It is
# the character with which the YAML reader covers template tags.
UNSEEN = "\ue000"


@dataclass(frozen=True)
class Subject:
    """A value that comes from outside the script, and what stands in for it where it is unset."""

    key: Hashable
    default: str | None = None


@dataclass(frozen=True)
class Chars:
    """Known characters. `token` is the expansion that brought them from where they stand."""

    text: MappedText
    quoted: bool
    origin: Origin = Origin.WRITTEN
    related: tuple[Related, ...] = ()
    token: Span | None = None
    subject: Subject | None = None


@dataclass(frozen=True)
class Gap:
    """An unknown part; `many` ones stand for any number of words."""

    why: str
    span: Span
    quoted: bool
    many: bool = False
    subject: Subject | None = None
    token: Span | None = None


@dataclass(frozen=True)
class Assembled:
    """The text of a script, and what is known of parts of it beside their characters.

    `gaps` tells what an UNSEEN character at an offset stands for; `brought` lists, in order,
    the offsets of characters that came out of expansions.
    """

    text: MappedText
    gaps: Mapping[int, Gap] = field(default_factory=dict)
    brought: tuple[tuple[int, int, Chars], ...] = ()

    def parts(self, start: int, end: int) -> Iterator[tuple[MappedText, Chars | None]]:
        """`text[start:end]` cut where its provenance changes."""
        if start == end:
            yield self.text.slice(start, end), None
        index = bisect_right(self.brought, start, key=lambda entry: entry[1])
        while index < len(self.brought) and self.brought[index][0] < end:
            first, last, chars = self.brought[index]
            if start < first:
                yield self.text.slice(start, first), None
                start = first
            stop = min(last, end)
            whole = (start, stop) == (first, last)
            yield self.text.slice(start, stop), chars if whole else replace(chars, subject=None)
            start = stop
            index += 1
        if start < end:
            yield self.text.slice(start, end), None


@dataclass(frozen=True)
class Field:
    """One word after expansion. `place` is where a whole word stood that was only passed on."""

    pieces: tuple[Chars | Gap, ...]
    place: Span | None = None
    token: Span | None = None


@dataclass(frozen=True)
class Fields:
    """The elements of an array, each a word of its own."""

    fields: tuple[Field, ...]
    quoted: bool


Piece: TypeAlias = Chars | Gap | Fields


def moved(text: MappedText, to: Span) -> MappedText:
    """The same characters, all of them at one place."""
    return MappedText(text.text, [to.start] * len(text), [to.end] * len(text), to.start)


def span_of(text: MappedText, start: int = 0, end: int | None = None) -> Span:
    """The host's span of a part of a text.

    A text put together from places out of order has none from its first to its last character:
    it is then where it begins.
    """
    span = text.span(start, end)
    return span if span.start <= span.end else text.span(start, start + 1)


def in_order(text: MappedText) -> bool:
    """Whether the characters stand in the host one behind the other."""
    starts, ends = text.starts, text.ends
    if isinstance(starts, range) or len(starts) < 2:
        return True
    return all(
        starts[index] <= starts[index + 1] and ends[index] <= ends[index + 1]
        for index in range(len(starts) - 1)
    )


def text_of(pieces: Sequence[Piece]) -> str | None:
    """The characters, where nothing is unknown."""
    found = []
    for piece in pieces:
        if isinstance(piece, Chars):
            found.append(piece.text.text)
        elif isinstance(piece, Fields):
            inner = [text_of(one.pieces) for one in piece.fields]
            if any(text is None for text in inner):
                return None
            found.append(" ".join(text for text in inner if text is not None))
        else:
            return None
    return "".join(found)


def with_quoting(piece: Chars | Gap, quoted: bool) -> Chars | Gap:
    """The piece as it comes out of an expansion that is quoted or is not."""
    return piece if piece.quoted == quoted else replace(piece, quoted=quoted)


def as_string(piece: Chars | Gap, quoted: bool) -> Chars | Gap:
    """The same for the value of one variable: quoted it is one word, whatever it is."""
    if isinstance(piece, Gap):
        return replace(piece, quoted=quoted, many=piece.many and not quoted)
    return with_quoting(piece, quoted)
