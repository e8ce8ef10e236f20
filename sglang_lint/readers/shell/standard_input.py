"""Heredocs and here strings that a command runs as a script."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import tree_sitter

from sglang_lint.readers.shell import assigning, wrappers
from sglang_lint.readers.shell.commands import command_at
from sglang_lint.readers.shell.expansion import Expander
from sglang_lint.readers.shell.pieces import Chars, Piece
from sglang_lint.readers.shell.skipping import BrokenError
from sglang_lint.readers.shell.state import Script, State
from sglang_lint.readers.shell.syntax import Command, Literal, Redirect, Word
from sglang_lint.readers.shell.words import to_word

if TYPE_CHECKING:
    from sglang_lint.readers.shell.launching import Launching
    from sglang_lint.readers.shell.session import Session

_SCRIPTS = (".sh", ".bash", ".sbatch", ".slurm")
_OPERATORS = ("<<", "<<-", "<<<")


def feed(
    launching: Launching,
    session: Session,
    script: Script,
    command: Command,
    state: State,
    node: tree_sitter.Node,
) -> None:
    """Run what the command at `node` reads, if the command is a shell or hands it to one."""
    redirects = [entry for entry in command.redirects if entry.operator in _OPERATORS]
    if not redirects:
        return
    expander = Expander(session, state.path, merging=True)
    reader = _reader(script, command, state, node, expander)
    if reader is None and not _writes_script(command):
        return
    bodies = [
        body
        for child in node.children
        if child.type == "heredoc_redirect"
        for body in child.children
        if body.type == "heredoc_body"
    ]
    for pieces in _texts(script, redirects, bodies, state, expander):
        if reader is not None:
            launching.fed(script, reader, state, pieces)
        else:
            launching.written(script, command, pieces)


def _reader(
    script: Script,
    command: Command,
    state: State,
    node: tree_sitter.Node,
    expander: Expander,
) -> Command | None:
    """The command that runs the text: this one, or the one behind `cat <<EOF |`."""
    if _reads(command, state, expander):
        return command
    if [word.literal for word in command.words] != ["cat"]:
        return None
    for heredoc in node.children:
        for pipeline in heredoc.children:
            if heredoc.type != "heredoc_redirect" or pipeline.type != "pipeline":
                continue
            for child in pipeline.children:
                if child.type == "command":
                    following = _command(script, child)
                    reads = following is not None and _reads(following, state, expander)
                    return following if reads else None
    return None


def _writes_script(command: Command) -> bool:
    """Whether the command puts what it reads into a file that is a script for a shell."""
    head = command.words[0].literal if command.words else None
    if head == "tee":
        return any(_names_script(word) for word in command.words[1:])
    return (
        head == "cat"
        and len(command.words) == 1
        and any(
            entry.operator in (">", ">>", ">|")
            and entry.target is not None
            and _names_script(entry.target)
            for entry in command.redirects
        )
    )


def _names_script(word: Word) -> bool:
    last = word.parts[-1] if word.parts else None
    return isinstance(last, Literal) and last.text.text.endswith(_SCRIPTS)


def _command(script: Script, node: tree_sitter.Node) -> Command | None:
    try:
        return command_at(script.lexer, script.start(node), len(script.lexer.text))
    except BrokenError:
        return None


def _reads(command: Command, state: State, expander: Expander) -> bool:
    fields = expander.fields(assigning.bound_words(command, state))
    return wrappers.reads_script([to_word(field) for field in fields])


def _texts(
    script: Script,
    redirects: Sequence[Redirect],
    bodies: Sequence[tree_sitter.Node],
    state: State,
    expander: Expander,
) -> list[list[Piece]]:
    found: list[list[Piece]] = []
    remaining = list(bodies)
    for redirect in redirects:
        target = redirect.target
        if target is None:
            continue
        if redirect.operator == "<<<":
            found.append(expander.value(state.scope.bind(target)))
        elif remaining:
            body = remaining.pop(0)
            start, end = script.start(body), script.end(body)
            if any(isinstance(part, Literal) and part.quoted for part in target.parts):
                found.append([Chars(script.lexer.source.slice(start, end), True)])
            else:
                found.extend(_expanded(script, start, end, state, expander))
    return found


def _expanded(
    script: Script, start: int, end: int, state: State, expander: Expander
) -> list[list[Piece]]:
    try:
        word = script.lexer.heredoc(start, end)
    except BrokenError:
        return []
    return [expander.value(state.scope.bind(word))]
