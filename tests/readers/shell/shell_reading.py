"""What the tests of the shell reader ask of a reading."""

from __future__ import annotations

from collections.abc import Iterator

from sglang_lint.launches import Launch, Reading, Variant, Word
from sglang_lint.readers.shell.reader import read_script
from sglang_lint.text import MappedText, Span


def reading_of(script: str) -> Reading:
    """The reading of a script that is a whole file."""
    return read_script(MappedText.region(script))


def launch_of(script: str) -> Launch:
    """The only launch of a script."""
    (launch,) = reading_of(script).launches
    return launch


def variant_of(script: str) -> Variant:
    """The only variant of the only launch."""
    (variant,) = launch_of(script).variants
    return variant


def written(script: str, span: Span) -> str:
    """What stands at a span."""
    return script[span.start : span.end]


def word_of(script: str, text: str) -> Word:
    """The one known word with this text."""
    (word,) = [word for word in variant_of(script).words if word.text == text]
    return word


def related_of(script: str, word: Word) -> list[tuple[str, str]]:
    """Messages of the related places, each with what stands there."""
    return [(entry.message, written(script, entry.span)) for entry in word.related]


def words_in(reading: Reading) -> Iterator[Word]:
    """Every word of every variant."""
    for launch in reading.launches:
        for variant in launch.variants:
            yield from variant.words


def spans_in(reading: Reading) -> Iterator[Span]:
    """Every span that a reading holds."""
    for launch in reading.launches:
        yield launch.span
        yield launch.extent
        yield from (entry.span for entry in launch.evidence)
        yield from (setting.span for setting in launch.environment)
        for variant in launch.variants:
            yield from (tail.span for tail in variant.tails)
    for word in words_in(reading):
        yield word.span
        yield from (entry.span for entry in word.related)
        if len(word.literal):
            yield word.literal.span()
    for fault in reading.faults:
        yield fault.span
        yield from (entry.span for entry in fault.related)
