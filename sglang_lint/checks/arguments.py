"""What a release's parser says of the options themselves (SGL5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sglang_lint.checks.finding import (
    Finding,
    Replacement,
    ValueEdit,
    condition_of,
    fill_values,
    listed,
)
from sglang_lint.launches import EvidenceKind, Launch, Related
from sglang_lint.matrix.rules import Rule, RuleSet
from sglang_lint.releases.binding import Binding, BindingProblem
from sglang_lint.releases.context import JudgedFor
from sglang_lint.releases.history import lifecycle
from sglang_lint.releases.images import release_of_image
from sglang_lint.releases.table import known_releases
from sglang_lint.text import Span

# Problems that a fork or a development build may not have: its options are not known.
_FORK_MAY_KNOW = frozenset(
    """
    unknown-option removed-option future-option invalid-choice
    unknown-keyword removed-keyword future-keyword
    """.split()
)


@dataclass(frozen=True)
class _Seen:
    problem: BindingProblem
    release: str
    variant: int


def check_arguments(
    launch: Launch,
    judged: JudgedFor,
    bindings: Mapping[str, Sequence[Binding]],
    rules: RuleSet,
) -> list[Finding]:
    """The problems of binding, one finding for each kind and place."""
    seen: dict[tuple[str, Span], list[_Seen]] = {}
    for release, variants in bindings.items():
        for index, binding in enumerate(variants):
            for problem in binding.problems:
                seen.setdefault((problem.kind, problem.span), []).append(
                    _Seen(problem, release, index)
                )
    unofficial = not judged.is_stated and _runs_unofficial_build(launch)
    return [
        _finding(launch, judged, rules.by_check[kind], entries, unofficial)
        for (kind, _), entries in seen.items()
    ]


def _runs_unofficial_build(launch: Launch) -> bool:
    return any(
        item.kind is EvidenceKind.IMAGE and release_of_image(item.text) is None
        for item in launch.evidence
    )


def _finding(
    launch: Launch, judged: JudgedFor, rule: Rule, entries: Sequence[_Seen], unofficial: bool
) -> Finding:
    last = entries[-1]
    problem, case = last.problem, rule.cases[0]
    versions = tuple(dict.fromkeys(entry.release for entry in entries))
    variants = {entry.variant for entry in entries}
    definite, condition = condition_of(versions, judged.releases)
    branch = launch.variants[min(variants)].condition
    if len(variants) < len(launch.variants) and branch is not None:
        condition = f"{condition}, when {branch}" if condition else f"when {branch}"
    severity = case.severity
    if severity == "error" and (not definite or _may_be_right(problem, unofficial)):
        severity = "warning"
    elif not problem.refuses and not definite:
        severity = "info"  # nobody has to act before the release is known
    return Finding(
        rule,
        case,
        fill_values(case.message, _values(problem, last.release)),
        problem.span,
        severity,
        definite,
        condition,
        versions,
        _related(problem),
        _replacements(problem),
    )


def _may_be_right(problem: BindingProblem, unofficial: bool) -> bool:
    return unofficial and problem.kind in _FORK_MAY_KNOW


def _values(problem: BindingProblem, release: str) -> dict[str, str]:
    values = {
        "option": problem.option,
        "release": release,
        "value": problem.value or "",
        "first": problem.release or "",
        "last": problem.release or "",
        "expected": problem.expected or "another value",
        "candidates": listed(problem.candidates[:4]) if problem.candidates else "",
        "hint": _hint(problem),
        "removed": _removed(problem),
    }
    if problem.kind == "repeated-option" and problem.previous is not None:
        values["value"] = str(getattr(problem.previous.value, "value", ""))
    return values


def _hint(problem: BindingProblem) -> str:
    """The end of the sentence: what to write instead, where something is near."""
    if problem.kind == "invalid-choice" and not problem.suggestions and problem.choices:
        return f"; it takes {listed(map(str, problem.choices[:12]))}."
    texts = [
        f"`{item.text}`"
        + (f" for {item.note}" if item.note and len(problem.suggestions) > 1 else "")
        for item in problem.suggestions
    ]
    if not texts:
        return "."
    if problem.kind.startswith(("removed", "deprecated", "ambiguous")):
        return f"; use {' or '.join(texts)}."
    return f". Did you mean {' or '.join(texts)}?"


def _removed(problem: BindingProblem) -> str:
    """When a deprecated option is gone: the reason to change it now."""
    if problem.kind != "deprecated-option":
        return ""
    life = lifecycle(problem.option)
    if life is None or life.last == known_releases()[-1]:
        return ""
    return f" {life.last} is the last release that has it."


def _related(problem: BindingProblem) -> tuple[Related, ...]:
    if problem.previous is None:
        return ()
    return (Related("given here before", problem.previous.span),)


def _replacements(problem: BindingProblem) -> tuple[Replacement, ...]:
    if problem.kind in ("invalid-choice", "invalid-value"):
        return tuple(
            Replacement(
                f"set `{problem.option} {item.text}`",
                False,
                (ValueEdit(problem.value_span, problem.value or "", item.text),),
            )
            for item in problem.suggestions
        )
    sole = len(problem.suggestions) == 1
    return tuple(
        Replacement(
            f"write `{item.text}`" + (f" ({item.note})" if item.note else ""),
            sole and problem.kind == "deprecated-option" and " " not in item.text,
            (ValueEdit(problem.option_span, problem.option, item.text),),
        )
        for item in problem.suggestions
    )
