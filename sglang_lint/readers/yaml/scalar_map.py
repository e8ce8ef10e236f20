"""Where each character of a YAML scalar's value stands in the text of the file."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from yaml.nodes import ScalarNode

from sglang_lint.text import MappedText

_BREAK = r"(?:\r\n|\n|\r)"
_PROPERTY = re.compile(r"[&!]\S*")
_BETWEEN_PROPERTIES = re.compile(rf"(?:[ \t]|{_BREAK}|#[^\r\n]*)*")
_HEADER = re.compile(rf"[|>](?P<indicators>[-+0-9]*)[ \t]*(?:#[^\r\n]*)?(?:{_BREAK}|$)")
_LINE = re.compile(rf"(?P<text>[^\r\n]*)(?P<break>{_BREAK}|$)")
_ONE_BREAK = re.compile(_BREAK)
_FOLD = rf"(?P<fold>[ \t]*{_BREAK}(?:[ \t]*{_BREAK})*[ \t]*)"
_PLAIN = re.compile(rf"{_FOLD}|(?P<run>[^ \t\r\n]+|[ \t]+)")
_SINGLE = re.compile(rf"{_FOLD}|(?P<quote>'')|(?P<run>[^ \t\r\n']+|[ \t]+)")
_DOUBLE = re.compile(
    rf"\\(?P<joined>{_BREAK}(?:[ \t]*{_BREAK})*[ \t]*)"
    r"|\\(?P<escape>x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|.)"
    rf"|{_FOLD}"
    r"|(?P<run>[^ \t\r\n\\]+|[ \t]+)"
)
_ESCAPES = {
    "0": "\0",
    "a": "\a",
    "b": "\b",
    "t": "\t",
    "\t": "\t",
    "n": "\n",
    "v": "\v",
    "f": "\f",
    "r": "\r",
    "e": "\x1b",
    "N": "\x85",
    "_": "\xa0",
    "L": "\u2028",
    "P": "\u2029",
}
_PATTERNS = {"'": _SINGLE, '"': _DOUBLE}


def scalar_text(text: str, node: ScalarNode) -> MappedText:
    """The value of a scalar, each character with its place in `text`, which `node` was read from.

    The map is checked against the value that the YAML library read; should they differ, every
    character stands for the whole scalar, so that a place is never wrong, only wide.
    """
    start, end = content_range(text, node)
    mapped: MappedText | None
    if node.style in ("|", ">"):
        mapped = _block(text, start, end, node.value, folded=node.style == ">")
    elif node.style in _PATTERNS:
        mapped = _flow(text, start + 1, end - 1, node.value, _PATTERNS[node.style])
    else:
        mapped = _flow(text, start, end, node.value, _PLAIN)
    if mapped is not None and mapped.text == node.value:
        return mapped
    size = len(node.value)
    return MappedText(node.value, [start] * size, [end] * size, start)


def content_range(text: str, node: ScalarNode) -> tuple[int, int]:
    """Start and end of a scalar as written, without its anchor and tag."""
    start, end = node.start_mark.index, node.end_mark.index
    while found := _PROPERTY.match(text, start, end):
        between = _BETWEEN_PROPERTIES.match(text, found.end(), end)
        start = between.end() if between else found.end()
    return start, end


@dataclass
class _Builder:
    """A mapped text under construction."""

    parts: list[str] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)

    def run(self, text: str, start: int, end: int) -> None:
        """Characters that stand in the file as they are."""
        self.parts.append(text[start:end])
        self.starts.extend(range(start, end))
        self.ends.extend(range(start + 1, end + 1))

    def one(self, character: str, start: int, end: int) -> None:
        """One character that was written in another way."""
        self.parts.append(character)
        self.starts.append(start)
        self.ends.append(end)

    def built(self, anchor: int) -> MappedText:
        return MappedText("".join(self.parts), self.starts, self.ends, anchor)


def _flow(text: str, start: int, end: int, value: str, pattern: re.Pattern[str]) -> MappedText:
    if text[start:end] == value:
        return MappedText.region(text, start, end)
    builder = _Builder()
    for found in pattern.finditer(text, start, end):
        kind = found.lastgroup
        if kind == "run":
            builder.run(text, found.start(), found.end())
        elif kind == "fold":
            _fold(builder, text, found)
        elif kind == "joined":
            for line_break in list(_ONE_BREAK.finditer(text, found.start(), found.end()))[1:]:
                builder.one("\n", line_break.start(), line_break.end())
        elif kind == "quote":
            builder.one("'", found.start(), found.end())
        else:
            builder.one(_unescaped(found["escape"]), found.start(), found.end())
    return builder.built(start)


def _fold(builder: _Builder, text: str, found: re.Match[str]) -> None:
    first, *others = _ONE_BREAK.finditer(text, found.start(), found.end())
    if not others:
        builder.one(" ", first.start(), first.end())
    for line_break in others:
        builder.one("\n", line_break.start(), line_break.end())


def _unescaped(escape: str) -> str:
    if len(escape) > 1:
        code = int(escape[1:], 16)
        return chr(code) if code <= 0x10FFFF else ""
    return _ESCAPES.get(escape, escape)


@dataclass(frozen=True, slots=True)
class _Row:
    """A line of a block scalar after its indentation, and its line break."""

    start: int
    end: int
    break_end: int

    @property
    def blank(self) -> bool:
        return self.start >= self.end


def _block(text: str, start: int, end: int, value: str, *, folded: bool) -> MappedText | None:
    header = _HEADER.match(text, start, end)
    if header is None:
        return None
    rows = _rows(text, header.end(), end, value)
    content = len(rows)
    while content and rows[content - 1].blank:
        content -= 1
    builder = _Builder()
    if folded:
        _fold_rows(builder, text, rows[:content])
    else:
        for index, row in enumerate(rows[:content]):
            builder.run(text, row.start, row.end)
            if index + 1 < content:
                builder.one("\n", row.end, row.break_end)
    kept = rows[max(content - 1, 0) :]
    if "-" in header["indicators"]:
        kept = []
    elif "+" not in header["indicators"]:
        kept = kept[:1] if content else []
    for row in kept:
        if row.break_end > row.end:
            builder.one("\n", row.end, row.break_end)
    return builder.built(header.end())


def _rows(text: str, start: int, end: int, value: str) -> list[_Row]:
    """The lines of the scalar; its indentation is what the value's first line lacks."""
    lines = []
    while start < end:
        line = _LINE.match(text, start, end)
        if line is None or line.end() == start:
            break
        lines.append(line)
        start = line.end()
    first = next((line["text"] for line in lines if line["text"].strip(" ")), "")
    kept = next((row for row in value.split("\n") if row.strip(" ")), "")
    indent = _leading_spaces(first) - _leading_spaces(kept)
    rows = []
    for line in lines:
        written = line["text"]
        if written.strip(" ") and _leading_spaces(written) < indent:
            break
        content = line.start() + min(indent, len(written))
        rows.append(_Row(content, line.end("text"), line.end()))
    return rows


def _leading_spaces(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _fold_rows(builder: _Builder, text: str, rows: list[_Row]) -> None:
    """Lines of a folded scalar: one break is a space, unless a neighbour is indented further."""
    breaks: list[tuple[int, int]] = []
    previous_indented: bool | None = None
    for row in rows:
        if not row.blank:
            indented = text[row.start] in " \t"
            if previous_indented is None or previous_indented or indented:
                kept = breaks
            elif len(breaks) == 1:
                builder.one(" ", *breaks[0])
                kept = []
            else:
                kept = breaks[1:]
            for start, end in kept:
                builder.one("\n", start, end)
            builder.run(text, row.start, row.end)
            breaks = []
            previous_indented = indented
        breaks.append((row.end, row.break_end))
