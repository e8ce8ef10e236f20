"""What changes for a launch between two releases: it is judged at both and the two compared."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, replace

from sglang_lint.engine.analyse import JudgedLaunch, Settings, analyse_reading
from sglang_lint.engine.diagnostic import Diagnostic
from sglang_lint.engine.directives import Directives
from sglang_lint.engine.judging import worlds_of
from sglang_lint.engine.resolved import CORE_FIELDS, last_value
from sglang_lint.launches import Reading
from sglang_lint.matrix.expression import PHASE_BACKENDS
from sglang_lint.matrix.rules import RuleSet
from sglang_lint.matrix.world import World
from sglang_lint.releases.binding import BindingProblem
from sglang_lint.releases.context import Stated, covered_releases
from sglang_lint.releases.table import base_release
from sglang_lint.text import Document, Span
from sglang_lint.values import Known

KINDS = ("refused", "deprecated", "changed", "possible")
_PHASES = {
    "prefill_backend": "the prefill attention backend",
    "decode_backend": "the decode attention backend",
}


@dataclass(frozen=True)
class Change:
    """One thing that is not the same in the two releases.

    `kind` is `refused` (it would break), `deprecated`, `changed` (silently) or `possible` (what
    was an error is none any more). `subject` is the option, the rule's name, or the phase whose
    backend changes; `code` and `consequence` are those of the rule that speaks. `values` are the
    value before and after where that is what changes.
    """

    kind: str
    subject: str
    message: str
    span: Span
    code: str | None = None
    consequence: str | None = None
    values: tuple[Hashable, Hashable] | None = None


@dataclass(frozen=True)
class Upgrade:
    """What a launch meets on the way from the release `before`, in the order of the text.

    `is_open` tells that any argument may be there that was not seen: defaults are then not
    compared. Where only some fields may be set unseen, those are left out.
    """

    launch: JudgedLaunch
    before: str
    changes: tuple[Change, ...]
    is_open: bool

    @property
    def breaks(self) -> bool:
        """Whether the launch would meet an error that it does not meet now."""
        return any(change.kind == "refused" for change in self.changes)


@dataclass(frozen=True)
class _Side:
    """A launch as one release takes it."""

    release: str
    launch: JudgedLaunch
    diagnostics: tuple[Diagnostic, ...]
    problems: Mapping[tuple[str, Span], BindingProblem]

    @property
    def errors(self) -> dict[tuple[str, Span], Diagnostic]:
        """The rules, not those of the parser, that say for certain that it fails."""
        return {
            (item.rule, item.span): item
            for item in self.diagnostics
            if _is_definite_failure(item) and (item.rule, item.span) not in self.problems
        }


def upgrade_of(
    document: Document,
    judged_launch: JudgedLaunch,
    target: str,
    settings: Settings,
    directives: Directives,
) -> Upgrade:
    """Judge a launch at the newest release that it is for and at a known target."""
    before = judged_launch.judged.releases[-1]
    old, new = (
        _side(document, judged_launch, release, settings, directives)
        for release in (before, target)
    )
    changes = [
        *_of_the_parser(old, new),
        *_of_the_rules(old, new),
        *_of_values(old, new, settings.rules),
    ]
    changes.sort(key=lambda change: (change.span, change.kind, change.subject))
    worlds = _worlds(old, old, settings.rules)
    is_open = any(world.subject.unseen is None for world in worlds)
    return Upgrade(judged_launch, before, tuple(dict.fromkeys(changes)), is_open)


def _side(
    document: Document,
    judged_launch: JudgedLaunch,
    release: str,
    settings: Settings,
    directives: Directives,
) -> _Side:
    statements = replace(settings.statements, releases=[Stated(release, "the upgrade")])
    analysis = analyse_reading(
        document,
        Reading((judged_launch.launch,)),
        replace(settings, statements=statements, least="warning"),
        directives,
    )
    (launch,) = analysis.launches
    by_check = settings.rules.by_check
    problems = {
        (by_check[problem.kind].name, problem.span): problem
        for binding in launch.bindings[release]
        for problem in binding.problems
    }
    return _Side(release, launch, analysis.diagnostics, problems)


def _is_definite_failure(diagnostic: Diagnostic) -> bool:
    # What only a reading of the source tells is a warning, and fails the server all the same.
    return diagnostic.definite and diagnostic.consequence in ("refused", "init", "crash", "wrong")


def _of_the_parser(old: _Side, new: _Side) -> Iterable[Change]:
    """Options that the parser begins to refuse or to warn of, or takes from now on."""
    refused_before = {item.option_span for item in old.problems.values() if item.refuses}
    refused_after = {item.option_span for item in new.problems.values() if item.refuses}
    warned_before = {item.option_span for item in old.problems.values()}
    for diagnostic in new.diagnostics:
        problem = new.problems.get((diagnostic.rule, diagnostic.span))
        if problem is None:
            continue
        if problem.refuses and problem.option_span not in refused_before:
            yield _spoken("refused", problem.option, diagnostic)
        elif problem.kind == "deprecated-option" and problem.option_span not in warned_before:
            yield _spoken("deprecated", problem.option, diagnostic)
    for diagnostic in old.diagnostics:
        problem = old.problems.get((diagnostic.rule, diagnostic.span))
        if problem and problem.refuses and problem.option_span not in refused_after:
            yield _spoken("possible", problem.option, diagnostic)


def _of_the_rules(old: _Side, new: _Side) -> Iterable[Change]:
    """Rules that begin to speak for certain, and errors that end."""
    before = {(item.rule, item.span) for item in old.diagnostics if item.definite}
    for diagnostic in new.diagnostics:
        key = (diagnostic.rule, diagnostic.span)
        if key in before or key in new.problems or not diagnostic.definite:
            continue
        if _is_definite_failure(diagnostic):
            yield _spoken("refused", diagnostic.rule, diagnostic)
        elif diagnostic.consequence == "overridden":
            yield _spoken("changed", diagnostic.rule, diagnostic)
    still = {item.rule for item in new.diagnostics}
    fails = new.errors or any(problem.refuses for problem in new.problems.values())
    for diagnostic in old.errors.values():
        if diagnostic.rule not in still and not fails:
            yield _spoken("possible", diagnostic.rule, diagnostic)


def _spoken(kind: str, subject: str, diagnostic: Diagnostic) -> Change:
    return Change(
        kind,
        subject,
        diagnostic.message,
        diagnostic.span,
        diagnostic.code,
        diagnostic.consequence,
    )


def _of_values(old: _Side, new: _Side, rules: RuleSet) -> Iterable[Change]:
    """Values that nobody wrote and that are not what they were."""
    bases = {base_release(old.release), base_release(new.release)}
    covered = bases <= set(covered_releases())
    launch = old.launch.launch
    for before, after in zip(_worlds(old, old, rules), _worlds(new, old, rules), strict=True):
        resolved = _resolved(before, after) if covered else {}
        for name, (was, is_now) in resolved.items():
            if was != is_now:
                yield _changed(after, name, launch.span, was, is_now)
        for name, was, is_now in _defaults(before, after):
            if name not in resolved:
                yield _changed(after, name, launch.span, was, is_now, "by default")


def _worlds(side: _Side, written: _Side, rules: RuleSet) -> list[World]:
    """Each variant's world; an option that the parser has dropped counts as if it were respelt."""
    bindings = [
        replace(own, arguments={**first.arguments, **own.arguments})
        for own, first in zip(
            side.launch.bindings[side.release],
            written.launch.bindings[written.release],
            strict=True,
        )
    ]
    worlds = worlds_of(
        side.launch.launch,
        side.launch.judged,
        {side.release: bindings},
        rules,
        environment_complete=False,
    )
    return [world for variant in worlds for world in variant]


