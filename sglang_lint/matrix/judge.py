"""Which rules a launch breaks, how certainly, and under which condition.

A rule is evaluated in every world that the launch may be in, along those open axes only that hide
a value from it. Definite is true in all worlds of one written variant; possible is true in some.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from sglang_lint.matrix.rules import SEVERITIES, Case, Rule
from sglang_lint.matrix.world import AXES, World
from sglang_lint.values import Known, Truth

MAX_WORLDS = 256
# An open axis of more members than this makes a possible finding a mere remark.
MAX_NAMED_OUTCOMES = 3


@dataclass(frozen=True)
class Verdict:
    """A rule that speaks on one variant of a launch, with the worlds in which it is true.

    `axes` are the open axes on which it depends; `only_without_tail` says that it is true only if
    nothing that cannot be seen changes it.
    """

    rule: Rule
    case: Case
    severity: str
    definite: bool
    worlds: tuple[World, ...]
    axes: frozenset[str]
    only_without_tail: bool

    @property
    def world(self) -> World:
        """The world that stands for the others in a message: the newest release's first."""
        newest = self.worlds[-1].subject.release
        return next(world for world in self.worlds if world.subject.release == newest)

    @property
    def releases(self) -> tuple[str, ...]:
        """The releases in which it is true, oldest first."""
        return tuple(dict.fromkeys(world.subject.release for world in self.worlds))


@dataclass
class _Tally:
    """What a rule comes to in one release: where it is true, and whether it differs elsewhere."""

    true: list[tuple[Case, World]] = field(default_factory=list)
    axes: set[str] = field(default_factory=set)
    differs: bool = False
    unsure: bool = False  # in worlds of a model that is of no named kind, and only there
    open: bool = False  # some world was left unknown: knowing more could make it true

    @property
    def whole(self) -> bool:
        """Whether the rule is true in every world of the release."""
        return bool(self.true) and not self.differs and not self.unsure


class Bench:
    """Rules in judgement over the worlds of one launch.

    Findings that could only be below the severity `least` are not looked for.
    """

    def __init__(self, rules: Iterable[Rule], least: str = "info") -> None:
        self._rules = list(rules)
        self._refusals = [
            rule
            for rule in self._rules
            if any(case.severity == "error" and case.stops_start for case in rule.cases)
        ]
        self._least = least
        self._stopped: dict[int, tuple[World, frozenset[str]]] = {}

    def judge(self, worlds: Sequence[World]) -> list[Verdict]:
        """What the rules say of one variant in the worlds of the releases that it may be for."""
        verdicts = (self._judge(rule, worlds) for rule in self._rules)
        return _without_hidden([verdict for verdict in verdicts if verdict is not None])

    def _judge(self, rule: Rule, worlds: Sequence[World]) -> Verdict | None:
        tallies: list[_Tally] = []
        tail_needed = False
        for world in worlds:
            tally = _Tally()
            if rule.concerns(world.subject.binding.arguments):
                tally = self._tally(rule, world, tail_is_empty=False)
                if not tally.true and tally.open and world.subject.open:
                    tally = self._tally(rule, world, tail_is_empty=True)
                    tail_needed = tail_needed or bool(tally.true)
            tallies.append(tally)
        trues = [entry for tally in tallies for entry in tally.true]
        if not trues or (tail_needed and trues[-1][0].missing):
            return None
        definite = not tail_needed and all(tally.whole for tally in tallies)
        axes = {axis for tally in tallies if tally.true and tally.differs for axis in tally.axes}
        case = trues[-1][0]
        severity = _severity(case, definite, axes, worlds)
        if SEVERITIES.index(severity) < SEVERITIES.index(self._least):
            return None
        found = tuple(world for _, world in trues)
        return Verdict(rule, case, severity, definite, found, frozenset(axes), tail_needed)

    def _tally(self, rule: Rule, world: World, *, tail_is_empty: bool) -> _Tally:
        """Where a rule is true in one release.

        A world in which the launch is refused for another reason does not count against a rule
        that says nothing of what tells that world from the others. Where only warnings are looked
        for, the search ends at the first world of a wide axis that speaks against the rule: what
        is left could only be a remark.
        """
        tally = _Tally()
        for here, split, truth, case in _leaves(rule, world, tail_is_empty):
            tally.axes |= split
            tally.open = tally.open or truth is Truth.UNKNOWN
            if truth is Truth.TRUE and case is not None:
                tally.true.append((case, here))
            elif split and not split & rule.axes and self._is_stopped(here, rule):
                continue
            elif truth is Truth.UNKNOWN and here.is_unlike_any:
                tally.unsure = True
            else:
                tally.differs = True
                wide = any(_is_wide(world, axis) for axis in split)
                if self._least != "info" and (wide or len(split) > 1):
                    return _Tally(open=tally.open)
        return tally

    def _is_stopped(self, world: World, rule: Rule) -> bool:
        """Whether another rule says for certain that the launch does not start in a world."""
        if id(world) not in self._stopped:
            stopping = frozenset(
                other.name
                for other in self._refusals
                if other.concerns(world.subject.binding.arguments) and _stops(other, world)
            )
            self._stopped[id(world)] = (world, stopping)  # the world is kept, so its id is its own
        return bool(self._stopped[id(world)][1] - {rule.name})


