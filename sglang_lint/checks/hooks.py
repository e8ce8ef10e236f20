"""Python code against the contract of SGLang's attention backend hooks (SGL6).

The readers report overrides and calls as facts; what each release passes, takes and refuses is
data (`rules/hooks/`); here the two are compared.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sglang_lint.checks.finding import Finding, condition_of, fill_values, listed
from sglang_lint.launches import HookCall, HookOverride, Reading
from sglang_lint.matrix.expression import compile_expression
from sglang_lint.matrix.rules import RuleSet
from sglang_lint.releases.versions import specifier
from sglang_lint.text import Span
from sglang_lint.values import Known, Truth, Unknown, Value

LOG_SUM_EXP = "return_lse"
_DEFAULTS = {"causal_seqs": None, "cp_world": 1, "cp_rank": 0, LOG_SUM_EXP: False}


def check_hooks(reading: Reading, rules: RuleSet, releases: Sequence[str]) -> list[Finding]:
    """What the file's overrides and calls get wrong in the releases it may be for."""
    findings: list[Finding] = []
    for override in reading.hook_overrides:
        findings.extend(_check_override(override, rules, releases))
    for call in reading.hook_calls:
        findings.extend(_check_call(call, rules, releases))
    return findings


def _contracts(
    hook: HookOverride | HookCall, rules: RuleSet, releases: Sequence[str]
) -> list[tuple[str, Mapping[str, Any]]]:
    entry = rules.hooks.get(hook.base)
    if entry is None or entry["method"] != hook.method or not _same_module(hook, entry):
        return []
    return [
        (release, contract)
        for release in releases
        for contract in entry["contract"]
        if release in specifier(contract["releases"])
    ]


def _same_module(hook: HookOverride | HookCall, entry: Mapping[str, Any]) -> bool:
    return hook.module == str(entry["module"])


def _check_override(
    override: HookOverride, rules: RuleSet, releases: Sequence[str]
) -> Iterable[Finding]:
    lacking: dict[str, tuple[str, ...]] = {}
    dropping: list[str] = []
    contracts = _contracts(override, rules, releases)
    for release, contract in contracts:
        absent = tuple(name for name in contract["passed"] if name not in override.parameters)
        if absent and not override.takes_any_keyword:
            lacking[release] = absent
        elif (
            LOG_SUM_EXP in contract["passed"]
            and LOG_SUM_EXP in override.parameters
            and LOG_SUM_EXP not in override.read
        ):
            dropping.append(release)
    values = {"class": override.class_name, "method": override.method}
    if lacking:
        newest = list(lacking)[-1]
        yield from _finding(
            rules,
            "hook-override-lacks-arguments",
            override.span,
            tuple(lacking),
            releases,
            values | {"missing": listed(lacking[newest])},
        )
    if dropping:
        span = override.parameter_spans.get(LOG_SUM_EXP, override.span)
        yield from _finding(
            rules, "hook-override-drops-log-sum-exp", span, tuple(dropping), releases, values
        )


def _check_call(call: HookCall, rules: RuleSet, releases: Sequence[str]) -> Iterable[Finding]:
    refused: list[str] = []
    surplus: dict[str, tuple[str, ...]] = {}
    written = {keyword.name: keyword for keyword in call.keywords}
    for release, contract in _contracts(call, rules, releases):
        unknown = tuple(name for name in written if name not in contract["parameters"])
        if unknown:
            surplus[release] = unknown
        elif "refuses" in contract:
            condition = compile_expression(contract["refuses"])
            if condition.truth(_CallScope(call)) is Truth.TRUE:
                refused.append(release)
    values = {"class": call.base, "method": call.method}
    if refused:
        named = [name for name in _DEFAULTS if name in written]
        spans = [written[name].span for name in named]
        span = spans[0].to(spans[-1]) if spans else call.span
        arguments = listed(f"{name}={_spell(written[name].value)}" for name in named)
        yield from _finding(
            rules,
            "hook-call-refused",
            span,
            tuple(refused),
            releases,
            values | {"arguments": arguments},
        )
    if surplus:
        names = list(surplus.values())[-1]
        yield from _finding(
            rules,
            "hook-call-unknown-keyword",
            written[names[0]].span,
            tuple(surplus),
            releases,
            values | {"arguments": listed(f"{name}" for name in names)},
        )


class _CallScope:
    """The keywords of a call, as fields of an expression."""

    def __init__(self, call: HookCall) -> None:
        self._written = {keyword.name: keyword.value for keyword in call.keywords}
        self._unseen = call.takes_unseen

    def field(self, name: str) -> Value:
        if name in self._written:
            return self._written[name]
        if self._unseen:
            return Unknown("arguments that cannot be seen")
        return Known(_DEFAULTS.get(name))

    typed = given = fact = platform = environment = field


def _spell(value: Value) -> str:
    return str(value.value) if isinstance(value, Known) else "..."


def _finding(
    rules: RuleSet,
    check: str,
    span: Span,
    versions: tuple[str, ...],
    releases: Sequence[str],
    values: dict[str, str],
) -> Iterable[Finding]:
    rule = rules.by_check[check]
    cases = rule.cases_in(versions[-1])
    if not cases:
        return
    definite, condition = condition_of(versions, releases)
    severity = cases[0].severity if definite else "warning"
    message = fill_values(cases[0].message, values | {"release": f"SGLang {versions[-1]}"})
    yield Finding(rule, cases[0], message, span, severity, definite, condition, versions)
