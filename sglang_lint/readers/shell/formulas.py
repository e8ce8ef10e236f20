"""Conditions of branches as formulas over what a script is started with."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import TypeAlias

from sglang_lint.readers.shell.bindings import Bound
from sglang_lint.readers.shell.facts import Facts
from sglang_lint.readers.shell.pieces import Subject

_MAX_DEPTH = 24


@dataclass(frozen=True, eq=False)
class Always:
    """A condition whose truth is known."""

    truth: bool


@dataclass(frozen=True, eq=False)
class Negated:
    """`! condition`."""

    inner: Formula


@dataclass(frozen=True, eq=False)
class Joined:
    """`a && b` (every) or `a || b` (not every)."""

    first: Formula
    second: Formula
    every: bool
    depth: int


@dataclass(frozen=True, eq=False)
class Compared:
    """A comparison of two words; `key` names it where neither side is known."""

    left: Bound
    operator: str
    right: Bound
    key: Hashable


@dataclass(frozen=True, eq=False)
class Matched:
    """A word against a pattern of `case` or `[[ == ]]`."""

    left: Bound
    pattern: Bound
    key: Hashable


@dataclass(frozen=True, eq=False)
class About:
    """A comparison of a value from outside with a text."""

    subject: Subject
    operator: str
    right: str


@dataclass(frozen=True, eq=False)
class Named:
    """A condition that only a run can tell; the same `key` is the same truth."""

    key: Hashable


Formula: TypeAlias = Always | Negated | Joined | Compared | Matched | About | Named


def joined(first: Formula, second: Formula, every: bool) -> Formula:
    """Both, or one of the two; past a depth that no script needs, known by name only."""
    depth = 1 + max(_depth(first), _depth(second))
    return Joined(first, second, every, depth) if depth <= _MAX_DEPTH else Named((first, second))


def _depth(formula: Formula) -> int:
    if isinstance(formula, Negated):
        return 1 + _depth(formula.inner)
    return formula.depth if isinstance(formula, Joined) else 0


@dataclass(frozen=True, eq=False)
class Arm:
    """One way through a branch: how the script words it, and what holds there."""

    label: str
    conditions: tuple[tuple[Formula, bool], ...]


@dataclass(frozen=True, eq=False)
class Select:
    """A branch whose way is not known; its arms exclude each other and leave none out."""

    arms: tuple[Arm, ...]


class UndecidedError(Exception):
    """An evaluation needs to know which arm of a branch was taken."""

    def __init__(self, select: Select) -> None:
        super().__init__()
        self.select = select


@dataclass(frozen=True, eq=False)
class Path:
    """What holds at one point of a script, on one way to it."""

    decisions: dict[Select, int] = field(default_factory=dict)
    facts: dict[Hashable, Facts] = field(default_factory=dict)
    truths: dict[Hashable, bool] = field(default_factory=dict)
    # Conditions that could not be taken apart when they were assumed.
    pending: tuple[tuple[Formula, bool], ...] = ()
    feasible: dict[Select, tuple[int, ...]] = field(default_factory=dict)
