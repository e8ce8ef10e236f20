"""The rules' verdicts on a launch as findings, one for each rule and place."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from sglang_lint.checks.finding import Finding
from sglang_lint.engine.ways_out import replacements_of
from sglang_lint.engine.wording import condition_in_words, fill
from sglang_lint.launches import Launch, Related, Variant
from sglang_lint.launches.entry_points import Style
from sglang_lint.matrix.judge import Bench, Verdict
from sglang_lint.matrix.rules import RuleSet
from sglang_lint.matrix.world import Subject, World
from sglang_lint.releases.binding import Binding, BoundArgument
from sglang_lint.releases.context import JudgedFor
from sglang_lint.releases.table import release_table
from sglang_lint.text import Span


@dataclass(frozen=True)
class _Spoken:
    verdict: Verdict
    variant: Variant
    span: Span


def worlds_of(
    launch: Launch,
    judged: JudgedFor,
    bindings: Mapping[str, Sequence[Binding]],
    rules: RuleSet,
    *,
    environment_complete: bool,
) -> list[list[World]]:
    """For each variant of a launch, its world in each release that it may be for."""
    environment = {setting.name: setting.value for setting in launch.environment}
    worlds: list[list[World]] = [[] for _ in launch.variants]
    for release in judged.releases:
        table, model = release_table(release), judged.model_of(release)
        by_keywords = launch.entry_point.style is Style.KEYWORDS
        defaults = table.field_defaults if by_keywords else table.defaults
        for variant, own, binding in zip(launch.variants, worlds, bindings[release], strict=True):
            subject = Subject(
                release,
                table,
                binding,
                by_keywords,
                defaults,
                _unseen_fields(variant, binding),
                environment,
                environment_complete,
                rules,
            )
            own.append(World(subject, judged.platform, model))
    return worlds


def _unseen_fields(variant: Variant, binding: Binding) -> frozenset[str] | None:
    """The fields that arguments which nobody sees may set, None where that may be any."""
    if not binding.open:
        return frozenset()
    named: set[str] = set()
    for tail in variant.tails:
        if tail.fields is None:
            return None
        named |= tail.fields
    # Else it is a word on the command line that is not known.
    unknown_word = any(word.splits for word in variant.words)
    return frozenset(named) if named and not unknown_word else None


def findings_of_rules(
    launch: Launch,
    worlds: Sequence[Sequence[World]],
    rules: RuleSet,
    releases: Sequence[str],
    least: str,
) -> list[Finding]:
    """Every rule that speaks on some variant; one that speaks on all names no branch."""
    bench = Bench(rules.conditions, least)
    spoken: dict[tuple[str, Span], list[_Spoken]] = {}
    for variant, own_worlds in zip(launch.variants, worlds, strict=True):
        for verdict in bench.judge(own_worlds):
            span = _place(launch, verdict)
            entry = _Spoken(verdict, variant, span)
            spoken.setdefault((verdict.rule.name, span), []).append(entry)
    return [
        _finding(launch, entries, len(launch.variants), releases) for entries in spoken.values()
    ]


def _finding(
    launch: Launch, entries: Sequence[_Spoken], variants: int, releases: Sequence[str]
) -> Finding:
    entry = max(entries, key=lambda item: item.verdict.definite)
    verdict = entry.verdict
    branch = entry.variant.condition if len(entries) < variants else None
    related = list(_related(verdict, entry.span))
    if verdict.only_without_tail:
        related.extend(
            Related(f"may change it: {tail.why}", tail.span) for tail in entry.variant.unseen()
        )
    return Finding(
        verdict.rule,
        verdict.case,
        fill(verdict.case.message, verdict),
        entry.span,
        verdict.severity,
        verdict.definite,
        condition_in_words(verdict, releases, branch),
        verdict.releases,
        tuple(related),
        replacements_of(verdict),
    )


def _place(launch: Launch, verdict: Verdict) -> Span:
    written = _written(verdict)
    return written[0].span if written else launch.span


def _written(verdict: Verdict) -> list[BoundArgument]:
    arguments = verdict.world.subject.binding.arguments
    return [arguments[name] for name in verdict.case.primary if name in arguments]


def _related(verdict: Verdict, span: Span) -> Iterable[Related]:
    written = _written(verdict)
    for argument in written:
        yield from argument.related
    for argument in written[1:]:
        if argument.span != span:
            yield Related(f"together with `{argument.option}`", argument.span)
