"""Which conditions hold on a path, and which ways are left when one is assumed."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace

from sglang_lint.readers.shell.bindings import Bound
from sglang_lint.readers.shell.facts import Facts, compare
from sglang_lint.readers.shell.formulas import (
    About,
    Always,
    Compared,
    Formula,
    Joined,
    Matched,
    Named,
    Negated,
    Path,
    Select,
    UndecidedError,
)
from sglang_lint.readers.shell.patterns import Pattern
from sglang_lint.readers.shell.pieces import Subject

# Past this many assumptions on one path further ones are not remembered.
_MAX_ASSUMPTIONS = 400
_SWAPPED = {"-lt": "-gt", "-gt": "-lt", "-le": "-ge", "-ge": "-le"}


@dataclass(frozen=True)
class Operand:
    """One side of a comparison: its text, or the outside value that it is, or neither."""

    text: str | None = None
    subject: Subject | None = None
    pattern: Pattern | None = None


class Reasoner:
    """Decides formulas; `operand` evaluates a word on a path."""

    def __init__(self, operand: Callable[[Bound, Path], Operand]) -> None:
        self._operand = operand

    def truth(self, formula: Formula, path: Path) -> bool | None:
        """Whether it holds there; None if that is not known. Raises UndecidedError."""
        if isinstance(formula, Always):
            return formula.truth
        if isinstance(formula, Negated):
            inner = self.truth(formula.inner, path)
            return None if inner is None else not inner
        if isinstance(formula, Joined):
            truths = [self.truth(part, path) for part in (formula.first, formula.second)]
            if (not formula.every) in truths:
                return not formula.every
            return None if None in truths else formula.every
        if not isinstance(formula, About):
            assumed = path.truths.get(formula.key)
            if assumed is not None or isinstance(formula, Named):
                return assumed
        return self._looked_at(formula, path)

    def _looked_at(self, formula: Compared | Matched | About, path: Path) -> bool | None:
        comparison = self._comparison(formula, path)
        if isinstance(comparison, bool):
            return comparison
        if isinstance(comparison, About):
            return facts_of(comparison.subject, path).holds(comparison.operator, comparison.right)
        return path.truths.get(comparison)

    def assume(self, formula: Formula, truth: bool, path: Path) -> Path | None:
        """The path on which it holds (or does not); None where that cannot be."""
        if isinstance(formula, Negated):
            return self.assume(formula.inner, not truth, path)
        try:
            if isinstance(formula, Joined):
                return self._assume_joined(formula, truth, path)
            known = self.truth(formula, path)
            if known is not None:
                return path if known is truth else None
            return self._record(formula, truth, path)
        except UndecidedError:
            # Where it cannot be looked into yet, it is still the same condition elsewhere.
            later = replace(path, pending=(*path.pending, (formula, truth)), feasible={})
            return _remember(formula, truth, later)

    def enter(self, select: Select, index: int, path: Path) -> Path | None:
        """The path through one arm of a branch; None where it cannot be taken."""
        entered: Path | None = replace(
            path, decisions={**path.decisions, select: index}, pending=(), feasible={}
        )
        for formula, truth in select.arms[index].conditions:
            if entered is None:
                return None
            entered = self.assume(formula, truth, entered)
        for formula, truth in path.pending:
            if entered is None:
                return None
            entered = self._assume_again(formula, truth, entered)
        return entered

    def _assume_again(self, formula: Formula, truth: bool, path: Path) -> Path | None:
        """Look into a condition that hung on a branch which may be decided by now."""
        if isinstance(formula, Compared | Matched):
            truths = {key: known for key, known in path.truths.items() if key != formula.key}
            path = replace(path, truths=truths, feasible={})
        return self.assume(formula, truth, path)

    def ways(self, select: Select, path: Path) -> tuple[int, ...]:
        """The arms that can be taken on a path."""
        if select in path.decisions:
            return (path.decisions[select],)
        found = path.feasible.get(select)
        if found is None:
            # Set first: a condition that leads back here finds every arm open.
            path.feasible[select] = tuple(range(len(select.arms)))
            found = tuple(
                index
                for index in range(len(select.arms))
                if self.enter(select, index, path) is not None
            )
            path.feasible[select] = found
        return found

    def _assume_joined(self, formula: Joined, truth: bool, path: Path) -> Path | None:
        if formula.every is truth:
            first = self.assume(formula.first, truth, path)
            return None if first is None else self.assume(formula.second, truth, first)
        truths = (self.truth(formula.first, path), self.truth(formula.second, path))
        if truths[0] is (not truth):
            return self.assume(formula.second, truth, path)
        if truths[1] is (not truth):
            return self.assume(formula.first, truth, path)
        if truth in truths:
            return path
        return replace(path, pending=(*path.pending, (formula, truth)), feasible={})

    def _comparison(
        self, formula: Compared | Matched | About, path: Path
    ) -> bool | About | Hashable:
        if isinstance(formula, About):
            return formula
        if isinstance(formula, Matched):
            return self._matching(formula, path)
        left, right = self._operand(formula.left, path), self._operand(formula.right, path)
        if left.text is not None and right.text is not None:
            known = compare(left.text, formula.operator, right.text)
            return formula.key if known is None else known
        if left.subject is not None and right.text is not None:
            return About(left.subject, formula.operator, right.text)
        if right.subject is not None and left.text is not None:
            operator = _SWAPPED.get(formula.operator, formula.operator)
            return About(right.subject, operator, left.text)
        return formula.key

    def _matching(self, formula: Matched, path: Path) -> bool | About | Hashable:
        left, pattern = self._operand(formula.left, path), self._operand(formula.pattern, path)
        if pattern.pattern is None:
            return formula.key
        if left.text is not None:
            matched = pattern.pattern.matches(left.text)
            return formula.key if matched is None else matched
        if pattern.pattern.anything:
            return True
        if left.subject is not None:
            equal = facts_of(left.subject, path).equal
            if equal is not None:
                matched = pattern.pattern.matches(equal)
                return formula.key if matched is None else matched
            if pattern.pattern.literal is not None:
                return About(left.subject, "==", pattern.pattern.literal)
        return formula.key

    def _record(self, formula: Formula, truth: bool, path: Path) -> Path | None:
        if len(path.facts) + len(path.truths) >= _MAX_ASSUMPTIONS:
            return path
        if isinstance(formula, Compared | Matched | About):
            comparison = self._comparison(formula, path)
            if isinstance(comparison, bool):
                return path if comparison is truth else None
            if isinstance(comparison, About):
                informed = _with_fact(comparison, truth, path)
                return None if informed is None else _remember(formula, truth, informed)
        return _remember(formula, truth, path)


def _remember(formula: Formula, truth: bool, path: Path) -> Path:
    if isinstance(formula, Compared | Matched | Named):
        return replace(path, truths={**path.truths, formula.key: truth}, feasible={})
    return path


def facts_of(subject: Subject, path: Path) -> Facts:
    """What a path tells about an outside value, with the default that stands in for it."""
    own = path.facts.get(subject, Facts())
    if subject.default is None:
        return own
    bare = path.facts.get(Subject(subject.key), Facts())
    if bare.equal is not None:
        text = bare.equal or subject.default
        return Facts(equal=text)
    return own


def is_set(subject: Subject, path: Path) -> bool | None:
    """Whether an outside value is certainly not empty, or certainly empty."""
    empty = facts_of(Subject(subject.key), path).holds("==", "")
    return None if empty is None else not empty


def _with_fact(about: About, truth: bool, path: Path) -> Path | None:
    subject = about.subject
    facts = facts_of(subject, path).given(about.operator, about.right, truth)
    if facts is None:
        return None
    known = {**path.facts, subject: facts}
    if subject.default is not None and facts.equal not in (None, subject.default):
        bare = Subject(subject.key)
        beneath = facts_of(bare, path).given("==", facts.equal or "", True)
        if beneath is None:
            return None
        known[bare] = beneath
    return replace(path, facts=known, feasible={})
