"""The tool on launches whose verdict by the real release is on record."""

from __future__ import annotations

from collections import defaultdict
from functools import cache
from pathlib import Path

import pytest
from guards import answered, decided, read_guards
from verdict_file import Verdict, read_verdicts

from sglang_lint.engine import Diagnostic, judge_argv
from sglang_lint.matrix.rules import bundled_rules

VERDICTS = sorted((Path(__file__).parent / "verdicts").glob("*.jsonl"))
LEAST_RECALL = 0.98
# A guard that was met less often says little.
LEAST_MET = 5


@cache
def recorded() -> dict[str, list[Verdict]]:
    found: dict[str, list[Verdict]] = defaultdict(list)
    for path in VERDICTS:
        for verdict in read_verdicts(path):
            found[verdict.release].append(verdict)
    return found


@cache
def findings(verdict: Verdict) -> list[Diagnostic]:
    return judge_argv(
        verdict.argv,
        release=verdict.release,
        platform=verdict.platform,
        environment={},
        least="error",
    )


def words(verdict: Verdict) -> str:
    return f"{verdict.release} {verdict.platform}: {' '.join(verdict.argv)}"


def test_there_are_verdicts_of_every_kind() -> None:
    outcomes = {verdict.outcome for verdicts in recorded().values() for verdict in verdicts}
    assert outcomes == {"accept", "arguments", "backend"}


@pytest.mark.parametrize("release", sorted(recorded()))
def test_what_a_release_accepts_is_not_said_to_be_refused(release: str) -> None:
    contradicted = [
        f"{finding.rule} {words(verdict)}"
        for verdict in recorded()[release]
        if verdict.outcome == "accept"
        for finding in decided(findings(verdict))
    ]
    assert not contradicted, "\n".join(contradicted)


def test_what_a_guard_refuses_is_said_by_a_rule_of_the_same_cause() -> None:
    guards = {
        (guard.name, release): guard
        for release in recorded()
        for guard in reversed(read_guards())
        if release in guard.releases
    }
    hits: dict[str, list[bool]] = defaultdict(list)
    missed = []
    for verdict in (one for verdicts in recorded().values() for one in verdicts if one.guard):
        guard = guards.get((verdict.guard or "", verdict.release))
        assert guard is not None, f"no guard is called {verdict.guard}"
        hit = answered(guard, findings(verdict))
        hits[guard.name].append(hit)
        if not hit:
            missed.append(f"{guard.name} {words(verdict)}")
    rates = [sum(each) / len(each) for each in hits.values() if len(each) >= LEAST_MET]
    recall = sum(rates) / len(rates)
    assert recall >= LEAST_RECALL, f"{recall:.4f}\n" + "\n".join(missed)


def test_guards_name_rules_that_exist_and_hold_in_their_releases() -> None:
    by_name = bundled_rules().by_name
    for guard in read_guards():
        for name in guard.rules:
            assert name in by_name, f"{guard.name}: no rule is called {name}"
        assert any(
            release in case.releases and release in guard.releases
            for name in guard.rules
            for case in by_name[name].cases
            for release in recorded()
        ), f"{guard.name}: no rule of it holds in its releases"
