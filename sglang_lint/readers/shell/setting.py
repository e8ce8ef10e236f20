"""Which variables a part of a script may set, found without running it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import tree_sitter

from sglang_lint.readers.shell import assigning, tree
from sglang_lint.readers.shell.commands import command_at
from sglang_lint.readers.shell.skipping import BrokenError
from sglang_lint.readers.shell.state import Function, Script, State
from sglang_lint.readers.shell.syntax import POSITIONAL, Command, Parameter

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_DEFAULTED = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*):?=")
_COUNTED = re.compile(
    r"([A-Za-z_][A-Za-z0-9_]*)\s*(?:\+\+|--|[-+*/%|&^]?=(?!=))"
    r"|(?:\+\+|--)\s*([A-Za-z_][A-Za-z0-9_]*)"
)
_READERS = frozenset(["read", "mapfile", "readarray", "getopts", "printf", "let"])
_DECLARERS = frozenset(["unset", "local", "declare", "typeset"])


def names_set(script: Script, nodes: Iterable[tree_sitter.Node], state: State) -> list[str]:
    """Every variable that the nodes, and the functions called in them, may set."""
    found: dict[str, None] = {}
    for where, node in _reached(script, nodes, state):
        found.update(dict.fromkeys(_set_by(where, node)))
    return list(found)


def only_added_to(script: Script, node: tree_sitter.Node, state: State) -> set[str]:
    """The variables that a node sets in no other way than by adding to them."""
    added: set[str] = set()
    replaced: set[str] = set()
    for where, inner in _reached(script, [node], state):
        if inner.type != "variable_assignment":
            replaced.update(_set_by(where, inner))
            continue
        command = _command(where, inner)
        for assignment in () if command is None else command.assignments:
            word = assignment.value
            first = word.parts[0] if word is not None and word.parts else None
            itself = isinstance(first, Parameter) and (first.name, first.operator) == (
                assignment.name,
                "",
            )
            grows = (assignment.append or itself) and assignment.index is None
            (added if grows else replaced).add(assignment.name)
    return added - replaced


def counted(text: str) -> list[str]:
    """The variables that an arithmetic command changes."""
    return [first or second for first, second in _COUNTED.findall(text)]


def _reached(
    script: Script, nodes: Iterable[tree_sitter.Node], state: State
) -> Iterator[tuple[Script, tree_sitter.Node]]:
    pending: list[tuple[Script, tree_sitter.Node]] = [(script, node) for node in nodes]
    seen: set[Function] = set()
    while pending:
        where, root = pending.pop()
        for node in (root, *tree.descendants(root)):
            yield where, node
            function = None
            if node.type == "command" and node.children:
                function = state.functions.get(where.text(node.children[0]))
            if function is not None and function not in seen:
                seen.add(function)
                pending.append((function.script, function.body))


def _set_by(script: Script, node: tree_sitter.Node) -> list[str]:
    kind = node.type
    if kind == "variable_assignment":
        match = _NAME.match(script.text(node))
        return [match[0]] if match else []
    if kind == "for_statement":
        variable = node.child_by_field_name("variable")
        return [script.text(variable)] if variable is not None else []
    if kind == "c_style_for_statement":
        return counted(script.text(node).split("))", 1)[0])
    if kind == "compound_statement":
        text = script.text(node)
        return counted(text) if text.startswith("((") else []
    if kind in ("command", "declaration_command", "unset_command"):
        return _set_by_command(script, node)
    return []


def _set_by_command(script: Script, node: tree_sitter.Node) -> list[str]:
    text = script.text(node)
    names = _DEFAULTED.findall(text) if "=" in text else []
    head = script.text(node.children[0]) if node.children else ""
    if head in ("shift", "set"):
        return [*names, POSITIONAL]
    if head not in _READERS and head not in _DECLARERS:
        return names
    command = _command(script, node)
    if command is None or not command.words:
        return names
    if head in _READERS:
        return [*names, *assigning.names_read(command)]
    literals = [word.literal or "" for word in command.words[1:]]
    return [*names, *(literal for literal in literals if _NAME.fullmatch(literal))]


def _command(script: Script, node: tree_sitter.Node) -> Command | None:
    try:
        return command_at(script.lexer, script.start(node), len(script.lexer.text))
    except BrokenError:
        return None
