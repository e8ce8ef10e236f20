"""From a text to YAML nodes, within bounds, and without ever constructing a value.

The library's own composer calls itself for each level and refuses an anchor that is defined anew,
which YAML allows; so the nodes are put together here from its parser's events.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, cast

import yaml
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from sglang_lint.launches import Fault
from sglang_lint.readers.yaml.nodes import YamlText
from sglang_lint.readers.yaml.templates import Masked, mask
from sglang_lint.text import MappedText

try:
    from yaml import CSafeLoader as Loader
except ImportError:  # a build of PyYAML without libyaml
    from yaml import SafeLoader as Loader  # type: ignore[assignment]

# Deeper than anybody nests by hand.
MAX_DEPTH = 150
# Past this a file is data, not a deployment.
MAX_LENGTH = 8_000_000

# What no text can hold, and what the readers give a meaning of their own.
_FOREIGN = re.compile(r"[\ud800-\udfff\ue000-\ue00f]")


@dataclass(frozen=True)
class Composed:
    """The documents of a text that could be composed, and what stopped the rest."""

    text: YamlText
    roots: tuple[Node, ...]
    masked: Masked
    faults: tuple[Fault, ...] = ()


def compose(source: MappedText) -> Composed:
    """Compose every document of a text, its template tags covered.

    What follows a syntax error is lost, what stands before it is kept. A text that holds
    template tags is no YAML until it is rendered, so that an error in it is nobody's fault.
    """
    if source.text.startswith("\ufeff"):  # the library reads it and does not count it
        source = source.slice(1)
    masked = mask(_FOREIGN.sub("\ufffd", source.text))
    text = YamlText(source, masked.text)
    roots: list[Node] = []
    faults: tuple[Fault, ...] = ()
    if len(masked.text) <= MAX_LENGTH:
        try:
            roots.extend(_documents(masked.text))
        except yaml.YAMLError as error:
            faults = () if masked.tags else (_fault(text, error),)
    return Composed(text, tuple(roots), masked, faults)


@dataclass
class _Composer:
    """The open collections of one document, the innermost last, and its anchors."""

    loader: Any  # the library's parser and resolver in one, of which only a part is typed
    root: Node | None = None
    open: list[Node] = field(default_factory=list)
    keys: list[Node | None] = field(default_factory=list)
    anchors: dict[str, Node] = field(default_factory=dict)

    def take(self, event: Any) -> None:
        """One event inside the document."""
        if isinstance(event, yaml.AliasEvent):
            name, mark = str(event.anchor), cast(yaml.Mark, event.start_mark)
            node = self.anchors.get(name)
            if node is None:
                raise yaml.MarkedYAMLError(problem=f"undefined alias {name}", problem_mark=mark)
            self._add(node)
        elif isinstance(event, yaml.CollectionEndEvent):
            self.open.pop().end_mark = event.end_mark
            self.keys.pop()
        else:
            self._start(event)

    def _start(self, event: Any) -> None:
        marks = (event.start_mark, event.end_mark)
        node: Node
        if isinstance(event, yaml.ScalarEvent):
            tag = self._tag(ScalarNode, event.tag, event.value, event.implicit)
            node = ScalarNode(tag, event.value, *marks, style=event.style)
        else:
            kind = MappingNode if isinstance(event, yaml.MappingStartEvent) else SequenceNode
            tag = self._tag(kind, event.tag, None, event.implicit)
            node = kind(tag, [], *marks, flow_style=event.flow_style)
        if event.anchor is not None:
            self.anchors[event.anchor] = node
        self._add(node)
        if not isinstance(node, ScalarNode):
            self.open.append(node)
            self.keys.append(None)

    def _tag(self, kind: type[Node], tag: str | None, value: str | None, implicit: object) -> str:
        if tag is None or tag == "!":
            return str(self.loader.resolve(kind, value, implicit))
        return tag

    def _add(self, node: Node) -> None:
        if not self.open:
            self.root = node
        elif isinstance(self.open[-1], SequenceNode):
            self.open[-1].value.append(node)
        elif (key := self.keys[-1]) is None:
            self.keys[-1] = node
        else:
            self.open[-1].value.append((key, node))
            self.keys[-1] = None


def _documents(text: str) -> Iterator[Node]:
    loader: Any = Loader(text)
    try:
        composer = _Composer(loader)
        while loader.check_event():
            event = loader.get_event()
            if isinstance(event, yaml.DocumentStartEvent):
                composer = _Composer(loader)
            elif isinstance(event, yaml.DocumentEndEvent):
                if composer.root is not None:
                    yield composer.root
            elif isinstance(event, yaml.NodeEvent | yaml.CollectionEndEvent):
                composer.take(event)
                if len(composer.open) > MAX_DEPTH:
                    return
    finally:
        loader.dispose()


def _fault(text: YamlText, error: yaml.YAMLError) -> Fault:
    problem = "it is no YAML"
    place = 0
    if isinstance(error, yaml.MarkedYAMLError) and error.problem_mark is not None:
        place = error.problem_mark.index
        problem = error.problem or problem
    elif isinstance(error, yaml.reader.ReaderError):
        problem = error.reason
        place = next((i for i, c in enumerate(text.text) if _refused(c)), 0)
    start = max(min(place, len(text.text) - 1), 0)
    return Fault(
        "yaml-syntax", f"the file cannot be read as YAML: {problem}", text.span(start, start + 1)
    )


def _refused(character: str) -> bool:
    """Whether YAML allows a character nowhere."""
    return yaml.reader.Reader.NON_PRINTABLE.match(character) is not None
