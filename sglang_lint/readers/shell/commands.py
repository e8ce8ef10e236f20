"""One simple command: its assignments, words and redirections, and where bash ends it."""

from __future__ import annotations

import re

from sglang_lint.readers.shell.lexer import METACHARACTERS, Lexer
from sglang_lint.readers.shell.skipping import BrokenError
from sglang_lint.readers.shell.syntax import Assignment, Command, Redirect, Stop, Word

DECLARATIONS = frozenset(["export", "declare", "typeset", "local", "readonly"])

_ASSIGNMENT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)(?:\[([^\]\n]*)\])?(\+?)=")
_REDIRECT = re.compile(r"(?:[0-9]+|\{[A-Za-z_]\w*\})?(<<<|<<-?|<>|<&|<|>>|>&|>\||>|&>>|&>)")
_NO_TARGET = re.compile(r"[0-9]*-|[0-9]+")
# What may stand behind a backslash that was meant to join lines.
_STRAY = re.compile(r"\\(?:\r(?=\n|$)|[ \t]+(?=\r?\n|$|#))")


class _Builder:
    """Collects what `command_at` finds."""

    def __init__(self) -> None:
        self.assignments: list[Assignment] = []
        self.words: list[Word] = []
        self.redirects: list[Redirect] = []
        self.declarations: list[Assignment] = []
        self.stray: list[tuple[int, int]] = []
        self.end = 0

    @property
    def declares(self) -> bool:
        return bool(self.words) and self.words[0].literal in DECLARATIONS


def command_at(lexer: Lexer, start: int, limit: int) -> Command:
    """The simple command at `start`. Raises BrokenError where it does not end."""
    built = _Builder()
    position = built.end = start
    while True:
        blank = lexer.blanks(position, limit)
        stop = _stop(lexer, position, blank, limit)
        if stop is not None:
            return Command(
                start,
                stop,
                lexer.span(start, max(built.end, start)),
                tuple(built.assignments),
                tuple(built.words),
                tuple(built.redirects),
                tuple(built.declarations),
                tuple(built.stray),
            )
        position = built.end = _next(lexer, built, blank, limit)


def _stop(lexer: Lexer, before: int, position: int, limit: int) -> Stop | None:
    text = lexer.text
    if position >= limit:
        return Stop(limit)
    character = text[position]
    if character == "#":
        end = text.find("\n", position, limit)
        comment = (position, limit if end < 0 else end)
        return Stop(position, comment, "\n" in text[before:position])
    if character in "\n;|)" or (character == "&" and not text.startswith("&>", position)):
        return Stop(position)
    return Stop(position) if character == "(" else None


def _next(lexer: Lexer, built: _Builder, position: int, limit: int) -> int:
    text = lexer.text
    redirect = _REDIRECT.match(text, position, limit)
    if redirect is not None and text[position : position + 2] not in ("<(", ">("):
        return _redirect(lexer, built, redirect, limit)
    if not built.words or built.declares:
        match = _ASSIGNMENT.match(text, position, limit)
        if match is not None:
            assignment, end = _assignment(lexer, match, limit)
            (built.declarations if built.words else built.assignments).append(assignment)
            return end
    stray = _STRAY.match(text, position, limit)
    if stray is not None:
        line_end = text.find("\n", position, limit)
        built.stray.append((position, limit if line_end < 0 else line_end))
    word, end = lexer.word(position, limit, METACHARACTERS)
    if end == position:
        raise BrokenError
    built.words.append(word)
    return end


def _redirect(lexer: Lexer, built: _Builder, match: re.Match[str], limit: int) -> int:
    operator = match[1]
    position = lexer.blanks(match.end(), limit)
    if operator in ("<&", ">&"):
        duplicate = _NO_TARGET.match(lexer.text, position, limit)
        if duplicate is not None:
            built.redirects.append(Redirect(operator, None))
            return duplicate.end()
    word, end = lexer.word(position, limit, METACHARACTERS)
    built.redirects.append(Redirect(operator, word))
    return end


def _assignment(lexer: Lexer, match: re.Match[str], limit: int) -> tuple[Assignment, int]:
    name, index, append = match[1], match[2], bool(match[3])
    start, position = match.start(), match.end()
    if lexer.text.startswith("(", position) and position < limit:
        items, end = _items(lexer, position + 1, limit)
        return Assignment(name, lexer.span(start, end), None, items, append, index), end
    word, end = lexer.word(position, limit, METACHARACTERS, assigned=True)
    return Assignment(name, lexer.span(start, end), word, None, append, index), end


def _items(lexer: Lexer, position: int, limit: int) -> tuple[tuple[Word, ...], int]:
    items: list[Word] = []
    text = lexer.text
    while True:
        position = lexer.blanks(position, limit)
        if position >= limit:
            raise BrokenError
        character = text[position]
        if character == ")":
            return tuple(items), position + 1
        if character == "\n":
            position += 1
        elif character == "#":
            end = text.find("\n", position, limit)
            position = limit if end < 0 else end
        else:
            word, end = lexer.word(position, limit, METACHARACTERS)
            if end == position:
                raise BrokenError
            items.append(word)
            position = end
