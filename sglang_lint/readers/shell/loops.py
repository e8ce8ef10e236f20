"""`for`, `while` and `until`: run item by item where the items are known."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import tree_sitter

from sglang_lint.readers.shell import conditions, setting
from sglang_lint.readers.shell.bindings import Binding, Element, Grown, Hidden, Optional, is_array
from sglang_lint.readers.shell.expansion import Expander
from sglang_lint.readers.shell.formulas import Arm, Formula, Named, Select, UndecidedError
from sglang_lint.readers.shell.lexer import METACHARACTERS
from sglang_lint.readers.shell.pieces import Field, Gap, text_of
from sglang_lint.readers.shell.skipping import BrokenError
from sglang_lint.readers.shell.state import Left, Return, Script, State
from sglang_lint.readers.shell.syntax import POSITIONAL, Word

if TYPE_CHECKING:
    from sglang_lint.readers.shell.statements import Interpreter

_MAX_ITEMS = 64
_LEAVES = re.compile(r"\b(?:break|continue|return|exit)\b")
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
        array = is_array(state.scope.variables.get(name))
        state.scope.variables[name] = Hidden("an array") if array else Element(item)
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
    grown = setting.only_added_to(script, node, state)
    for name in setting.names_set(script, [node], state):
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
