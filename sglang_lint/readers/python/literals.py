"""Decoding string tokens character by character, so that each keeps its place in the file."""

from __future__ import annotations

import re
import unicodedata

from sglang_lint.text import MappedText

_TOKEN = re.compile(r"(?P<prefix>[A-Za-z]*)(?P<quote>'''|\"\"\"|'|\")", re.DOTALL)
_NEWLINE = re.compile(r"\r\n?")
_PIECE = re.compile(
    r"""
      (?P<newline>\r\n?)
    | \\(?:
        (?P<join>\r\n|\n|\r)
      | (?P<octal>[0-7]{1,3})
      | x(?P<hex>[0-9a-fA-F]{2})
      | u(?P<short>[0-9a-fA-F]{4})
      | U(?P<long>[0-9a-fA-F]{8})
      | N\{(?P<name>[^{}]*)\}
      | (?P<simple>[abfnrtv\\'"])
      )
    """,
    re.VERBOSE,
)
_SIMPLE = dict(zip("abfnrtv\\'\"", "\a\b\f\n\r\t\v\\'\"", strict=True))


def decode_token(token: str, start: int) -> MappedText | None:
    """The value of one string token that stands at `start`; None for bytes.

    Formatted tokens are no single token and come through `decode_body`.
    """
    match = _TOKEN.match(token)
    if match is None:
        return None
    prefix, quote = match["prefix"].lower(), match["quote"]
    if "b" in prefix:
        return None
    body = token[match.end() : len(token) - len(quote)]
    return decode_body(body, start + match.end(), raw="r" in prefix)


def decode_body(body: str, start: int, *, raw: bool, braces: bool = False) -> MappedText:
    """The value of a token's inside; with `braces`, doubled braces of a template are one."""
    if not braces and "\r" not in body and (raw or "\\" not in body):
        stop = start + len(body)
        return MappedText(body, range(start, stop), range(start + 1, stop + 1), start)
    text: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    index = 0
    while index < len(body):
        value, length = _piece(body, index, raw)
        if braces and value and body[index : index + 2] in ("{{", "}}"):
            length = 2
        if value:
            text.append(value)
            starts.append(start + index)
            ends.append(start + index + length)
        index += length
    return MappedText("".join(text), starts, ends, start)


def _piece(body: str, index: int, raw: bool) -> tuple[str, int]:
    """One character of the value ("" for a joined line) and the length of its writing."""
    if body[index] not in "\\\r":
        return body[index], 1
    if raw:
        newline = _NEWLINE.match(body, index)
        return ("\n", newline.end() - index) if newline else (body[index], 1)
    match = _PIECE.match(body, index)
    if match is None:
        return body[index], 1
    return _decoded(match), match.end() - index


def _decoded(match: re.Match[str]) -> str:
    kind = match.lastgroup
    written = match[kind] if kind else ""
    if kind == "newline":
        return "\n"
    if kind == "join":
        return ""
    if kind == "simple":
        return _SIMPLE[written]
    if kind == "name":
        try:
            character = unicodedata.lookup(written)
        except KeyError:
            return "\N{REPLACEMENT CHARACTER}"
        return character if len(character) == 1 else "\N{REPLACEMENT CHARACTER}"
    code = int(written, 8 if kind == "octal" else 16)
    return chr(code) if code <= 0x10FFFF else "\N{REPLACEMENT CHARACTER}"
