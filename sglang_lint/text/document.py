"""A text file as it was read, and places in it."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property

_LINE_BREAK = re.compile(r"\r\n|\n|\r")


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A half-open range of code point offsets into the text of one document."""

    start: int
    end: int

    def covers(self, other: Span) -> bool:
        """Whether `other` lies wholly inside this span."""
        return self.start <= other.start and other.end <= self.end

    def to(self, other: Span) -> Span:
        """The smallest span that holds both."""
        return Span(min(self.start, other.start), max(self.end, other.end))


@dataclass(frozen=True, slots=True, order=True)
class Position:
    """A 1-based line and a 1-based column in Unicode code points."""

    line: int
    column: int


@dataclass(frozen=True)
class Document:
    """One text with its name; line endings are kept as they stand in the file."""

    path: str
    text: str

    @cached_property
    def line_starts(self) -> list[int]:
        """Offset of the first character of each line; at least one entry."""
        return [0, *(match.end() for match in _LINE_BREAK.finditer(self.text))]

    def position(self, offset: int) -> Position:
        """Line and column of a code point offset, which may be the text's length."""
        line = bisect_right(self.line_starts, offset)
        return Position(line, offset - self.line_starts[line - 1] + 1)

    def offset(self, position: Position) -> int:
        """Code point offset of a position, clamped to its line and to the text."""
        if position.line > len(self.line_starts):
            return len(self.text)
        start = self.line_starts[max(position.line, 1) - 1]
        return min(start + max(position.column, 1) - 1, len(self.text))

    def line(self, number: int) -> str:
        """The text of a 1-based line without its line break."""
        start = self.line_starts[number - 1]
        end = self.line_starts[number] if number < len(self.line_starts) else len(self.text)
        return self.text[start:end].rstrip("\r\n")
