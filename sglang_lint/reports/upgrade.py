"""What an upgrade changes, one entry for each change with all its places, as text and as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from sglang_lint import __version__
from sglang_lint.engine.upgrading import KINDS, Change, Upgrade
from sglang_lint.releases.context import JudgedFor, covered_releases
from sglang_lint.releases.ranges import releases_in_words
from sglang_lint.releases.table import base_release
from sglang_lint.reports.json_report import place_as_json
from sglang_lint.reports.report import printable
from sglang_lint.text import Document, Position, Span

SCHEMA = 1
# Places of one change that the text lists; the JSON has them all.
MAX_PLACES = 10
TITLES = {
    "refused": "Would break",
    "deprecated": "Newly deprecated",
    "changed": "Silently changed",
    "possible": "Newly possible",
}


@dataclass(frozen=True)
class Group:
    """A change with all its places, and the releases that its launches are for now."""

    change: Change
    places: dict[tuple[str, int], Position] = field(default_factory=dict)
    releases: dict[str, None] = field(default_factory=dict)


@dataclass(frozen=True)
class UpgradeReport:
    """The upgrades of a run's launches to one release, each with its file."""

    target: str
    upgrades: Sequence[tuple[Document, Upgrade]]
    files: int

    @cached_property
    def groups(self) -> list[Group]:
        """Changes that say the same, the breaking first, then the more frequent."""
        found: dict[Change, Group] = {}
        for document, upgrade in self.upgrades:
            for change in upgrade.changes:
                same = replace(change, span=Span(0, 0))
                group = found.setdefault(same, Group(change))
                start = change.span.start
                group.places[document.path, start] = document.position(start)
                group.releases[upgrade.before] = None
        return sorted(
            found.values(),
            key=lambda group: (
                KINDS.index(group.change.kind),
                -len(group.places),
                group.change.subject,
                group.change.message,
            ),
        )

    @property
    def breaking(self) -> int:
        """How many launches would break."""
        return sum(upgrade.breaks for _, upgrade in self.upgrades)

    def counts(self) -> dict[str, int]:
        """Files, launches, those that would break, and places of change by kind."""
        places = {
            kind: sum(len(g.places) for g in self.groups if g.change.kind == kind) for kind in KINDS
        }
        launches = len(self.upgrades)
        return {"files": self.files, "launches": launches, "breaking": self.breaking, **places}


def render_upgrade_json(report: UpgradeReport) -> str:
    """The contract of `upgrade --format json`."""
    return json.dumps(
        {
            "schema": SCHEMA,
            "version": __version__,
            "to": report.target,
            "counts": report.counts(),
            "launches": [_launch_as_json(*entry) for entry in report.upgrades],
            "changes": [_group_as_json(group) for group in report.groups],
        },
        indent=2,
    )


def _launch_as_json(document: Document, upgrade: Upgrade) -> dict[str, Any]:
    judged = upgrade.launch.judged
    return {
        "path": document.path,
        "start": place_as_json(document.position(upgrade.launch.launch.span.start)),
        "from": {
            "version": upgrade.before,
            "source": judged.release_source,
            "stated": judged.unknown_release or (upgrade.before if judged.is_stated else None),
        },
        "breaks": upgrade.breaks,
        "open": upgrade.is_open,
    }


def _group_as_json(group: Group) -> dict[str, Any]:
    change = group.change
    return {
        "kind": change.kind,
        "subject": change.subject,
        "message": change.message,
        "code": change.code,
        "consequence": change.consequence,
        "values": change.values and {"before": change.values[0], "after": change.values[1]},
        "from": list(group.releases),
        "count": len(group.places),
        "places": [
            {"path": path, **place_as_json(position)}
            for (path, _), position in group.places.items()
        ],
    }


def render_upgrade_text(report: UpgradeReport) -> str:
    """The report for a person; the places of one change up to MAX_PLACES."""
    lines: list[str] = []
    for kind in KINDS:
        groups = [group for group in report.groups if group.change.kind == kind]
        if groups:
            lines.append(f"{TITLES[kind]}:")
        for group in groups:
            lines.extend(_group_in_lines(group))
    lines.extend(_summary(report))
    return "".join(f"{printable(line)}\n" for line in lines)


def _group_in_lines(group: Group) -> Iterable[str]:
    change, number = group.change, len(group.places)
    code = f" [{change.code}]" if change.code else ""
    places = _counted(number, "place", "places")
    yield f"  {change.subject}{code}: {places}, from {releases_in_words(list(group.releases))}"
    yield f"    {change.message}"
    for (path, _), position in list(group.places.items())[:MAX_PLACES]:
        yield f"      {path}:{position.line}:{position.column}"
    if number > MAX_PLACES:
        yield f"      ... {number - MAX_PLACES} more, all of them in `--format json`"
    yield ""


def _summary(report: UpgradeReport) -> Iterable[str]:
    counts = report.counts()
    yield (
        f"{counts['breaking']} of {_counted(counts['launches'], 'launch', 'launches')} would break "
        f"in SGLang {report.target} ({_counted(counts['files'], 'file', 'files')})"
    )
    by_source: dict[str, int] = {}
    for _, upgrade in report.upgrades:
        source = _source(upgrade.launch.judged, upgrade.before)
        by_source[source] = by_source.get(source, 0) + 1
    for source, number in sorted(by_source.items(), key=lambda pair: -pair[1]):
        yield f"  {number} from {source}"
    unseen = sum(upgrade.is_open for _, upgrade in report.upgrades)
    if unseen:
        yield f"  {unseen} with arguments that cannot be seen: their defaults are not compared"


def _source(judged: JudgedFor, before: str) -> str:
    if not judged.is_stated:
        newest = f"the newest of {releases_in_words(judged.releases)}"
        return f"{before}: {newest}, inferred ({judged.release_source})"
    if judged.unknown_release is not None:
        return f"{before}: the nearest known to the {judged.unknown_release} that is stated"
    if base_release(before) not in covered_releases():
        return f"{before}: older than the rules, which speak of the target alone"
    return f"{before}, as stated"


def _counted(number: int, singular: str, plural: str) -> str:
    return f"{number} {singular if number == 1 else plural}"