def _stops(rule: Rule, world: World) -> bool:
    truth, case, _ = _evaluate(rule, world, False)
    return (
        truth is Truth.TRUE and case is not None and case.severity == "error" and case.stops_start
    )


def _leaves(
    rule: Rule, world: World, tail_is_empty: bool
) -> Iterator[tuple[World, frozenset[str], Truth, Case | None]]:
    """The worlds along the axes that hide something from the rule, each with the rule's truth."""
    pending: list[tuple[World, frozenset[str]]] = [(world, frozenset())]
    visited = 0
    while pending:
        here, split = pending.pop()
        visited += 1
        truth, case, touched = _evaluate(rule, here, tail_is_empty)
        axis = next((name for name in AXES if name in touched and here.is_open(name)), None)
        if truth is not Truth.UNKNOWN or axis is None:
            yield here, split, truth, case
            continue
        parts = here.split(axis)
        if visited + len(pending) + len(parts) > MAX_WORLDS:
            yield here, split | {axis}, Truth.UNKNOWN, None
            continue
        pending.extend((part, split | {axis}) for part in reversed(parts))


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


def _severity(case: Case, definite: bool, axes: Collection[str], worlds: Sequence[World]) -> str:
    """What is possible is a warning at most, and a remark where much is open or little is sure."""
    if definite:
        return case.severity
    wide = any(_is_wide(world, axis) for axis in axes for world in worlds)
    vague = wide or len(axes) > 1 or case.rests_on_reading
    return at_most(case.severity, "info" if vague else "warning")


def undecided_axes(variants: Sequence[Sequence[World]], rules: Iterable[Rule]) -> frozenset[str]:
    """What would decide the rules that the launch leaves open: platform, model, values.

    Looks at each rule once, for the launch's first variant in its newest release.
    """
    axes: set[str] = set()
    for worlds in variants[:1]:
        world = worlds[-1]
        for rule in rules:
            if rule.concerns(world.subject.binding.arguments):
                truth, _, touched = _evaluate(rule, world, False)
                if truth is Truth.UNKNOWN:
                    axes |= {axis for axis in touched if world.is_open(axis)} or {"values"}
    return frozenset(axes)


def left_open(rule: Rule, world: World) -> frozenset[str] | None:
    """What would decide a rule that is true in no world of a release and unknown in some.

    The open axes, and the fields and facts of the model (`model.NAME`) that are not known; empty
    where it is something else (the environment, code of the release). None for a decided rule, and
    for one of which nothing but models of no named kind are left.
    """
    if not rule.concerns(world.subject.binding.arguments):
        return None
    leaves = [
        leaf
        for leaf in _leaves(rule, world, False)
        if leaf[0] is world or not leaf[0].is_unlike_any
    ]
    if not any(truth is Truth.UNKNOWN for _, _, truth, _ in leaves):
        return None
    if any(truth is Truth.TRUE for _, _, truth, _ in leaves):
        return None
    names: set[str] = set()
    for here, split, truth, case in leaves:
        if truth is Truth.UNKNOWN and case is not None:
            scope = here.scope(case.at)
            read, facts = case.condition.all_fields, case.condition.facts
            names |= split
            names |= {name for name in read if not isinstance(scope.typed(name), Known)}
            if here.model is world.model:
                unknown = {name for name in facts if not isinstance(scope.fact(name), Known)}
                names |= {f"model.{name}" for name in unknown}
    return frozenset(names)


def at_most(severity: str, limit: str) -> str:
    """The severity, lowered to the limit where it is above it."""
    return min(severity, limit, key=SEVERITIES.index)


def _without_hidden(verdicts: list[Verdict]) -> list[Verdict]:
    """Without those that another one explains wherever they are true."""
    return [
        verdict
        for verdict in verdicts
        if not any(
            verdict.rule.name in other.case.hides and _covers(other, verdict) for other in verdicts
        )
    ]


def _covers(verdict: Verdict, other: Verdict) -> bool:
    if verdict.only_without_tail and not other.only_without_tail:
        return False
    if not verdict.axes:
        return set(other.releases) <= set(verdict.releases)
    return {id(world) for world in other.worlds} <= {id(world) for world in verdict.worlds}
