"""Tests (`[ ... ]`, `[[ ... ]]`, `test ...`) as formulas."""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence
from typing import TypeAlias

from sglang_lint.readers.shell.facts import NUMERIC
from sglang_lint.readers.shell.formulas import (
    Always,
    Compared,
    Formula,
    Matched,
    Named,
    Negated,
    joined,
)
from sglang_lint.readers.shell.lexer import METACHARACTERS, Lexer
from sglang_lint.readers.shell.state import State
from sglang_lint.readers.shell.syntax import Literal, Word
from sglang_lint.text import MappedText

_MAX_DEPTH = 16
_MAX_LABEL = 100
_NAMES = re.compile(r"\$\{?[#!]?([A-Za-z_][A-Za-z0-9_]*|[0-9@*#])")
_ARITHMETIC_NAMES = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_OPERATOR = re.compile(r"&&|\|\||[()<>]")
_COMPARISONS = frozenset(["=", "==", "!=", "=~", "<", ">", *NUMERIC, "-nt", "-ot", "-ef"])
_UNARY = re.compile(r"-[a-zA-Z]")

# An operator of `[[`, or a word.
Token: TypeAlias = str | Word


class _NotUnderstoodError(Exception):
    """The test has a form that is not looked at."""


def label(text: str) -> str:
    """A condition as the script words it, on one line."""
    words = " ".join(text.split())
    return words if len(words) <= _MAX_LABEL else words[: _MAX_LABEL - 3] + "..."


def named(text: str, state: State) -> Formula:
    """A condition that only a run can tell; the same text about the same values is the same."""
    return Named(_key(text, _NAMES.findall(text), state))


def arithmetic(text: str, state: State) -> Formula:
    """`(( ... ))`, known by its text and its variables."""
    return Named(_key(f"(({text}))", _ARITHMETIC_NAMES.findall(text), state))


def _key(text: str, names: Sequence[str], state: State) -> Hashable:
    variables = state.scope.variables
    values = tuple((name, variables.get(name)) for name in sorted(set(names)))
    return (" ".join(text.split()), values)


def bracketed(lexer: Lexer, start: int, end: int, state: State) -> Formula:
    """`[[ ... ]]` at `start:end`. Raises BrokenError where it does not end there."""
    text = lexer.text[start:end]
    tokens: list[Token] = []
    position = start + 2
    limit = end - 2
    while True:
        while position < limit and (
            lexer.text[position].isspace() or lexer.text.startswith("\\\n", position)
        ):
            position += 1
        if position >= limit:
            break
        operator = _OPERATOR.match(lexer.text, position, limit)
        if operator is not None:
            tokens.append(operator[0])
            position = operator.end()
            continue
        word, after = lexer.word(position, limit, METACHARACTERS)
        if after == position:
            return named(text, state)
        tokens.append(word)
        position = after
    return _parsed(tokens, state, True) or named(text, state)


def of_words(words: Sequence[Word], state: State) -> Formula | None:
    """What stands behind `test` or between `[` and `]`; None if it is not understood."""
    return _parsed(list(words), state, False) if words else Always(False)


def _parsed(tokens: list[Token], state: State, double: bool) -> Formula | None:
    parser = _Parser(tokens, state, double)
    try:
        formula = parser.either(0)
    except _NotUnderstoodError:
        return None
    return formula if parser.position == len(tokens) else None


class _Parser:
    def __init__(self, tokens: list[Token], state: State, double: bool) -> None:
        self.tokens = tokens
        self.state = state
        self.double = double
        self.position = 0

    def either(self, depth: int) -> Formula:
        formula = self._both(depth)
        while self._take("||" if self.double else "-o"):
            formula = joined(formula, self._both(depth), False)
        return formula

    def _both(self, depth: int) -> Formula:
        formula = self._single(depth)
        while self._take("&&" if self.double else "-a"):
            formula = joined(formula, self._single(depth), True)
        return formula

    def _single(self, depth: int) -> Formula:
        if depth > _MAX_DEPTH:
            raise _NotUnderstoodError
        if self._take("!"):
            return Negated(self._single(depth + 1))
        if self._take("("):
            inner = self.either(depth + 1)
            if not self._take(")"):
                raise _NotUnderstoodError
            return inner
        first = self._word()
        operator = self._spelling(self.position)
        if operator in _COMPARISONS:
            self.position += 1
            return binary(first, operator, self._word(), self.state, self.double)
        flag = first.literal or ""
        if _UNARY.fullmatch(flag) and isinstance(self._peek(), Word):
            return unary(flag, self._word(), self.state)
        return unary("-n", first, self.state)

    def _peek(self) -> Token | None:
        return self.tokens[self.position] if self.position < len(self.tokens) else None

    def _spelling(self, position: int) -> str:
        token = self.tokens[position] if position < len(self.tokens) else ""
        return token if isinstance(token, str) else token.literal or ""

    def _take(self, spelling: str) -> bool:
        found = self._spelling(self.position) == spelling
        self.position += found
        return found

    def _word(self) -> Word:
        token = self._peek()
        if not isinstance(token, Word):
            raise _NotUnderstoodError
        self.position += 1
        return token


def unary(operator: str, word: Word, state: State) -> Formula:
    """`-z X`, `-n X`; what asks about files only a run can tell."""
    left = state.scope.bind(word)
    key = (operator, _spelled(word), tuple(sorted(left.captured.items(), key=lambda kv: kv[0])))
    if operator not in ("-z", "-n"):
        return Named(key)
    nothing = Word((Literal(MappedText("", (), (), word.span.start), True),), word.span)
    equal = Compared(left, "==", state.scope.bind(nothing), ("-z", *key[1:]))
    return equal if operator == "-z" else Negated(equal)


def binary(left: Word, operator: str, right: Word, state: State, double: bool) -> Formula:
    """`X = Y`, `X -gt Y`; with `double`, `==` takes a pattern."""
    first, second = state.scope.bind(left), state.scope.bind(right)
    captured = {**first.captured, **second.captured}
    values = tuple(sorted(captured.items(), key=lambda kv: kv[0]))
    equality = operator in ("=", "==", "!=")
    key = ("==" if equality else operator, _spelled(left), _spelled(right), values)
    if operator in NUMERIC:
        return Compared(first, operator, second, key)
    if not equality:
        return Named(key)
    equal: Formula = Matched(first, second, key) if double else Compared(first, "==", second, key)
    return Negated(equal) if operator == "!=" else equal


def _spelled(word: Word) -> Hashable:
    """What a word says, for telling two conditions that nobody can decide apart."""
    return tuple(
        part.text.text if isinstance(part, Literal) else getattr(part, "name", part)
        for part in word.parts
    )
