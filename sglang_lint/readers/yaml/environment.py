"""Environment variables that a command finds: `env:` lists, maps and `NAME=value` items."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice

from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from sglang_lint.launches import Setting
from sglang_lint.readers.yaml.interpolation import word_of_item
from sglang_lint.readers.yaml.nodes import YamlText, is_null
from sglang_lint.readers.yaml.scope import Dialect, Scope
from sglang_lint.values import Unknown, Value

_KEYS = (
    "env",
    "environment",
    "envs",
    "env_vars",
    "envVars",
    "environment_variables",
    "environmentVariables",
)
# More than this in one place is data; it is read for every command below it.
_MAX_SETTINGS = 500
_ASSIGNMENT = re.compile(r"(?P<name>[A-Za-z_]\w*)=(?P<value>.*)", re.DOTALL)


@dataclass
class SettingsFinder:
    """Variables around places of one text; an `env` node is read once."""

    text: YamlText
    _known: dict[tuple[int, Dialect], list[Setting]] = field(default_factory=dict)

    def around(self, scope: Scope, dialect: Dialect) -> dict[str, Setting]:
        """The variables that a mapping and those around it set, the nearest of a name first."""
        found: dict[str, Setting] = {}
        for mapping in scope.mappings():
            entries = self.text.entries(mapping)
            for key in _KEYS:
                if key in entries:
                    for setting in self._settings(entries[key].value, dialect):
                        found.setdefault(setting.name, setting)
        return found

    def _settings(self, node: Node, dialect: Dialect) -> list[Setting]:
        place = (id(node), dialect)
        if place not in self._known:
            self._known[place] = settings_in(node, self.text, dialect)
        return self._known[place]


def settings_in(node: Node, text: YamlText, dialect: Dialect) -> list[Setting]:
    """The variables of one `env` node, in its order, a later one of a name in place of it."""
    found: dict[str, Setting] = {}
    for name, value, place in islice(_pairs(node, text), _MAX_SETTINGS):
        if isinstance(value, ScalarNode) and not is_null(value):
            span = text.node_span(value)
            mapped = text.scalar(value)
            if value is place and (assignment := _ASSIGNMENT.fullmatch(mapped.text)):
                mapped = mapped.slice(assignment.start("value"))
            known: Value = word_of_item(mapped, span, dialect, found).value
        else:
            known = Unknown("set elsewhere")
        start, end = text.node_range(place)
        last = text.node_range(value)[1] if value is not None else end
        found[name] = Setting(name, known, text.span(start, max(end, last)))
    return list(found.values())


def _pairs(node: Node, text: YamlText) -> Iterator[tuple[str, Node | None, Node]]:
    """Name, value and the node that names it; value and name are one in `NAME=value`."""
    if isinstance(node, MappingNode):
        for entry in text.entries(node).values():
            if entry.key.isidentifier():
                yield entry.key, entry.value, entry.key_node
    elif isinstance(node, SequenceNode):
        for item in node.value:
            if isinstance(item, MappingNode):
                entries = text.entries(item)
                name = entries.get("name")
                if name is not None and isinstance(name.value, ScalarNode):
                    value = entries.get("value")
                    yield name.value.value, value.value if value else None, name.value
            elif isinstance(item, ScalarNode):
                assignment = _ASSIGNMENT.fullmatch(item.value)
                if assignment:
                    yield assignment["name"], item, item
                elif item.value.isidentifier():
                    yield item.value, None, item
