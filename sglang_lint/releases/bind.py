"""Binding a launch to a release, exactly as that release's parser binds."""

from __future__ import annotations

from sglang_lint.launches import EntryPoint, Variant
from sglang_lint.releases.bind_argv import ArgvBinder
from sglang_lint.releases.bind_keywords import bind_keywords
from sglang_lint.releases.binding import (
    Binding,
    BindingProblem,
    BoundArgument,
    Presence,
    ProblemKind,
    Suggestion,
)
from sglang_lint.releases.problems import Reporter
from sglang_lint.releases.table import ReleaseTable

__all__ = [
    "Binding",
    "BindingProblem",
    "BoundArgument",
    "Presence",
    "ProblemKind",
    "Suggestion",
    "bind",
    "understands",
]


def bind(variant: Variant, entry_point: EntryPoint, table: ReleaseTable) -> Binding:
    """Which field each argument sets, with what value, and what the release refuses.

    Only what is certain is a problem: a value or a word that is not known gives none.
    """
    return _bind(variant, entry_point, table, Reporter(table))


def understands(variant: Variant, entry_point: EntryPoint, table: ReleaseTable) -> bool:
    """Whether the release's parser takes every argument written, as far as they are known."""
    return not _bind(variant, entry_point, table, Reporter(table, explain=False)).refused


def _bind(
    variant: Variant, entry_point: EntryPoint, table: ReleaseTable, report: Reporter
) -> Binding:
    binder = ArgvBinder(variant, entry_point, table, report)
    binder.run()
    bind_keywords(variant.keywords, entry_point, table, report, binder.arguments)
    problems = () if report.stopped else tuple(report.problems)
    return Binding(binder.arguments, problems, binder.open or bool(variant.tails))
