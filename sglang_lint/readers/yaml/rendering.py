"""What covered template tags mean for the launches found around them."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice, product

from sglang_lint.launches import Launch, Reading, Setting, Tail, Variant, Word
from sglang_lint.readers.yaml.templates import HIDDEN, Arm, Masked
from sglang_lint.text import MappedText, Span
from sglang_lint.values import Known, Unknown, Value

MAX_VARIANTS = 32
_ELSE = re.compile(r"\{.[-+]?\s*else\s*[-+]?.\}")
# What may stand between a command and lines that are inserted behind it: the end of a
# continued line, and other tags with a line to themselves.
_HIDDEN_LINES = re.compile(r"[\s\\|+-]|\{\{.*?\}\}|\{%.*?%\}", re.DOTALL)
_MAX_BETWEEN = 500
_WHY = "a template fills it in"


@dataclass(frozen=True)
class _Guard:
    """An arm of a template's branch, by its place in the host."""

    span: Span
    arm: Arm


class _Tags:
    """The tags of a text, to be found by their places."""

    def __init__(self, masked: Masked, source: MappedText) -> None:
        self.source = source
        self.hidden = sorted(source.span(start, end) for start, end in masked.tags)
        self.inserts = sorted(source.span(start, end) for start, end in masked.inserts)
        guards = [_Guard(source.span(arm.start, arm.end), arm) for arm in masked.arms]
        self._by_start = sorted(guards, key=lambda guard: guard.span)
        self._by_end = sorted(guards, key=lambda guard: guard.span.end)

    def hides(self, span: Span) -> bool:
        """Whether a tag overlaps a place; tags do not overlap one another."""
        index = bisect_left(self.hidden, span.end, key=lambda tag: tag.start)
        return index > 0 and self.hidden[index - 1].end > span.start

    def inserted(self, extent: Span) -> list[Span]:
        """The lines of their own that are inserted into a command, or right behind it."""
        first = bisect_left(self.inserts, extent.start, key=lambda tag: tag.start)
        found = []
        for insert in self.inserts[first:]:
            if not extent.covers(insert) and not self._adjoins(extent, insert):
                break
            found.append(insert)
        return found

    def _adjoins(self, extent: Span, insert: Span) -> bool:
        if insert.start < extent.end:
            return False
        start, end = (bisect_left(self.source.starts, at) for at in (extent.end, insert.start))
        between = self.source.text[start:end] if end - start <= _MAX_BETWEEN else "far"
        return not _HIDDEN_LINES.sub("", between)

    def guards_in(self, hull: Span, launch: Span) -> list[_Guard]:
        """The arms that begin or end inside the hull of a launch and do not hold all of it."""
        begin = bisect_left(self._by_start, hull.start, key=lambda guard: guard.span.start)
        end = bisect_right(self._by_start, hull.end, key=lambda guard: guard.span.start)
        found = self._by_start[begin:end]
        begin = bisect_left(self._by_end, hull.start, key=lambda guard: guard.span.end)
        end = bisect_right(self._by_end, hull.end, key=lambda guard: guard.span.end)
        found += [one for one in self._by_end[begin:end] if one.span.start < hull.start]
        return [guard for guard in found if not guard.span.covers(launch)]


def apply_templates(reading: Reading, masked: Masked, source: MappedText) -> Reading:
    """The reading with everything unknown that a tag decides, and a variant for each branch.

    Lines in a branch around a whole launch are part of that launch; lines in a branch inside of
    it are there in some variants only. What a loop repeats, or a tag inserts, is an open tail.
    """
    tags = _Tags(masked, source)
    return replace(
        reading,
        launches=tuple(_launch(launch, tags) for launch in reading.launches),
        faults=tuple(
            fault
            for fault in reading.faults
            if HIDDEN not in fault.message and not tags.hides(fault.span)
        ),
    )


def _launch(launch: Launch, tags: _Tags) -> Launch:
    tails = tuple(
        Tail("a template inserts lines here", place) for place in tags.inserted(launch.extent)
    )
    hull = launch.extent.to(launch.span)
    for given in launch.variants:
        for place in _places(given):
            hull = hull.to(place)
    guards = tags.guards_in(hull, launch.span)
    variants = [
        variant for given in launch.variants for variant in _variants(_shown(given), guards, tails)
    ]
    return replace(
        launch,
        variants=tuple(variants),
        evidence=tuple(one for one in launch.evidence if HIDDEN not in one.text),
        environment=tuple(_setting(setting) for setting in launch.environment),
    )


