"""The escapes of `$'...'`."""

from __future__ import annotations

import re

_SINGLE = dict(zip("abeEfnrtv\\'\"?", "\a\b\x1b\x1b\f\n\r\t\v\\'\"?", strict=True))
_NUMBERED = re.compile(
    r"\\(?:x(?P<x>[0-9A-Fa-f]{1,2})|u(?P<u>[0-9A-Fa-f]{1,4})|U(?P<U>[0-9A-Fa-f]{1,8})"
    r"|(?P<o>[0-7]{1,3})|c(?P<c>.))",
    re.DOTALL,
)


def ansi_c(text: str, position: int, limit: int) -> tuple[str, int]:
    """The character that stands or is spelled at `position`, and the offset behind it."""
    if text[position] != "\\" or position + 1 >= limit:
        return text[position], position + 1
    single = _SINGLE.get(text[position + 1])
    if single is not None:
        return single, position + 2
    match = _NUMBERED.match(text, position, limit)
    if match is None:
        return "\\", position + 1
    if match["c"] is not None:
        return chr(ord(match["c"]) & 0x1F), match.end()
    digits = match["x"] or match["u"] or match["U"] or match["o"]
    code = int(digits, 8 if match["o"] else 16)
    if match["o"]:
        code &= 0xFF
    return (chr(code) if 0 < code <= 0x10FFFF else "\ufffd"), match.end()
