"""Which written options a rule waits for, so that a rule that cannot speak costs nothing."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from sglang_lint.matrix.expression import compile_expression, conjuncts
from sglang_lint.releases.table import known_releases, release_table
from sglang_lint.releases.versions import specifier
from sglang_lint.values import Known, Truth, Unknown, Value


class _AsDefault:
    """A launch that writes nothing, in a world of which nothing is known."""

    def __init__(self, defaults: Mapping[str, Value]) -> None:
        self._defaults = defaults

    def field(self, name: str) -> Value:
        return self._defaults.get(name, Unknown())

    typed = field

    def given(self, name: str) -> Value:
        return Known(False)

    def fact(self, name: str) -> Value:
        return Unknown()

    platform = environment = fact


def gate_of(rule: Mapping[str, Any], assigned: Collection[str]) -> frozenset[str] | None:
    """Fields of which one must be written for the rule to be true, or None for any launch.

    A conjunct that is false for the defaults of every release, over fields that no resolution
    step sets, stays false until one of these fields is written.
    """
    gate: set[str] = set()
    for case in rule["cases"]:
        fields = _case_gate(case, assigned)
        if fields is None:
            return None
        gate |= fields
    return frozenset(gate)


def _case_gate(case: Mapping[str, Any], assigned: Collection[str]) -> frozenset[str] | None:
    releases = [release for release in known_releases() if release in specifier(case["releases"])]
    best: frozenset[str] | None = None
    for source in conjuncts(case["when"]):
        expression = compile_expression(source)
        if not expression.all_fields or expression.fields & set(assigned):
            continue
        if all(
            expression.truth(_AsDefault(release_table(release).defaults)) is Truth.FALSE
            for release in releases
        ) and (best is None or len(expression.all_fields) < len(best)):
            best = expression.all_fields
    return best
