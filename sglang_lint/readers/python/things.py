"""What an expression may stand for: abstract values that remember where they were written.

Branches are kept inside the values: an `Either`, or a `Fork` among the parts of a text, a list
or a dictionary, says which test chooses what. Sequences stay flat that way, however many
branches add to them, and two values that hang on one test change together.
"""

from __future__ import annotations

import enum
import typing
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import libcst as cst

from sglang_lint.launches import Origin, Related
from sglang_lint.readers.python.conditions import Test
from sglang_lint.text import MappedText, Span
from sglang_lint.values import Known, OneOf, Unknown, Value, join

if typing.TYPE_CHECKING:
    from sglang_lint.readers.python.state import Scope

# A choice deeper than this says too little to be worth carrying.
MAX_CHOICE = 64
# More parts than this are not followed one by one.
MAX_PARTS = 25_000
# Nor texts of more parts and characters than any command has.
MAX_TEXT_PARTS = 500
MAX_TEXT = 200_000


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


def text_of(text: MappedText, origin: Origin = Origin.WRITTEN) -> Text:
    """A string that is known as a whole."""
    return Text((Literal(text),), origin)


def text_with(parts: Parts, things: Sequence[Thing]) -> Text:
    """A string made of parts of other things, given up where it grows past all bounds."""
    origin, related = weakest(map(origin_of, things)), merged_related(things)
    if weight_of(parts) > MAX_TEXT_PARTS or _length_of(parts) > MAX_TEXT:
        span = next((part.span for part in parts if isinstance(part, Hole)), Span(0, 0))
        return Text((Hole(Unknown("a very long text"), span),), origin, related)
    return Text(parts, origin, related)


def _length_of(parts: Parts) -> int:
    return sum(
        len(part.text)
        if isinstance(part, Literal)
        else _length_of(part.then) + _length_of(part.other)
        if isinstance(part, Fork)
        else 0
        for part in parts
    )


def at_place(text: str, span: Span) -> MappedText:
    """A text that was computed: every character of it stands for the whole of `span`."""
    return MappedText(text, [span.start] * len(text), [span.end] * len(text), span.start)


def known_text(thing: Thing) -> str | None:
    """The string that a thing is, if it is one and known as a whole."""
    if not isinstance(thing, Text):
        return None
    pieces = []
    for part in thing.parts:
        if not isinstance(part, Literal):
            return None
        pieces.append(part.text.text)
    return "".join(pieces)


def mapped_text(thing: Text) -> MappedText | None:
    """The known string of a thing with its places."""
    texts = [part.text for part in thing.parts if isinstance(part, Literal)]
    return MappedText.join(texts) if len(texts) == len(thing.parts) else None


def thing_of(
    value: Value,
    span: Span,
    origin: Origin = Origin.WRITTEN,
    related: tuple[Related, ...] = (),
) -> Text | Plain:
    """A computed value as a thing that stands at `span`."""
    if isinstance(value, Known) and isinstance(value.value, str):
        return Text((Literal(at_place(value.value, span)),), origin, related)
    if isinstance(value, OneOf) and all(isinstance(option, str) for option in value.values):
        return Text((Hole(value, span),), origin, related)
    return Plain(value, origin, related)


def simple_value(thing: Thing) -> Value:
    """What is known of a thing on no branch in particular; containers are not looked into."""
    if isinstance(thing, Plain):
        return thing.value
    if isinstance(thing, Text):
        return _text_value(thing)
    if isinstance(thing, Either):
        return join([simple_value(thing.then), simple_value(thing.other)])
    if isinstance(thing, Named):
        return Unknown(f"`{thing.name.rsplit('.', 1)[-1]}` is set elsewhere")
    return Unknown("a computed value")


def _text_value(thing: Text) -> Value:
    text = known_text(thing)
    if text is not None:
        return Known(text)
    holes = [part for part in thing.parts if not isinstance(part, Literal)]
    first = holes[0]
    if not isinstance(first, Hole):
        return Unknown("it hangs on a branch")
    if len(holes) > 1 or not isinstance(first.value, OneOf):
        return first.value if isinstance(first.value, Unknown) else Unknown("partly known")
    pieces = [part.text.text if isinstance(part, Literal) else None for part in thing.parts]
    return OneOf(
        tuple(
            "".join(str(option) if piece is None else piece for piece in pieces)
            for option in first.value.values
        )
    )


