"""Rules and resolution steps as they are used, built from the compiled rule file."""

from __future__ import annotations

import json
from collections.abc import Collection, Hashable, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib import resources
from pathlib import Path
from typing import Any

from sglang_lint.matrix.expression import Expression, compile_expression
from sglang_lint.releases.versions import Specifier, specifier

SEVERITIES = ("info", "warning", "error")


@dataclass(frozen=True)
class Evidence:
    """Where in SGLang a rule was seen; `by` is guard, report or reading."""

    release: str
    file: str
    symbol: str
    by: str


@dataclass(frozen=True)
class WayOut:
    """A change that mends a launch: options to set and to drop."""

    set: Mapping[str, Hashable]
    unset: tuple[str, ...]
    safe: bool
    title: str | None
    releases: Specifier


@dataclass(frozen=True)
class Case:
    """One condition of a rule with what it leads to, in a range of releases."""

    releases: Specifier
    at: str
    when: str | None
    consequence: str | None
    severity: str
    message: str
    primary: tuple[str, ...]
    missing: frozenset[str]
    hides: frozenset[str]
    instead: tuple[WayOut, ...]
    evidence: tuple[Evidence, ...]

    @cached_property
    def condition(self) -> Expression:
        """`when`, compiled when first asked for."""
        return compile_expression(self.when or "False")

    @property
    def rests_on_reading(self) -> bool:
        """Whether the source was only read: no guard in it, no public report."""
        return bool(self.evidence) and all(item.by == "reading" for item in self.evidence)

    @property
    def stops_start(self) -> bool:
        """Whether the server does not come up: refused, or failed at worker start."""
        return self.consequence in ("refused", "init")


@dataclass(frozen=True)
class Examples:
    """Command lines that a rule finds and that it leaves alone, and what they are judged for."""

    bad: tuple[str, ...] = ()
    good: tuple[str, ...] = ()
    release: str | None = None
    platform: str | None = None
    model: str | None = None


@dataclass(frozen=True)
class Rule:
    """One fact of the matrix, by its name.

    `gate` holds fields of which one must be written for the rule to be able to speak, None where
    that cannot be said; `check` names the check in code that takes the place of a condition.
    """

    name: str
    code: str
    summary: str
    cases: tuple[Case, ...]
    check: str | None
    gate: frozenset[str] | None
    verified_on: tuple[str, ...]
    examples: Examples

    @cached_property
    def axes(self) -> frozenset[str]:
        """The axes that its conditions speak of themselves: platform, model."""
        return frozenset(axis for case in self.cases for axis in case.condition.axes)

    def concerns(self, written: Collection[str]) -> bool:
        """Whether the rule can speak on a launch that writes these fields."""
        return self.gate is None or not self.gate.isdisjoint(written)

    def cases_in(self, release: str) -> list[Case]:
        """The cases that hold in a release, in order."""
        if release not in self._cases_by_release:
            self._cases_by_release[release] = [
                case for case in self.cases if release in case.releases
            ]
        return self._cases_by_release[release]

    @cached_property
    def _cases_by_release(self) -> dict[str, list[Case]]:
        return {}


@dataclass(frozen=True)
class Branch:
    """What one branch of an assignment sets; a literal or an expression a field."""

    when: str | None
    literals: Mapping[str, Hashable]
    computed: Mapping[str, str]

    @cached_property
    def condition(self) -> Expression | None:
        """`when`, compiled; None where the branch is always taken."""
        return compile_expression(self.when) if self.when is not None else None

    @cached_property
    def expressions(self) -> dict[str, Expression]:
        """`computed`, compiled."""
        return {name: compile_expression(source) for name, source in self.computed.items()}


@dataclass(frozen=True)
class Assignment:
    """An if / elif / else chain of branches under one common condition."""

    when: str | None
    branches: tuple[Branch, ...]

    @cached_property
    def condition(self) -> Expression | None:
        """`when`, compiled; None where the chain is always entered."""
        return compile_expression(self.when) if self.when is not None else None


@dataclass(frozen=True)
class Step:
    """One step of a release's own argument resolution."""

    name: str
    releases: Specifier
    assignments: tuple[Assignment, ...]


