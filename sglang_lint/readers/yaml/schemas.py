"""Configurations whose keys are server arguments, known by the path of keys that leads there."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from sglang_lint.launches import (
    Evidence,
    EvidenceKind,
    Keyword,
    Launch,
    Origin,
    Setting,
    Tail,
    Variant,
)
from sglang_lint.launches.entry_points import SCHEMA, SCHEMA_OPTIONS
from sglang_lint.readers.yaml.environment import settings_in
from sglang_lint.readers.yaml.evidence import scalar_evidence
from sglang_lint.readers.yaml.flags import options_of
from sglang_lint.readers.yaml.interpolation import word_of_item
from sglang_lint.readers.yaml.nodes import (
    BOOL_TAG,
    FLOAT_TAG,
    INT_TAG,
    NULL_TAG,
    Entry,
    YamlText,
)
from sglang_lint.readers.yaml.scope import Dialect, Scope, find
from sglang_lint.readers.yaml.templates import HIDDEN
from sglang_lint.text import Span
from sglang_lint.values import Known, Unknown, Value

_TRUE = frozenset(["true", "yes", "on"])
_SWEPT = re.compile(r"\{\w+\}")
_INTEGER = re.compile(r"[-+]?(?:0|[1-9][0-9_]*)")
_MAX_VALUES = 2_000


@dataclass(frozen=True)
class Schema:
    """One entry of schemas.json.

    `path` is matched against the end of a mapping's key path, from the mapping `anchor` at its
    beginning; the other paths are read from that anchor.
    """

    name: str
    path: tuple[str, ...]
    data: dict[str, Any]

    @property
    def flags(self) -> bool:
        """Whether values become options of a command line: true a flag, false and null nothing."""
        return bool(self.data.get("flags"))


@dataclass(frozen=True)
class Match:
    """A mapping that a schema names.

    `anchors` are the mappings that its paths start from: its own and the one that it overlays.
    Where it is `zipped`, a list of its own holds one value for each of several launches.
    """

    schema: Schema
    node: MappingNode
    anchors: tuple[MappingNode, ...]
    mode: str
    token: ScalarNode
    zipped: bool = False

    def at(self, text: YamlText, path: list[str]) -> Node | None:
        """The node at a path of the schema, in the first layer that has it."""
        keys = tuple(key.format(mode=self.mode) for key in path)
        found = (find(text, anchor, keys) for anchor in self.anchors)
        return next((node for node in found if node is not None), None)

    def layers(self, text: YamlText) -> Iterator[MappingNode]:
        """The mappings that are merged into the arguments, the weakest first."""
        for anchor in reversed(self.anchors[1:]):
            path = tuple(key.format(mode=self.mode) for key in self.schema.path)
            below = find(text, anchor, path)
            if isinstance(below, MappingNode):
                yield below
        yield self.node


@cache
def schemas() -> tuple[Schema, ...]:
    """Every schema there is."""
    data = resources.files("sglang_lint.readers.yaml").joinpath("schemas.json")
    listed: list[dict[str, Any]] = json.loads(data.read_text(encoding="utf-8"))
    return tuple(Schema(entry["name"], tuple(entry["path"]), entry) for entry in listed)


def match_schema(scope: Scope, text: YamlText) -> Match | None:
    """The schema that a mapping is the arguments of."""
    if not isinstance(scope.node, MappingNode):
        return None
    path = scope.path()
    for schema in schemas():
        length = len(schema.path)
        if len(path) < length or (schema.data.get("top") and len(path) != length):
            continue
        mode = _mode(schema, path[-length:])
        if mode is None:
            continue
        found = _anchored(schema, scope, mode, text)
        if found is not None and _holds(found, text):
            return found
    return None


def _mode(schema: Schema, path: list[str]) -> str | None:
    """The key that stands in the place of `{mode}`, "" without one, None if the path differs."""
    mode = ""
    for expected, key in zip(schema.path, path, strict=True):
        if expected == "{mode}" and key in schema.data["modes"]:
            mode = key
        elif expected != key:
            return None
    return mode


def _anchored(schema: Schema, scope: Scope, mode: str, text: YamlText) -> Match | None:
    """Climb to the anchor, and on the way find the key that stands for the launch."""
    token_depth = len(schema.data.get("token", schema.path))
    current: Scope | None = scope
    depth = len(schema.path)
    token: ScalarNode | None = None
    while current is not None and depth:
        parent = current.parent
        if parent is not None and isinstance(parent.node, MappingNode):
            entry = text.entries(parent.node).get(current.key)
            if depth == token_depth and entry is not None:
                token = entry.key_node
            depth -= 1
        current = parent
    if current is None or token is None or not isinstance(scope.node, MappingNode):
        return None
    if not isinstance(current.node, MappingNode):
        return None
    anchors = (current.node, *_below(schema, current, text))
    zipped = current.key.startswith(tuple(schema.data.get("zips", ())) or "\0")
    return Match(schema, scope.node, anchors, mode, token, zipped)


def _below(schema: Schema, anchor: Scope, text: YamlText) -> Iterator[MappingNode]:
    """The mapping that an overlay is merged over: `base` for `override_small`."""
    layers = schema.data.get("layers", {})
    parent = anchor.parent
    if parent is None or not isinstance(parent.node, MappingNode):
        return
    for prefix, name in layers.items():
        base = find(text, parent.node, (name,))
        if anchor.key.startswith(prefix) and isinstance(base, MappingNode):
            yield base
            return


def _holds(match: Match, text: YamlText) -> bool:
    """Whether the rest of the file says that the mapping is what it looks like."""
    required = match.schema.data.get("requires", [])
    excluded = match.schema.data.get("unless", [])
    if required and not any(_is_met(match, one, text) for one in required):
        return False
    if any(_is_met(match, one, text) for one in excluded):
        return False
    prefix = match.schema.data.get("prefix", "")
    return any(key.startswith(prefix) for key in text.entries(match.node))


def _is_met(match: Match, condition: dict[str, Any], text: YamlText) -> bool:
    node = match.at(text, condition["path"])
    if node is None or "matches" not in condition:
        return node is not None
    return isinstance(node, ScalarNode) and bool(re.fullmatch(condition["matches"], node.value))


def read_schema(match: Match, text: YamlText) -> Launch:
    """The launch that a schema's mapping describes."""
    data = match.schema.data
    keywords = {keyword.name: keyword for keyword in _derived(match, text)}
    keywords.update((keyword.name, keyword) for keyword in _written(match, text))
    token = text.node_span(match.token)
    evidence = [
        scalar_evidence(kind, match.at(text, data[name]), text, Dialect.OTHER)
        for name, kind in (
            ("image", EvidenceKind.IMAGE),
            ("accelerator", EvidenceKind.ACCELERATOR),
        )
        if name in data
    ]
    tails = (_tail(match, token, text),)
    if match.schema.flags:
        entry, variant = (
            SCHEMA_OPTIONS,
            Variant(words=tuple(options_of(keywords.values())), tails=tails),
        )
    else:
        entry, variant = SCHEMA, Variant(keywords=tuple(keywords.values()), tails=tails)
    return Launch(
        entry,
        token,
        token.to(text.node_span(match.node)),
        (variant,),
        tuple(one for one in evidence if isinstance(one, Evidence)),
        tuple(_environment(match, text)),
    )


