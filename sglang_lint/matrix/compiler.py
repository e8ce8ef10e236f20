"""From rule files to one compiled dictionary: validated, with defaults filled in and gates found.

Runs when the package is built, when a checkout is used as it is, and for a user's own rule files;
never on the path of a check with an installed package.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import yaml

from sglang_lint.matrix.expression import ExpressionError, compile_expression
from sglang_lint.matrix.gates import gate_of
from sglang_lint.releases.table import known_releases, release_table
from sglang_lint.releases.versions import specifier

_CASE_KEYS = frozenset(
    "releases at when consequence severity message primary missing hides instead evidence".split()
)
_RULE_KEYS = _CASE_KEYS | frozenset("name code summary cases check verified_on examples".split())
_CONSEQUENCES = frozenset([None, "refused", "init", "crash", "overridden", "wrong"])
_SEVERITIES = frozenset(["error", "warning", "info"])
_EVIDENCE = frozenset(["guard", "report", "reading"])


_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class RuleFileError(ValueError):
    """A rule file that does not say what a rule must say; the message names file and rule."""


def compile_rules(root: Path) -> dict[str, Any]:
    """Every rule and step below `root`, in the form that `rules.build_rule_set` takes.

    Raises RuleFileError for what a rule or step may not say, and for two rules of one name.
    """
    rules: list[dict[str, Any]] = []
    steps: list[dict[str, Any]] = []
    hooks: dict[str, Any] = {}
    for path in sorted(root.rglob("*.yaml")):
        entries = _load(path)
        folder = path.relative_to(root).parts[0]
        if folder == "resolution":
            steps.extend(_step(path, entry) for entry in entries)
        elif folder == "hooks":
            hooks.update({entry["class"]: entry for entry in entries})
        else:
            rules.extend(_rule(path, entry) for entry in entries)
    _refuse_duplicates(rules)
    assigned = {
        name
        for step in steps
        for item in step["assign"]
        for branch in item["first"]
        for name in (*branch.get("set", {}), *branch.get("compute", {}))
    }
    for rule in rules:
        gate = None if rule.get("check") else gate_of(rule, assigned)
        rule["gate"] = None if gate is None else sorted(gate)
    return {"rules": rules, "steps": steps, "hooks": hooks}


def _load(path: Path) -> list[dict[str, Any]]:
    try:
        entries = yaml.load(path.read_text(encoding="utf-8"), Loader=_LOADER)
    except yaml.YAMLError as error:
        raise RuleFileError(f"{path}: not YAML: {error}") from None
    if entries is None:
        return []
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise RuleFileError(f"{path}: a rule file is a list of mappings")
    return entries


def _refuse_duplicates(rules: Iterable[Mapping[str, Any]]) -> None:
    seen: set[str] = set()
    for rule in rules:
        if rule["name"] in seen:
            raise RuleFileError(f"two rules are called `{rule['name']}`")
        seen.add(rule["name"])


def _rule(path: Path, entry: Mapping[str, Any]) -> dict[str, Any]:
    place = f"{path.name}: {entry.get('name', 'a rule without a name')}"
    _expect_keys(place, entry, _RULE_KEYS)
    for key in ("name", "code", "summary"):
        if not isinstance(entry.get(key), str):
            raise RuleFileError(f"{place}: `{key}` is missing")
    common = {key: value for key, value in entry.items() if key in _CASE_KEYS}
    cases = []
    for case in entry.get("cases", [{}]):
        _expect_keys(place, case, _CASE_KEYS)
        cases.append(_case(place, {**common, **case}, checked="check" in entry))
    rule = {
        "name": entry["name"],
        "code": entry["code"],
        "summary": entry["summary"],
        "cases": cases,
        "verified_on": [str(release) for release in entry.get("verified_on", [])],
        "examples": _examples(entry.get("examples") or {}),
    }
    if "check" in entry:
        rule["check"] = entry["check"]
    return rule


def _case(place: str, case: Mapping[str, Any], *, checked: bool) -> dict[str, Any]:
    if checked == ("when" in case):
        raise RuleFileError(f"{place}: one of `when` and `check` is needed, not both")
    consequence, severity = case.get("consequence"), case.get("severity", "error")
    if consequence == "none":
        consequence = None
    if consequence not in _CONSEQUENCES or severity not in _SEVERITIES:
        raise RuleFileError(
            f"{place}: `{consequence}`, `{severity}`: no such consequence or severity"
        )
    evidence = [_evidence(place, item) for item in case.get("evidence", [])]
    if not checked and not evidence:
        raise RuleFileError(f"{place}: a rule without evidence")
    if evidence and severity == "error" and all(item["by"] == "reading" for item in evidence):
        raise RuleFileError(f"{place}: what rests on reading alone is a warning")
    for key in ("releases", "message"):
        if not isinstance(case.get(key), str):
            raise RuleFileError(f"{place}: `{key}` is missing")
    _check_range(place, case["releases"])
    if "when" in case:
        _check_expression(place, str(case["when"]))
        _check_fields(place, str(case["when"]), case["releases"])
    ways = case.get("instead") or []
    for way in ways:
        _expect_keys(place, way, frozenset(["set", "unset", "safety", "title", "releases"]))
        _check_range(place, way.get("releases", ""))
    compiled = {
        "releases": case["releases"],
        "at": case.get("at", "check"),
        "consequence": consequence,
        "severity": severity,
        "message": " ".join(case["message"].split()),
        "primary": list(case.get("primary") or []),
        "missing": list(case.get("missing") or []),
        "hides": list(case.get("hides") or []),
        "instead": ways,
        "evidence": evidence,
    }
    if "when" in case:
        compiled["when"] = str(case["when"])
    return compiled


def _evidence(place: str, item: Mapping[str, Any]) -> dict[str, str]:
    _expect_keys(place, item, frozenset(["release", "file", "symbol", "by"]))
    if item.get("by") not in _EVIDENCE:
        raise RuleFileError(f"{place}: evidence is by guard, report or reading")
    return {key: str(item.get(key, "")) for key in ("release", "file", "symbol", "by")}


def _examples(examples: Mapping[str, Any]) -> dict[str, Any]:
    return {
        key: ([str(line) for line in value] if isinstance(value, list) else str(value))
        for key, value in examples.items()
        if value is not None
    }


def _step(path: Path, entry: Mapping[str, Any]) -> dict[str, Any]:
    place = f"{path.name}: {entry.get('step', 'a step without a name')}"
    _expect_keys(place, entry, frozenset(["step", "releases", "evidence", "assign", "why"]))
    if not isinstance(entry.get("step"), str) or not isinstance(entry.get("releases"), str):
        raise RuleFileError(f"{place}: `step` and `releases` are needed")
    _check_range(place, entry["releases"])
    return {
        "step": entry["step"],
        "releases": entry["releases"],
        "assign": [_assignment(place, item) for item in entry.get("assign") or []],
    }


def _assignment(place: str, item: Mapping[str, Any]) -> dict[str, Any]:
    _expect_keys(place, item, frozenset(["when", "first", "set", "compute"]))
    if "first" in item:
        branches = item["first"]
    else:
        branches = [{key: item[key] for key in ("set", "compute") if key in item}]
    compiled: dict[str, Any] = {"first": [_branch(place, branch) for branch in branches]}
    if "when" in item:
        _check_expression(place, str(item["when"]))
        compiled["when"] = str(item["when"])
    return compiled


def _branch(place: str, branch: Mapping[str, Any]) -> dict[str, Any]:
    _expect_keys(place, branch, frozenset(["when", "set", "compute"]))
    compiled: dict[str, Any] = {}
    if "when" in branch:
        _check_expression(place, str(branch["when"]))
        compiled["when"] = str(branch["when"])
    if "set" in branch:
        compiled["set"] = branch["set"]
    if "compute" in branch:
        compiled["compute"] = {name: str(source) for name, source in branch["compute"].items()}
        for source in compiled["compute"].values():
            _check_expression(place, source)
    return compiled


def _check_expression(place: str, source: str) -> None:
    try:
        compile_expression(source)
    except ExpressionError as error:
        raise RuleFileError(f"{place}: {error} in `{source}`") from None


def _check_fields(place: str, source: str, releases: str) -> None:
    """Every field that a condition names has to be one of each release that it holds for."""
    names = compile_expression(source).all_fields
    for release in known_releases():
        if release in specifier(releases):
            lacking = sorted(names - release_table(release).by_canonical.keys())
            if lacking:
                raise RuleFileError(f"{place}: {release} has no field {', '.join(lacking)}")


def _check_range(place: str, text: str) -> None:
    try:
        specifier(text)
    except ValueError as error:
        raise RuleFileError(f"{place}: {error}") from None


def _expect_keys(place: str, entry: Mapping[str, Any], allowed: frozenset[str]) -> None:
    surplus = sorted(set(entry) - allowed)
    if surplus:
        raise RuleFileError(f"{place}: no such key: {', '.join(map(str, surplus))}")
