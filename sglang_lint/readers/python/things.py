"""What an expression may stand for: abstract values that remember where they were written.

Branches are kept inside the values: an `Either`, or a `Fork` among the parts of a text, a list
or a dictionary, says which test chooses what. Sequences stay flat that way, however many
branches add to them, and two values that hang on one test change together.
"""

from __future__ import annotations

import enum
import typing
from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import TypeAlias

import libcst as cst

from sglang_lint.launches import Origin, Related
from sglang_lint.readers.python.conditions import Test
from sglang_lint.text import MappedText, Span
from sglang_lint.values import Unknown, Value

if typing.TYPE_CHECKING:
    from sglang_lint.readers.python.state import Scope

# More parts than this are not followed one by one.
MAX_PARTS = 25_000


@dataclass(frozen=True, slots=True)
class Literal:
    """A known stretch of a text."""

    text: MappedText


@dataclass(frozen=True, slots=True)
class Hole:
    """An unknown stretch of a text, written at `span`."""

    value: Value
    span: Span


@dataclass(frozen=True, slots=True)
class Item:
    """One element of a list, written at `span`."""

    thing: Thing
    span: Span


@dataclass(frozen=True, slots=True)
class Entry:
    """`key` set to something: an item of a dictionary, a keyword, an attribute."""

    key: Hashable
    key_span: Span
    thing: Thing
    span: Span


@dataclass(frozen=True, slots=True)
class Removed:
    """`key` taken out of a dictionary."""

    key: Hashable


@dataclass(frozen=True, slots=True)
class Unseen:
    """Any number of elements or entries that nobody can see."""

    why: str
    span: Span


@dataclass(frozen=True, slots=True)
class Fork:
    """Parts that are there if a test holds, and those that are there if not."""

    test: Test
    then: Parts
    other: Parts
    weight: int


Part: TypeAlias = Literal | Hole | Item | Entry | Removed | Unseen | Fork
Parts: TypeAlias = tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Text:
    """A string."""

    parts: Parts
    origin: Origin = Origin.WRITTEN
    related: tuple[Related, ...] = ()


@dataclass(frozen=True, slots=True)
class Plain:
    """Any other immutable value, or one of which nothing is known."""

    value: Value
    origin: Origin = Origin.WRITTEN
    related: tuple[Related, ...] = ()


@dataclass(frozen=True, slots=True)
class Either:
    """One thing if a test holds, another if not."""

    test: Test
    then: Thing
    other: Thing
    weight: int


@dataclass(frozen=True, slots=True)
class Ref:
    """A mutable object; its contents are in the state's heap."""

    box: int


@dataclass(frozen=True, slots=True)
class Named:
    """Something imported, or a builtin, by its dotted name."""

    name: str


@dataclass(frozen=True, slots=True, eq=False)
class Function:
    """A function of this file; `owner` is the class whose method it is."""

    node: cst.FunctionDef
    scope: Scope
    owner: Class | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Class:
    """A class of this file with what its bases are."""

    node: cst.ClassDef
    bases: tuple[Thing, ...]
    attributes: int  # the box of its attributes
    initializes: bool = False  # whether it has an __init__ of its own


Thing: TypeAlias = Text | Plain | Either | Ref | Named | Function | Class


class Kind(enum.Enum):
    """What a mutable object is."""

    LIST = "list"
    TUPLE = "tuple"
    DICT = "dict"
    ENVIRON = "os.environ"
    SERVER_ARGS = "ServerArgs"
    PARSER = "argument parser"
    NAMESPACE = "namespace"
    INSTANCE = "instance"


@dataclass(frozen=True, slots=True)
class Box:
    """The contents of a mutable object, as they are at one point of the program.

    `of` is the class of an instance: a `Class` of this file or an imported name. `sites` are the
    displays and sums that it was made by.
    """

    kind: Kind
    parts: Parts = ()
    of: Thing | None = None
    sites: frozenset[Span] = frozenset()

    def with_parts(self, parts: Parts, why: str = "too many parts") -> Box:
        """The same object with other contents, cut off where they grow past all bounds."""
        if weight_of(parts) <= MAX_PARTS:
            return replace(self, parts=parts)
        kept: list[Part] = []
        weight = 0
        for part in parts:
            weight += part.weight if isinstance(part, Fork) else 1
            if weight > MAX_PARTS:
                break
            kept.append(part)
        span = next((p.span for p in parts if isinstance(p, (Item, Entry, Unseen))), Span(0, 0))
        return replace(self, parts=(*kept, Unseen(why, span)))


def weight_of(parts: Parts) -> int:
    """How many parts there are on all branches together."""
    return sum(part.weight if isinstance(part, Fork) else 1 for part in parts)


def fork(test: Test, then: Parts, other: Parts) -> Parts:
    """`then` or `other`, with what both begin and end with kept outside the choice."""
    start = 0
    while start < min(len(then), len(other)) and then[start] is other[start]:
        start += 1
    stop = 0
    while stop < min(len(then), len(other)) - start and then[-1 - stop] is other[-1 - stop]:
        stop += 1
    inner = then[start : len(then) - stop]
    outer = other[start : len(other) - stop]
    if not inner and not outer:
        return then
    weight = 1 + weight_of(inner) + weight_of(outer)
    middle = Fork(test, inner, outer, weight)
    return (*then[:start], middle, *then[len(then) - stop :])


def unknown(why: str) -> Plain:
    """Nothing known, and what hides it."""
    return Plain(Unknown(why))
