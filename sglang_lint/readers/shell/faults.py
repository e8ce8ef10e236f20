"""Lines of a launch that the shell ends too early."""

from __future__ import annotations

import re

from sglang_lint.launches import Fault, Related
from sglang_lint.readers.shell.commands import command_at
from sglang_lint.readers.shell.lexer import Lexer
from sglang_lint.readers.shell.skipping import BrokenError
from sglang_lint.readers.shell.syntax import Command, Word

COMMENT = "shell-comment-in-continuation"
BACKSLASH = "shell-backslash-not-last"
_OPTION = re.compile(r"--?[A-Za-z]")
_SKIPPED = re.compile(r"(?:[ \t\r]*(?:#[^\n]*)?\n)*[ \t]*")
_MAX_LINES = 40


def faults_of(lexer: Lexer, command: Command, limit: int) -> list[Fault]:
    """What is wrong with the lines of a command that starts SGLang."""
    found = []
    lost = _lost(lexer, command.stop.at, limit)
    stop = command.stop
    for start, end in command.stray:
        what = _behind(lexer.text[start + 1 : end])
        last = lexer.text.count("\n", start, stop.at) == 0
        message = f"the backslash is not the last character on its line: {what}"
        if lost and last:
            message += f"; {_never(lost)}"
        related = _related(lexer, lost) if last else ()
        end = start + 1 + len(lexer.text[start + 1 : end].rstrip(" \t")) or end
        found.append(Fault(BACKSLASH, message, lexer.span(start, max(end, start + 2)), related))
    on_stray_line = bool(command.stray) and "\n" not in lexer.text[command.stray[-1][0] : stop.at]
    if stop.comment is not None and lost and not on_stray_line:
        where = "between joined lines" if stop.continued else "behind an option"
        message = f"a comment {where} ends the command: {_never(lost)}"
        found.append(Fault(COMMENT, message, lexer.span(*stop.comment), _related(lexer, lost)))
    return found


def _behind(rest: str) -> str:
    if rest.startswith("\r"):
        return "a carriage return follows, is passed as an argument and ends the command"
    if "#" in rest:
        return "a comment follows; a blank is passed as an argument and the command ends"
    return "a blank follows, is passed as an argument and ends the command"


def _lost(lexer: Lexer, position: int, limit: int) -> list[Word]:
    """The words of the option lines behind the command's end."""
    words: list[Word] = []
    text = lexer.text
    for _ in range(_MAX_LINES):
        end_of_line = text.find("\n", position, limit)
        if end_of_line < 0:
            break
        match = _SKIPPED.match(text, end_of_line + 1, limit)
        start = match.end() if match else end_of_line + 1
        if not _OPTION.match(text, start, limit):
            break
        try:
            command = command_at(lexer, start, limit)
        except BrokenError:
            break
        words.extend(command.words)
        position = command.stop.at
    return words


def _options(words: list[Word]) -> list[int]:
    return [index for index, word in enumerate(words) if _OPTION.match(word.literal or "")]


def _never(words: list[Word]) -> str:
    options = _options(words)
    first = words[: options[1]] if len(options) > 1 else words
    spelled = " ".join(_spelled(word) for word in first)
    others = len(options) - 1
    if others <= 0:
        return f"`{spelled}` never reaches SGLang"
    rest = "the option after it" if others == 1 else f"the {others} options after it"
    return f"`{spelled}` and {rest} never reach SGLang"


def _spelled(word: Word) -> str:
    return word.literal if word.literal is not None else "..."


def _related(lexer: Lexer, words: list[Word]) -> tuple[Related, ...]:
    if not words:
        return ()
    return (Related("lost from here on", words[0].span.to(words[-1].span)),)
