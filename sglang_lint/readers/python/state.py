"""What the names and objects of a program are at one point of it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import count

from sglang_lint.readers.python.choices import either
from sglang_lint.readers.python.conditions import Test
from sglang_lint.readers.python.things import (
    Box,
    Class,
    Function,
    Kind,
    Named,
    Part,
    Parts,
    Ref,
    Thing,
    fork,
    unknown,
)
from sglang_lint.text import Span

_UNSET = unknown("it is not set on every branch")
_SEQUENCES = (Kind.LIST, Kind.TUPLE, Kind.DICT, Kind.ENVIRON)


class Numbers:
    """Fresh numbers for objects and for settings of names, over the whole file."""

    def __init__(self) -> None:
        self._boxes = count()
        self._stamps = count(1)

    def box(self) -> int:
        """A number for a new object."""
        return next(self._boxes)

    def stamp(self) -> int:
        """A number for a new setting of a name."""
        return next(self._stamps)


@dataclass
class Scope:
    """A module, class or function body; `outer` is where free names are looked up.

    `names` are the names as the body leaves them. What is set more than once is not known to
    code that runs at another time: `reset` holds those names.
    """

    outer: Scope | None = None
    names: dict[str, Thing] = field(default_factory=dict)
    stamps: dict[str, int] = field(default_factory=dict)
    spans: dict[str, Span] = field(default_factory=dict)
    depths: dict[str, int] = field(default_factory=dict)  # branches around the first setting
    reset: set[str] = field(default_factory=set)
    outside: set[str] = field(default_factory=set)  # global and nonlocal names
    shared: frozenset[str] = frozenset()  # names that functions set outside themselves
    starred: str | None = None  # the SGLang module that `from ... import *` names

    def chain(self) -> Iterator[Scope]:
        """This scope and those around it."""
        scope: Scope | None = self
        while scope is not None:
            yield scope
            scope = scope.outer


@dataclass
class State:
    """One point of the program on one path through it."""

    scope: Scope
    numbers: Numbers
    names: dict[str, Thing] = field(default_factory=dict)
    stamps: dict[str, int] = field(default_factory=dict)
    heap: dict[int, Box] = field(default_factory=dict)
    path: dict[Test, bool] = field(default_factory=dict)
    alive: bool = True
    result: Thing | None = None

    def fork(self, test: Test | None = None, truth: bool = True) -> State:
        """A copy that goes its own way, where `test` comes out as `truth`."""
        path = dict(self.path) if test is None else {**self.path, test: truth}
        return State(
            self.scope,
            self.numbers,
            dict(self.names),
            dict(self.stamps),
            dict(self.heap),
            path,
            self.alive,
        )

    def become(self, other: State) -> None:
        """Go on as `other` does."""
        self.names, self.stamps, self.heap = other.names, other.stamps, other.heap
        self.path, self.alive, self.result = other.path, other.alive, other.result

    def new(self, box: Box) -> Ref:
        """A new object."""
        number = self.numbers.box()
        self.heap[number] = box
        return Ref(number)

    def box(self, ref: Ref) -> Box:
        """The contents of an object now."""
        return self.heap[ref.box]

    def append(self, ref: Ref, *parts: Part) -> None:
        """Add parts to the end of an object."""
        box = self.heap[ref.box]
        self.heap[ref.box] = box.with_parts((*box.parts, *parts))

    def set_parts(self, ref: Ref, parts: Parts) -> None:
        """Replace the contents of an object."""
        self.heap[ref.box] = self.heap[ref.box].with_parts(parts)

    def bind(self, name: str, thing: Thing, span: Span, *, building: bool = False) -> None:
        """Set a name; `building` where the new value goes on from the old one."""
        scope = self.scope
        if name in scope.outside:
            return
        depth = scope.depths.setdefault(name, len(self.path))
        if name in self.names and not building and len(self.path) <= depth:
            scope.reset.add(name)
        if name in scope.shared and not isinstance(thing, (Named, Function, Class)):
            thing = unknown(f"`{name}` is set in functions too")
        self.names[name] = thing
        self.stamps[name] = self.numbers.stamp()
        scope.spans[name] = span

    def touch(self, name: str) -> None:
        """Note that what a name stands for has changed within."""
        self.stamps[name] = self.numbers.stamp()

    @contextmanager
    def published(self) -> Iterator[None]:
        """Let code that is called from here see the names as they are now."""
        before = self.scope.names, self.scope.stamps
        self.leave()
        try:
            yield
        finally:
            self.scope.names, self.scope.stamps = before

    def leave(self) -> None:
        """Let the scope keep the names as they are now."""
        self.scope.names = self.names
        self.scope.stamps = self.stamps


def merge(test: Test, then: State, other: State, before: State) -> State:
    """The state after a branch, from the states at the end of its two arms."""
    if not then.alive:
        return other
    if not other.alive:
        return then
    merged = State(before.scope, before.numbers, path=before.path)
    merged.heap = _merged_heap(test, then, other)
    for name in {**then.names, **other.names}:
        one, two = then.names.get(name, _UNSET), other.names.get(name, _UNSET)
        merged.names[name] = _merged_thing(merged, test, one, two)
        stamp = then.stamps.get(name), other.stamps.get(name)
        if stamp[0] == stamp[1] and stamp[0] is not None:
            merged.stamps[name] = stamp[0]
        else:
            merged.touch(name)
    return merged


def _merged_heap(test: Test, then: State, other: State) -> dict[int, Box]:
    heap = {**then.heap, **other.heap}
    for number, box in then.heap.items():
        second = other.heap.get(number)
        if second is None or second is box:
            continue
        heap[number] = box.with_parts(fork(test, box.parts, second.parts))
    return heap


def _merged_thing(state: State, test: Test, then: Thing, other: Thing) -> Thing:
    if then is other:
        return then
    if isinstance(then, Ref) and isinstance(other, Ref) and then != other:
        one, two = state.heap[then.box], state.heap[other.box]
        if one.kind is two.kind and one.kind in _SEQUENCES:
            both = replace(one, sites=one.sites | two.sites)
            return state.new(both.with_parts(fork(test, one.parts, two.parts)))
    return either(test, then, other)
