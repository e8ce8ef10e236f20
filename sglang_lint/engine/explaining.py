"""Why a launch is judged as it is: its values in each world, and the rules that decide."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sglang_lint.engine.analyse import Analysis, JudgedLaunch, Settings
from sglang_lint.engine.judging import worlds_of
from sglang_lint.engine.resolved import CORE_FIELDS, last_value
from sglang_lint.launches import Variant
from sglang_lint.matrix.expression import PHASE_BACKENDS
from sglang_lint.matrix.judge import Bench, Verdict, left_open
from sglang_lint.matrix.rules import Rule
from sglang_lint.matrix.world import AXES, World
from sglang_lint.values import Known, Value

# Worlds looked at for the values of one variant; past them an axis stays open.
MAX_WORLDS = 1000


@dataclass(frozen=True)
class Source:
    """A field's last value, with the resolution step that set it, or `written` or `default`."""

    name: str
    value: Value
    by: str


@dataclass(frozen=True)
class Outcome:
    """The core fields at the end of the resolution, with the worlds in which they are so."""

    values: tuple[Source, ...]
    worlds: tuple[World, ...]


@dataclass(frozen=True)
class OpenRule:
    """An error rule that could not be decided; `decides` as `left_open` gives it."""

    rule: Rule
    decides: frozenset[str]


@dataclass(frozen=True)
class VariantExplained:
    """One variant: its outcomes, the rules that are true, the error rules that stay open.

    Open rules are those of the newest release that the launch may be for.
    """

    variant: Variant
    worlds: tuple[World, ...]
    outcomes: tuple[Outcome, ...]
    verdicts: tuple[Verdict, ...]
    open_rules: tuple[OpenRule, ...]


@dataclass(frozen=True)
class Explanation:
    """A launch with all its variants explained."""

    launch: JudgedLaunch
    variants: tuple[VariantExplained, ...]


def launch_at(analysis: Analysis, line: int) -> JudgedLaunch | None:
    """The launch that is written at a line (from 1), the smallest where one lies in another."""
    document = analysis.document

    def holds(launch: JudgedLaunch) -> bool:
        extent = launch.launch.extent.to(launch.launch.span)
        first, last = document.position(extent.start), document.position(extent.end)
        return first.line <= line <= last.line

    found = [launch for launch in analysis.launches if holds(launch)]
    return min(
        found,
        key=lambda launch: launch.launch.extent.end - launch.launch.extent.start,
        default=None,
    )


def explain(launch: JudgedLaunch, settings: Settings) -> Explanation:
    """Judge every variant of a launch again, and keep what decides."""
    rules = settings.rules
    worlds = worlds_of(
        launch.launch,
        launch.judged,
        launch.bindings,
        rules,
        environment_complete=settings.environment_complete,
    )
    return Explanation(
        launch,
        tuple(
            _variant(variant, own, rules.conditions)
            for variant, own in zip(launch.launch.variants, worlds, strict=True)
        ),
    )


def _variant(variant: Variant, worlds: Sequence[World], rules: Iterable[Rule]) -> VariantExplained:
    rules = list(rules)
    newest = worlds[-1]
    verdicts = Bench(rules).judge(worlds)
    spoken = {verdict.rule.name for verdict in verdicts}
    return VariantExplained(
        variant,
        tuple(worlds),
        tuple(_outcomes(worlds)),
        tuple(verdicts),
        tuple(
            OpenRule(rule, decides)
            for rule in rules
            if rule.name not in spoken and _may_be_error(rule, newest)
            for decides in [left_open(rule, newest)]
            if decides is not None
        ),
    )


def _may_be_error(rule: Rule, world: World) -> bool:
    return any(case.severity == "error" for case in rule.cases_in(world.subject.release))


def _outcomes(worlds: Iterable[World]) -> Iterable[Outcome]:
    """The values in the worlds that tell them apart, equal ones together."""
    found: dict[tuple[Source, ...], list[World]] = {}
    pending = list(worlds)  # the newest release first
    visited = 0
    while pending:
        here = pending.pop()
        visited += 1
        scope = here.scope("decode")
        for names in (*PHASE_BACKENDS.values(), CORE_FIELDS[len(PHASE_BACKENDS) :]):
            for name in names:
                scope.field(name)
        axis = next((name for name in AXES if name in scope.touched and here.is_open(name)), None)
        if axis is not None:
            parts = here.split(axis)
            if visited + len(pending) + len(parts) <= MAX_WORLDS:
                pending.extend(reversed(parts))
                continue
        found.setdefault(tuple(_sources(here)), []).append(here)
    for values, own in sorted(found.items(), key=lambda entry: -len(entry[1])):
        yield Outcome(values, tuple(own))


def _sources(world: World) -> Iterable[Source]:
    table = world.subject.table
    for name in CORE_FIELDS:
        names = PHASE_BACKENDS.get(name, (name,))
        if any(field in table.by_canonical for field in names):
            yield Source(name, last_value(world, name), _set_by(world, names))


def _set_by(world: World, names: Sequence[str]) -> str:
    """What set the first of the fields that holds something, else the last of them."""
    scope = world.scope("decode")
    name = next((name for name in names if scope.field(name) != Known(None)), names[-1])
    history = world.history.get(name)
    if history:
        return world.subject.rules.steps_in(world.subject.release)[history[-1].step].name
    return "written" if name in world.subject.binding.arguments else "default"
