"""How deeply code is nested: past a bound it is not given to parsers that recurse."""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Callable, Sequence
from typing import Any

# libcst takes about five frames of Python for a level of nesting, of the thousand that there
# are; this leaves room for the program around.
MAX_DEPTH = 90
# Adjacent strings nest as well, at fewer frames each.
_ADJACENT_PER_LEVEL = 2
_MANY_QUOTES = 40

Levels = Callable[[Any, Sequence[str]], int]


def levels(node: ast.AST, lines: Sequence[str]) -> int:
    """How many levels a node adds to the nesting around it.

    What `ast` keeps flat and libcst nests counts by its length: `a and b and c`, adjacent
    strings, dotted names. `lines` are those of the file, with their ends.
    """
    counted = _LEVELS.get(type(node))
    return 1 if counted is None else counted(node, lines)


def _of_boolean(node: ast.BoolOp, lines: Sequence[str]) -> int:
    return len(node.values)


def _of_comprehension(node: ast.ListComp, lines: Sequence[str]) -> int:
    return 1 + len(node.generators)


def _of_import(node: ast.Import | ast.ImportFrom, lines: Sequence[str]) -> int:
    names = [alias.name for alias in node.names]
    return 1 + max(name.count(".") for name in [*names, getattr(node, "module", "") or ""])


def _of_string(node: ast.Constant | ast.JoinedStr, lines: Sequence[str]) -> int:
    if isinstance(node, ast.Constant) and not isinstance(node.value, (str, bytes)):
        return 1
    written = lines[node.lineno - 1 : node.end_lineno]
    if sum(line.count('"') + line.count("'") for line in written) < _MANY_QUOTES:
        return 1
    return 1 + _adjacent_strings(node, written) // _ADJACENT_PER_LEVEL


def _adjacent_strings(node: ast.Constant | ast.JoinedStr, written: Sequence[str]) -> int:
    """How many tokens a string is written as; `written` are the lines that it stands on."""
    text = "(" + "".join(written).encode()[node.col_offset :].decode(errors="replace")
    count = 0
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type in _STRINGS:
                count += 1
            elif token.type == tokenize.OP and token.string in ",)]}:":
                break
    except (tokenize.TokenError, SyntaxError):
        # The rest of the line is no whole expression; the strings in front of it are counted.
        return count
    return count


_STRINGS = (tokenize.STRING, getattr(tokenize, "FSTRING_START", tokenize.STRING))
_LEVELS: dict[type[ast.AST], Levels] = {
    ast.BoolOp: _of_boolean,
    ast.ListComp: _of_comprehension,
    ast.SetComp: _of_comprehension,
    ast.GeneratorExp: _of_comprehension,
    ast.DictComp: _of_comprehension,
    ast.Import: _of_import,
    ast.ImportFrom: _of_import,
    ast.Constant: _of_string,
    ast.JoinedStr: _of_string,
}
