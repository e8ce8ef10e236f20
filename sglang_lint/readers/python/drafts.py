"""The launches of a file while it is being read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from sglang_lint.launches import EntryPoint, Evidence, Fault, Launch, Setting, Tail, Variant
from sglang_lint.readers.python.choices import alternatives
from sglang_lint.readers.python.conditions import Path
from sglang_lint.readers.python.state import State
from sglang_lint.readers.python.things import (
    Box,
    Fork,
    Item,
    Kind,
    Literal,
    Part,
    Parts,
    Ref,
    Text,
    Thing,
)
from sglang_lint.readers.python.unfold import MAX_VARIANTS, Labels
from sglang_lint.text import Span


@dataclass
class Draft:
    """A launch with the variants found so far, and the ways that lead to each of them."""

    entry_point: EntryPoint
    span: Span
    extent: Span
    variants: list[Variant] = field(default_factory=list)
    ways: list[list[Labels]] = field(default_factory=list)
    environment: dict[str, Setting] = field(default_factory=dict)
    evidence: dict[Evidence, None] = field(default_factory=dict)

    def add(self, labels: Labels, variant: Variant) -> None:
        """A variant, or another way to one that is known."""
        if variant in self.variants:
            self.ways[self.variants.index(variant)].append(labels)
        elif len(self.variants) < MAX_VARIANTS:
            self.variants.append(variant)
            self.ways.append([labels])

    def labelled(self) -> tuple[Variant, ...]:
        """The variants, each with what is common to the ways that lead to it."""
        if len(self.variants) == 1:
            return tuple(self.variants)
        found = []
        for variant, ways in zip(self.variants, self.ways, strict=True):
            common = [label for label in ways[0] if all(label in way for way in ways)]
            condition = " and ".join(common or ways[0]) or None
            found.append(replace(variant, condition=condition))
        return tuple(found)


@dataclass(frozen=True)
class Argv:
    """A list of words at the place where it is used.

    `heap` and `path` are those of that place; `extent` is what a launch in it reaches over,
    `strict` says that each word has to be a string, `tails` where words may still be added.
    """

    parts: Parts
    heap: Mapping[int, Box]
    path: Path
    extent: Span
    sites: frozenset[Span] = frozenset()
    strict: bool = False
    environment: tuple[Setting, ...] = ()
    tails: tuple[Tail, ...] = ()


@dataclass
class Candidate:
    """A list of arguments that starts SGLang if it is used for that.

    `used` says that it was (then its launch is reported where that happened), `shown` that it
    was printed or compared, `waiting` holds what it was where it went into unknown calls.
    """

    box: Box
    heap: Mapping[int, Box]
    path: Path
    used: bool = False
    shown: bool = False
    waiting: list[Argv] = field(default_factory=list)


@dataclass
class Begun:
    """A ServerArgs of which attributes may still be set."""

    span: Span
    extent: Span
    box: Box
    heap: Mapping[int, Box]
    path: Path
    environment: tuple[Setting, ...]


class Drafts:
    """Launches and faults by the places where they stand, each once."""

    def __init__(self) -> None:
        self._drafts: dict[tuple[Span, Span], Draft] = {}
        self._faults: dict[tuple[str, Span], Fault] = {}
        self.candidates: dict[Span, Candidate] = {}
        self.begun: dict[Span, Begun] = {}
        self._used: set[Span] = set()

    def add(
        self,
        entry_point: EntryPoint,
        span: Span,
        extent: Span,
        found: Iterable[tuple[Labels, Variant]],
        environment: Iterable[Setting] = (),
        evidence: Iterable[Evidence] = (),
    ) -> None:
        """A launch, or further variants of one, with the branches that lead to each."""
        draft = self._drafts.setdefault((span, extent), Draft(entry_point, span, extent))
        for labels, variant in found:
            draft.add(labels, variant)
        for setting in environment:
            draft.environment[setting.name] = setting
        draft.evidence.update(dict.fromkeys(evidence))

    def note(self, state: State, thing: Thing) -> None:
        """A list that may start SGLang if it is used for that."""
        if not isinstance(thing, Ref):
            return
        box = state.box(thing)
        if any(_speaks_of_sglang(part) for part in box.parts):
            for site in box.sites:
                used = site in self._used
                made = Candidate(box, state.heap, state.path, used)
                self.candidates.setdefault(site, made)

    def begin(
        self, state: State, made: Ref, span: Span, extent: Span, environment: tuple[Setting, ...]
    ) -> None:
        """A ServerArgs was made; what it holds in the end is looked at later."""
        path = dict(state.path)
        begun = Begun(span, extent, state.box(made), dict(state.heap), path, environment)
        self.begun.setdefault(extent, begun)

    def keep(self, state: State) -> None:
        """Remember the objects as they are at the end of a body."""
        heap = dict(state.heap)
        for box in heap.values():
            for site in box.sites:
                candidate = self.candidates.get(site)
                if candidate is not None:
                    candidate.box, candidate.heap = box, heap
                    candidate.path = dict(state.path)
                if box.kind is Kind.SERVER_ARGS and site in self.begun:
                    # The path stays that of the call: it starts there or not at all.
                    self.begun[site].box, self.begun[site].heap = box, heap

    def wait(self, argv: Argv) -> None:
        """A list goes into a call that nobody knows."""
        for site in argv.sites:
            if site in self.candidates:
                self.candidates[site].waiting.append(argv)

    def knows(self, sites: Iterable[Span]) -> bool:
        """Whether an object made at one of these places may start SGLang."""
        return any(site in self.candidates for site in sites)

    def absorb(self, state: State, *things: Thing) -> None:
        """Objects went into another one, or into a call that was looked at."""
        for candidate in self._candidates(state, things):
            candidate.used = True

    def use(self, sites: Iterable[Span]) -> None:
        """A list was run whose launch is reported, wherever it was made."""
        for site in sites:
            self._used.add(site)
            if site in self.candidates:
                self.candidates[site].used = True

    def show(self, state: State, *things: Thing) -> None:
        """Objects were printed or compared."""
        for candidate in self._candidates(state, things):
            candidate.shown = True

    def _candidates(self, state: State, things: Iterable[Thing]) -> Iterator[Candidate]:
        if not self.candidates:
            return
        for thing in things:
            for one in alternatives(thing):
                for site in state.box(one).sites if isinstance(one, Ref) else ():
                    if site in self.candidates:
                        yield self.candidates[site]

    def add_fault(self, fault: Fault) -> None:
        """A fault; one of each kind in one place."""
        self._faults.setdefault((fault.check, fault.span), fault)

    def launches(self, evidence: Iterable[Evidence]) -> tuple[Launch, ...]:
        """The launches in the order of the file; `evidence` of the file holds for each."""
        everywhere = tuple(evidence)
        found = []
        for draft in sorted(self._drafts.values(), key=lambda draft: (draft.span, draft.extent)):
            own = {**draft.evidence, **dict.fromkeys(everywhere)}
            found.append(
                Launch(
                    draft.entry_point,
                    draft.span,
                    draft.extent,
                    draft.labelled(),
                    tuple(own),
                    tuple(draft.environment.values()),
                )
            )
        return tuple(found)

    def faults(self) -> tuple[Fault, ...]:
        """The faults in the order of the file."""
        return tuple(sorted(self._faults.values(), key=lambda fault: fault.span))


def _speaks_of_sglang(part: Part) -> bool:
    if isinstance(part, Fork):
        return any(_speaks_of_sglang(inner) for inner in (*part.then, *part.other))
    if isinstance(part, Item) and isinstance(part.thing, Text):
        return any(_speaks_of_sglang(inner) for inner in part.thing.parts)
    return isinstance(part, Literal) and "sglang" in part.text.text