def _tail(match: Match, token: Span, text: YamlText) -> Tail:
    """What the consumer adds; `added` holds the names of the fields where they are known."""
    added = match.schema.data.get("added")
    hidden = any(HIDDEN in key for layer in match.layers(text) for key in text.entries(layer))
    fields = frozenset(" ".join(added).split()) if added and not hidden else None
    return Tail(match.schema.data["adds"], token, fields)


def _environment(match: Match, text: YamlText) -> list[Setting]:
    path = match.schema.data.get("environment")
    node = match.at(text, path) if path else None
    return settings_in(node, text, Dialect.OTHER) if node is not None else []


def _written(match: Match, text: YamlText) -> Iterator[Keyword]:
    data = match.schema.data
    prefix = data.get("prefix", "")
    renamed: dict[str, str] = data.get("renamed", {})
    entries: dict[str, tuple[MappingNode, Entry]] = {}
    for layer in match.layers(text):
        for entry in text.entries(layer).values():
            entries[entry.key.removeprefix(prefix).replace("-", "_")] = (layer, entry)
    for name, (layer, entry) in entries.items():
        if not entry.key.startswith(prefix) or name in data.get("not_passed", ()):
            continue
        if HIDDEN in entry.key:
            continue
        value = _value(entry.value, text)
        if match.zipped and layer is match.node and isinstance(entry.value, SequenceNode):
            value = Unknown("one of several")
        if match.schema.flags and value in (Known(False), Known(None)):
            continue
        yield _keyword(renamed.get(name, name), entry, value, text)


