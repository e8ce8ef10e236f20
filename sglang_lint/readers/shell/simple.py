"""Runs one simple command: a builtin, a function of the script, or a program."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import tree_sitter

from sglang_lint.readers.shell import assigning, conditions, tree
from sglang_lint.readers.shell.bindings import Binding, Items
from sglang_lint.readers.shell.branches import joined_returns
from sglang_lint.readers.shell.commands import DECLARATIONS, command_at
from sglang_lint.readers.shell.formulas import Always, Formula
from sglang_lint.readers.shell.launching import Launching
from sglang_lint.readers.shell.skipping import BrokenError
from sglang_lint.readers.shell.standard_input import feed
from sglang_lint.readers.shell.state import Function, Left, Script, State
from sglang_lint.readers.shell.syntax import POSITIONAL, Command

if TYPE_CHECKING:
    from sglang_lint.readers.shell.statements import Interpreter

_MAX_CALLS = 8
_LEAVING = {
    "break": Left.LOOP,
    "continue": Left.LOOP,
    "return": Left.FUNCTION,
    "exit": Left.SCRIPT,
}
_SETTERS: dict[str, Callable[[Command, State], None]] = {
    "unset": assigning.unset,
    "set": assigning.set_arguments,
    "shift": assigning.shift,
    **dict.fromkeys(DECLARATIONS, assigning.declare),
}
_READERS = frozenset(["read", "mapfile", "readarray", "getopts", "let"])
_TRANSPARENT = frozenset(["command", "builtin", "time"])


class SimpleCommands:
    """Runs simple commands for an Interpreter."""

    def __init__(self, interpreter: Interpreter) -> None:
        self._interpreter = interpreter
        self._launching = Launching(interpreter)

    def run(
        self, script: Script, start: int, end: int, state: State, node: tree_sitter.Node
    ) -> Formula:
        """The command at `start`, which the grammar thinks ends at `end`."""
        interpreter = self._interpreter
        interpreter.session.command()
        try:
            command = command_at(script.lexer, start, len(script.lexer.text))
        except BrokenError:
            interpreter.covered = end
            return conditions.named(script.text(node)[:200], state)
        stop = command.stop.comment[1] if command.stop.comment else command.stop.at
        self._substitutions(script, node, state)
        status = self._command(script, command, state, node)
        heredocs = [child for child in node.children if child.type == "heredoc_redirect"]
        interpreter.covered = stop
        if stop < end and not heredocs:
            interpreter.repair(script, stop, end, state)
        return status

    def _command(
        self, script: Script, command: Command, state: State, node: tree_sitter.Node
    ) -> Formula:
        if not command.words:
            for assignment in command.assignments:
                assigning.assign(assignment, state)
            return Always(True)
        assigning.assign_defaults(command, state)
        head = command.words[0].literal or ""
        if head in _TRANSPARENT and len(command.words) > 1:
            following = command.words[1].literal or ""
            if following in state.functions or following in _SETTERS:
                command = _without_first(command)
                head = following
        if head in (":", "true"):
            return Always(True)
        if head == "false":
            return Always(False)
        if head in ("[", "test"):
            return self._test(script, command, state, node)
        if head in _SETTERS:
            _SETTERS[head](command, state)
            return Always(True)
        if head in _LEAVING:
            state.left = _LEAVING[head]
            return Always(True)
        status = conditions.named(script.text(node)[:400], state)
        if head in _READERS or (head == "printf" and len(command.words) > 2):
            state.scope.hide(assigning.names_read(command), f"set by `{head}`")
        elif head == "eval":
            self._launching.evaluated(script, command, state)
        elif head in state.functions:
            self._call(state.functions[head], command, state)
        else:
            self._launching.program(script, command, state)
            feed(self._launching, self._interpreter.session, script, command, state, node)
            if head == "exec" and len(command.words) > 1:
                state.left = Left.SCRIPT
        return status

    def _test(
        self, script: Script, command: Command, state: State, node: tree_sitter.Node
    ) -> Formula:
        words = command.words[1:]
        if command.words[0].literal == "[":
            if not words or words[-1].literal != "]":
                return conditions.named(script.text(node), state)
            words = words[:-1]
        return conditions.of_words(words, state) or conditions.named(script.text(node), state)

    def _call(self, function: Function, command: Command, state: State) -> None:
        if len(state.calls) >= _MAX_CALLS or function in state.calls:
            return
        variables = state.scope.variables
        arguments = variables.get(POSITIONAL)
        bound = tuple(state.scope.bind(word) for word in command.words[1:])
        hidden: dict[str, Binding | None] = {}
        for assignment in command.assignments:
            hidden[assignment.name] = variables.get(assignment.name)
            assigning.assign(assignment, state)
        variables[POSITIONAL] = Items(bound, command.span)
        calls, saved, returns, path = state.calls, state.saved, state.returns, state.path
        state.calls, state.saved, state.returns = (*calls, function), hidden, []
        self._interpreter.call(function, state)
        if state.returns:
            joined_returns(state.scope, state.returns)
            state.path = path
        state.calls, state.saved, state.returns = calls, saved, returns
        for name, binding in (*hidden.items(), (POSITIONAL, arguments)):
            if binding is None:
                state.scope.variables.pop(name, None)
            else:
                state.scope.variables[name] = binding
        if state.left is Left.FUNCTION:
            state.left = None

    def _substitutions(self, script: Script, node: tree_sitter.Node, state: State) -> None:
        """Launches inside `$(...)`."""
        text = script.text(node)
        if "sglang" not in text or ("$(" not in text and "<(" not in text):
            return
        for inner in tree.descendants(node):
            if inner.type in ("command_substitution", "process_substitution") and (
                "sglang" in script.text(inner) and script.text(inner)[:1] != "`"
            ):
                self._interpreter.block(script, inner.children, state.copy())


def _without_first(command: Command) -> Command:
    return Command(
        command.start,
        command.stop,
        command.span,
        command.assignments,
        command.words[1:],
        command.redirects,
        command.declarations,
        command.stray,
    )
