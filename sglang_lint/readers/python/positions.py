"""Places of libcst nodes, as host spans of the file that is read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import libcst as cst
from libcst.metadata import CodeRange, PositionProvider

from sglang_lint.readers.python.literals import decode_body, decode_token
from sglang_lint.text import MappedText, Span


class _Positions(PositionProvider):
    """The positions alone: resolving them through a wrapper also visits every node for nothing."""

    def of(self, module: cst.Module) -> Mapping[cst.CSTNode, CodeRange]:
        """Where each node of a module stands."""
        self._gen_impl(module)
        return {
            node: where for node, where in self._computed.items() if isinstance(where, CodeRange)
        }


class Places:
    """Where the nodes of one libcst module stand.

    The module may have been parsed from some lines of the file only: `line_offsets[i]` is the
    offset in `source.text` at which the module's line `i + 1` begins.
    """

    def __init__(self, source: MappedText, module: cst.Module, line_offsets: Sequence[int]) -> None:
        self.source = source
        self._module = module
        self._line_offsets = line_offsets
        self._ranges = _Positions().of(module)

    def range(self, node: cst.CSTNode) -> tuple[int, int]:
        """Start and end of a node as offsets into the text that is read."""
        where = self._ranges[node]
        start = self._line_offsets[where.start.line - 1] + where.start.column
        end = self._line_offsets[where.end.line - 1] + where.end.column
        return start, end

    def span(self, node: cst.CSTNode) -> Span:
        """Host span of a node, without the blanks and comments around it."""
        start, end = self.range(node)
        return self.source.span(start, end)

    def text(self, node: cst.CSTNode) -> str:
        """A node as it is written, on one line, for messages and conditions."""
        start, end = self.range(node)
        return " ".join(self.source.text[start:end].split())

    def string(self, node: cst.SimpleString) -> MappedText | None:
        """The value of a string token with its places in the host; None for bytes."""
        decoded = decode_token(node.value, self.range(node)[0])
        return None if decoded is None else self._hosted(decoded)

    def template(self, node: cst.FormattedStringText, *, raw: bool) -> MappedText:
        """The value of the literal text between two fields of a formatted string."""
        return self._hosted(decode_body(node.value, self.range(node)[0], raw=raw, braces=True))

    def _hosted(self, decoded: MappedText) -> MappedText:
        starts = self.source.starts
        if isinstance(starts, range) and starts[:1] == range(1):
            return decoded
        return self.source.within(decoded)


class Lines:
    """Line starts of a text, by the line ends that Python knows."""

    def __init__(self, text: str) -> None:
        self.starts = [0]
        index = 0
        while index < len(text):
            newline, carriage = text.find("\n", index), text.find("\r", index)
            if newline < 0 and carriage < 0:
                break
            index = min(place for place in (newline, carriage) if place >= 0) + 1
            if text[index - 1 : index + 1] == "\r\n":
                index += 1
            self.starts.append(index)

    def start(self, line: int) -> int:
        """Offset of a 1-based line."""
        return self.starts[min(line, len(self.starts)) - 1]

    def all(self, text: str) -> list[str]:
        """The lines of the text with their ends."""
        return [
            text[start:end]
            for start, end in zip(self.starts, [*self.starts[1:], len(text)], strict=True)
        ]
