"""`for`, `while` and `until`: run item by item where the items are known."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import tree_sitter

from sglang_lint.readers.shell import assigning, conditions, tree
from sglang_lint.readers.shell.bindings import Binding, Element, Grown, Hidden, Optional
from sglang_lint.readers.shell.commands import command_at
from sglang_lint.readers.shell.expansion import Expander
from sglang_lint.readers.shell.formulas import Arm, Formula, Named, Select, UndecidedError
from sglang_lint.readers.shell.lexer import METACHARACTERS
from sglang_lint.readers.shell.pieces import Field, Gap, text_of
from sglang_lint.readers.shell.skipping import BrokenError
from sglang_lint.readers.shell.state import Function, Left, Return, Script, State
from sglang_lint.readers.shell.syntax import POSITIONAL, Parameter, Word

if TYPE_CHECKING:
    from sglang_lint.readers.shell.statements import Interpreter

_MAX_ITEMS = 64
_LEAVES = re.compile(r"\b(?:break|continue|return|exit)\b")
_COUNTED = re.compile(
    r"([A-Za-z_][A-Za-z0-9_]*)\s*(?:\+\+|--|[-+*/%|&^]?=(?!=))|(?:\+\+|--)\s*([A-Za-z_]\w*)"
)
_READERS = frozenset(["read", "mapfile", "readarray", "getopts", "printf", "let"])
_OPTIONS = re.compile(r"\$#|\$\{#\}|getopts|\$\{?1\b")


def run(interpreter: Interpreter, script: Script, node: tree_sitter.Node, state: State) -> Formula:
    """One loop."""
    body = node.child_by_field_name("body")
    inner = body.children if body is not None else []
    if node.type == "for_statement":
        variable = node.child_by_field_name("variable")
        name = script.text(variable) if variable is not None else "_"
        items = _items(interpreter, script, node, state)
        if items is not None and body is not None and not _LEAVES.search(script.text(body)):
            _each(interpreter, script, (name, items, inner), state)
        else:
            options = _is_over_arguments(script, node)
            _some_times(interpreter, script, node, state, options, {name: Hidden("a loop")})
    else:
        tests = [child for child in node.children if child != body]
        head = script.lexer.text[script.start(node) : script.start(body) if body else None]
        interpreter.block(script, tests, state)
        options = node.type == "while_statement" and bool(_OPTIONS.search(head))
        _some_times(interpreter, script, node, state, options, {})
    return conditions.named(script.text(node)[:200], state)


def _each(
    interpreter: Interpreter,
    script: Script,
    loop: tuple[str, list[Field], Sequence[tree_sitter.Node]],
    state: State,
) -> None:
    name, items, body = loop
    labels = [f"{name}={text_of(item.pieces)}" for item in items]
    select = Select(tuple(Arm(label, ()) for label in labels))
    path = state.path
    for index, item in enumerate(items):
        state.scope.variables[name] = Element(item)
        if len(items) > 1:
            state.path = replace(path, decisions={**path.decisions, select: index}, feasible={})
        interpreter.block(script, body, state)
        state.path = path


def _some_times(
    interpreter: Interpreter,
    script: Script,
    node: tree_sitter.Node,
    state: State,
    options: bool,
    variables: dict[str, Binding],
) -> None:
    """A body that runs no, one or many times."""
    before = state.scope.variables
    grown = _grown(script, node)
    for name in assigned(script, [node], state):
        old = before.get(name)
        if name in grown:
            before[name] = Grown(old)
        elif options and old is not None and name != POSITIONAL:
            before[name] = Optional(old, "an option of the script may set it")
        else:
            before[name] = Hidden("set in a loop")
    inside = state.copy()
    inside.scope.variables.update(variables)
    body = node.child_by_field_name("body")
    if body is not None:
        interpreter.block(script, body.children, inside)
    state.functions.update(inside.functions)
    if inside.left is Left.FUNCTION or inside.returns:
        returned = Named(("returned", node.start_byte, script.base, body))
        select = Select(
            (Arm("out of the loop", ((returned, True),)), Arm("behind it", ((returned, False),)))
        )
        state.returns.append(Return(((select, 0),), inside.scope))


def _items(
    interpreter: Interpreter, script: Script, node: tree_sitter.Node, state: State
) -> list[Field] | None:
    """The words that a `for` goes over, None where they are not all known."""
    if not any(child.type == "in" for child in node.children):
        return None
    words: list[Word] = []
    values = node.children_by_field_name("value")
    if not values:
        return []
    position, limit = script.start(values[0]), script.end(values[-1])
    try:
        while position < limit:
            word, end = script.lexer.word(position, limit, METACHARACTERS)
            if end == position:
                return None
            words.append(word)
            position = script.lexer.blanks(end, limit)
    except BrokenError:
        return None
    try:
        expander = Expander(interpreter.session, state.path)
        fields = expander.fields([state.scope.bind(word) for word in words])
    except UndecidedError:
        return None
    known = all(not isinstance(piece, Gap) for field in fields for piece in field.pieces)
    return fields if known and len(fields) <= _MAX_ITEMS else None


def _is_over_arguments(script: Script, node: tree_sitter.Node) -> bool:
    values = node.children_by_field_name("value")
    return not values or any(script.text(value) in ('"$@"', "$@", "$*") for value in values)


def counted(text: str) -> list[str]:
    """The variables that an arithmetic command changes."""
    return [first or second for first, second in _COUNTED.findall(text)]


def assigned(script: Script, nodes: Iterable[tree_sitter.Node], state: State) -> list[str]:
    """Every variable that the nodes, and the functions called in them, may set."""
    found: dict[str, None] = {}
    pending: list[tuple[Script, tree_sitter.Node]] = [(script, node) for node in nodes]
    seen: set[Function] = set()
    while pending:
        where, root = pending.pop()
        for node in (root, *tree.descendants(root)):
            if node.type == "variable_assignment":
                found[re.split(r"[\[+=]", where.text(node), maxsplit=1)[0]] = None
            elif node.type in ("for_statement", "c_style_for_statement", "compound_statement"):
                for name in _set_by_head(where, node):
                    found[name] = None
            elif node.type in ("command", "declaration_command", "unset_command"):
                for name in _set_by_command(where, node):
                    found[name] = None
                function = state.functions.get(where.text(node.children[0]))
                if function is not None and function not in seen:
                    seen.add(function)
                    pending.append((function.script, function.body))
    return list(found)


def _set_by_head(script: Script, node: tree_sitter.Node) -> list[str]:
    if node.type == "for_statement":
        variable = node.child_by_field_name("variable")
        return [script.text(variable)] if variable is not None else []
    text = script.text(node)
    if node.type == "compound_statement":
        return counted(text) if text.startswith("((") else []
    return counted(text.split("))", 1)[0])


def _set_by_command(script: Script, node: tree_sitter.Node) -> list[str]:
    head = script.text(node.children[0]) if node.children else ""
    if head in ("shift", "set"):
        return [POSITIONAL]
    names = re.findall(r"\$\{([A-Za-z_]\w*):?=", script.text(node))
    if head not in _READERS and head not in ("unset", "local", "declare", "typeset", "export"):
        return names
    try:
        command = command_at(script.lexer, script.start(node), len(script.lexer.text))
    except BrokenError:
        return names
    if not command.words:
        return names
    if head in _READERS:
        return [*names, *assigning.names_read(command)]
    literals = [word.literal or "" for word in command.words[1:]]
    declared = [assignment.name for assignment in command.declarations]
    plain = [text for text in literals if re.fullmatch(r"[A-Za-z_]\w*", text)]
    return [*names, *declared, *(plain if head != "export" else [])]


def _grown(script: Script, node: tree_sitter.Node) -> set[str]:
    """The variables that the body only adds to."""
    added: set[str] = set()
    replaced: set[str] = set()
    for inner in tree.descendants(node):
        if inner.type != "variable_assignment":
            continue
        try:
            command = command_at(script.lexer, script.start(inner), len(script.lexer.text))
        except BrokenError:
            continue
        for assignment in (*command.assignments, *command.declarations):
            word = assignment.value
            first = word.parts[0] if word is not None and word.parts else None
            itself = isinstance(first, Parameter) and first.name == assignment.name
            grows = assignment.append or (itself and not getattr(first, "operator", ""))
            (added if grows and assignment.index is None else replaced).add(assignment.name)
    return added - replaced
