"""YAML in, launches out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from yaml.nodes import CollectionNode, MappingNode, Node, ScalarNode, SequenceNode

from sglang_lint.launches import Reading
from sglang_lint.readers.yaml.containers import read_argv, read_container
from sglang_lint.readers.yaml.documents import compose
from sglang_lint.readers.yaml.items import ROLES
from sglang_lint.readers.yaml.nodes import MERGE_TAG, Entry, items
from sglang_lint.readers.yaml.rendering import apply_templates
from sglang_lint.readers.yaml.schemas import match_schema, read_schema
from sglang_lint.readers.yaml.scope import Scope
from sglang_lint.readers.yaml.scripts import ScriptReader
from sglang_lint.readers.yaml.surroundings import Finders
from sglang_lint.text import MappedText

_ROLE_KEYS = frozenset(key for _, keys in ROLES for key in keys)
# What is written only to be merged elsewhere: compose extensions and hidden CI jobs.
_FRAGMENT_PREFIXES = ("x-", ".")
# List items in all command lines of a file: aliases can name one long list again and again.
_MAX_ITEMS = 200_000


def read(source: MappedText, path: str) -> Reading:
    """Every launch in a YAML text, which may hold several documents and template tags."""
    del path  # what the file's name tells is added by whoever knows the project
    composed = compose(source)
    finders = Finders.of(composed.text)
    walk = _Walk(finders, ScriptReader(finders))
    found = [Reading(faults=composed.faults)]
    for root in composed.roots:
        walk.bases |= _merge_bases(root)
        found.extend(walk.read(root))
    reading = apply_templates(Reading.merged(found), composed.masked, composed.text.source)
    return Reading(
        tuple(sorted(reading.launches, key=lambda launch: (launch.span, launch.extent))),
        tuple(sorted(reading.faults, key=lambda fault: fault.span)),
    )


@dataclass
class _Walk:
    """One way through a text that comes to every node once, however many aliases name it."""

    finders: Finders
    scripts: ScriptReader
    bases: set[int] = field(default_factory=set)
    seen: set[int] = field(default_factory=set)
    valued: set[int] = field(default_factory=set)
    launched: set[tuple[int, ...]] = field(default_factory=set)
    items: int = 0

    def read(self, root: Node) -> Iterator[Reading]:
        """The launches under a root."""
        stack = [Scope(root)]
        while stack:
            scope = stack.pop()
            node = scope.node
            if id(node) in self.seen or not isinstance(node, CollectionNode):
                continue
            self.seen.add(id(node))
            if isinstance(node, MappingNode):
                yield from self._mapping(node, scope, stack)
            elif isinstance(node, SequenceNode):
                yield from self._sequence(node, scope, stack)

    def _mapping(self, node: MappingNode, scope: Scope, stack: list[Scope]) -> Iterator[Reading]:
        match = match_schema(scope, self.finders.text)
        if match is not None:
            yield Reading((read_schema(match, self.finders.text),))
            return
        container = self._container(node, scope)
        if container is not None:
            yield container
        for key, value in node.value:
            if not isinstance(key, ScalarNode):
                continue
            stack.append(Scope(value, key.value, scope))
            part = key.value in _ROLE_KEYS
            if not part or (container is None and isinstance(value, ScalarNode)):
                yield self._value(Entry(key.value, key, value), scope)

    def _container(self, node: MappingNode, scope: Scope) -> Reading | None:
        if self._is_fragment(scope):
            return None
        entries = self.finders.text.entries(node)
        values = [entries[key].value for key in sorted(_ROLE_KEYS) if key in entries]
        surroundings = [
            entries[key].value for key in ("image", "env", "environment") if key in entries
        ]
        identity = tuple(id(value) for value in values + surroundings)
        self.items += sum(len(value.value) for value in values if isinstance(value, SequenceNode))
        if not values or identity in self.launched or self.items > _MAX_ITEMS:
            return None
        self.launched.add(identity)
        return read_container(scope, self.finders)

    def _is_fragment(self, scope: Scope) -> bool:
        return id(scope.node) in self.bases and any(
            key.startswith(_FRAGMENT_PREFIXES) for key in scope.path()
        )

    def _value(self, entry: Entry, scope: Scope) -> Reading:
        """The launches of a scalar, or of a list that may be a command line or a script."""
        value = entry.value
        if id(value) in self.valued or isinstance(value, MappingNode):
            return Reading()
        self.valued.add(id(value))
        if any(isinstance(item, ScalarNode) and "sglang" in item.value for item in items(value)):
            argv = read_argv(entry, scope, self.finders)
            if argv is not None:
                return argv
        return self.scripts.read(entry, scope)

    def _sequence(self, node: SequenceNode, scope: Scope, stack: list[Scope]) -> Iterator[Reading]:
        for child in node.value:
            inner = Scope(child, scope.key, scope)
            if isinstance(child, SequenceNode) and child.value:
                first = child.value[0]
                if isinstance(first, ScalarNode):
                    yield self._value(Entry(scope.key, first, child), inner)
            stack.append(inner)


def _merge_bases(root: Node) -> set[int]:
    """The mappings that others merge."""
    bases: set[int] = set()
    seen: set[int] = set()
    stack = [root]
    while stack:
        node = stack.pop()
        if id(node) in seen or not isinstance(node, CollectionNode):
            continue
        seen.add(id(node))
        if isinstance(node, MappingNode):
            for key, value in node.value:
                if isinstance(key, ScalarNode) and key.tag == MERGE_TAG:
                    merged = value.value if isinstance(value, SequenceNode) else [value]
                    bases.update(id(base) for base in merged)
                stack.append(value)
        else:
            stack.extend(node.value)
    return bases
