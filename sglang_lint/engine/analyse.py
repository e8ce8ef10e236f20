"""One document in, its diagnostics out: pure, the same for every face."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from sglang_lint.checks.arguments import check_arguments
from sglang_lint.checks.finding import Finding
from sglang_lint.checks.hooks import check_hooks
from sglang_lint.checks.release import check_release
from sglang_lint.engine.diagnostic import Diagnostic, JudgedAs
from sglang_lint.engine.directives import Directives, read_directives, suppressed_by
from sglang_lint.engine.judging import findings_of_rules, worlds_of
from sglang_lint.engine.placing import diagnostic_of
from sglang_lint.launches import Fault, Launch, Reading, Related
from sglang_lint.matrix.judge import at_most, undecided_axes
from sglang_lint.matrix.rules import SEVERITIES, Rule, RuleSet, bundled_rules
from sglang_lint.readers.registry import Format, format_of, may_hold_launch
from sglang_lint.releases.binding import Binding
from sglang_lint.releases.context import (
    JudgedFor,
    Statements,
    bind_launch,
    covered_releases,
    judged_for,
)
from sglang_lint.releases.table import base_release, is_added
from sglang_lint.text import Document, MappedText, Span


@dataclass(frozen=True)
class Settings:
    """What the user chose: stated facts, rules and which of them, the least severity looked for."""

    statements: Statements = field(default_factory=Statements)
    rules: RuleSet = field(default_factory=bundled_rules)
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    least: str = "info"
    environment_complete: bool = False
    honour_noqa: bool = True

    def wants(self, rule: Rule) -> bool:
        """Whether a rule is chosen by name, code, or the beginning of a code."""
        return (not self.select or _is_named(rule, self.select)) and not _is_named(
            rule, self.ignore
        )


@dataclass(frozen=True)
class JudgedLaunch:
    """A launch with what it was judged for and its variants bound to each of its releases."""

    launch: Launch
    judged: JudgedFor
    bindings: dict[str, list[Binding]]
    undecided: frozenset[str]


@dataclass(frozen=True)
class Analysis:
    """All that was found in one document; `diagnostics` in the order of the text."""

    document: Document
    diagnostics: tuple[Diagnostic, ...] = ()
    launches: tuple[JudgedLaunch, ...] = ()
    suppressed: int = 0


def analyse(document: Document, settings: Settings, text_format: Format | None = None) -> Analysis:
    """Read, judge and filter one document.

    `text_format` is needed only where the document's path does not tell it.
    """
    text_format = text_format or format_of(document.path, document.line(1))
    if text_format is None or not may_hold_launch(document.text):
        return Analysis(document)
    directives = read_directives(document, noqa=settings.honour_noqa)
    if directives.ignore_file:
        return Analysis(document)
    reading = text_format.load()(MappedText.region(document.text), document.path)
    return analyse_reading(document, reading, settings, directives)


def analyse_reading(
    document: Document, reading: Reading, settings: Settings, directives: Directives
) -> Analysis:
    """Judge what a reader has seen in a document."""
    diagnostics: list[Diagnostic] = []
    launches = []
    for index, launch in enumerate(reading.launches):
        judged_launch, findings = _judge(launch, settings, directives)
        launches.append(judged_launch)
        judged = _judged_as(judged_launch.judged)
        diagnostics.extend(
            diagnostic_of(document, found, index, judged)
            for found in findings
            if not _is_explained(found, reading.faults)
        )
    diagnostics.extend(
        diagnostic_of(document, found, None, None) for found in _faults(reading, settings)
    )
    diagnostics.extend(_hook_diagnostics(document, reading, settings, directives))
    wanted = [
        diagnostic
        for diagnostic in _distinct(diagnostics)
        if settings.wants(settings.rules.by_name[diagnostic.rule])
        and SEVERITIES.index(diagnostic.severity) >= SEVERITIES.index(settings.least)
    ]
    extents = [extent for launch in reading.launches for extent in (launch.extent, *launch.holders)]
    kept = [d for d in wanted if not _is_suppressed(document, d, directives, extents)]
    kept.sort(key=lambda diagnostic: (diagnostic.span, diagnostic.code, diagnostic.rule))
    return Analysis(document, tuple(kept), tuple(launches), len(wanted) - len(kept))


def _distinct(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """One of those that say the same at one place: launches may share what is written once."""
    found = {(item.rule, item.span, item.message): item for item in reversed(list(diagnostics))}
    return list(found.values())


def _is_explained(finding: Finding, faults: Sequence[Fault]) -> bool:
    """Whether the parser only stumbles over what a fault of the host language has said already."""
    return finding.rule.code.startswith("SGL5") and any(
        fault.span.covers(finding.span) for fault in faults
    )


def _told_elsewhere(finding: Finding, told_by: Related) -> Finding:
    """A finding for a release that another file tells.

    What is true on one branch only is no error then: the branch may be there for other releases.
    """
    if finding.condition is not None:
        finding = replace(finding, severity=at_most(finding.severity, "warning"))
    return replace(finding, related=(*finding.related, told_by))


def _judge(
    launch: Launch, settings: Settings, directives: Directives
) -> tuple[JudgedLaunch, list[Finding]]:
    judged = judged_for(launch, _statements(settings, directives, launch.span.start))
    bindings = {release: bind_launch(launch, release) for release in judged.releases}
    rules = settings.rules
    findings = check_release(launch, judged, rules)
    findings += check_arguments(launch, judged, bindings, rules)
    worlds = worlds_of(
        launch, judged, bindings, rules, environment_complete=settings.environment_complete
    )
    # All rules are judged whatever is chosen: one may say why another does not matter.
    by_rules = findings_of_rules(launch, worlds, rules, judged.releases, settings.least)
    if is_added(judged.releases[-1]):
        # Its options were read, what it does with them is taken from the release it comes after.
        by_rules = [_at_most_warning(finding) for finding in by_rules]
    findings += by_rules
    told_by = judged.release_related
    if told_by is not None and told_by.path is not None:
        findings = [_told_elsewhere(found, told_by) for found in findings]
    if judged.newer_than_data:
        findings = [_at_most_warning(finding) for finding in findings]
    return JudgedLaunch(
        launch, judged, bindings, undecided_axes(worlds, rules.conditions)
    ), findings


def _at_most_warning(finding: Finding) -> Finding:
    return replace(finding, severity=at_most(finding.severity, "warning"))


def _statements(settings: Settings, directives: Directives, offset: int) -> Statements:
    given = settings.statements
    return replace(
        given,
        releases=[*given.releases, *directives.stated("release", offset)],
        platforms=[*given.platforms, *directives.stated("platform", offset)],
        models=[*given.models, *directives.stated("model", offset)],
    )


def _faults(reading: Reading, settings: Settings) -> Iterable[Finding]:
    for fault in reading.faults:
        rule = settings.rules.by_check[fault.check]
        case = rule.cases[0]
        yield Finding(rule, case, fault.message, fault.span, case.severity, related=fault.related)


def _hook_diagnostics(
    document: Document, reading: Reading, settings: Settings, directives: Directives
) -> Iterable[Diagnostic]:
    """Code against the hook contract, which belongs to no launch: statements tell its release."""
    if not reading.hook_overrides and not reading.hook_calls:
        return
    statements = _statements(settings, directives, 0)
    stated = next(iter((*statements.releases, *statements.default_releases)), None)
    if stated is not None and base_release(stated.value) in covered_releases():
        releases: tuple[str, ...] = (stated.value,)
        source = stated.source
    else:
        releases, source = covered_releases(), "no release is stated"
    judged = JudgedAs(releases, source, None, "not known", None, "not known")
    for finding in check_hooks(reading, settings.rules, releases):
        yield diagnostic_of(document, finding, None, judged)


def _judged_as(judged: JudgedFor) -> JudgedAs:
    return JudgedAs(
        judged.releases,
        judged.release_source,
        judged.platform.name if judged.platform else None,
        judged.platform_source,
        judged.model_text,
        judged.model_source,
    )


def _is_suppressed(
    document: Document, diagnostic: Diagnostic, directives: Directives, extents: Sequence[Span]
) -> bool:
    code = diagnostic.code
    names = frozenset([diagnostic.rule, *(code[:length] for length in range(3, len(code) + 1))])
    return (
        suppressed_by(document, directives.suppressions, extents, diagnostic.span, names)
        is not None
    )


def _is_named(rule: Rule, names: Sequence[str]) -> bool:
    return any(name == rule.name or rule.code.startswith(name) for name in names)
