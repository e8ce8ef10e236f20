"""How deeply code is nested: past a bound it is not given to parsers that recurse."""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Sequence

# libcst takes about five frames of Python for a level of nesting, of the thousand that there
# are; this leaves room for the program around.
MAX_DEPTH = 90
# Adjacent strings nest as well, at fewer frames each.
_ADJACENT_PER_LEVEL = 2
_MANY_QUOTES = 40


def deepest(tree: ast.AST, lines: Sequence[str]) -> tuple[int, ast.AST]:
    """The depth of the most deeply nested node, and the statement around it.

    What `ast` keeps flat and libcst nests counts by its length: `a and b and c`, adjacent
    strings, dotted names. `lines` are those of the file, with their ends.
    """
    worst, place = 0, tree
    todo: list[tuple[ast.AST, int, ast.AST]] = [(tree, 0, tree)]
    while todo:
        node, depth, statement = todo.pop()
        if isinstance(node, ast.stmt):
            statement = node
        depth += _levels(node, lines)
        if depth > worst:
            worst, place = depth, statement
        todo.extend((child, depth, statement) for child in ast.iter_child_nodes(node))
    return worst, place


def _levels(node: ast.AST, lines: Sequence[str]) -> int:
    if isinstance(node, (ast.Constant, ast.JoinedStr)):
        return 1 + _adjacent_strings(node, lines) // _ADJACENT_PER_LEVEL
    if isinstance(node, ast.BoolOp):
        return len(node.values)
    if isinstance(node, (ast.Load, ast.Store, ast.Del, ast.operator, ast.cmpop)):
        return 0
    if isinstance(node, (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)):
        return 1 + len(node.generators)
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        names = [alias.name for alias in node.names]
        return 1 + max(name.count(".") for name in [*names, getattr(node, "module", "") or ""])
    return 1


def _adjacent_strings(node: ast.Constant | ast.JoinedStr, lines: Sequence[str]) -> int:
    """How many string tokens a string is written as, where that may be many."""
    if isinstance(node, ast.Constant) and not isinstance(node.value, (str, bytes)):
        return 0
    written = lines[node.lineno - 1 : node.end_lineno]
    if sum(line.count('"') + line.count("'") for line in written) < _MANY_QUOTES:
        return 0
    text = "(" + "".join(written).encode()[node.col_offset :].decode(errors="replace")
    count = 0
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.STRING or token.type == getattr(
                tokenize, "FSTRING_START", -1
            ):
                count += 1
            elif token.type == tokenize.OP and token.string in ",)]}:":
                break
    except (tokenize.TokenError, SyntaxError):
        pass
    return count
