"""Guards of the releases that rules answer for, and whether a rule spoke where one did."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml

from sglang_lint.engine import Diagnostic
from sglang_lint.matrix.rules import bundled_rules
from sglang_lint.releases.versions import Specifier, specifier

GUARDS = Path(__file__).parents[1] / "tests" / "oracle" / "core-guards.yaml"
FACTORY_FILE = "attention_registry.py"
# Its factories; the wrapper around them runs too late for the oracle.
FACTORY_PREFIX = "create_"


@dataclass(frozen=True)
class Guard:
    """A function that refuses, in some releases, and the rules whose cause it is.

    A function may refuse for several causes: `about` are words of which one has to stand in its
    message for this guard to be the one that spoke.
    """

    function: str
    releases: Specifier
    rules: tuple[str, ...]
    about: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """How a report names it."""
        return f"{self.function} ({', '.join(self.about)})" if self.about else self.function

    def spoke(self, release: str, function: str | None, message: str) -> bool:
        """Whether a refusal is this guard's."""
        if function != self.function or release not in self.releases:
            return False
        lowered = message.lower()
        return not self.about or any(word.lower() in lowered for word in self.about)


def read_guards(path: Path = GUARDS) -> list[Guard]:
    """The guards of a file; the first that spoke for a refusal is the one that counts."""
    entries = yaml.safe_load(path.read_text(encoding="utf-8"))
    return [
        Guard(
            entry["function"],
            specifier(entry["releases"]),
            tuple(entry["rules"]),
            tuple(entry.get("about", ())),
        )
        for entry in entries
    ]


def guard_that_spoke(
    guards: Iterable[Guard], release: str, function: str | None, message: str
) -> Guard | None:
    """The guard behind a refusal, None where no rule answers for it."""
    return next((guard for guard in guards if guard.spoke(release, function, message)), None)


def decided(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """The definite errors that a refusal at start-up must back.

    A refusal at worker start counts only where the rule rests on an attention backend's factory:
    the oracle runs nothing later.
    """
    return [
        diagnostic
        for diagnostic in diagnostics
        if diagnostic.definite
        and diagnostic.severity == "error"
        and (
            diagnostic.consequence == "refused"
            or (diagnostic.consequence == "init" and _rests_on_factory(diagnostic.rule))
        )
    ]


def answered(guard: Guard, diagnostics: Iterable[Diagnostic]) -> bool:
    """Whether a rule of the guard is among the decided findings."""
    return any(diagnostic.rule in guard.rules for diagnostic in decided(diagnostics))


def _rests_on_factory(name: str) -> bool:
    rule = bundled_rules().by_name.get(name)
    cases: Sequence[object] = () if rule is None else rule.cases
    return any(
        evidence.file.endswith(FACTORY_FILE)
        and evidence.symbol.startswith(FACTORY_PREFIX)
        and evidence.by == "guard"
        for case in cases
        for evidence in getattr(case, "evidence", ())
    )
