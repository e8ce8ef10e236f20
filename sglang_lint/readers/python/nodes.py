"""Walking through libcst nodes without their blanks, comments and parentheses."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from functools import cache

import libcst as cst

_FORMATTING = ("whitespace", "lpar", "rpar", "lbracket", "rbracket", "lbrace", "rbrace")
_FORMATTING_FIELDS = frozenset(
    """
    comma semicolon equal colon dot header footer leading_lines lines_after_decorators
    trailing_whitespace newline indent leading_whitespace
    """.split()
)


@cache
def _fields(kind: type[cst.CSTNode]) -> tuple[str, ...]:
    return tuple(
        field.name
        for field in fields(kind)
        if not field.name.startswith(_FORMATTING) and field.name not in _FORMATTING_FIELDS
    )


def children(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """The nodes right below a node, in their order."""
    for name in _fields(type(node)):
        value = getattr(node, name)
        if isinstance(value, cst.CSTNode):
            yield value
        elif isinstance(value, (list, tuple)):
            for inner in value:
                if isinstance(inner, cst.CSTNode):
                    yield inner
