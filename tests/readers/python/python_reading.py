"""Readings of small Python files in a form that is easy to compare, and what holds for any."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from sglang_lint.launches import Keyword, Launch, Reading, Variant, Word
from sglang_lint.readers.python.reader import read
from sglang_lint.text import MappedText, Span
from sglang_lint.values import Known, OneOf, Value


def reading_of(text: str) -> Reading:
    """The reading of a file, after checking what holds for every reading."""
    reading = read(MappedText.region(text), "file.py")
    check_spans(text, reading)
    return reading


def launches(text: str) -> list[Launch]:
    return list(reading_of(text).launches)


def the_launch(text: str) -> Launch:
    found = launches(text)
    assert len(found) == 1, [launch.entry_point.name for launch in found]
    return found[0]


def the_variant(text: str) -> Variant:
    launch = the_launch(text)
    assert len(launch.variants) == 1, [variant.condition for variant in launch.variants]
    return launch.variants[0]


def spelled(word: Word) -> str:
    """A word as text; `?` for what is not known of it, `*` for any number of words."""
    if word.splits:
        return "*"
    if word.text is not None:
        return word.text
    if isinstance(word.value, OneOf):
        return "|".join(str(value) for value in word.value.values)
    return word.literal.text + "?"


def argv(variant: Variant) -> str:
    """The words of a variant in one line, `%` in place of blanks inside a word."""
    return " ".join(spelled(word).replace(" ", "%") for word in variant.words)


def shown(value: Value) -> object:
    """A value; several candidates as a list, an unknown one as `?`."""
    if isinstance(value, Known):
        return value.value
    return list(value.values) if isinstance(value, OneOf) else "?"


def fields(variant: Variant) -> dict[str, object]:
    return {keyword.name: shown(keyword.value) for keyword in variant.keywords}


def keyword(variant: Variant, name: str) -> Keyword:
    return next(keyword for keyword in variant.keywords if keyword.name == name)


def at(text: str, span: Span) -> str:
    return text[span.start : span.end]


def check_spans(text: str, reading: Reading) -> None:
    """Every span lies in the file, and covers what it is the span of."""
    for span in all_spans(reading):
        assert 0 <= span.start <= span.end <= len(text), (span, len(text))
    for launch in reading.launches:
        assert at(text, launch.span).strip(), launch
        for variant in launch.variants:
            for word in variant.words:
                _check_word(text, word)
            for one in variant.keywords:
                _check_keyword(text, one)


def _check_word(text: str, word: Word) -> None:
    written = _literal(at(text, word.span))
    plain = isinstance(written, (str, int, float))
    if word.text is not None and plain and not word.related:
        assert str(written) == word.text or word.text == "--model-path"
    if len(word.literal) > 1 and word.literal.is_verbatim(0, len(word.literal)):
        assert at(text, word.literal.span()) == word.literal.text


def _check_keyword(text: str, one: Keyword) -> None:
    name = at(text, one.name_span)
    assert one.name == "model_path" or name == one.name or _literal(name) == one.name
    written = _literal(at(text, one.value_span))
    if isinstance(one.value, Known) and written is not None and not one.related:
        assert tuples(written) == one.value.value


def tuples(value: object) -> object:
    """A value as readings hold it: lists, whatever is in them, as tuples."""
    return tuple(map(tuples, value)) if isinstance(value, (list, tuple)) else value


def _literal(written: str) -> object:
    try:
        return ast.literal_eval(written)
    except (ValueError, SyntaxError, TypeError):
        return None


def all_spans(reading: Reading) -> Iterator[Span]:
    for launch in reading.launches:
        yield launch.span
        yield launch.extent
        for setting in launch.environment:
            yield setting.span
        for evidence in launch.evidence:
            yield evidence.span
        for variant in launch.variants:
            yield from (tail.span for tail in variant.tails)
            for word in variant.words:
                yield word.span
                yield word.literal.span()
                yield from (related.span for related in word.related)
            for one in variant.keywords:
                yield one.name_span
                yield one.value_span
                yield from (related.span for related in one.related)
    yield from (fault.span for fault in reading.faults)
    for override in reading.hook_overrides:
        yield override.span
        yield from override.parameter_spans.values()
    yield from (call.span for call in reading.hook_calls)
