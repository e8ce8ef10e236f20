"""Composed YAML with its places: scalars as mapped text, mappings with their merge keys applied."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from yaml.nodes import CollectionNode, MappingNode, Node, ScalarNode, SequenceNode

from sglang_lint.readers.yaml.scalar_map import content_range, scalar_text
from sglang_lint.text import MappedText, Span

MERGE_TAG = "tag:yaml.org,2002:merge"
STRING_TAG = "tag:yaml.org,2002:str"
NULL_TAG = "tag:yaml.org,2002:null"
BOOL_TAG = "tag:yaml.org,2002:bool"
INT_TAG = "tag:yaml.org,2002:int"
FLOAT_TAG = "tag:yaml.org,2002:float"

# A mapping that merges more than this was not written by hand, and may be a trap.
_MAX_MERGED = 2_000


@dataclass(frozen=True, slots=True)
class Entry:
    """A key with its value; `own` unless it came in through a merge key."""

    key: str
    key_node: ScalarNode
    value: Node
    own: bool = True


@dataclass
class YamlText:
    """The text that the nodes were composed from, as long as `source.text` and in its places."""

    source: MappedText
    text: str
    _entries: dict[int, dict[str, Entry]] = field(default_factory=dict)

    def span(self, start: int, end: int) -> Span:
        """Host span of a range of offsets into the composed text."""
        return self.source.span(start, end)

    def node_span(self, node: Node) -> Span:
        """Host span of a node without its anchor and tag, or blanks and comments behind it."""
        return self.span(*self.node_range(node))

    def node_range(self, node: Node) -> tuple[int, int]:
        """Offsets of a node as `node_span` gives them."""
        start = node.start_mark.index
        if isinstance(node, ScalarNode):
            start, end = content_range(self.text, node)
        else:
            end = self._end(node)
        return start, start + len(self.text[start:end].rstrip())

    def entry_span(self, entry: Entry) -> Span:
        """Host span from a key to the end of its value, which an alias may write elsewhere."""
        start, end = self.node_range(entry.key_node)
        value_start, value_end = self.node_range(entry.value)
        return self.span(start, value_end if value_start >= start else end)

    def _end(self, node: Node) -> int:
        """End of a collection: that of its last child, if it is written as a block."""
        seen: set[int] = set()
        while isinstance(node, CollectionNode) and not node.flow_style and node.value:
            if id(node) in seen:
                break
            seen.add(id(node))
            last = node.value[-1]
            child = last[1] if isinstance(node, MappingNode) else last
            if child.start_mark.index < node.start_mark.index:  # an alias, written elsewhere
                break
            node = child
        return int(node.end_mark.index)

    def scalar(self, node: ScalarNode) -> MappedText:
        """The scalar's value in the places of the host."""
        return self.source.within(scalar_text(self.text, node))

    def entries(self, node: MappingNode) -> dict[str, Entry]:
        """The mapping as its reader sees it: by key, merge keys applied, the last of a key wins."""
        known = self._entries.get(id(node))
        if known is None:
            known = {entry.key: entry for entry in self._merged(node)}
            self._entries[id(node)] = known
        return known

    def _merged(self, node: MappingNode) -> Iterator[Entry]:
        """Entries, those that win last."""
        found: list[Entry] = []
        stack: list[tuple[Node, bool]] = [(node, True)]
        seen: set[int] = set()
        while stack and len(found) < _MAX_MERGED:
            current, own = stack.pop()
            if id(current) in seen:
                continue
            seen.add(id(current))
            if isinstance(current, SequenceNode):
                stack.extend((child, False) for child in reversed(current.value))
            elif isinstance(current, MappingNode):
                merges = []
                for key, value in reversed(current.value):
                    if not isinstance(key, ScalarNode):
                        continue
                    if key.tag == MERGE_TAG:
                        merges.append((value, False))
                    else:
                        found.append(Entry(key.value, key, value, own))
                stack.extend(merges)
        return reversed(found)


def items(node: Node) -> list[Node]:
    """The items of a sequence; of anything else, none."""
    return list(node.value) if isinstance(node, SequenceNode) else []


def is_null(node: Node) -> bool:
    """Whether a node is written as nothing at all, or as null."""
    return isinstance(node, ScalarNode) and node.tag == NULL_TAG


def is_text(node: Node) -> bool:
    """Whether a node is a scalar that a YAML reader takes for a string."""
    return isinstance(node, ScalarNode) and node.tag not in (NULL_TAG, BOOL_TAG, INT_TAG, FLOAT_TAG)