def _keyword(name: str, entry: Entry, value: Value, text: YamlText) -> Keyword:
    return Keyword(
        name,
        text.node_span(entry.key_node),
        value,
        text.node_span(entry.value),
        Origin.SCHEMA,
    )


def _derived(match: Match, text: YamlText) -> Iterator[Keyword]:
    """Arguments that the consumer takes from elsewhere in its configuration."""
    data = match.schema.data
    token = text.node_span(match.token)
    for field, implied in data.get("implied", {}).get(match.mode, {}).items():
        yield Keyword(field, token, Known(implied), token, Origin.SCHEMA)
    for rule in data.get("fields", []):
        node = match.at(text, rule["from"])
        if node is None:
            continue
        value = _taken(node, rule, match, text)
        if value is not None:
            span = text.node_span(node)
            yield Keyword(rule["field"], span, value, span, Origin.SCHEMA)


def _taken(node: Node, rule: dict[str, Any], match: Match, text: YamlText) -> Value | None:
    value = _value(node, text)
    if "matches" in rule:
        found = (
            re.fullmatch(rule["matches"], str(value.value)) if isinstance(value, Known) else None
        )
        return Known(int(found[1])) if found else None
    if "times" in rule and (other := match.at(text, rule["times"])) is not None:
        factor = _value(other, text)
        if not isinstance(value, Known) or not isinstance(factor, Known):
            return Unknown("a product")
        if type(value.value) is not int or type(factor.value) is not int:
            return Unknown("a product")
        return Known(value.value * factor.value)
    return value


def _value(node: Node, text: YamlText) -> Value:
    """A value as YAML 1.1 reads it, which is what trainers written in Python use."""
    if isinstance(node, SequenceNode):
        if len(node.value) > _MAX_VALUES:
            return Unknown("a long list")
        values = [_value(item, text) for item in node.value]
        known = tuple(value.value for value in values if isinstance(value, Known))
        return Known(known) if len(known) == len(values) else Unknown("a list")
    if not isinstance(node, ScalarNode):
        return Unknown("a mapping")
    return _scalar(node, text)


def _scalar(node: ScalarNode, text: YamlText) -> Value:
    if node.tag == NULL_TAG:
        return Known(None)
    if node.tag == BOOL_TAG:
        return Known(node.value.lower() in _TRUE)
    if node.tag == INT_TAG:
        plain = _INTEGER.fullmatch(node.value)
        return Known(int(node.value)) if plain else Unknown("a number in another notation")
    if node.tag == FLOAT_TAG:
        try:
            return Known(float(node.value))
        except ValueError:
            return Unknown("a number in another notation")
    mapped = text.scalar(node)
    if _SWEPT.search(mapped.text):
        return Unknown("a swept parameter")
    return word_of_item(mapped, mapped.span(), Dialect.OTHER, {}).value
