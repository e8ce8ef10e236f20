"""Launches in mappings that hold a command line: containers, services, server sections."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from yaml.nodes import MappingNode, Node, ScalarNode

from sglang_lint.launches import (
    EvidenceKind,
    Fault,
    Launch,
    Reading,
    Tail,
    Variant,
    Word,
)
from sglang_lint.launches.command import Found, NestedScript, find_launch
from sglang_lint.launches.entry_points import MODULES
from sglang_lint.readers.embedded import surrounded
from sglang_lint.readers.shell.reader import read_script
from sglang_lint.readers.yaml.interpolation import script_of, word_of_item
from sglang_lint.readers.yaml.items import (
    Item,
    Part,
    list_items,
    may_launch,
    not_strings,
    parts_of,
    string_items,
)
from sglang_lint.readers.yaml.nodes import Entry, is_text
from sglang_lint.readers.yaml.scope import Dialect, Scope, dialect_of
from sglang_lint.readers.yaml.surroundings import Finders, Place
from sglang_lint.readers.yaml.templates import HIDDEN
from sglang_lint.text import MappedText, Span
from sglang_lint.values import Known

_DYNAMO_ADDS = frozenset(["dist_init_addr", "nnodes", "node_rank"])
# Kinds whose controller adds arguments to the command that is written: which fields these set,
# None where users of the kind may add any.
_OPERATORS: dict[str, frozenset[str] | None] = {
    "BackendRuntime": None,
    "ClusterServingRuntime": None,
    "DynamoComponentDeployment": _DYNAMO_ADDS,
    "DynamoGraphDeployment": _DYNAMO_ADDS,
    "InferenceService": None,
    "Playground": None,
    "ServingRuntime": None,
}
_OPTION_AND_MORE = re.compile(r"--?[A-Za-z][\w-]*\s")
_PYTHON = re.compile(r"(?:.*/)?python[\d.]*")


@dataclass(frozen=True)
class Container:
    """A mapping with a command line, and all that decides what becomes of it."""

    place: Place
    parts: list[Part]
    items: tuple[Item, ...]

    @property
    def passes_items_as_they_are(self) -> bool:
        """Whether each list item is known to become one argument, no shell between."""
        node = self.place.scope.node
        has_image = isinstance(node, MappingNode) and "image" in self.place.text.entries(node)
        return has_image or self.place.dialect is not Dialect.OTHER

    @property
    def extent(self) -> Span:
        """From the first key of the command line to the end of its last value."""
        own = [part.entry for part in self.parts if part.entry.own]
        first, *others = own or [part.entry for part in self.parts]
        extent = self.place.text.entry_span(first)
        for entry in others:
            extent = extent.to(self.place.text.entry_span(entry))
        return extent


def read_container(scope: Scope, finders: Finders) -> Reading | None:
    """The launch of a mapping's command line; None if the mapping holds no command line."""
    if not isinstance(scope.node, MappingNode):
        return None
    entries = finders.text.entries(scope.node)
    if not may_launch(entries):
        return None
    dialect, _ = dialect_of(scope, finders.text)
    parts = parts_of(entries, finders.text)
    a_script = len(parts) == 1 and isinstance(parts[0].entry.value, ScalarNode)
    if not parts or (a_script and dialect is not Dialect.COMPOSE):
        return None
    items = tuple(item for part in parts for item in part.items)
    container = Container(finders.at(scope), parts, items)
    words = [item.raw for item in items]
    found = find_launch(words) or _without_command(container, words)
    if found is None:
        return _glued(container)
    return _started(container, found)


def read_argv(entry: Entry, scope: Scope, finders: Finders) -> Reading | None:
    """The launch of a list that is a whole command line, whatever its key; None if it is none."""
    items = tuple(list_items(entry.value, finders.text))
    found = find_launch([item.raw for item in items])
    if found is None:
        return None
    return _started(Container(finders.at(scope), [Part("command", entry, items)], items), found)


def _started(container: Container, found: Found | NestedScript) -> Reading:
    return _launched(container, found) if isinstance(found, Found) else _nested(container, found)


def _launched(container: Container, found: Found) -> Reading:
    arguments = container.items[len(container.items) - len(found.arguments) :]
    words = tuple(word for item in arguments for word in _words(container, item))
    launch = Launch(
        found.entry_point,
        found.span,
        container.extent.to(found.span),
        (Variant(None, words, (), _tails(container)),),
        container.place.evidence,
        tuple(container.place.settings.values()),
        (container.place.span,),
    )
    return Reading((launch,), tuple(_faults(container, arguments)))


def _words(container: Container, item: Item) -> Iterator[Word]:
    """What an item passes on, its variables filled in."""
    if not isinstance(item.raw.value, Known):
        yield item.raw
    elif _holds_more(item) and not container.passes_items_as_they_are:
        for part in string_items(item.raw.literal):
            yield from _words(container, replace(part, node=None))
    else:
        place = container.place
        word = word_of_item(item.raw.literal, item.raw.span, place.dialect, place.settings)
        yield replace(word, splits=item.may_split and word.text is None)


