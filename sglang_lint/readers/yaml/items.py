"""The parts of a command line in a mapping, item by item, before anything is filled in."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from sglang_lint.launches import Word
from sglang_lint.readers.shell.reader import words_of
from sglang_lint.readers.yaml.nodes import (
    BOOL_TAG,
    FLOAT_TAG,
    INT_TAG,
    NULL_TAG,
    Entry,
    YamlText,
    is_text,
    items,
)
from sglang_lint.text import MappedText
from sglang_lint.values import Known, Unknown

# The order in which the parts make up the command line, whatever order they are written in.
ROLES = (
    ("entrypoint", ("entrypoint", "entryPoint", "EntryPoint")),
    ("command", ("command", "Command", "cmd")),
    ("args", ("args", "Args", "arguments")),
)
# Stand for what a shell would expand while a string is split: whoever splits it expands nothing.
_EXPANDED = "$`*?[]{}~"
_HIDE = {ord(character): 0xE001 + index for index, character in enumerate(_EXPANDED)}
_BLANKS = {ord(character): 0xE00C + index for index, character in enumerate(" \t\n")}
_SHOW = {place: character for character, place in (_HIDE | _BLANKS).items()}
# A variable is filled in before a string is split, with whatever stands in its braces.
_BRACED = re.compile(r"\$\{[^{}]*\}")
_BLANK = re.compile(r"\s")
_NO_STRINGS = (INT_TAG, FLOAT_TAG, BOOL_TAG)
# A number that every reader of YAML prints as it is written.
_PLAIN_NUMBER = re.compile(r"[-+]?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?")


@dataclass(frozen=True, slots=True)
class Item:
    """One word as it is written; `node` is the list item that holds it, None in a string."""

    raw: Word
    node: Node | None = None
    may_split: bool = False


@dataclass(frozen=True, slots=True)
class Part:
    """The items under one of the keys of a command line."""

    role: str
    entry: Entry
    items: tuple[Item, ...]


def parts_of(entries: dict[str, Entry], text: YamlText) -> list[Part]:
    """Entry point, command and arguments of a mapping, as far as they are there."""
    found = []
    for role, keys in ROLES:
        entry = next((entries[key] for key in keys if key in entries), None)
        if entry is None:
            continue
        if isinstance(entry.value, SequenceNode):
            words = tuple(list_items(entry.value, text))
        elif isinstance(entry.value, ScalarNode) and is_text(entry.value):
            words = tuple(string_items(text.scalar(entry.value)))
        else:
            continue
        found.append(Part(role, entry, words))
    return found


def may_launch(entries: dict[str, Entry]) -> bool:
    """Whether a command line may start SGLang: a cheap look before a careful one."""
    for _, keys in ROLES:
        for key in keys:
            if key in entries:
                value = entries[key].value
                children = items(value) or [value]
                if any(isinstance(c, ScalarNode) and "sglang" in c.value for c in children):
                    return True
                if isinstance(children[0], ScalarNode) and children[0].value == "serve":
                    return True
    return False


def list_items(sequence: Node, text: YamlText) -> Iterator[Item]:
    """The items of a sequence; what is no scalar may stand for any number of words."""
    for node in items(sequence):
        span = text.node_span(node)
        nothing = MappedText("", (), (), span.start)
        if isinstance(node, ScalarNode) and node.tag != NULL_TAG:
            literal = text.scalar(node)
            number = node.tag in (INT_TAG, FLOAT_TAG)
            if number and not _PLAIN_NUMBER.fullmatch(literal.text):
                yield Item(Word(Unknown("a number in another notation"), span, nothing), node)
            else:
                yield Item(Word(Known(literal.text), span, literal), node)
        elif isinstance(node, ScalarNode):
            yield Item(Word(Unknown("nothing"), span, nothing), node)
        else:
            yield Item(Word(Unknown("a list or mapping"), span, nothing, splits=True), node)


def string_items(mapped: MappedText) -> Iterator[Item]:
    """The words of a command string, split and unquoted but not filled in."""
    whole = _BRACED.sub(lambda found: found[0].translate(_BLANKS), mapped.text)
    for word in words_of(mapped.replaced(whole.translate(_HIDE)), {}):
        literal = word.literal.replaced(word.literal.text.translate(_SHOW))
        value = Known(literal.text) if isinstance(word.value, Known) else word.value
        quoted = bool(literal.text) and word.span.start < literal.span().start
        if _BLANK.search(literal.text) and "${" in literal.text and not quoted:
            value = Unknown("a variable of several words")
            yield Item(Word(value, word.span, literal.slice(0, literal.text.index("$")), True))
            continue
        may_split = literal.text.startswith("$") and not quoted
        yield Item(Word(value, word.span, literal, word.splits), None, may_split)


def not_strings(parts: list[Part]) -> Iterator[Node]:
    """List items that YAML reads as a number, a truth value or a mapping."""
    for part in parts:
        for item in part.items:
            node = item.node
            if node is not None and (isinstance(node, MappingNode) or _is_number_or_truth(node)):
                yield node


def _is_number_or_truth(node: Node) -> bool:
    # Base sixty (1:30) is read by YAML 1.1 alone, and by no Kubernetes tool.
    return isinstance(node, ScalarNode) and node.tag in _NO_STRINGS and ":" not in node.value
