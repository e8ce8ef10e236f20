"""A Dockerfile's instructions with their places."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

import tree_sitter
import tree_sitter_containerfile

from sglang_lint.launches import Word
from sglang_lint.text import MappedText, Span
from sglang_lint.values import Known

_SURROGATE = re.compile(r"[\ud800-\udfff]")
# What docker takes out of an instruction of several lines: the escape with what is left of its
# line, then any lines that are blank or a comment.
_CONTINUATION = re.compile(r"[\\`][ \t]*\r?\n(?:[ \t]*(?:#[^\n]*)?\n|[ \t]*\r\n)*")
_JSON_PART = re.compile(r"\\u(?P<code>[0-9A-Fa-f]{4})|\\(?P<escape>.)|(?P<run>[^\\]+)", re.DOTALL)
_JSON_ESCAPES = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_ESCAPE_DIRECTIVE = re.compile(r"^#\s*escape\s*=\s*`", re.MULTILINE | re.IGNORECASE)


@dataclass(frozen=True)
class Instruction:
    """One instruction; `name` is its keyword in lower case."""

    name: str
    node: tree_sitter.Node
    file: Parsed

    @property
    def span(self) -> Span:
        """Host span, without the line break behind it."""
        text = self.file.region(self.node)
        return text.slice(0, len(text.text.rstrip())).span()

    def children(self, kind: str) -> list[tree_sitter.Node]:
        """The direct children of a kind."""
        return [child for child in self.node.named_children if child.type == kind]


class Parsed:
    """A parsed Dockerfile."""

    def __init__(self, source: MappedText) -> None:
        self.source = source
        self.text = _SURROGATE.sub("\ufffd", source.text)
        self._bytes = self.text.encode()
        language = tree_sitter.Language(tree_sitter_containerfile.language())
        self._tree = tree_sitter.Parser(language).parse(self._bytes)

    @cached_property
    def _offsets(self) -> list[int] | None:
        """Byte offset of each character, or None where bytes and characters are the same."""
        if len(self._bytes) == len(self.text):
            return None
        return [0, *accumulate(len(character.encode()) for character in self.text)]

    def _offset(self, position: int) -> int:
        return position if self._offsets is None else bisect_left(self._offsets, position)

    @property
    def backtick_escapes(self) -> bool:
        """Whether a directive makes the backtick the escape character."""
        first_lines = self.text[:2_000]
        return _ESCAPE_DIRECTIVE.search(first_lines) is not None

    def instructions(self) -> Iterator[Instruction]:
        """The instructions in their order; what is no instruction is left out."""
        for node in self._tree.root_node.named_children:
            if node.type.endswith("_instruction"):
                yield Instruction(node.type.removesuffix("_instruction"), node, self)

    def region(self, node: tree_sitter.Node) -> MappedText:
        """The text of a node in the places of the host."""
        return self.between(node.start_byte, node.end_byte)

    def between(self, start: int, end: int) -> MappedText:
        """The text between two byte offsets in the places of the host."""
        region = MappedText.region(self.text, self._offset(start), self._offset(end))
        return self.source.within(region)

    def command_text(self, node: tree_sitter.Node) -> MappedText:
        """The text of a command as docker hands it to the shell: continued lines are joined."""
        region = self.region(node)
        region = region.slice(0, len(region.text.rstrip("\r\n")))
        escape = "`" if self.backtick_escapes else "\\"
        parts: list[MappedText] = []
        position = 0
        for found in _CONTINUATION.finditer(region.text):
            if found[0][0] == escape:
                parts.append(region.slice(position, found.start()))
                position = found.end()
        parts.append(region.slice(position))
        return MappedText.join([part for part in parts if part.text], region.anchor)

    def exec_words(self, array: tree_sitter.Node) -> tuple[Word, ...]:
        """The words of an instruction in exec form."""
        return tuple(
            self._word(child) for child in array.named_children if child.type == "json_string"
        )

    def _word(self, node: tree_sitter.Node) -> Word:
        region = self.region(node)
        literal = _json_text(region.slice(1, len(region) - 1))
        return Word(Known(literal.text), region.span(), literal)


def _json_text(text: MappedText) -> MappedText:
    if "\\" not in text.text:
        return text
    characters: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for found in _JSON_PART.finditer(text.text):
        place = text.slice(found.start(), found.end())
        if found["run"] is not None:
            characters.extend(found["run"])
            starts.extend(place.starts)
            ends.extend(place.ends)
            continue
        code = found["code"]
        decoded = (
            chr(int(code, 16)) if code else _JSON_ESCAPES.get(found["escape"], found["escape"])
        )
        characters.append("\ufffd" if _SURROGATE.match(decoded) else decoded)
        starts.append(place.span().start)
        ends.append(place.span().end)
    return MappedText("".join(characters), starts, ends, text.anchor)


def joined_words(words: Sequence[Word]) -> str | None:
    """Words with one blank between them, None if one of them is not known."""
    texts = [word.text for word in words]
    known = [text for text in texts if text is not None]
    return " ".join(known) if len(known) == len(texts) else None
