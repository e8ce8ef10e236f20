"""Which rules a launch breaks, how certainly, and under which condition.

A rule is evaluated in every world that the launch may be in, along those open axes only that hide
a value from it. Definite is true in all worlds of one written variant; possible is true in some.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from sglang_lint.matrix.rules import SEVERITIES, Case, Rule
from sglang_lint.matrix.world import AXES, MODEL, PLATFORM, Subject, World
from sglang_lint.releases.models import ModelFacts
from sglang_lint.releases.platforms import Platform
from sglang_lint.values import Truth

_Named = TypeVar("_Named", Platform, ModelFacts)

MAX_WORLDS = 256
# An open axis of more members than this makes a possible finding a mere remark.
MAX_NAMED_OUTCOMES = 3


@dataclass(frozen=True)
class Verdict:
    """A rule that speaks on one variant of a launch, with a world in which it is true."""

    rule: Rule
    case: Case
    severity: str
    definite: bool
    world: World
    true_releases: tuple[str, ...]
    true_platforms: tuple[Platform, ...]
    true_models: tuple[ModelFacts, ...]
    only_without_tail: bool


@dataclass(frozen=True)
class _Leaf:
    world: World
    truth: Truth
    split: frozenset[str]


def judge_variant(
    worlds: Sequence[World],
    rules: Iterable[Rule],
    *,
    least: str = "info",
) -> list[Verdict]:
    """What the rules say of one variant in the worlds of the releases that it may be for.

    Findings that could only be below the severity `least` are not looked for.
    """
    verdicts = []
    for rule in rules:
        verdict = _judge_rule(rule, worlds, least)
        if verdict is not None:
            verdicts.append(verdict)
    return _without_hidden(verdicts)


def _judge_rule(rule: Rule, worlds: Sequence[World], least: str) -> Verdict | None:
    trues: list[tuple[Case, _Leaf]] = []
    complete, tail_needed, split = True, False, set[str]()
    for world in worlds:
        if not _concerns(rule, world.subject):
            complete = False
            continue
        true_here, whole = _true_leaves(rule, world, patient=least == "info")
        if not true_here and world.subject.binding.open:
            true_here, _ = _true_leaves(rule, world, patient=least == "info", tail_is_empty=True)
            tail_needed = tail_needed or bool(true_here)
            whole = False
        complete = complete and whole
        trues.extend(true_here)
        split |= {axis for _, leaf in true_here for axis in leaf.split}
    if not trues:
        return None
    case, leaf = trues[-1]
    if tail_needed and case.missing:
        return None
    definite = complete and not tail_needed
    severity = _severity(case.severity, definite, split, worlds)
    if SEVERITIES.index(severity) < SEVERITIES.index(least):
        return None
    return Verdict(
        rule,
        case,
        severity,
        definite,
        leaf.world,
        tuple(dict.fromkeys(leaf.world.subject.release for _, leaf in trues)),
        _distinct(leaf.world.platform for _, leaf in trues if PLATFORM in split),
        _distinct(leaf.world.model for _, leaf in trues if MODEL in split),
        tail_needed,
    )


def _concerns(rule: Rule, subject: Subject) -> bool:
    return rule.gate is None or not rule.gate.isdisjoint(subject.binding.arguments)


def _true_leaves(
    rule: Rule, world: World, *, patient: bool, tail_is_empty: bool = False
) -> tuple[list[tuple[Case, _Leaf]], bool]:
    """The worlds in which a case is true, and whether these are all worlds there are.

    Without patience the search ends at the first world of a wide open axis that speaks against
    the rule: what is left could only be a remark.
    """
    trues: list[tuple[Case, _Leaf]] = []
    whole = True
    for leaf, case in _leaves(rule, world, tail_is_empty):
        if leaf.truth is Truth.TRUE and case is not None:
            trues.append((case, leaf))
            continue
        whole = False
        if not patient and any(_is_wide(world, axis) for axis in leaf.split):
            return [], False
    return trues, whole


def _leaves(rule: Rule, world: World, tail_is_empty: bool) -> list[tuple[_Leaf, Case | None]]:
    found: list[tuple[_Leaf, Case | None]] = []
    pending: list[tuple[World, frozenset[str]]] = [(world, frozenset())]
    while pending:
        here, split = pending.pop()
        truth, case, touched = _evaluate(rule, here, tail_is_empty)
        axis = next((name for name in AXES if name in touched and here.is_open(name)), None)
        if truth is not Truth.UNKNOWN or axis is None:
            found.append((_Leaf(here, truth, split), case))
            continue
        parts = here.split(axis)
        if len(found) + len(pending) + len(parts) > MAX_WORLDS:
            found.append((_Leaf(here, Truth.UNKNOWN, split | {axis}), None))
            continue
        pending.extend((part, split | {axis}) for part in reversed(parts))
    return found


def _evaluate(
    rule: Rule, world: World, tail_is_empty: bool
) -> tuple[Truth, Case | None, frozenset[str]]:
    touched: set[str] = set()
    for case in rule.cases_in(world.subject.release):
        scope = world.scope(case.at, tail_is_empty=tail_is_empty)
        truth = case.condition.truth(scope)
        touched |= scope.touched
        if truth is not Truth.FALSE:
            return truth, case, frozenset(touched)
    return Truth.FALSE, None, frozenset(touched)


def _is_wide(world: World, axis: str) -> bool:
    return len(world.split(axis)) > MAX_NAMED_OUTCOMES


def _severity(severity: str, definite: bool, split: set[str], worlds: Sequence[World]) -> str:
    if definite:
        return severity
    wide = [axis for axis in split if any(_is_wide(world, axis) for world in worlds)]
    return at_most(severity, "info" if wide or len(split) > 1 else "warning")


def undecided_axes(variants: Sequence[Sequence[World]], rules: Iterable[Rule]) -> frozenset[str]:
    """What would decide the rules that the launch leaves open: release, platform, model, values.

    Looks at each rule once, in the launch's newest release.
    """
    axes: set[str] = set()
    chosen = list(rules)
    for worlds in variants[:1]:
        world = worlds[-1]
        for rule in chosen:
            if not _concerns(rule, world.subject):
                continue
            truth, _, touched = _evaluate(rule, world, False)
            if truth is Truth.UNKNOWN:
                axes |= {axis for axis in touched if world.is_open(axis)} or {"values"}
    return frozenset(axes)


def at_most(severity: str, limit: str) -> str:
    """The severity, lowered to the limit where it is above it."""
    return min(severity, limit, key=SEVERITIES.index)


def _distinct(items: Iterable[_Named | None]) -> tuple[_Named, ...]:
    return tuple({item.name: item for item in items if item is not None}.values())


def _without_hidden(verdicts: list[Verdict]) -> list[Verdict]:
    hidden = {name for verdict in verdicts if verdict.definite for name in verdict.case.hides}
    return [verdict for verdict in verdicts if verdict.rule.name not in hidden]
