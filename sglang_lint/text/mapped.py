"""A decoded text that remembers where each of its characters stands in its host."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sglang_lint.text.document import Span


@dataclass(frozen=True, slots=True)
class MappedText:
    """Text taken out of a host (a YAML scalar, a shell word, a Python string literal).

    Character `i` of `text` was written at `starts[i]:ends[i]` of the host; an escape such as
    `\\n` makes that range longer than one. `anchor` places an empty text. Maps compose, so that
    a word of a shell script in a YAML scalar has a span in the YAML file.
    """

    text: str
    starts: Sequence[int]
    ends: Sequence[int]
    anchor: int = 0

    @classmethod
    def region(cls, host: str, start: int = 0, end: int | None = None) -> MappedText:
        """The verbatim part `start:end` of a host text."""
        stop = len(host) if end is None else end
        return cls(host[start:stop], range(start, stop), range(start + 1, stop + 1), start)

    @classmethod
    def join(cls, parts: Sequence[MappedText], anchor: int = 0) -> MappedText:
        """Parts of one host, one after the other."""
        if len(parts) == 1:
            return parts[0]
        return cls(
            "".join(part.text for part in parts),
            [start for part in parts for start in part.starts],
            [end for part in parts for end in part.ends],
            parts[0].anchor if parts else anchor,
        )

    def __len__(self) -> int:
        return len(self.text)

    def span(self, start: int = 0, end: int | None = None) -> Span:
        """Host span of `text[start:end]`; an empty range gives an empty span."""
        stop = len(self.text) if end is None else end
        if start < stop:
            return Span(self.starts[start], self.ends[stop - 1])
        if start < len(self.text):
            return Span(self.starts[start], self.starts[start])
        place = self.ends[-1] if self.text else self.anchor
        return Span(place, place)

    def slice(self, start: int, end: int | None = None) -> MappedText:
        """The part `text[start:end]` with the same host."""
        stop = len(self.text) if end is None else end
        return MappedText(
            self.text[start:stop],
            self.starts[start:stop],
            self.ends[start:stop],
            self.span(start, start).start,
        )

    def within(self, inner: MappedText) -> MappedText:
        """`inner`, whose host is this text, mapped on to this text's own host."""
        return MappedText(
            inner.text,
            [self.starts[start] for start in inner.starts],
            [self.ends[end - 1] for end in inner.ends],
            self.span(min(inner.anchor, len(self.text)), min(inner.anchor, len(self.text))).start,
        )

    def replaced(self, text: str) -> MappedText:
        """Another text of the same length in the same places (a masked template)."""
        if len(text) != len(self.text):
            raise ValueError("a mask keeps the length of what it covers")
        return MappedText(text, self.starts, self.ends, self.anchor)

    def is_verbatim(self, start: int, end: int) -> bool:
        """Whether `text[start:end]` stands in the host as one run without escapes or folds."""
        return all(
            self.ends[index] == self.starts[index] + 1
            and (index + 1 >= end or self.starts[index + 1] == self.ends[index])
            for index in range(start, end)
        )
