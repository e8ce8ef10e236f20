"""`$((...))` on numbers that are known."""

from __future__ import annotations

import re
from collections.abc import Callable

_TOKEN = re.compile(
    r"\s*(?:(0[xX][0-9a-fA-F]{1,16}|[0-9]{1,18})|\$?\{?([A-Za-z_][A-Za-z0-9_]*)\}?"
    r"|(\*\*|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%()<>!?:~&|^]))"
)
_MAX_TOKENS = 200
_MAX_DEPTH = 24
_LIMIT = 2**63
_LEVELS: tuple[tuple[str, ...], ...] = (
    ("||",),
    ("&&",),
    ("|",),
    ("^",),
    ("&",),
    ("==", "!="),
    ("<", "<=", ">", ">="),
    ("<<", ">>"),
    ("+", "-"),
    ("*", "/", "%"),
)


class NotKnownError(Exception):
    """The expression needs a value that is not known, or a form that is not understood."""


def evaluate(expression: str, value: Callable[[str], int]) -> int:
    """The expression's value; `value` gives a variable's. Raises NotKnownError."""
    tokens: list[tuple[str, str]] = []
    position = 0
    while expression[position:].strip():
        match = _TOKEN.match(expression, position)
        if match is None or len(tokens) > _MAX_TOKENS:
            raise NotKnownError
        number, name, operator = match.groups()
        kind = "number" if number else "name" if name else "operator"
        tokens.append((kind, number or name or operator))
        position = match.end()
    parser = _Parser(tokens, value)
    result = parser.ternary(0)
    if parser.position != len(tokens):
        raise NotKnownError
    return result


class _Parser:
    def __init__(self, tokens: list[tuple[str, str]], value: Callable[[str], int]) -> None:
        self.tokens = tokens
        self.value = value
        self.position = 0

    def _take(self, *operators: str) -> str | None:
        if self.position < len(self.tokens):
            kind, text = self.tokens[self.position]
            if kind == "operator" and text in operators:
                self.position += 1
                return text
        return None

    def ternary(self, depth: int) -> int:
        if depth > _MAX_DEPTH:
            raise NotKnownError
        condition = self._binary(0, depth)
        if self._take("?") is None:
            return condition
        first = self.ternary(depth + 1)
        if self._take(":") is None:
            raise NotKnownError
        second = self.ternary(depth + 1)
        return first if condition else second

    def _binary(self, level: int, depth: int) -> int:
        if level == len(_LEVELS):
            return self._power(depth)
        left = self._binary(level + 1, depth)
        while (operator := self._take(*_LEVELS[level])) is not None:
            left = _apply(operator, left, self._binary(level + 1, depth))
        return left

    def _power(self, depth: int) -> int:
        base = self._unary(depth)
        if self._take("**") is None:
            return base
        if depth > _MAX_DEPTH:
            raise NotKnownError
        exponent = self._power(depth + 1)
        if not 0 <= exponent < 64:
            raise NotKnownError
        return _bounded(base**exponent)

    def _unary(self, depth: int) -> int:
        if depth > _MAX_DEPTH:
            raise NotKnownError
        operator = self._take("-", "+", "!", "~")
        if operator is not None:
            inner = self._unary(depth + 1)
            return {"-": -inner, "+": inner, "!": int(not inner), "~": ~inner}[operator]
        if self._take("(") is not None:
            inner = self.ternary(depth + 1)
            if self._take(")") is None:
                raise NotKnownError
            return inner
        if self.position >= len(self.tokens):
            raise NotKnownError
        kind, text = self.tokens[self.position]
        self.position += 1
        if kind == "number":
            return _number(text)
        if kind == "name":
            return self.value(text)
        raise NotKnownError


def _number(text: str) -> int:
    if text[:2] in ("0x", "0X"):
        return _bounded(int(text, 16))
    if text.startswith("0") and len(text) > 1:
        if not set(text) <= set("01234567"):
            raise NotKnownError
        return int(text, 8)
    return int(text)


def _bounded(number: int) -> int:
    if not -_LIMIT <= number < _LIMIT:
        raise NotKnownError
    return number


def _apply(operator: str, left: int, right: int) -> int:
    if operator in ("/", "%"):
        if right == 0:
            raise NotKnownError
        # C's division: towards zero, the remainder with the sign of the dividend.
        quotient = abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)
        return quotient if operator == "/" else left - right * quotient
    if operator in ("<<", ">>"):
        if not 0 <= right < 64:
            raise NotKnownError
        return _bounded(left << right) if operator == "<<" else left >> right
    operations: dict[str, Callable[[int, int], int]] = {
        "+": lambda a, b: a + b,
        "-": lambda a, b: a - b,
        "*": lambda a, b: a * b,
        "|": lambda a, b: a | b,
        "^": lambda a, b: a ^ b,
        "&": lambda a, b: a & b,
        "||": lambda a, b: int(bool(a) or bool(b)),
        "&&": lambda a, b: int(bool(a) and bool(b)),
        "==": lambda a, b: int(a == b),
        "!=": lambda a, b: int(a != b),
        "<": lambda a, b: int(a < b),
        "<=": lambda a, b: int(a <= b),
        ">": lambda a, b: int(a > b),
        ">=": lambda a, b: int(a >= b),
    }
    return _bounded(operations[operator](left, right))
