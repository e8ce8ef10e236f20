"""When each spelling and each field came, went, and what took its place."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from sglang_lint.releases.table import (
    all_facts,
    base_release,
    is_added,
    known_releases,
    release_table,
    renames_data,
)


@dataclass(frozen=True, slots=True)
class Lifecycle:
    """The life of one option spelling or one field name.

    `ranges` are runs of releases that have it, first and last inclusive, oldest first. What a
    release only takes to stop the launch is not had, unless no known release does more.
    `deprecated_since` is the first release that warns of it; `replaced_by` names another option
    (or field), in words of the source where it gives them, such as
    `--cuda-graph-backend-prefill=disabled`.
    """

    name: str
    ranges: tuple[tuple[str, str], ...]
    deprecated_since: str | None = None
    replaced_by: str | None = None

    @property
    def first(self) -> str:
        """The release that it came with."""
        return self.ranges[0][0]

    @property
    def last(self) -> str:
        """The last known release that has it."""
        return self.ranges[-1][1]

    def last_before(self, version: str) -> str | None:
        """The newest release before a known one that had it."""
        return self._nearest(version, before=True)

    def first_after(self, version: str) -> str | None:
        """The oldest release after a known one that has it."""
        return self._nearest(version, before=False)

    def _nearest(self, version: str, before: bool) -> str | None:
        releases = known_releases()
        index = releases.index(base_release(version))
        if before and is_added(version):
            index += 1  # it may have dropped what the release had that it comes after
        for first, last in reversed(self.ranges) if before else self.ranges:
            start, end = releases.index(first), releases.index(last)
            if before and start < index:
                return releases[min(end, index - 1)]
            if not before and end > index:
                return releases[max(start, index + 1)]
        return None


def lifecycle(spelling: str) -> Lifecycle | None:
    """The life of an option spelling, None for one that no known release has."""
    return _lifecycles().get(spelling)


def field_lifecycle(name: str) -> Lifecycle | None:
    """The life of a field by one of its names, None for a name that no known release has."""
    ranges = _field_ranges().get(name)
    if ranges is None:
        return None
    newest = renames_data()["fields"].get(name)
    return Lifecycle(name, _named(ranges), None, newest)


def spellings_starting_with(prefix: str) -> tuple[str, ...]:
    """Every spelling of any release that begins with a text."""
    found = _sorted_spellings()
    first = bisect_left(found, prefix)
    last = bisect_left(found, prefix + "\U0010ffff")
    return tuple(found[first:last])


@cache
def _sorted_spellings() -> list[str]:
    return sorted(_lifecycles())


@cache
def _lifecycles() -> dict[str, Lifecycle]:
    facts = _by_subject("options")
    found = {}
    for spelling, seen in _spellings(facts).items():
        ranges = _merged(seen.taken or seen.refused)
        found[spelling] = Lifecycle(
            spelling,
            _named(ranges),
            _deprecated_since(facts[seen.owner], ranges),
            _replacement(spelling, seen.owner, facts[seen.owner]),
        )
    return found


def _by_subject(section: str) -> dict[str, dict[str, list[tuple[Any, int, int]]]]:
    newest = len(known_releases()) - 1
    found: dict[str, dict[str, list[tuple[Any, int, int]]]] = {}
    for subject, attribute, value, first, last in all_facts(section):
        end = newest if last is None else last
        found.setdefault(subject, {}).setdefault(attribute, []).append((value, first, end))
    return found


@dataclass
class _Seen:
    """Which releases take a spelling, which stop at it, and the option that it belongs to."""

    taken: list[tuple[int, int]] = field(default_factory=list)
    refused: list[tuple[int, int]] = field(default_factory=list)
    owner: str = ""


def _spellings(facts: dict[str, dict[str, list[tuple[Any, int, int]]]]) -> dict[str, _Seen]:
    found: dict[str, _Seen] = {}
    for subject, attributes in facts.items():
        for action, first, last in attributes["action"]:
            seen = found.setdefault(subject, _Seen())
            seen.owner = subject
            (seen.refused if action == "refused" else seen.taken).append((first, last))
        for also, first, last in attributes.get("also", ()):
            for spelling in also:
                seen = found.setdefault(spelling, _Seen())
                seen.owner = seen.owner or subject
                seen.taken.append((first, last))
    return found


def _merged(ranges: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for first, last in sorted(ranges):
        if merged and first <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(last, merged[-1][1]))
        else:
            merged.append((first, last))
    return merged


def _named(ranges: Iterable[tuple[int, int]]) -> tuple[tuple[str, str], ...]:
    releases = known_releases()
    return tuple((releases[first], releases[last]) for first, last in ranges)


def _deprecated_since(
    attributes: dict[str, list[tuple[Any, int, int]]], ranges: list[tuple[int, int]]
) -> str | None:
    since = [first for value, first, _ in attributes.get("deprecated", ()) if value]
    held = [first for first in since if any(a <= first <= b for a, b in ranges)]
    return known_releases()[min(held)] if held else None


def _replacement(
    spelling: str, owner: str, attributes: dict[str, list[tuple[Any, int, int]]]
) -> str | None:
    stated = attributes.get("replacement")
    if stated:
        text: str = max(stated, key=lambda entry: entry[2])[0]
        return text
    curated: str | None = renames_data()["replaced"].get(spelling)
    if curated is not None:
        return curated
    fields = attributes.get("field")
    name = max(fields, key=lambda entry: entry[2])[0] if fields else owner.lstrip("-")
    renamed = renames_data()["fields"].get(name.replace("-", "_"))
    return None if renamed is None else _option_of(renamed, spelling)


def _option_of(field: str, not_this: str) -> str | None:
    options = release_table(known_releases()[-1]).options_of.get(field, ())
    names = [option.strings[0] for option in options if not option.deprecated]
    names.append("--" + field.replace("_", "-"))
    return next((name for name in names if name != not_this), None)


@cache
def _field_ranges() -> dict[str, list[tuple[int, int]]]:
    return {
        name: _merged((first, last) for _, first, last in attributes["type"])
        for name, attributes in _by_subject("fields").items()
    }