def _holds_more(item: Item) -> bool:
    """Whether a list item begins with an option and goes on after a blank."""
    return (
        item.node is not None
        and item.raw.text is not None
        and _OPTION_AND_MORE.match(item.raw.text) is not None
    )


def _faults(container: Container, arguments: Sequence[Item]) -> Iterator[Fault]:
    place = container.place
    if place.dialect is Dialect.KUBERNETES:
        for node in not_strings(container.parts):
            yield Fault("yaml-item-not-a-string", _not_a_string(node), place.text.node_span(node))
    if container.passes_items_as_they_are:
        for item in arguments:
            if _holds_more(item) and HIDDEN not in str(item.raw.text):
                yield _two_words(item)


def _not_a_string(node: Node) -> str:
    if not isinstance(node, ScalarNode):
        return "Kubernetes takes only strings here, and this item is a mapping: quote it"
    kind = node.tag.rsplit(":", 1)[-1]
    return f"Kubernetes takes only strings here, and `{node.value}` is of type {kind}: quote it"


def _two_words(item: Item) -> Fault:
    shown = " ".join(str(item.raw.text).split())
    if len(shown) > 60:
        shown = shown[:57] + "..."
    return Fault(
        "yaml-two-words-in-one-item",
        f"the program receives `{shown}` as one word: an item is not split at blanks",
        item.raw.span,
    )


def _tails(container: Container) -> tuple[Tail, ...]:
    kind = container.place.kind
    if kind is None or kind.value not in _OPERATORS:
        return ()
    span = container.place.text.node_span(kind)
    fields = _OPERATORS[kind.value]
    return (Tail(f"the controller of {kind.value} adds arguments", span, fields),)


def _without_command(container: Container, words: list[Word]) -> Found | NestedScript | None:
    """A launch whose first words are the image's own: `args: [serve, ...]`."""
    if not words or any(part.role != "args" for part in container.parts):
        return None
    first = words[0].text
    if first == "-m":
        before = ["python3"]
    elif not _sglang_image(container):
        return None
    elif first in MODULES:
        before = ["python3", "-m"]
    elif first == "serve":
        before = ["sglang"]
    else:
        return None
    place = words[0].span
    nothing = MappedText("", (), (), place.start)
    unseen = [Word(Known(text), Span(place.start, place.start), nothing) for text in before]
    return find_launch([*unseen, *words])


def _sglang_image(container: Container) -> bool:
    return any(
        one.kind is EvidenceKind.IMAGE and "sglang" in one.text for one in container.place.evidence
    )


def _nested(container: Container, nested: NestedScript) -> Reading:
    if nested.word.text is None:
        return Reading()
    count = len(nested.arguments)
    rest = container.items[len(container.items) - count :] if count else []
    parameters = [word for item in rest for word in _words(container, item)]
    reading = _script(container, nested.word.literal, parameters)
    if not reading.launches:
        return reading
    strings = tuple(
        fault
        for fault in _faults(container, ())
        if not any(fault.span == known.span for known in reading.faults)
    )
    return replace(reading, faults=reading.faults + strings)


def _script(container: Container, script: MappedText, parameters: Sequence[Word]) -> Reading:
    place = container.place
    text, variables = script_of(script, place.dialect, place.settings)
    reading = read_script(text, variables=variables, parameters=parameters or None)
    holders = (container.extent, place.span)
    settings = place.settings.values()
    return surrounded(reading, place.evidence, settings, _tails(container), holders)


def _glued(container: Container) -> Reading | None:
    """A launch that needs an item to be split: what the author meant, or what a wrapper does."""
    for index, item in enumerate(container.items):
        text = item.raw.text
        if item.node is None or text is None or "sglang" not in text or not re.search(r"\s", text):
            continue
        if not is_text(item.node):
            continue
        meant = tuple(string_items(item.raw.literal))
        items = container.items[:index] + meant + container.items[index + 1 :]
        found = find_launch([other.raw for other in items])
        if found is None:
            continue
        if not isinstance(found, Found) or not _is_executed(container, index):
            return _script(container, item.raw.literal, ())
        if container.passes_items_as_they_are:
            return Reading(faults=(_two_words(item),))
        return _launched(replace(container, items=items), found)
    return None


def _is_executed(container: Container, index: int) -> bool:
    """Whether the item is a program's name or an argument of python, that nothing splits."""
    if index:
        return _PYTHON.fullmatch(container.items[index - 1].raw.text or "") is not None
    explicit = {part.role for part in container.parts}
    role = "entrypoint" if container.place.dialect is Dialect.COMPOSE else "command"
    return role in explicit
