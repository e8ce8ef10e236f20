"""Where a node stands: the mappings above it, and whose rules hold there."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from dataclasses import dataclass

from yaml.nodes import MappingNode, Node, ScalarNode

from sglang_lint.readers.yaml.nodes import YamlText, is_null


class Dialect(enum.Enum):
    """Who starts the commands of a document: this decides what a string and a `$` mean."""

    KUBERNETES = "kubernetes"
    COMPOSE = "compose"
    OTHER = "other"


@dataclass(frozen=True)
class Scope:
    """A mapping or sequence, with the chain of those that hold it.

    `key` is the key of a mapping under which the node stands, also where sequences lie between.
    """

    node: Node
    key: str = ""
    parent: Scope | None = None

    def upwards(self) -> Iterator[Scope]:
        """This scope and those around it, the nearest first."""
        scope: Scope | None = self
        while scope is not None:
            yield scope
            scope = scope.parent

    def mappings(self) -> Iterator[MappingNode]:
        """The mappings around, the nearest first."""
        for scope in self.upwards():
            if isinstance(scope.node, MappingNode):
                yield scope.node

    def path(self) -> list[str]:
        """Keys from the root down to this node; a sequence's item adds none."""
        keys = []
        for scope in self.upwards():
            parent = scope.parent
            if parent is not None and isinstance(parent.node, MappingNode):
                keys.append(scope.key)
        return keys[::-1]


def dialect_of(scope: Scope, text: YamlText) -> tuple[Dialect, ScalarNode | None]:
    """The dialect at a place, and in Kubernetes the node that names the object's kind."""
    for mapping in scope.mappings():
        entries = text.entries(mapping)
        kind = entries.get("kind")
        if kind and "apiVersion" in entries and isinstance(kind.value, ScalarNode):
            return Dialect.KUBERNETES, kind.value
    path = scope.path()
    if len(path) >= 2 and path[0] == "services":
        return Dialect.COMPOSE, None
    return Dialect.OTHER, None


def find(text: YamlText, node: Node, path: tuple[str, ...]) -> Node | None:
    """The node under a path of keys, or None where there is none or it is null."""
    current = node
    for key in path:
        if not isinstance(current, MappingNode):
            return None
        entry = text.entries(current).get(key)
        if entry is None:
            return None
        current = entry.value
    return None if is_null(current) else current
