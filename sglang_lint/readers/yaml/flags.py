"""A schema's keys as the options of the command line that its consumer makes of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sglang_lint.launches import Keyword, Origin, Word
from sglang_lint.text import MappedText, Span
from sglang_lint.values import Known


def options_of(keywords: Iterable[Keyword]) -> Iterator[Word]:
    """`--key value ...` for each keyword; true gives the bare option, a list several values."""
    for keyword in keywords:
        yield _word("--" + keyword.name.replace("_", "-"), keyword.name_span)
        if not isinstance(keyword.value, Known):
            yield Word(
                keyword.value,
                keyword.value_span,
                MappedText("", (), (), keyword.value_span.start),
                origin=Origin.SCHEMA,
            )
        elif keyword.value.value is not True:
            values = keyword.value.value
            for value in values if isinstance(values, tuple) else (values,):
                yield _word(str(value), keyword.value_span)


def _word(text: str, span: Span) -> Word:
    """A word that is made of what stands at a span: every character of it has that place."""
    literal = MappedText(text, [span.start] * len(text), [span.end] * len(text), span.start)
    return Word(Known(text), span, literal, origin=Origin.SCHEMA)
