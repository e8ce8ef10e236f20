"""Nodes put together from the parser's events are those of the library's own composer."""

from __future__ import annotations

import re

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from yaml_reading import texts

from sglang_lint.readers.yaml import documents
from sglang_lint.readers.yaml.documents import MAX_DEPTH, compose
from sglang_lint.readers.yaml.reader import read
from sglang_lint.text import MappedText

LOADERS = [yaml.SafeLoader, *([yaml.CSafeLoader] if yaml.__with_libyaml__ else [])]
TEXTS = [
    "a: [1, 2.0, yes, ~, 'x', \"y\"]\nb: &b {c: !t d}\n<<: *b\n? [k]\n: |\n  text\n",
    "- &a x\n- *a\n- !!str 1\n- ! 2\n- {? y, z: }\n---\nsecond\n...\n---\n# nothing\n",
    "key: >+\n  folded\n   deeper\n\n# comment\nother: 'quo\n  ted'\n",
]
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=12,
)


def _same(ours: yaml.Node, theirs: yaml.Node) -> None:
    assert type(ours) is type(theirs)
    assert ours.tag == theirs.tag
    assert ours.start_mark.index == theirs.start_mark.index
    assert ours.end_mark.index == theirs.end_mark.index
    if isinstance(ours, yaml.ScalarNode):
        assert (ours.value, ours.style) == (theirs.value, theirs.style)
        return
    assert ours.flow_style == theirs.flow_style
    assert len(ours.value) == len(theirs.value)
    for one, other in zip(ours.value, theirs.value, strict=True):
        pairs = [(one, other)] if isinstance(one, yaml.Node) else zip(one, other, strict=True)
        for left, right in pairs:
            _same(left, right)


def _compare(text: str, loader: type) -> None:
    ours = compose(MappedText.region(text)).roots
    theirs = [node for node in yaml.compose_all(text, Loader=loader) if node is not None]
    assert len(ours) == len(theirs)
    for one, other in zip(ours, theirs, strict=True):
        _same(one, other)


@pytest.mark.parametrize("loader", LOADERS)
@pytest.mark.parametrize("text", TEXTS)
def test_nodes_of_documents(text: str, loader: type, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "Loader", loader)
    _compare(text, loader)


@given(VALUES, st.booleans())
def test_nodes_of_dumped_values(value: object, flow: bool) -> None:
    text = yaml.safe_dump(value, default_flow_style=flow, allow_unicode=True)
    # What is a template tag, or stands for one, is covered before the text is parsed.
    if not re.search(r"\{\{|\{%|\{#|<%|[\ufeff\ue000-\ue00f]", text):
        _compare(text, documents.Loader)


@pytest.mark.parametrize("loader", LOADERS)
def test_launches_with_and_without_libyaml(loader: type, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "Loader", loader)
    text = "command: [sglang, serve]\nargs:\n  - --tp\n  - '8'\n  - >-\n    --dp=2\n"
    (launch,) = read(MappedText.region(text), "file.yaml").launches
    assert texts(launch.variants[0]) == ["--tp", "8", "--dp=2"]


@pytest.mark.parametrize("loader", LOADERS)
def test_the_depth_of_a_document_is_bounded(loader: type, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "Loader", loader)

    def nested(depth: int) -> str:
        return "[" * depth + "]" * depth + "\n"

    assert len(compose(MappedText.region(nested(MAX_DEPTH))).roots) == 1
    deeper = compose(MappedText.region("first: 1\n---\n" + nested(MAX_DEPTH + 1)))
    assert len(deeper.roots) == 1
    assert deeper.faults == ()
