"""Helpers to read a YAML text and to look at what was found, with the places checked."""

from __future__ import annotations

import shlex
import textwrap

import yaml

from sglang_lint.launches import Launch, Reading, Variant, Word
from sglang_lint.readers.yaml.reader import read
from sglang_lint.text import MappedText, Span


def reading_of(text: str) -> Reading:
    """The reading of a text, every place in it checked."""
    reading = read(MappedText.region(text), "file.yaml")
    check_places(text, reading)
    return reading


def launches_of(text: str) -> tuple[Launch, ...]:
    return reading_of(textwrap.dedent(text)).launches


def launch_of(text: str) -> Launch:
    (launch,) = launches_of(text)
    return launch


def variant_of(text: str) -> Variant:
    (variant,) = launch_of(text).variants
    return variant


def texts(variant: Variant) -> list[str | None]:
    """The words, None for those that are not known."""
    return [word.text for word in variant.words]


def words_of(text: str) -> list[str | None]:
    return texts(variant_of(text))


def evidence_of(launch: Launch) -> list[tuple[str, str]]:
    return [(one.kind.value, one.text) for one in launch.evidence]


def written(text: str, span: Span) -> str:
    return textwrap.dedent(text)[span.start : span.end]


def check_places(text: str, reading: Reading) -> None:
    """Every span lies in the file, and covers the text that it names."""
    whole = Span(0, len(text))
    for fault in reading.faults:
        assert whole.covers(fault.span)
    for launch in reading.launches:
        assert whole.covers(launch.extent)
        assert whole.covers(launch.span)
        for evidence in launch.evidence:
            assert whole.covers(evidence.span)
        for setting in launch.environment:
            assert whole.covers(setting.span)
            assert setting.name in text[setting.span.start : setting.span.end]
        for variant in launch.variants:
            for tail in variant.tails:
                assert whole.covers(tail.span)
            for keyword in variant.keywords:
                assert whole.covers(keyword.span)
            for word in variant.words:
                assert whole.covers(word.span)
                if word.text is not None and word.origin.value == "written":
                    check_word(text, word)


def check_word(text: str, word: Word) -> None:
    assert word.text is not None
    place = text[word.span.start : word.span.end]
    literal = word.literal
    assert literal.text == word.text
    for index, character in enumerate(literal.text):
        if literal.is_verbatim(index, index + 1):
            assert text[literal.starts[index]] in (character, "\r", "\n")
    if "$" in place:  # filled in, so that it reads differently
        return
    readings = [place, _as_yaml(place), _as_yaml(place + "\n"), _as_shell(place)]
    inside_quotes = _as_yaml(f'"{place}"')  # a shell word in a double-quoted scalar
    if isinstance(inside_quotes, str):
        readings.append(_as_shell(inside_quotes))
    assert word.text in readings, place


def _as_yaml(place: str) -> object:
    try:
        value = yaml.load(place, Loader=yaml.BaseLoader)
    except yaml.YAMLError:
        return None
    return value


def _as_shell(place: str) -> str | None:
    try:
        words = shlex.split(place.replace("\\\n", ""))
    except ValueError:
        return None
    return words[0] if len(words) == 1 else None
