"""How a parser reads each word of a command line: as an option, a value, or neither for sure."""

from __future__ import annotations

import enum
import re
from collections.abc import Iterable
from dataclasses import dataclass

from sglang_lint.launches import Word
from sglang_lint.releases.table import Ambiguous, Exact, Option, Prefix, ReleaseTable
from sglang_lint.text import Span
from sglang_lint.values import Known, OneOf, Unknown, Value

# What argparse takes for a negative number, and so for a value, where no option looks like one.
_NEGATIVE_NUMBER = re.compile(r"-\d+|-\d*\.\d+")


class Reading(enum.Enum):
    """What a word is to the parser."""

    OPTION = "an option of the release"
    UNKNOWN_OPTION = "an option of no meaning to the release"
    AMBIGUOUS = "an abbreviation of several options"
    VALUE = "a value or a stray word"
    SEPARATOR = "the word -- after which all are values"
    MAYBE = "one of several complete arguments, or none"
    OPAQUE = "anything"


@dataclass(frozen=True)
class Token:
    """A word as the parser reads it.

    `name` is the option as written, without a value; `attached` the value after `=`, None where
    there is none. `choices` are the readings that a MAYBE stands for, None among them for none.
    """

    word: Word
    reading: Reading
    name: str = ""
    option: Option | None = None
    spelling: str = ""
    attached: Value | None = None
    candidates: tuple[str, ...] = ()
    choices: tuple[Token | None, ...] = ()

    @property
    def name_span(self) -> Span:
        """Where the option's name stands: the word without `=` and what follows."""
        if self.attached is None or len(self.word.literal) < len(self.name):
            return self.word.span
        # Whatever quotes stand around the name are the word's.
        return Span(self.word.span.start, self.word.literal.span(0, len(self.name)).end)

    @property
    def attached_span(self) -> Span:
        """Where the value after `=` stands; empty, at the word's end, where there is none."""
        if self.attached is None:
            return Span(self.word.span.end, self.word.span.end)
        start = self.name_span.end + 1
        literal = self.word.literal
        if len(literal) > len(self.name) + 1:
            start = literal.span(len(self.name) + 1).start
        return Span(min(start, self.word.span.end), self.word.span.end)


def read_words(words: Iterable[Word], table: ReleaseTable) -> list[Token]:
    """Each word as the parser reads it; words known to vanish are left out."""
    tokens = []
    separated = False
    for word in words:
        if word.splits and word.text == "":
            continue
        token = Token(word, Reading.VALUE) if separated else _read(word, table)
        separated = separated or token.reading is Reading.SEPARATOR
        tokens.append(token)
    return tokens


def _read(word: Word, table: ReleaseTable) -> Token:
    if isinstance(word.value, OneOf):
        return _read_candidates(word, [str(value) for value in word.value.values], table)
    text = word.text
    if text is not None:
        if word.splits and any(character.isspace() for character in text):
            return Token(word, Reading.OPAQUE)
        return _read_text(word, text, table)
    known = word.literal.text
    if not known.startswith("-"):
        return Token(word, Reading.VALUE if known else Reading.OPAQUE)
    name, equals, _ = known.partition("=")
    if not equals:
        return Token(word, Reading.OPAQUE)
    token = _read_text(word, f"{name}=", table)
    if token.attached is None:
        return token
    return _with_attached(token, Unknown(getattr(word.value, "why", "")))


def _read_text(word: Word, text: str, table: ReleaseTable) -> Token:
    if not text.startswith("-") or text == "-":
        return Token(word, Reading.VALUE)
    if text == "--":
        return Token(word, Reading.SEPARATOR)
    match = table.match(text)
    if isinstance(match, (Exact, Prefix)):
        attached = None if match.value is None else _attached(match.value)
        name = text if match.value is None else text[: len(text) - len(match.value)].rstrip("=")
        return Token(word, Reading.OPTION, name, match.option, match.string, attached)
    name, equals, rest = text.partition("=")
    value = _attached(rest) if equals else None
    if isinstance(match, Ambiguous):
        return Token(word, Reading.AMBIGUOUS, name, attached=value, candidates=match.candidates)
    if _NEGATIVE_NUMBER.fullmatch(text) or " " in text:
        return Token(word, Reading.VALUE)
    return Token(word, Reading.UNKNOWN_OPTION, name, attached=value)


def _attached(text: str) -> Value:
    # What becomes of `--x=--` differs between versions of Python.
    return Unknown("a lone --") if text == "--" else Known(text)


def _read_candidates(word: Word, texts: list[str], table: ReleaseTable) -> Token:
    if word.splits and any(character.isspace() for text in texts for character in text):
        return Token(word, Reading.OPAQUE)
    readings = [
        None if word.splits and not text else _read_text(word, text, table) for text in texts
    ]
    kinds = {None if token is None else token.reading for token in readings}
    if kinds == {Reading.VALUE}:
        return Token(word, Reading.VALUE)
    first = readings[0]
    if first is not None and all(
        token is not None
        and token.attached is not None
        and (token.reading, token.name) == (first.reading, first.name)
        for token in readings
    ):
        values = [text.partition("=")[2] for text in texts]
        return _with_attached(first, OneOf(tuple(values)))
    if all(token is None or _is_complete(token) for token in readings):
        return Token(word, Reading.MAYBE, choices=tuple(readings))
    return Token(word, Reading.OPAQUE)


def _is_complete(token: Token) -> bool:
    """Whether an option stands there with all that it takes."""
    if token.reading is not Reading.OPTION or token.option is None:
        return False
    return token.attached is not None if token.option.takes_value else token.attached is None


def _with_attached(token: Token, value: Value) -> Token:
    return Token(
        token.word,
        token.reading,
        token.name,
        token.option,
        token.spelling,
        value,
        token.candidates,
    )