def _setting(setting: Setting) -> Setting:
    value = _value(setting.value)
    return setting if value is setting.value else replace(setting, value=value)


def _value(value: Value) -> Value:
    hidden = isinstance(value, Known) and isinstance(value.value, str) and HIDDEN in value.value
    return Unknown(_WHY) if hidden else value


def _shown(variant: Variant) -> Variant:
    return replace(
        variant,
        words=tuple(_word(word) for word in variant.words),
        keywords=tuple(replace(k, value=_value(k.value)) for k in variant.keywords),
    )


def _word(word: Word) -> Word:
    literal = word.literal
    hidden = literal.text.find(HIDDEN)
    if hidden < 0 and _value(word.value) is word.value:
        return word
    known = literal.slice(0, hidden) if hidden >= 0 else literal
    # An unquoted tag that is a whole word of a script may render to several words.
    splits = word.splits or (not known.text and word.span == literal.span())
    return replace(word, value=Unknown(_WHY), literal=known, splits=splits)


def _variants(variant: Variant, guards: list[_Guard], tails: tuple[Tail, ...]) -> Iterator[Variant]:
    """The variant with each choice of the branches that hold some of its words."""
    if not guards:
        yield replace(variant, tails=variant.tails + tails) if tails else variant
        return
    guarding: dict[int, list[_Guard]] = {}
    for index, place in enumerate(_places(variant)):
        held = [guard for guard in guards if guard.span.covers(place)]
        if held:
            guarding[index] = held
    arms = {guard.arm for held in guarding.values() for guard in held}
    loops = {arm for arm in arms if arm.loop}
    open_ends = variant.tails + tails
    if loops:
        loop = next(guard for held in guarding.values() for guard in held if guard.arm.loop)
        open_ends += (Tail("a template repeats lines here", loop.span),)
    branches = {arm.branch for arm in arms if not arm.loop}
    choices = {
        branch: _choices([g.arm for g in guards if g.arm.branch == branch]) for branch in branches
    }
    chosen = [dict(zip(choices, orders, strict=True)) for orders in _combined(choices)]
    if not chosen:
        yield _kept(variant, guarding, {}, (*open_ends, _undecided(guarding)))
        return
    seen = []
    for orders in chosen:
        kept = _kept(variant, guarding, orders, open_ends)
        if (kept.words, kept.keywords) not in seen:
            seen.append((kept.words, kept.keywords))
            yield replace(kept, condition=_condition(variant, guards, orders))


def _places(variant: Variant) -> list[Span]:
    return [word.span for word in variant.words] + [k.span for k in variant.keywords]


def _choices(arms: list[Arm]) -> list[int | None]:
    """The arms of a branch that may be taken; None is none of them."""
    orders: list[int | None] = [arm.order for arm in arms]
    return orders if arms[0].complete else [*orders, None]


def _combined(choices: Mapping[int, list[int | None]]) -> list[tuple[int | None, ...]]:
    """Every choice for all branches, or nothing if there are too many."""
    combined = list(islice(product(*choices.values()), MAX_VARIANTS + 1))
    return combined if len(combined) <= MAX_VARIANTS else []


def _undecided(guarding: Mapping[int, list[_Guard]]) -> Tail:
    first = next(iter(guarding.values()))[0]
    return Tail("too many branches of a template", first.span)


def _kept(
    variant: Variant,
    guarding: Mapping[int, list[_Guard]],
    orders: Mapping[int, int | None],
    tails: tuple[Tail, ...],
) -> Variant:
    def stays(index: int) -> bool:
        return all(
            not guard.arm.loop and orders.get(guard.arm.branch, -1) == guard.arm.order
            for guard in guarding.get(index, [])
        )

    count = len(variant.words)
    return replace(
        variant,
        words=tuple(word for i, word in enumerate(variant.words) if stays(i)),
        keywords=tuple(k for i, k in enumerate(variant.keywords) if stays(count + i)),
        tails=tails,
    )


def _condition(
    variant: Variant, guards: list[_Guard], orders: Mapping[int, int | None]
) -> str | None:
    parts = [variant.condition] if variant.condition else []
    for branch, order in orders.items():
        headers = {g.arm.order: g.arm.header for g in guards if g.arm.branch == branch}
        other = order == 1 and len(headers) == 2 and _ELSE.match(headers[1])
        parts.append(f"not {headers[0]}" if order is None or other else headers[order])
    return " and ".join(parts) or None
