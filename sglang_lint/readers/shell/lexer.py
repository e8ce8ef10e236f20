"""Words of a shell text, character by character, as bash itself cuts and unquotes them.

The grammar of whole scripts is tree-sitter's; it differs from bash inside and between words
(a continuation inside a word, words behind a redirection, `\\` before a carriage return), and it
keeps no account of which character came from where.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from sglang_lint.readers.shell import escapes
from sglang_lint.readers.shell.parameters import braced, simple
from sglang_lint.readers.shell.pieces import UNSEEN, Assembled, Gap, span_of
from sglang_lint.readers.shell.skipping import BrokenError, skip_group
from sglang_lint.readers.shell.syntax import Arithmetic, Carried, Literal, Opaque, Part, Word
from sglang_lint.text import MappedText, Span

METACHARACTERS = " \t\n;&|<>()"
BLANKS = " \t\n"
MAX_NESTING = 24


class Lexer:
    """Cuts words out of one script text; offsets are into that text, spans are the host's.

    A `plain` lexer knows quotes and parameters only: no `~`, no process substitution, and every
    character is its own.
    """

    def __init__(self, assembled: Assembled, plain: bool = False) -> None:
        self.assembled = assembled
        self.source = assembled.text
        self.text = assembled.text.text
        self.plain = plain
        self._unseen_characters = "" if plain else "\0" + UNSEEN
        self._special = "\\'\"`$" + self._unseen_characters
        self._depth = 0
        self._runs: dict[str, re.Pattern[str]] = {}

    def word(self, start: int, limit: int, stops: str, assigned: bool = False) -> tuple[Word, int]:
        """The word at `start` and the offset behind it; it may be empty.

        `assigned` words are values of assignments, where `~` also counts behind a colon. Raises
        BrokenError where a quote or an expansion does not end.
        """
        parts: list[Part] = []
        position = start
        with self._nested():
            while position < limit:
                character = self.text[position]
                if character in stops and not self._process_substitution(position, stops):
                    break
                position = self._part(parts, position, limit, stops, assigned)
        return Word(tuple(parts), self.span(start, position)), position

    def quoted_word(self, start: int, limit: int, stops: str) -> tuple[Word, int]:
        """As `word`, for what stands in double quotes already: the argument in `"${X:-...}"`."""
        parts: list[Part] = []
        position = start
        with self._nested():
            while position < limit and self.text[position] not in stops:
                if self.text[position] == '"':
                    position = self._double_quoted(parts, position + 1, limit)
                else:
                    position = self._quoted_part(parts, position, limit, '"' + stops)
        return Word(tuple(parts), self.span(start, position)), position

    def heredoc(self, start: int, end: int) -> Word:
        """The body of a heredoc whose delimiter is not quoted, as one quoted word."""
        parts: list[Part] = []
        position = start
        while position < end:
            position = self._quoted_part(parts, position, end, "")
        return Word(tuple(parts), self.span(start, end))

    @contextmanager
    def _nested(self) -> Iterator[None]:
        self._depth += 1
        try:
            if self._depth > MAX_NESTING:
                raise BrokenError
            yield
        finally:
            self._depth -= 1

    def span(self, start: int, end: int) -> Span:
        """The host's span of `text[start:end]`."""
        return span_of(self.source, start, end)

    def blanks(self, position: int, limit: int) -> int:
        """The offset behind blanks and joined lines."""
        while position < limit:
            if self.text[position] in " \t":
                position += 1
            elif self.text.startswith("\\\n", position) and position + 1 < limit:
                position += 2
            else:
                break
        return position

    def _process_substitution(self, position: int, stops: str) -> bool:
        return (
            not self.plain and "<" in stops and self.text[position : position + 2] in ("<(", ">(")
        )

    def _part(
        self, parts: list[Part], position: int, limit: int, stops: str, assigned: bool
    ) -> int:
        text = self.text
        character = text[position]
        if character == "\\":
            return self._escape(parts, position, limit)
        if character == "'":
            end = text.find("'", position + 1, limit)
            if end < 0:
                raise BrokenError
            self._verbatim(parts, position + 1, end)
            return end + 1
        if character == '"':
            return self._double_quoted(parts, position + 1, limit)
        if character == "`":
            return self._backquoted(parts, position, limit, False)
        if character == "$":
            return self._dollar(parts, position, limit, False)
        if character in self._unseen_characters:
            return self._unseen(parts, position, limit, False)
        if character in "<>" and character in stops:
            end = skip_group(text, position + 2, limit)
            parts.append(Opaque("a process substitution", self.span(position, end), False))
            return end
        if character == "~" and not self.plain and self._expands_tilde(parts, assigned):
            parts.append(Opaque("a home directory", self.span(position, position + 1), False))
            return position + 1
        return self._run(parts, position, limit, stops)

    def _literal(self, parts: list[Part], start: int, end: int, quoted: bool) -> None:
        for text, like in self.assembled.parts(start, end):
            parts.append(Literal(text, quoted, like))

    def _verbatim(self, parts: list[Part], start: int, end: int) -> None:
        """What stands between single quotes; what is unseen stays so even there."""
        position = start
        while True:
            run = position
            while run < end and self.text[run] not in self._unseen_characters:
                run += 1
            if run > position or start == end:
                self._literal(parts, position, run, True)
            if run == end:
                return
            position = self._unseen(parts, run, end, True)

    def _expands_tilde(self, parts: list[Part], assigned: bool) -> bool:
        if not parts:
            return True
        last = parts[-1]
        return (
            assigned
            and isinstance(last, Literal)
            and not last.quoted
            and last.text.text.endswith(":")
        )

    def _run(self, parts: list[Part], position: int, limit: int, stops: str) -> int:
        pattern = self._runs.get(stops)
        if pattern is None:
            # A run ends before `~`, which the next part looks at.
            excluded = re.escape(self._special + stops)
            pattern = re.compile(f"[^{excluded}][^{excluded}~]*")
            self._runs[stops] = pattern
        match = pattern.match(self.text, position, limit)
        end = match.end() if match else position + 1
        self._literal(parts, position, end, False)
        return end

    def _escape(self, parts: list[Part], position: int, limit: int) -> int:
        if position + 1 >= limit:
            self._literal(parts, position, position + 1, True)
            return position + 1
        if self.text[position + 1] in self._unseen_characters:
            return self._unseen(parts, position + 1, limit, True)
        if self.text[position + 1] != "\n":
            parts.append(Literal(self._spelled(position, position + 2), True))
        return position + 2

    def _spelled(self, start: int, end: int, meaning: str | None = None) -> MappedText:
        """One character that `text[start:end]` spells, by default its last."""
        place = self.span(start, end)
        return MappedText(meaning or self.text[end - 1], [place.start], [place.end], place.start)

    def _double_quoted(self, parts: list[Part], position: int, limit: int) -> int:
        text = self.text
        begin = len(parts)
        while position < limit:
            character = text[position]
            if character == '"':
                if len(parts) == begin:
                    self._literal(parts, position, position, True)
                return position + 1
            position = self._quoted_part(parts, position, limit)
        raise BrokenError

    def _quoted_part(self, parts: list[Part], position: int, limit: int, stops: str = '"') -> int:
        text = self.text
        character = text[position]
        if character == "\\" and text[position + 1 : position + 2] in ("\n", *"$`\\", *stops):
            return self._escape(parts, position, limit)
        if character == "$":
            return self._dollar(parts, position, limit, True)
        if character == "`":
            return self._backquoted(parts, position, limit, True)
        if character in self._unseen_characters:
            return self._unseen(parts, position, limit, True)
        special = "\\$`" + self._unseen_characters + stops
        end = position + 1
        while end < limit and text[end] not in special:
            end += 1
        self._literal(parts, position, end, True)
        return end

    def _unseen(self, parts: list[Part], position: int, limit: int, quoted: bool) -> int:
        gaps = self.assembled.gaps
        gap = gaps.get(position)
        end = position + 1
        if gap is None:
            while end < limit and self.text[end] in "\0" + UNSEEN and end not in gaps:
                end += 1
            gap = Gap("what stands here is not seen", self.span(position, end), quoted)
        parts.append(Carried(gap, quoted))
        return end

    def _backquoted(self, parts: list[Part], position: int, limit: int, quoted: bool) -> int:
        end = position + 1
        while end < limit and self.text[end] != "`":
            end += 2 if self.text[end] == "\\" else 1
        if end >= limit:
            raise BrokenError
        # `# remark` between back quotes is an idiom for comments: it runs and yields nothing.
        if not self.text[position + 1 : end].lstrip(" \t").startswith("#"):
            parts.append(Opaque("a command substitution", self.span(position, end + 1), quoted))
        return end + 1

    def _dollar(self, parts: list[Part], position: int, limit: int, quoted: bool) -> int:
        text = self.text
        following = text[position + 1] if position + 1 < limit else ""
        if following == "{":
            part, end = braced(self, position, limit, quoted)
            parts.append(part)
            return end
        if following == "(":
            return self._substitution(parts, position, limit, quoted)
        if following == "'" and not quoted:
            return self._ansi_c(parts, position, limit)
        if following == '"' and not quoted:
            return self._double_quoted(parts, position + 2, limit)
        found = simple(self, position, limit, quoted)
        if found is not None:
            parts.append(found[0])
            return found[1]
        self._literal(parts, position, position + 1, quoted)
        return position + 1

    def _substitution(self, parts: list[Part], position: int, limit: int, quoted: bool) -> int:
        text = self.text
        end = skip_group(text, position + 2, limit)
        if text.startswith("$((", position) and text.startswith("))", end - 2):
            expression = text[position + 3 : end - 2]
            parts.append(Arithmetic(expression, self.span(position, end), quoted))
        else:
            parts.append(Opaque("a command substitution", self.span(position, end), quoted))
        return end

    def _ansi_c(self, parts: list[Part], position: int, limit: int) -> int:
        place = position + 2
        spelled: list[MappedText] = []
        while place < limit and self.text[place] != "'":
            meaning, end = escapes.ansi_c(self.text, place, limit)
            spelled.append(
                self.source.slice(place, end)
                if end == place + 1
                else self._spelled(place, end, meaning)
            )
            place = end
        if place >= limit:
            raise BrokenError
        if any(character in self.text[position:place] for character in self._unseen_characters):
            parts.append(Opaque("what stands here is not seen", self.span(position, place), True))
            return place + 1
        parts.append(Literal(MappedText.join(spelled, self.span(place, place).start), True))
        return place + 1