@dataclass(frozen=True)
class RuleSet:
    """Everything under `rules/`."""

    rules: tuple[Rule, ...]
    steps: tuple[Step, ...]
    hooks: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def by_name(self) -> dict[str, Rule]:
        """Rules by name."""
        return {rule.name: rule for rule in self.rules}

    @cached_property
    def by_check(self) -> dict[str, Rule]:
        """Rules whose condition is a check in code, by the check's name."""
        return {rule.check: rule for rule in self.rules if rule.check}

    @cached_property
    def conditions(self) -> tuple[Rule, ...]:
        """Rules with a condition of their own."""
        return tuple(rule for rule in self.rules if rule.check is None)

    def codes(self) -> frozenset[str]:
        """Every code that a rule carries."""
        return frozenset(rule.code for rule in self.rules)

    @cached_property
    def _steps_by_release(self) -> dict[str, tuple[Step, ...]]:
        return {}

    def steps_in(self, release: str) -> tuple[Step, ...]:
        """The resolution steps of a release, in its order."""
        if release not in self._steps_by_release:
            self._steps_by_release[release] = tuple(
                step for step in self.steps if release in step.releases
            )
        return self._steps_by_release[release]

    @cached_property
    def resolved_fields(self) -> frozenset[str]:
        """Fields that some step sets: all others stay as they were typed."""
        return frozenset(
            name
            for step in self.steps
            for assignment in step.assignments
            for branch in assignment.branches
            for name in (*branch.literals, *branch.computed)
        )


def build_rule_set(data: Mapping[str, Any]) -> RuleSet:
    """A RuleSet of the dictionary that `compiler.compile_rules` makes."""
    return RuleSet(
        tuple(_rule(entry) for entry in data["rules"]),
        tuple(_step(entry) for entry in data["steps"]),
        data.get("hooks", {}),
    )


@cache
def bundled_rules() -> RuleSet:
    """The rules that the package brings: compiled in a wheel, read as YAML in a checkout."""
    compiled = resources.files("sglang_lint") / "rules" / "compiled.json"
    if compiled.is_file():
        return build_rule_set(json.loads(compiled.read_text(encoding="utf-8")))
    from sglang_lint.matrix.compiler import compile_rules

    return build_rule_set(compile_rules(Path(__file__).parents[2] / "rules"))


def _rule(entry: Mapping[str, Any]) -> Rule:
    examples = entry.get("examples", {})
    gate = entry.get("gate")
    return Rule(
        entry["name"],
        entry["code"],
        entry["summary"],
        tuple(_case(case) for case in entry["cases"]),
        entry.get("check"),
        None if gate is None else frozenset(gate),
        tuple(entry.get("verified_on", ())),
        Examples(
            tuple(examples.get("bad", ())),
            tuple(examples.get("good", ())),
            examples.get("release"),
            examples.get("platform"),
            examples.get("model"),
        ),
    )


def _case(entry: Mapping[str, Any]) -> Case:
    return Case(
        specifier(entry["releases"]),
        entry["at"],
        entry.get("when"),
        entry["consequence"],
        entry["severity"],
        entry["message"],
        tuple(entry["primary"]),
        frozenset(entry["missing"]),
        frozenset(entry["hides"]),
        tuple(
            WayOut(
                {name: _literal(value) for name, value in way.get("set", {}).items()},
                tuple(way.get("unset", ())),
                way.get("safety", "unsafe") == "safe",
                way.get("title"),
                specifier(way.get("releases", "")),
            )
            for way in entry["instead"]
        ),
        tuple(
            Evidence(item["release"], item["file"], item["symbol"], item["by"])
            for item in entry["evidence"]
        ),
    )


def _step(entry: Mapping[str, Any]) -> Step:
    return Step(
        entry["step"],
        specifier(entry["releases"]),
        tuple(
            Assignment(
                item.get("when"),
                tuple(
                    Branch(
                        branch.get("when"),
                        {name: _literal(value) for name, value in branch.get("set", {}).items()},
                        branch.get("compute", {}),
                    )
                    for branch in item["first"]
                ),
            )
            for item in entry["assign"]
        ),
    )


def _literal(value: Any) -> Hashable:
    if isinstance(value, list):
        return tuple(_literal(item) for item in value)
    literal: Hashable = value
    return literal
