"""What stands beside a command and tells its release or platform: images, pins, GPU names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from sglang_lint.launches import Evidence, EvidenceKind
from sglang_lint.readers.yaml.interpolation import word_of_item
from sglang_lint.readers.yaml.nodes import Entry, YamlText, is_null, items
from sglang_lint.readers.yaml.scope import Dialect, Scope, find

_IMAGE_KEYS = ("image", "container", "base_image", "docker_image", "container_image", "image_id")
# Under a key that may also hold a plain name, an image is known by its registry path or tag.
_IMAGE_SIGN = re.compile(r"[/:]")
_REPOSITORY_KEYS = ("repository", "repo", "name", "image")
# Pairs of keys in one mapping: a repository and its tag.
_SPLIT_KEYS = (
    ("repository", "tag"),
    ("image_repository", "image_tag"),
    ("imageRepository", "imageTag"),
    ("image_name", "image_tag"),
    ("imageName", "imageTag"),
)
_RUNTIME_PREFIX = re.compile(r"(?:docker:(?://)?|docker-pullable://|oci://)")
_ACCELERATOR_KEYS = (
    "accelerators",
    "accelerator",
    "gpu_type",
    "gpuType",
    "gpu_name",
    "gpuName",
    "gpu_product",
    "acceleratorType",
    "accelerator_type",
)
_SELECTORS = ("nodeSelector", "node_selector")
_SELECTOR_KEY = re.compile(r"gpu[./_-]?(?:product|model|type|name)|accelerator|gpu-class", re.I)
_VENDOR_KEYS = re.compile(r"(?:nvidia|amd|gpu\.intel|huawei)\.com/\S+")
_PIN = re.compile(r"(?<![\w.-])sglang(?:\[[\w,\s-]*\])?\s*={2,3}\s*\d[\w.!+]*")
_LETTER = re.compile(r"[A-Za-z]")
# Earlier steps of a workflow that are searched for a pin.
_EARLIER_STEPS = 40
_MAX_AFFINITY_NODES = 200


@dataclass
class EvidenceFinder:
    """Evidence around places of one text; what a mapping tells is looked up once."""

    text: YamlText
    _known: dict[tuple[int, int, Dialect], Evidence | None] = field(default_factory=dict)

    def around(self, scope: Scope, dialect: Dialect) -> tuple[Evidence, ...]:
        """The pin, the image and the accelerator that hold for the innermost node of a scope.

        A pin comes first: what it installs goes over what the image brought.
        """
        found: list[Evidence] = []
        for number, search in enumerate((_pin, _image, _accelerator)):
            for around in scope.upwards():
                place = (number, id(around.node), dialect)
                if place not in self._known:
                    self._known[place] = search(around.node, self.text, dialect)
                evidence = self._known[place]
                if evidence is not None:
                    found.append(evidence)
                    break
        return tuple(found)


def scalar_evidence(
    kind: EvidenceKind, node: Node | None, text: YamlText, dialect: Dialect
) -> Evidence | None:
    """A scalar as evidence, unless a variable hides it."""
    if not isinstance(node, ScalarNode) or is_null(node) or not node.value:
        return None
    mapped = text.scalar(node)
    prefix = _RUNTIME_PREFIX.match(mapped.text)
    if prefix:
        mapped = mapped.slice(prefix.end())
    word = word_of_item(mapped, mapped.span(), dialect, {})
    return None if word.text is None else Evidence(kind, word.text, word.span)


def _image(node: Node, text: YamlText, dialect: Dialect) -> Evidence | None:
    if not isinstance(node, MappingNode):
        return None
    entries = text.entries(node)
    for key in _IMAGE_KEYS:
        entry = entries.get(key)
        if entry is None:
            continue
        if isinstance(entry.value, MappingNode):
            found = _image_in(entry.value, text, dialect)
        else:
            found = scalar_evidence(EvidenceKind.IMAGE, entry.value, text, dialect)
        if found is not None and (key == "image" or _IMAGE_SIGN.search(found.text)):
            return found
    split = _split_image(entries, text, dialect)
    if split is not None:
        return split
    image = find(text, node, ("resources", "image_id"))
    return scalar_evidence(EvidenceKind.IMAGE, image, text, dialect)


def _image_in(node: MappingNode, text: YamlText, dialect: Dialect) -> Evidence | None:
    entries = text.entries(node)
    split = _split_image(entries, text, dialect)
    if split is not None:
        return split
    for key in _REPOSITORY_KEYS:
        if key in entries:
            if "tag" in entries:
                return _joined(entries[key], entries["tag"], text, dialect)
            return scalar_evidence(EvidenceKind.IMAGE, entries[key].value, text, dialect)
    return None


def _split_image(entries: dict[str, Entry], text: YamlText, dialect: Dialect) -> Evidence | None:
    for repository, tag in _SPLIT_KEYS:
        if repository in entries and tag in entries:
            return _joined(entries[repository], entries[tag], text, dialect)
    return None


def _joined(repository: Entry, tag: Entry, text: YamlText, dialect: Dialect) -> Evidence | None:
    name = scalar_evidence(EvidenceKind.IMAGE, repository.value, text, dialect)
    version = scalar_evidence(EvidenceKind.IMAGE, tag.value, text, dialect)
    if name is None or version is None:
        return None
    return Evidence(EvidenceKind.IMAGE, f"{name.text}:{version.text}", version.span)


def _pin(node: Node, text: YamlText, dialect: Dialect) -> Evidence | None:
    """A requirement `sglang==X` in a sibling of the command, or in an earlier step."""
    del dialect
    if isinstance(node, MappingNode):
        return _pin_in([entry.value for entry in text.entries(node).values()], text)
    if isinstance(node, SequenceNode):
        steps = node.value[:_EARLIER_STEPS]
        values = [
            entry.value
            for step in steps
            if isinstance(step, MappingNode)
            for entry in text.entries(step).values()
        ]
        return _pin_in(values, text)
    return None


def _pin_in(nodes: list[Node], text: YamlText) -> Evidence | None:
    for node in nodes:
        for scalar in [node, *items(node)]:
            if isinstance(scalar, ScalarNode) and "sglang" in scalar.value:
                pin = _PIN.search(scalar.value)
                if pin:
                    mapped = text.scalar(scalar).slice(pin.start(), pin.end())
                    return Evidence(EvidenceKind.PIP, "".join(pin[0].split()), mapped.span())
    return None


def _accelerator(node: Node, text: YamlText, dialect: Dialect) -> Evidence | None:
    if not isinstance(node, MappingNode):
        return None
    for value in _accelerator_nodes(node, text):
        if isinstance(value, ScalarNode) and _LETTER.search(value.value):
            return scalar_evidence(EvidenceKind.ACCELERATOR, value, text, dialect)
    return _vendor(node, text)


def _accelerator_nodes(mapping: MappingNode, text: YamlText) -> Iterator[Node]:
    entries = text.entries(mapping)
    holders = [entries]
    resources = entries.get("resources")
    if resources is not None and isinstance(resources.value, MappingNode):
        holders.append(text.entries(resources.value))
    for holder in holders:
        for key in _ACCELERATOR_KEYS:
            if key in holder:
                yield holder[key].value
    if len(holders) > 1 and "gpu" in holders[1]:
        gpu = holders[1]["gpu"].value
        name = find(text, gpu, ("name",)) if isinstance(gpu, MappingNode) else gpu
        if name is not None:
            yield name
    for key in _SELECTORS:
        labels = entries[key].value if key in entries else None
        if isinstance(labels, MappingNode):
            for entry in text.entries(labels).values():
                if _SELECTOR_KEY.search(entry.key):
                    yield entry.value
    if "affinity" in entries:
        yield from _affinity(entries["affinity"].value, text)


def _affinity(affinity: Node, text: YamlText) -> Iterator[Node]:
    """The one value that a required node affinity allows for a GPU label."""
    required = find(
        text, affinity, ("nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution")
    )
    terms = find(text, required, ("nodeSelectorTerms",)) if required else None
    if terms is None or len(items(terms)) != 1:
        return
    expressions = find(text, items(terms)[0], ("matchExpressions",))
    for expression in items(expressions)[:_MAX_AFFINITY_NODES] if expressions else []:
        key = find(text, expression, ("key",))
        operator = find(text, expression, ("operator",))
        values = find(text, expression, ("values",))
        if (
            isinstance(key, ScalarNode)
            and _SELECTOR_KEY.search(key.value)
            and isinstance(operator, ScalarNode)
            and operator.value == "In"
            and values is not None
            and len(items(values)) == 1
        ):
            yield items(values)[0]


def _vendor(mapping: MappingNode, text: YamlText) -> Evidence | None:
    """The device plugin's resource name, which tells the maker of the GPU."""
    for kind in ("limits", "requests"):
        amounts = find(text, mapping, ("resources", kind))
        if isinstance(amounts, MappingNode):
            for entry in text.entries(amounts).values():
                if _VENDOR_KEYS.fullmatch(entry.key):
                    span = text.node_span(entry.key_node)
                    return Evidence(EvidenceKind.ACCELERATOR, entry.key, span)
    return None
