"""A simple command as it is written, before anything in it is expanded."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from sglang_lint.text import MappedText, Span

if TYPE_CHECKING:
    from sglang_lint.readers.shell.pieces import Chars, Gap

_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_NONE: frozenset[str] = frozenset()
POSITIONAL = "@"  # the name under which a scope keeps $1, $2, ...


@dataclass(frozen=True, eq=False)
class Literal:
    """Characters that stand for themselves; `quoted` ones are never split or globbed.

    `like` tells where they came from, in a script that was put together from variables.
    """

    text: MappedText
    quoted: bool
    like: Chars | None = None


@dataclass(frozen=True, eq=False)
class Parameter:
    """`$X` or `${X...}`: `index` is `@`, `*` or a subscript, `replacement` follows a pattern."""

    name: str
    span: Span
    quoted: bool
    operator: str = ""
    argument: Word | None = None
    replacement: Word | None = None
    index: str | None = None
    length: bool = False

    @property
    def variable(self) -> str:
        """The name under which a scope knows it; the arguments of a script share one."""
        return self.name if _IDENTIFIER.fullmatch(self.name) else POSITIONAL


@dataclass(frozen=True, eq=False)
class Opaque:
    """A part that only a run can tell: `$(...)`, `~`, `${!X}`."""

    why: str
    span: Span
    quoted: bool


@dataclass(frozen=True, eq=False)
class Arithmetic:
    """`$((...))`."""

    expression: str
    span: Span
    quoted: bool


@dataclass(frozen=True, eq=False)
class Carried:
    """A part that was already unknown where this script's own text was put together."""

    gap: Gap
    quoted: bool


Part: TypeAlias = Literal | Parameter | Opaque | Arithmetic | Carried


@dataclass(frozen=True, eq=False)
class Word:
    """One word as written, with its quotes inside `span`."""

    parts: tuple[Part, ...]
    span: Span

    @property
    def names(self) -> frozenset[str]:
        """Every variable whose value the word depends on."""
        if all(isinstance(part, Literal) for part in self.parts):
            return _NONE
        found: set[str] = set()
        for part in self.parts:
            if isinstance(part, Parameter):
                found.add(part.variable)
                for inner in (part.argument, part.replacement):
                    if inner is not None:
                        found |= inner.names
                if part.index not in (None, "@", "*"):
                    found.update(_IDENTIFIER.findall(part.index or ""))
            elif isinstance(part, Arithmetic):
                found.update(_IDENTIFIER.findall(part.expression))
                if "$" in part.expression:
                    found.add(POSITIONAL)
        return frozenset(found)

    @property
    def literal(self) -> str | None:
        """The word itself where nothing in it is expanded."""
        if all(isinstance(part, Literal) for part in self.parts):
            return "".join(part.text.text for part in self.parts if isinstance(part, Literal))
        return None

    def texts(self) -> Iterator[str]:
        """The texts that stand literally in it, also in the arguments of expansions."""
        for part in self.parts:
            if isinstance(part, Literal):
                yield part.text.text
            elif isinstance(part, Parameter):
                for inner in (part.argument, part.replacement):
                    if inner is not None:
                        yield from inner.texts()


@dataclass(frozen=True, eq=False)
class Assignment:
    """`NAME=value`, `NAME+=value`, `NAME=(...)`; `index` is set for `NAME[index]=value`."""

    name: str
    span: Span
    value: Word | None
    items: tuple[Word, ...] | None = None
    append: bool = False
    index: str | None = None


@dataclass(frozen=True, eq=False)
class Redirect:
    """A redirection; its target is no argument of the command."""

    operator: str
    target: Word | None


@dataclass(frozen=True)
class Stop:
    """Why and where a command ended, in offsets of the script's own text.

    `comment` is the comment that ended it, `continued` tells that this comment stands on a line
    which a backslash had joined to the command.
    """

    at: int
    comment: tuple[int, int] | None = None
    continued: bool = False


@dataclass(frozen=True, eq=False)
class Command:
    """A simple command: `stray` are backslashes that were meant to be the last on their line."""

    start: int
    stop: Stop
    span: Span
    assignments: tuple[Assignment, ...] = ()
    words: tuple[Word, ...] = ()
    redirects: tuple[Redirect, ...] = ()
    declarations: tuple[Assignment, ...] = ()
    stray: tuple[tuple[int, int], ...] = field(default=())
