"""The grammar of a script: what tree-sitter makes of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

import tree_sitter
import tree_sitter_bash

# The parser works on bytes. One byte for each character keeps its offsets ours; what is not
# ASCII is to bash only ever a character of a word.
_NOT_ASCII = re.compile(r"[^\x01-\x7f]")
# bash runs such a remark and passes nothing; the grammar takes it for the rest of the script.
_REMARK = re.compile(r"`[ \t]*#[^`\n]*`")
# Expansions are parts of words, whose inside is no matter of the grammar, and in which it takes
# a shift for a heredoc and a length for a comment. The innermost are covered first.
_EXPANSION = re.compile(r"\$\(\((?:[^()'\"`\n]|\([^()'\"`\n]*\))*\)\)|\$\{[^{}()'\"`\\\n]*\}")
_MAX_ROUNDS = 8
# bash passes the carriage return and ends the command; the grammar joins the lines.
_CARRIAGE = re.compile(r"\\\r\n")


@cache
def _language() -> tree_sitter.Language:
    return tree_sitter.Language(tree_sitter_bash.language())


def view_of(text: str) -> str:
    """The script as the parser is to see it, character by character in the same places."""
    view = _NOT_ASCII.sub("x", text)
    view = _REMARK.sub(lambda match: " " * len(match[0]), view)
    for _ in range(_MAX_ROUNDS):
        view, found = _EXPANSION.subn(lambda match: "x" * len(match[0]), view)
        if not found:
            break
    return _CARRIAGE.sub("xx\n", view)


def parse(view: str) -> tree_sitter.Node:
    """The root of the tree; errors are nodes in it."""
    return tree_sitter.Parser(_language()).parse(view.encode("ascii")).root_node


def descendants(node: tree_sitter.Node) -> Iterator[tree_sitter.Node]:
    """Every node below, in the order of the text, without recursion."""
    pending = list(reversed(node.children))
    while pending:
        current = pending.pop()
        yield current
        pending.extend(reversed(current.children))
