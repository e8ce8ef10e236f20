"""What all parts of the Python reader share while one file is read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

import libcst as cst

from sglang_lint.launches import Evidence, Fault, HookCall, HookOverride
from sglang_lint.readers.python.drafts import Drafts
from sglang_lint.readers.python.positions import Places
from sglang_lint.readers.python.state import Numbers, State
from sglang_lint.readers.python.things import Class, Function, Thing
from sglang_lint.text import Span

# Expressions and statements looked at before a file is given up; a launch takes some hundred.
MAX_STEPS = 150_000
# Of these, those that follow calls and loops; without them less is known of a few values.
MAX_QUIET_STEPS = 15_000
# Calls of functions of the file that are followed into one another.
MAX_CALLS = 4


class TooMuchError(Exception):
    """The file takes more work than it is worth."""


@dataclass
class Returned:
    """A return of a function that is followed: the state there, with what is returned."""

    state: State
    thing: Thing


@dataclass
class Run:
    """The reading of one file.

    `evaluate`, `execute` and `call_function` are the evaluator, the statement walker and the
    entry into a function; they come in here since each of them needs the others.
    """

    places: Places
    drafts: Drafts
    numbers: Numbers
    evaluate: Callable[[Run, State, cst.BaseExpression], Thing]
    execute: Callable[[Run, State, Sequence[cst.CSTNode]], None]
    evidence: list[Evidence] = field(default_factory=list)
    overrides: list[HookOverride] = field(default_factory=list)
    hook_calls: list[HookCall] = field(default_factory=list)
    pending: list[Function] = field(default_factory=list)  # functions still to be looked into
    classes: list[Class] = field(default_factory=list)
    followed: list[tuple[Function, list[Returned]]] = field(default_factory=list)
    placement: tuple[Span, Span] | None = None  # where launches by a base class are reported
    steps: int = 0
    quiet_steps: int = 0  # those of functions and rounds that are followed
    quiet: int = 0  # nothing is recorded while this is above zero
    muted: int = 0  # the same, and neither is what outer objects are used for
    unrolling: int = 0  # loops being followed round by round

    def step(self) -> None:
        """Count one piece of work; raises TooMuchError past the bound."""
        self.steps += 1
        self.quiet_steps += self.quiet > 0
        if self.steps > MAX_STEPS:
            raise TooMuchError

    @property
    def can_follow(self) -> bool:
        """Whether calls and loops are still followed."""
        return self.quiet_steps < MAX_QUIET_STEPS

    def fault(self, fault: Fault) -> None:
        """Report a fault of the host language, once."""
        if not self.quiet:
            self.drafts.add_fault(fault)

    @contextmanager
    def rounds(self) -> Iterator[None]:
        """The rounds of a loop are followed one by one."""
        self.unrolling += 1
        try:
            yield
        finally:
            self.unrolling -= 1

    @contextmanager
    def silence(self) -> Iterator[None]:
        """What is evaluated is reported elsewhere already."""
        self.quiet += 1
        try:
            yield
        finally:
            self.quiet -= 1

    @contextmanager
    def muting(self) -> Iterator[None]:
        """What is evaluated has been looked through already."""
        self.muted += 1
        try:
            with self.silence():
                yield
        finally:
            self.muted -= 1
