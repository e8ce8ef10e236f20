"""Whether the release that is stated for a launch is one that can be judged."""

from __future__ import annotations

from sglang_lint.checks.finding import Finding, fill_values
from sglang_lint.launches import Launch
from sglang_lint.matrix.rules import RuleSet
from sglang_lint.releases.context import FIRST_COVERED, JudgedFor, covered_releases
from sglang_lint.releases.table import base_release
from sglang_lint.text import Span


def check_release(launch: Launch, judged: JudgedFor, rules: RuleSet) -> list[Finding]:
    """SGL003 for a release that the data does not know, SGL004 for one before the rules begin."""
    related = judged.release_related
    span = related.span if related is not None and related.path is None else launch.span
    release = judged.releases[-1]
    findings = []
    if judged.unknown_release is not None:
        limit = ", its findings at most as warnings" if judged.newer_than_data else ""
        values = {"stated": judged.unknown_release, "release": release, "limit": limit}
        findings.append(_finding(rules, "unknown-release", span, values))
    if base_release(release) not in covered_releases():
        values = {"first": FIRST_COVERED, "release": release}
        findings.append(_finding(rules, "release-before-coverage", span, values))
    return findings


def _finding(rules: RuleSet, check: str, span: Span, values: dict[str, str]) -> Finding:
    rule = rules.by_check[check]
    case = rule.cases[0]
    return Finding(rule, case, fill_values(case.message, values), span, case.severity)
