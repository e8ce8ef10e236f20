"""Shell patterns: `*`, `?` and `[...]` in `case`, `[[ == ]]` and `${X%...}`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from sglang_lint.readers.shell.pieces import Chars, Piece

_MAX_PATTERN = 200
# A match takes about len(text) ** stars steps.
_MAX_STEPS = 1_000_000
_EXTENDED = re.compile(r"[?*+@!]\(")


@dataclass(frozen=True)
class Pattern:
    """A regular expression; `literal` is set where the pattern matches one text only."""

    expression: str
    literal: str | None
    stars: int = 0

    @property
    def anything(self) -> bool:
        """Whether it is `*`."""
        return self.expression == ".*"

    def matches(self, text: str) -> bool | None:
        """Whether the whole text matches; None where that is not looked at."""
        if self.literal is not None:
            return text == self.literal
        if max(len(text), 1) ** self.stars > _MAX_STEPS:
            return None
        return re.fullmatch(self.expression, text, re.DOTALL) is not None


def pattern_of(pieces: Sequence[Piece]) -> Pattern | None:
    """The pattern that pieces make, quoted ones standing for themselves; None if unknown."""
    expression: list[str] = []
    literal: list[str] = []
    special = False
    stars = 0
    for piece in pieces:
        if not isinstance(piece, Chars):
            return None
        text = piece.text.text
        if piece.quoted or not re.search(r"[*?\[]", text):
            expression.append(re.escape(text))
            literal.append(text)
            continue
        translated = _translated(text)
        if translated is None:
            return None
        expression.append(translated)
        special = True
        stars += translated.count(".*")
    if special and len("".join(expression)) > _MAX_PATTERN:
        return None
    return Pattern("".join(expression), None if special else "".join(literal), stars)


def _translated(text: str) -> str | None:
    if _EXTENDED.search(text):
        return None
    result: list[str] = []
    index = 0
    while index < len(text):
        character = text[index]
        end = text.find("]", index + 2) if character == "[" else -1
        if character == "*":
            if result[-1:] != [".*"]:
                result.append(".*")
        elif character == "?":
            result.append(".")
        elif end > 0:
            inside = text[index + 1 : end]
            if "[" in inside or "\\" in inside:
                return None
            negated = inside[0] in "!^"
            body = re.sub(r"([&~|^])", r"\\\1", inside[1:] if negated else inside)
            result.append(f"[{'^' if negated else ''}{body}]")
            index = end
        else:
            result.append(re.escape(character))
        index += 1
    expression = "".join(result)
    try:
        re.compile(expression)
    except re.error:
        return None
    return expression