def _resolved(before: World, after: World) -> dict[str, tuple[Known, Known]]:
    """The core fields whose last value is known in both worlds."""
    found = {}
    tables = before.subject.table, after.subject.table
    for name in CORE_FIELDS:
        if name not in PHASE_BACKENDS and not all(name in table.by_canonical for table in tables):
            continue
        was, is_now = last_value(before, name), last_value(after, name)
        if isinstance(was, Known) and isinstance(is_now, Known):
            found[name] = was, is_now
    return found


def _defaults(before: World, after: World) -> Iterable[tuple[str, Known, Known]]:
    """The options left to SGLang for which the parser has another default."""
    old, new = before.subject, after.subject
    for name in sorted(old.table.options_of.keys() & new.table.options_of.keys()):
        if name in new.binding.arguments or new.may_be_unseen(name):
            continue
        was, is_now = old.default(name), new.default(name)
        if isinstance(was, Known) and isinstance(is_now, Known) and was != is_now:
            yield name, was, is_now


def _changed(
    world: World, name: str, span: Span, was: Known, is_now: Known, how: str = "in effect"
) -> Change:
    arguments = world.subject.binding.arguments
    names = [field for field in PHASE_BACKENDS.get(name, (name,)) if field in arguments]
    if names:
        span = arguments[names[0]].span
    subject = _PHASES.get(name) or f"`{world.subject.spelling(name)}`"
    old, new = ("left to SGLang" if v.value is None else f"`{v.value}`" for v in (was, is_now))
    message = f"{subject[0].upper()}{subject[1:]} is {new} {how}; it was {old}."
    values = (was.value, is_now.value)
    return Change("changed", subject.strip("`"), message, span, values=values)
