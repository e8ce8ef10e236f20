"""Assignments and the builtins that set variables."""

from __future__ import annotations

import re
from dataclasses import replace

from sglang_lint.readers.shell.bindings import (
    Appended,
    Binding,
    Bound,
    Hidden,
    Items,
    Removed,
    Scalar,
    Scope,
    Shifted,
    is_array,
)
from sglang_lint.readers.shell.facts import integer
from sglang_lint.readers.shell.state import State
from sglang_lint.readers.shell.syntax import (
    POSITIONAL,
    Assignment,
    Command,
    Literal,
    Parameter,
    Word,
)

_QUOTED_ASSIGNMENT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)=")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_WITH_VALUE = {"read": "adinNptu", "mapfile": "dnOsuCc", "readarray": "dnOsuCc"}


def assign(assignment: Assignment, state: State) -> None:
    """Run one assignment."""
    state.scope.variables[assignment.name] = binding_of(assignment, state.scope)


def binding_of(assignment: Assignment, scope: Scope) -> Binding:
    """What an assignment makes its variable hold."""
    name, place, word = assignment.name, assignment.span, assignment.value
    before = scope.variables.get(name)
    if assignment.index is not None:
        return Hidden("an element of it is set")
    if assignment.items is not None:
        if any((item.literal or "").startswith("[") for item in assignment.items):
            return Hidden("an array with keys")
        items = tuple(scope.bind(item) for item in assignment.items)
        return Items(items, place, before if assignment.append else None, assignment.append)
    if word is None:
        return Hidden("not known")
    rest = word if assignment.append else _rest_of_itself(name, word)
    if is_array(before):
        return Hidden("a string goes into an element of an array")
    if rest is None:
        return Scalar(scope.bind(word), place)
    return Appended(before, scope.bind(rest), place)


def _rest_of_itself(name: str, word: Word) -> Word | None:
    """What stands behind `$NAME` in `NAME="$NAME ..."`."""
    first = word.parts[0] if word.parts else None
    if not isinstance(first, Parameter) or first.name != name or first.index is not None:
        return None
    plain = first.operator == "" or (
        first.operator in (":-", "-") and first.argument is not None and not first.argument.parts
    )
    if not plain or first.length:
        return None
    return Word(word.parts[1:], word.span)


def assign_defaults(command: Command, state: State) -> None:
    """`${X:=default}` in any word of a command sets X."""
    for word in command.words:
        for part in word.parts:
            if isinstance(part, Parameter) and part.operator in (":=", "="):
                kept = replace(part, operator=part.operator.replace("=", "-"), quoted=True)
                value = Word((kept,), part.span)
                state.scope.variables[part.name] = Scalar(state.scope.bind(value), part.span)


def declare(command: Command, state: State) -> None:
    """`export`, `declare`, `typeset`, `local`, `readonly`."""
    builtin = command.words[0].literal
    flags = "".join(
        word.literal or "" for word in command.words[1:] if (word.literal or "").startswith("-")
    )
    exports = builtin == "export" or "x" in flags
    local = state.saved is not None and builtin in ("local", "declare", "typeset")
    assignments = [*command.declarations, *_quoted_assignments(command)]
    names = [
        word.literal
        for word in command.words[1:]
        if word.literal is not None and _NAME.fullmatch(word.literal)
    ]
    for name in [*(assignment.name for assignment in assignments), *names]:
        if local and "g" not in flags and state.saved is not None:
            state.saved.setdefault(name, state.scope.variables.get(name))
            if name in names:
                state.scope.variables[name] = Removed()
        if exports:
            state.scope.exported.add(name)
    for assignment in assignments:
        assign(assignment, state)
        if "A" in flags or "n" in flags:
            state.scope.hide([assignment.name], "an associative array or a reference")


def _quoted_assignments(command: Command) -> list[Assignment]:
    """`export "X=$Y"`: an assignment that the shell sees only after removing the quotes."""
    found = []
    for word in command.words[1:]:
        first = word.parts[0] if word.parts else None
        match = _QUOTED_ASSIGNMENT.match(first.text.text) if isinstance(first, Literal) else None
        if match is None or not isinstance(first, Literal):
            continue
        rest = Literal(first.text.slice(match.end()), first.quoted, first.like)
        value = Word((rest, *word.parts[1:]), word.span)
        found.append(Assignment(match[1], word.span, value))
    return found


def unset(command: Command, state: State) -> None:
    """`unset NAME...`."""
    for word in command.words[1:]:
        if word.literal is not None and _NAME.fullmatch(word.literal):
            state.scope.variables[word.literal] = Removed()
            state.scope.exported.discard(word.literal)


def set_arguments(command: Command, state: State) -> None:
    """`set -- a b` gives the script new arguments; `set -e` does not."""
    literals = [word.literal for word in command.words]
    if "--" in literals:
        words = command.words[literals.index("--") + 1 :]
    elif len(literals) > 1 and (literals[1] is None or literals[1][:1] not in ("-", "+")):
        words = command.words[1:]
    else:
        return
    bound = tuple(state.scope.bind(word) for word in words)
    state.scope.variables[POSITIONAL] = Items(bound, command.span)


def shift(command: Command, state: State) -> None:
    """`shift [count]`."""
    count = 1
    if len(command.words) > 1:
        number = integer(command.words[1].literal or "")
        if number is None or number < 0:
            state.scope.hide([POSITIONAL], "arguments after an unknown shift")
            return
        count = number
    before = state.scope.variables.get(POSITIONAL)
    state.scope.variables[POSITIONAL] = (
        Hidden("arguments of the script") if before is None else Shifted(before, count)
    )


def names_read(command: Command) -> list[str]:
    """The variables that `read`, `mapfile`, `getopts`, `printf -v` or `let` set."""
    builtin = command.words[0].literal or ""
    literals = [word.literal or "" for word in command.words[1:]]
    if builtin == "printf":
        return [literals[1]] if literals[:1] == ["-v"] and len(literals) > 1 else []
    if builtin == "getopts":
        return [*literals[1:2], "OPTARG", "OPTIND"]
    if builtin == "let":
        return [name for text in literals for name in _NAME.findall(text)]
    names = []
    skip = False
    for text in literals:
        if skip:
            skip = False
            if builtin == "read" and _NAME.fullmatch(text):
                names.append(text)  # `read -a NAME`; for other options a name too many
            continue
        if text.startswith("-"):
            skip = text[-1:] in _WITH_VALUE.get(builtin, "")
        elif _NAME.fullmatch(text):
            names.append(text)
    return names or ["REPLY", "MAPFILE"]


def bound_words(command: Command, state: State) -> list[Bound]:
    """The words of a command with what their variables hold."""
    return [state.scope.bind(word) for word in command.words]
