"""From values that hang on branches to whole assignments, one for each way through."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeAlias, TypeVar

from sglang_lint.readers.python.conditions import Path, Test, decided
from sglang_lint.readers.python.things import (
    Either,
    Entry,
    Fork,
    Hole,
    Item,
    Literal,
    Part,
    Parts,
    Text,
    Thing,
    Unseen,
    unknown,
)
from sglang_lint.text import Span
from sglang_lint.values import Unknown

MAX_VARIANTS = 64
# Past MAX_VARIANTS only this many branches are told apart; what hangs on others is opaque.
KEPT_TESTS = 5

Result = TypeVar("Result")
# The branches that lead to a variant, in the file's own words.
Labels: TypeAlias = tuple[str, ...]


class UndecidedError(Exception):
    """A branch has to be taken before anything can be said."""

    def __init__(self, test: Test) -> None:
        super().__init__(test.text)
        self.test = test


class Choices:
    """Which way the tests come out in one variant."""

    def __init__(self, path: Path, taken: Path, kept: frozenset[Test] | None = None) -> None:
        self._path = {**path, **taken}
        self._kept = kept
        self._seen: dict[Test, bool | None] = {}

    def pick(self, test: Test) -> bool | None:
        """How a test comes out, None where it stays open; raises UndecidedError."""
        if test not in self._seen:
            self._seen[test] = decided(test, self._path)
        truth = self._seen[test]
        if truth is None and (self._kept is None or test in self._kept):
            raise UndecidedError(test)
        return truth

    def settle(self, thing: Thing) -> Thing:
        """The one thing that a thing is in this variant."""
        while isinstance(thing, Either):
            truth = self.pick(thing.test)
            if truth is None:
                return unknown(f"it hangs on `{thing.test.text}`")
            thing = thing.then if truth else thing.other
        if isinstance(thing, Text) and any(isinstance(part, Fork) for part in thing.parts):
            return Text(tuple(self.flat(thing.parts)), thing.origin, thing.related)
        return thing

    def flat(self, parts: Iterable[Part]) -> Iterator[Part]:
        """The parts that are there in this variant."""
        for part in parts:
            if not isinstance(part, Fork):
                yield part
                continue
            truth = self.pick(part.test)
            if truth is None:
                yield opaque(part)
            else:
                yield from self.flat(part.then if truth else part.other)


def opaque(part: Fork) -> Part:
    """What stands for parts of which it stays open whether they are there."""
    why = f"it hangs on `{part.test.text}`"
    first = next(_leaves((*part.then, *part.other)))
    if isinstance(first, Literal):
        return Hole(Unknown(why), first.text.span())
    if isinstance(first, Hole):
        return Hole(Unknown(why), first.span)
    return Unseen(why, first.span if isinstance(first, (Item, Entry, Unseen)) else Span(0, 0))


def _leaves(parts: Parts) -> Iterator[Part]:
    for part in parts:
        if isinstance(part, Fork):
            yield from _leaves((*part.then, *part.other))
        else:
            yield part


def unfold(
    path: Path, render: Callable[[Choices], Result], limit: int = MAX_VARIANTS
) -> list[tuple[Labels, Result]]:
    """What `render` makes of each variant, with the branches in the file's own words."""
    found, order = _unfolded(path, render, limit, None)
    if found is None:
        found, _ = _unfolded(path, render, limit, frozenset(order[:KEPT_TESTS]))
    return found or []


def _unfolded(
    path: Path,
    render: Callable[[Choices], Result],
    limit: int,
    kept: frozenset[Test] | None,
) -> tuple[list[tuple[Labels, Result]] | None, list[Test]]:
    found: list[tuple[Labels, Result]] = []
    order: dict[Test, None] = {}
    todo: list[dict[Test, bool]] = [{}]
    while todo:
        taken = todo.pop()
        try:
            result = render(Choices(path, taken, kept))
        except UndecidedError as undecided:
            order.setdefault(undecided.test)
            todo += [{**taken, undecided.test: False}, {**taken, undecided.test: True}]
            if len(found) + len(todo) > limit:
                return None, list(order)
        else:
            labels = tuple(test.described(truth) for test, truth in taken.items())
            found.append((labels, result))
    return found, list(order)
