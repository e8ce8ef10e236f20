"""What bounds the work on one text, and what its parts share."""

from __future__ import annotations

from dataclasses import dataclass, field

from sglang_lint.readers.shell.formulas import About, Arm, Formula, Named, Negated, Select
from sglang_lint.readers.shell.pieces import Subject

MAX_VARIANTS = 64
MAX_COMMANDS = 20_000
MAX_WORDS = 20_000
MAX_ALL_WORDS = 200_000
MAX_STEPS = 1_000_000
MAX_FAULTS = 500
MAX_STEPS_OF_A_WORD = 40_000
MAX_EXPANSION_DEPTH = 32
MAX_SCRIPT_DEPTH = 8
MAX_STATEMENT_DEPTH = 24


class ExhaustedError(Exception):
    """The text asks for more work than any script for people would."""


@dataclass
class Session:
    """Counters over one reading, with all the scripts nested in it."""

    commands: int = 0
    words: int = 0
    steps: int = 0
    sources: bool = False
    _presence: dict[tuple[Subject, bool], Select] = field(default_factory=dict)

    def spend(self, steps: int) -> None:
        """Count work of an evaluation. Raises ExhaustedError."""
        self.steps += steps
        if self.steps > MAX_STEPS:
            raise ExhaustedError

    def produced(self, words: int) -> None:
        """Count words of commands that may start SGLang. Raises ExhaustedError."""
        self.words += words
        if self.words > MAX_ALL_WORDS:
            raise ExhaustedError

    def command(self) -> None:
        """Count a command that is run. Raises ExhaustedError."""
        self.commands += 1
        if self.commands > MAX_COMMANDS:
            raise ExhaustedError

    def presence(self, subject: Subject, name: str, colon: bool) -> Select:
        """The branch that `${X:+...}` or `${X+...}` is: whether an outside value is set."""
        bare = Subject(subject.key)
        if (bare, colon) not in self._presence:
            empty = About(bare, "==", "")
            # Without the colon a value that is set and empty counts as set.
            held: Formula = Negated(empty) if colon else Named(("set", bare))
            self._presence[bare, colon] = Select(
                (
                    Arm(f"`{name}` is set", ((held, True),)),
                    Arm(f"`{name}` is not set", ((held, False), (empty, True))),
                )
            )
        return self._presence[bare, colon]