def either(test: Test, then: Thing, other: Thing) -> Thing:
    """One of two things, as simple as it can be said."""
    if then is other or then == other:
        return then
    if isinstance(then, Text) and isinstance(other, Text):
        return text_with(fork(test, then.parts, other.parts), [then, other])
    weight = 1 + _choice_weight(then) + _choice_weight(other)
    if weight > MAX_CHOICE:
        return Plain(Unknown("it hangs on too many branches"))
    return Either(test, then, other, weight)


def _choice_weight(thing: Thing) -> int:
    return thing.weight if isinstance(thing, Either) else 1


def on_branches(function: Callable[..., Thing], *things: Thing) -> Thing:
    """`function` of the things, on each of the branches that they hang on."""
    return _on_branches(function, things, {})


def _on_branches(
    function: Callable[..., Thing], things: tuple[Thing, ...], taken: dict[Test, bool]
) -> Thing:
    for index, given in enumerate(things):
        thing = _branched(given) if isinstance(given, Text) else given
        if isinstance(thing, Either):
            test = thing.test
            before, after = things[:index], things[index + 1 :]
            if test in taken:
                arm = thing.then if taken[test] else thing.other
                return _on_branches(function, (*before, arm, *after), taken)
            then = _on_branches(function, (*before, thing.then, *after), {**taken, test: True})
            other = _on_branches(function, (*before, thing.other, *after), {**taken, test: False})
            return either(test, then, other)
    return function(*things)


def _branched(text: Text) -> Text | Either:
    """A string that hangs on a test as a choice between two strings."""
    if weight_of(text.parts) > MAX_CHOICE:
        return text
    for index, part in enumerate(text.parts):
        if isinstance(part, Fork):
            before, after = text.parts[:index], text.parts[index + 1 :]
            then = replace(text, parts=(*before, *part.then, *after))
            other = replace(text, parts=(*before, *part.other, *after))
            return Either(part.test, then, other, part.weight)
    return text


def alternatives(thing: Thing) -> list[Thing]:
    """The things that a thing may be, over its branches."""
    if isinstance(thing, Either):
        return alternatives(thing.then) + alternatives(thing.other)
    return [thing]


def weakest(origins: Iterable[Origin]) -> Origin:
    """The origin of what was made of several values: written only if all of them are."""
    return next((origin for origin in origins if origin is not Origin.WRITTEN), Origin.WRITTEN)


def origin_of(thing: Thing) -> Origin:
    """How a thing came to its value."""
    if isinstance(thing, (Text, Plain)):
        return thing.origin
    if isinstance(thing, Either):
        return weakest([origin_of(thing.then), origin_of(thing.other)])
    return Origin.WRITTEN


def related_of(thing: Thing) -> tuple[Related, ...]:
    """The places that a thing came through."""
    if isinstance(thing, (Text, Plain)):
        return thing.related
    return merged_related([thing.then, thing.other]) if isinstance(thing, Either) else ()


def merged_related(things: Iterable[Thing]) -> tuple[Related, ...]:
    """The places that any of the things came through, each once, the first few."""
    found: dict[Related, None] = {}
    for thing in things:
        found.update(dict.fromkeys(related_of(thing)))
    return tuple(found)[:4]


def with_related(thing: Thing, related: Related) -> Thing:
    """The same thing, come through one more place."""
    if isinstance(thing, (Text, Plain)):
        if related in thing.related:
            return thing
        return replace(thing, related=(related, *thing.related)[:4])
    if isinstance(thing, Either):
        then, other = with_related(thing.then, related), with_related(thing.other, related)
        return Either(thing.test, then, other, thing.weight)
    return thing


def with_origin(thing: Thing, origin: Origin) -> Thing:
    """The same thing with another origin."""
    if isinstance(thing, (Text, Plain)):
        return replace(thing, origin=origin)
    if isinstance(thing, Either):
        then, other = with_origin(thing.then, origin), with_origin(thing.other, origin)
        return Either(thing.test, then, other, thing.weight)
    return thing
