"""A launch bound to a release: which field each argument sets, and what the parser refuses."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from sglang_lint.launches import Origin, Related
from sglang_lint.text import Span
from sglang_lint.values import Value

Presence: TypeAlias = Literal["given", "maybe"]
ProblemKind: TypeAlias = Literal[
    "unknown-option",
    "removed-option",
    "future-option",
    "deprecated-option",
    "ambiguous-option",
    "invalid-choice",
    "invalid-value",
    "missing-value",
    "unexpected-word",
    "repeated-option",
    "unknown-keyword",
    "removed-keyword",
    "future-keyword",
]

# Kinds that do not stop the launch.
WARNINGS: frozenset[ProblemKind] = frozenset(["deprecated-option", "repeated-option"])

# Arguments remembered of an option that is written over and over.
MAX_EARLIER = 8


@dataclass(frozen=True)
class BoundArgument:
    """An argument with the field that it sets, by canonical name.

    `option` is the name as written, `value` typed as the parser types it (JSON stays a string,
    several values are a tuple). `value_span` is empty, at the option's end, where no value is
    written. `presence` is `maybe` where a word may or may not be this argument. `earlier` are
    arguments for the same field that this one overrides, the latest first.
    """

    field: str
    option: str
    option_span: Span
    value: Value
    value_span: Span
    origin: Origin = Origin.WRITTEN
    related: tuple[Related, ...] = ()
    presence: Presence = "given"
    earlier: tuple[BoundArgument, ...] = ()

    @property
    def span(self) -> Span:
        """From the option to the end of its value."""
        return self.option_span.to(self.value_span)

    def after(self, previous: BoundArgument) -> BoundArgument:
        """This argument, remembering the one that it overrides."""
        earlier = (replace(previous, earlier=()), *previous.earlier)
        return replace(self, earlier=earlier[:MAX_EARLIER])


@dataclass(frozen=True, slots=True)
class Suggestion:
    """Something to write instead; `note` says when, where there is more than one."""

    text: str
    note: str | None = None


@dataclass(frozen=True)
class BindingProblem:
    """Something that the release's parser refuses, or warns of, for certain.

    `option` is the name as written (a stray word itself for `unexpected-word`), `field` the
    canonical field where one is known, `value` the offending value as written. `suggestions` are
    options (fields, for keywords) that this release has. For removed and future options `release`
    is the last release that had it, or the first that will (for an ambiguous abbreviation, the last
    in which it was an option of its own). `choices` are the values allowed,
    `expected` the type or number of values; `candidates` are the options that an abbreviation may
    stand for. `previous` is the argument that a repeated option overrides.
    """

    kind: ProblemKind
    span: Span
    option: str
    option_span: Span
    value_span: Span
    field: str | None = None
    value: str | None = None
    suggestions: tuple[Suggestion, ...] = ()
    release: str | None = None
    choices: tuple[Hashable, ...] = ()
    expected: str | None = None
    candidates: tuple[str, ...] = ()
    previous: BoundArgument | None = None

    @property
    def refuses(self) -> bool:
        """Whether the release stops at it."""
        return self.kind not in WARNINGS


@dataclass(frozen=True)
class Binding:
    """What a release's parser makes of a launch.

    `arguments` are by canonical field name; `open` says that arguments may be there that were not
    seen.
    """

    arguments: Mapping[str, BoundArgument]
    problems: tuple[BindingProblem, ...] = ()
    open: bool = False

    @property
    def refused(self) -> bool:
        """Whether the parser stops the launch for certain."""
        return any(problem.refuses for problem in self.problems)
