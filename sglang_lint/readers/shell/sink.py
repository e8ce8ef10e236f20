"""Gathers what the evaluation finds, and makes one launch of all the ways to reach it."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field

from sglang_lint.launches import (
    EntryPoint,
    Evidence,
    Fault,
    Launch,
    Reading,
    Setting,
    Tail,
    Variant,
    Word,
)
from sglang_lint.readers.shell.formulas import Path, Select
from sglang_lint.readers.shell.session import MAX_FAULTS, MAX_VARIANTS
from sglang_lint.text import Span
from sglang_lint.values import Unknown, join

_ANY = "any other way"


@dataclass
class _Way:
    words: tuple[Word, ...]
    decisions: dict[Select, int]


@dataclass
class _Record:
    entry_point: EntryPoint
    span: Span
    extent: Span
    ways: list[_Way] = field(default_factory=list)
    evidence: list[Evidence] = field(default_factory=list)
    environments: list[dict[str, Setting]] = field(default_factory=list)
    incomplete: bool = False


class Sink:
    """The launches, faults and requirements of one reading."""

    def __init__(self) -> None:
        self.requirements: dict[Evidence, None] = {}
        self._faults: dict[tuple[str, Span], Fault] = {}
        self._records: dict[tuple[Span, Span], _Record] = {}

    def launch(self, launch: Launch, use: Span, words: tuple[Word, ...], path: Path) -> None:
        """One way to start `launch` with `words`, by the command at `use`."""
        key = (launch.span, use)
        record = self._records.get(key)
        if record is None:
            record = _Record(launch.entry_point, launch.span, launch.extent)
            self._records[key] = record
        if len(record.ways) >= MAX_VARIANTS - 1:
            record.incomplete = True
            return
        record.ways.append(_Way(words, path.decisions))
        record.evidence.extend(e for e in launch.evidence if e not in record.evidence)
        record.environments.append({setting.name: setting for setting in launch.environment})

    def fault(self, fault: Fault) -> None:
        """A fault, once for its place."""
        self._faults.setdefault((fault.check, fault.span), fault)

    @property
    def wants_faults(self) -> bool:
        """Whether there are not already more than anybody reads."""
        return len(self._faults) < MAX_FAULTS

    def exhausted(self) -> None:
        """Not all ways were looked at: each launch may come about in further ones."""
        for record in self._records.values():
            record.incomplete = True

    def reading(self) -> Reading:
        """All that was found, in the order of the text."""
        found: dict[Hashable, Launch] = {}
        for record in self._records.values():
            launch = self._launch(record)
            # The same words run twice are one thing to say.
            found.setdefault((launch.span, _said(launch)), launch)
        launches = sorted(found.values(), key=lambda launch: (launch.span, launch.extent))
        return Reading(tuple(launches), tuple(self._faults.values()))

    def _launch(self, record: _Record) -> Launch:
        variants = _variants(record)
        if record.incomplete:
            tail = Tail("more ways through the script than are followed", record.span)
            variants = (*variants, Variant("any other way through the script", tails=(tail,)))
        evidence = [*record.evidence, *self.requirements]
        return Launch(
            record.entry_point,
            record.span,
            record.extent,
            variants,
            tuple(dict.fromkeys(evidence)),
            _environment(record.environments),
        )


def _said(launch: Launch) -> Hashable:
    return tuple(
        (variant.condition, tuple((word.span, word.text) for word in variant.words))
        for variant in launch.variants
    )


def _variants(record: _Record) -> tuple[Variant, ...]:
    distinct: list[_Way] = []
    for way in record.ways:
        same = next((other for other in distinct if other.words == way.words), None)
        if same is None:
            distinct.append(_Way(way.words, dict(way.decisions)))
        else:
            same.decisions = _common([same.decisions, way.decisions])
    if len(distinct) == 1:
        return (Variant(None, distinct[0].words),)
    labels = [_labels(way) for way in distinct]
    shared = set(labels[0]).intersection(*labels[1:])
    return tuple(
        # Ways that pass the same words by chance may have no decision in common.
        Variant(" and ".join(label for label in own if label not in shared) or _ANY, way.words)
        for way, own in zip(distinct, labels, strict=True)
    )


def _labels(way: _Way) -> list[str]:
    found = (select.arms[index].label for select, index in way.decisions.items())
    return list(dict.fromkeys(found))


def _common(decisions: list[dict[Select, int]]) -> dict[Select, int]:
    return {
        select: way
        for select, way in decisions[0].items()
        if all(other.get(select) == way for other in decisions[1:])
    }


def _environment(environments: list[dict[str, Setting]]) -> tuple[Setting, ...]:
    found = []
    for name in dict.fromkeys(name for environment in environments for name in environment):
        settings = [environment.get(name) for environment in environments]
        present = [setting for setting in settings if setting is not None]
        value = join(setting.value for setting in present)
        if len(present) < len(settings):
            value = Unknown("set on some ways only")
        found.append(Setting(name, value, present[0].span))
    return tuple(found)
