"""Tests of branches as formulas, and which of them can hold together.

Two branches on one test are one decision, `if not x` is the other side of `if x`, and
`mode == "a"` excludes `mode == "b"`. Whatever is not of such a form is a proposition of its own.
"""

from __future__ import annotations

import itertools
import operator
import typing
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

# Past this many tests on the same subjects, or this many combinations of values of those, nobody
# asks whether they fit together.
MAX_KIN = 24
# Of a long way through branches only the last ones are asked.
MAX_PATH = 64
MAX_SAMPLES = 4096


@dataclass(frozen=True, slots=True)
class Atom:
    """`subject operator constant`; the subject's key says which value of it is meant."""

    subject: Hashable
    operator: str  # ==, <, <=, >, >=, in, is, true, holds
    constant: Hashable = None


@dataclass(frozen=True, slots=True)
class Constant:
    """A formula that is decided."""

    truth: bool


@dataclass(frozen=True, slots=True)
class Not:
    """The contrary."""

    inner: Formula


@dataclass(frozen=True, slots=True)
class All:
    """Each of them."""

    inner: tuple[Formula, ...]


@dataclass(frozen=True, slots=True)
class Any:
    """At least one of them."""

    inner: tuple[Formula, ...]


Formula: TypeAlias = Atom | Constant | Not | All | Any


class Test:
    """One decision of the program: a formula, and how it was written first."""

    __slots__ = ("_hash", "atoms", "formula", "text")

    def __init__(self, formula: Formula, text: str) -> None:
        self.formula = formula
        self.text = text
        self.atoms = frozenset(atoms_of(formula))
        self._hash = hash(formula)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Test) and self.formula == other.formula

    def __hash__(self) -> int:
        return self._hash

    def described(self, truth: bool) -> str:
        """The branch in the file's own words."""
        return self.text if truth else f"not ({self.text})"


Path: TypeAlias = Mapping[Test, bool]


def atoms_of(formula: Formula) -> list[Atom]:
    """The propositions that a formula is made of."""
    if isinstance(formula, Atom):
        return [formula]
    if isinstance(formula, Constant):
        return []
    if isinstance(formula, Not):
        return atoms_of(formula.inner)
    return [atom for inner in formula.inner for atom in atoms_of(inner)]


def negated(formula: Formula) -> Formula:
    """The contrary of a formula, without double negation."""
    if isinstance(formula, Not):
        return formula.inner
    if isinstance(formula, Constant):
        return Constant(not formula.truth)
    return Not(formula)


def all_of(formulas: Iterable[Formula]) -> Formula:
    """And."""
    inner = []
    for formula in formulas:
        if isinstance(formula, Constant):
            if not formula.truth:
                return formula
        else:
            inner.append(formula)
    if not inner:
        return Constant(True)
    return inner[0] if len(inner) == 1 else All(tuple(inner))


def any_of(formulas: Iterable[Formula]) -> Formula:
    """Or."""
    contrary = all_of(negated(formula) for formula in formulas)
    if isinstance(contrary, All):
        return Any(tuple(negated(inner) for inner in contrary.inner))
    return negated(contrary)


def decided(test: Test, path: Path) -> bool | None:
    """What a test must be on a path, None if it can be either."""
    if test in path:
        return path[test]
    can_hold = feasible({**path, test: True}, test)
    can_fail = feasible({**path, test: False}, test)
    if can_hold == can_fail:
        return None
    return can_hold


def feasible(path: Path, newest: Test) -> bool:
    """Whether the tests of a path can come out as it says; asked for `newest` and its kin."""
    group = _kin(path, newest)
    if len(group) > MAX_KIN:
        return True
    subjects = sorted({atom.subject for test in group for atom in test.atoms}, key=repr)
    samples = [_samples(group, subject) for subject in subjects]
    combinations = 1
    for sample in samples:
        combinations *= len(sample)
    if combinations > MAX_SAMPLES:
        return True
    for point in itertools.product(*samples):
        truths = dict(itertools.chain.from_iterable(truth.items() for truth in point))
        if all(_holds(test.formula, truths) is path[test] for test in group):
            return True
    return False


def _kin(path: Path, newest: Test) -> list[Test]:
    """The tests of a path that share a subject with the newest, directly or through others."""
    group = [newest]
    subjects = {atom.subject for atom in newest.atoms}
    rest = [test for test in list(path)[-MAX_PATH:] if test != newest]
    grown = True
    while grown and len(group) <= MAX_KIN:
        grown = False
        for test in list(rest):
            own = {atom.subject for atom in test.atoms}
            if own & subjects:
                subjects |= own
                group.append(test)
                rest.remove(test)
                grown = True
    return group


def _samples(group: list[Test], subject: Hashable) -> list[dict[Atom, bool]]:
    """The ways in which the atoms about one subject can come out together."""
    atoms = sorted({a for test in group for a in test.atoms if a.subject == subject}, key=repr)
    if any(atom.operator == "holds" for atom in atoms):
        return [dict.fromkeys(atoms, True), dict.fromkeys(atoms, False)]
    points: list[object] = [None, True, False, 0, "", _Other()]
    for atom in atoms:
        constants = atom.constant if atom.operator == "in" else (atom.constant,)
        for constant in constants if isinstance(constants, tuple) else ():
            points.append(constant)
            if isinstance(constant, (int, float)) and abs(constant) < 2**60:
                points += [constant - 0.5, constant + 0.5, constant - 1, constant + 1]
    found: dict[tuple[bool, ...], dict[Atom, bool]] = {}
    for point in points:
        truths = {atom: _atom_holds(atom, point) for atom in atoms}
        found.setdefault(tuple(truths.values()), truths)
    return list(found.values())


class _Other:
    """A value that is equal to no constant and true."""


_ORDER: dict[str, Callable[[typing.Any, typing.Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def _atom_holds(atom: Atom, point: object) -> bool:
    if atom.operator == "true":
        return bool(point)
    if atom.operator == "==":
        return point == atom.constant
    if atom.operator == "is":
        return point is atom.constant
    if atom.operator == "in":
        return isinstance(atom.constant, tuple) and point in atom.constant
    try:
        return bool(_ORDER[atom.operator](point, atom.constant))
    except TypeError:
        return False


def _holds(formula: Formula, truths: Mapping[Atom, bool]) -> bool:
    if isinstance(formula, Atom):
        return truths[formula]
    if isinstance(formula, Constant):
        return formula.truth
    if isinstance(formula, Not):
        return not _holds(formula.inner, truths)
    if isinstance(formula, All):
        return all(_holds(inner, truths) for inner in formula.inner)
    return any(_holds(inner, truths) for inner in formula.inner)
