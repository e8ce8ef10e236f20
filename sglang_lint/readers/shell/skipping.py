"""Finding the end of a parenthesised or braced group without reading what is inside."""

from __future__ import annotations

import re


class BrokenError(Exception):
    """The text ends inside a quote or an expansion; a shell would run no part of the command."""


_NEXT = re.compile(r"[\\'\"`(){}$#]")


def skip_group(text: str, start: int, limit: int, close: str = ")") -> int:
    """The offset behind the `close` that ends the group whose inside begins at `start`.

    Raises BrokenError where there is none. Quotes, comments and inner groups are stepped over
    with a stack of our own, so that depth costs no recursion.
    """
    expected = [close]
    position = start
    while True:
        match = _NEXT.search(text, position, limit)
        if match is None:
            raise BrokenError
        position = match.start()
        character = text[position]
        top = expected[-1]
        if character == "\\":
            position += 2
        elif character == top:
            expected.pop()
            position += 1
            if not expected:
                return position
        elif character in '"`':
            expected.append(character)
            position += 1
        elif character == "$" and text[position + 1 : position + 2] in ("(", "{"):
            expected.append(")" if text[position + 1] == "(" else "}")
            position += 2
        elif top in '"`':
            position += 1
        elif character == "'":
            end = text.find("'", position + 1, limit)
            if end < 0:
                raise BrokenError
            position = end + 1
        elif character == "(":
            expected.append(")")
            position += 1
        elif character == "#" and top == ")" and text[position - 1] in " \t\n;(":
            end = text.find("\n", position, limit)
            position = limit if end < 0 else end
        else:
            position += 1
