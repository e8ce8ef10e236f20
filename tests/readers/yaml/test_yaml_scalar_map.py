"""The map of a scalar's value back to the file, against what the YAML library itself reads."""

from __future__ import annotations

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from sglang_lint.readers.yaml.scalar_map import scalar_text

_WORDS = st.text(
    alphabet=st.sampled_from("ab-=:#'\"\\ {}[],&*!|>%@`\t\n\u00e9\U0001f600$0"), max_size=60
)
_STYLES = st.sampled_from([None, "'", '"', "|", ">"])


def _scalars(node: yaml.Node | None) -> list[yaml.ScalarNode]:
    if isinstance(node, yaml.ScalarNode):
        return [node]
    if isinstance(node, yaml.SequenceNode):
        return [scalar for child in node.value for scalar in _scalars(child)]
    if isinstance(node, yaml.MappingNode):
        return [scalar for pair in node.value for child in pair for scalar in _scalars(child)]
    return []


def _check(text: str) -> None:
    for node in _scalars(yaml.compose(text, Loader=yaml.CSafeLoader)):
        mapped = scalar_text(text, node)
        assert mapped.text == node.value
        assert len(mapped.starts) == len(mapped.ends) == len(node.value)
        assert list(mapped.starts) == sorted(mapped.starts)
        whole = range(node.start_mark.index, node.end_mark.index + 1)
        for character, start, end in zip(mapped.text, mapped.starts, mapped.ends, strict=True):
            assert start in whole
            assert end in whole
            written = text[start:end]
            if node.value.strip() and written != character:
                assert written.startswith("\\") or written in ("''", "\n", "\r\n", "\r"), written


@given(value=_WORDS, style=_STYLES, width=st.sampled_from([8, 20, 80]), crlf=st.booleans())
def test_dumped_scalars_map_exactly(value: str, style: str | None, width: int, crlf: bool) -> None:
    text = yaml.dump(
        {"key": [value, {"inner": value}]},
        default_style=style,
        width=width,
        allow_unicode=True,
        line_break="\r\n" if crlf else "\n",
    )
    _check(text)


@given(
    indicator=st.sampled_from("|>"),
    chomp=st.sampled_from(["", "-", "+"]),
    digit=st.booleans(),
    header=st.sampled_from(["", " # a comment", "  "]),
    lines=st.lists(
        st.sampled_from(["a", "b c", "  deeper", "", "   ", "# no comment", "\tt", "x "])
    ),
    indent=st.integers(1, 4),
    line_break=st.sampled_from(["\n", "\r\n"]),
    final=st.booleans(),
    properties=st.sampled_from(["", "&anchor ", "!tag ", "&a !t "]),
    after=st.sampled_from(["", "# trailing\n", "other: 1\n"]),
)
def test_block_scalars_map_exactly(
    indicator: str,
    chomp: str,
    digit: bool,
    header: str,
    lines: list[str],
    indent: int,
    line_break: str,
    final: bool,
    properties: str,
    after: str,
) -> None:
    body = line_break.join(" " * indent + line if line.strip() else line for line in lines)
    text = f"key: {properties}{indicator}{chomp}{indent if digit else ''}{header}{line_break}{body}"
    if final or after:
        text += line_break + after
    try:
        yaml.compose(text, Loader=yaml.CSafeLoader)
    except yaml.YAMLError:
        return
    _check(text)


@pytest.mark.parametrize(
    ("text", "value", "places"),
    [
        ("k: plain text", "plain text", "plain text"),
        ("k: two\n  lines", "two lines", "two\nlines"),
        ("k: 'it''s'", "it's", "it''s"),
        ('k: "a\\tb\\x41\\u0042"', "a\tbAB", "a\\tb\\x41\\u0042"),
        ('k: "joined \\\n  lines"', "joined lines", "joined lines"),
        ("k: |\n  a\n\n  b\n", "a\n\nb\n", "a\n\nb\n"),
        ("k: >-\n  a\n  b\n\n  c\n", "a b\nc", "a\nb\nc"),
        ("k: &x !!str |2-\n    deep\n  b\n", "  deep\nb", "  deep\nb"),
        ("k: |\r\n  a\r\n  b\r\n", "a\nb\n", "a\r\nb\r\n"),
        ("k: !!str\n  # why\n  text", "text", "text"),
    ],
)
def test_places_of_known_scalars(text: str, value: str, places: str) -> None:
    node = yaml.compose(text, Loader=yaml.CSafeLoader).value[0][1]
    mapped = scalar_text(text, node)
    assert mapped.text == value
    written = [text[s:e] for s, e in zip(mapped.starts, mapped.ends, strict=True)]
    assert "".join(written) == places


def test_a_value_that_cannot_be_mapped_stands_for_the_whole_scalar() -> None:
    text = "k: 'value'"
    node = yaml.compose(text, Loader=yaml.CSafeLoader).value[0][1]
    node.value = "another"
    mapped = scalar_text(text, node)
    assert mapped.text == "another"
    assert {(s, e) for s, e in zip(mapped.starts, mapped.ends, strict=True)} == {(3, 10)}
