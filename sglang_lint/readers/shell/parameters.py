"""`$X` and `${X...}` as they are written."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sglang_lint.readers.shell.skipping import skip_group
from sglang_lint.readers.shell.syntax import Opaque, Parameter, Word

if TYPE_CHECKING:
    from sglang_lint.readers.shell.lexer import Lexer

_SIMPLE = re.compile(r"\$([A-Za-z_][A-Za-z0-9_]*|[0-9@*#?$!-])")
_BRACED = re.compile(r"\$\{(#?)([A-Za-z_][A-Za-z0-9_]*|[0-9]+|[@*#?$!-])(?:\[([^\]\[{}$]*)\])?")
_OPERATOR = re.compile(r":[-=+?]|[-=+?]|##?|%%?|//|/|\^\^?|,,?|:|@")
_WITH_WORD = frozenset([":-", "-", ":=", "=", ":+", "+", ":?", "?", "#", "##", "%", "%%"])
_PATTERN = frozenset(["/", "//"])


def simple(lexer: Lexer, position: int, limit: int, quoted: bool) -> tuple[Parameter, int] | None:
    """`$X` at `position`, or None where the dollar stands for itself."""
    match = _SIMPLE.match(lexer.text, position, limit)
    if match is None:
        return None
    name = match[1]
    index = name if name in "@*" else None
    span = lexer.span(position, match.end())
    return Parameter(name, span, quoted, index=index), match.end()


def braced(lexer: Lexer, position: int, limit: int, quoted: bool) -> tuple[Parameter | Opaque, int]:
    """`${...}` at `position`; a form that is not understood is Opaque. Raises BrokenError."""
    match = _BRACED.match(lexer.text, position, limit)
    if match is None:
        return _unknown(lexer, position, limit, quoted)
    length, name, index = bool(match[1]), match[2], match[3]
    if name in "@*":
        index = name
    at = match.end()
    if lexer.text.startswith("}", at):
        span = lexer.span(position, at + 1)
        return Parameter(name, span, quoted, index=index, length=length), at + 1
    operator = _OPERATOR.match(lexer.text, at, limit)
    if operator is None or length:
        return _unknown(lexer, position, limit, quoted)
    return _with_operator(
        lexer, (position, operator.end(), limit), (name, index, operator[0]), quoted
    )


def _with_operator(
    lexer: Lexer,
    offsets: tuple[int, int, int],
    parts: tuple[str, str | None, str],
    quoted: bool,
) -> tuple[Parameter | Opaque, int]:
    position, at, limit = offsets
    name, index, operator = parts
    argument: Word | None
    replacement: Word | None = None
    if operator in _WITH_WORD:
        argument, at = _argument(lexer, at, limit, "}", quoted and operator[-1] in "-=+?")
    elif operator in _PATTERN:
        argument, at = _argument(lexer, at, limit, "/}", False)
        if lexer.text.startswith("/", at):
            replacement, at = _argument(lexer, at + 1, limit, "}", False)
    else:
        argument, at = _argument(lexer, at, limit, "}", False)
    if not lexer.text.startswith("}", at):
        return _unknown(lexer, position, limit, quoted)
    span = lexer.span(position, at + 1)
    parameter = Parameter(name, span, quoted, operator, argument, replacement, index)
    return parameter, at + 1


def _argument(
    lexer: Lexer, at: int, limit: int, stops: str, inside_quotes: bool
) -> tuple[Word, int]:
    return lexer.quoted_word(at, limit, stops) if inside_quotes else lexer.word(at, limit, stops)


def _unknown(lexer: Lexer, position: int, limit: int, quoted: bool) -> tuple[Opaque, int]:
    end = skip_group(lexer.text, position + 2, limit, "}")
    return Opaque("an expansion", lexer.span(position, end), quoted), end
