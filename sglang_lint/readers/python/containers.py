"""Lists, tuples and dictionaries: what goes into them, out of them, and what changes them."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace

from sglang_lint.launches import Related
from sglang_lint.readers.python.choices import either
from sglang_lint.readers.python.conditions import Test
from sglang_lint.readers.python.origins import with_related
from sglang_lint.readers.python.state import State
from sglang_lint.readers.python.texts import known_text, thing_of
from sglang_lint.readers.python.things import (
    Box,
    Either,
    Entry,
    Fork,
    Item,
    Kind,
    Named,
    Parts,
    Plain,
    Ref,
    Removed,
    Thing,
    Unseen,
    fork,
    unknown,
)
from sglang_lint.text import Span
from sglang_lint.values import Known

SEQUENCES = (Kind.LIST, Kind.TUPLE)
MAPPINGS = (Kind.DICT, Kind.ENVIRON)


def new_list(state: State, parts: Parts, span: Span, kind: Kind = Kind.LIST) -> Ref:
    """A new list that was made at `span`."""
    return state.new(Box(kind, sites=frozenset([span])).with_parts(parts))


def choose(state: State, test: Test, then: Thing, other: Thing) -> Thing:
    """One of two things; of two containers of a kind a new one that hangs on the test."""
    if isinstance(then, Ref) and isinstance(other, Ref) and then != other:
        one, two = state.box(then), state.box(other)
        if one.kind is two.kind and one.kind in (*SEQUENCES, *MAPPINGS):
            both = replace(one, sites=one.sites | two.sites)
            return state.new(both.with_parts(fork(test, one.parts, two.parts)))
    return either(test, then, other)


def elements(state: State, thing: Thing, span: Span) -> Parts:
    """What iterating over a thing gives, as parts of a list."""
    if isinstance(thing, Either):
        then = elements(state, thing.then, span)
        other = elements(state, thing.other, span)
        return fork(thing.test, then, other)
    if isinstance(thing, Ref):
        box = state.box(thing)
        if box.kind in SEQUENCES:
            return box.parts
        if box.kind is Kind.DICT:
            return _keys(box.parts)
    return (Unseen(why_of(thing), span),)


def _keys(parts: Parts) -> Parts:
    """The keys of a dictionary whose entries hang on no branch."""
    entries = settled_entries(parts)
    if entries is None:
        span = next((part.span for part in parts if isinstance(part, (Entry, Unseen))), Span(0, 0))
        return (Unseen("the keys of a dictionary", span),)
    return tuple(
        Item(thing_of(Known(entry.key), entry.key_span), entry.key_span) for entry in entries
    )


def settled_entries(parts: Parts) -> list[Entry] | None:
    """The entries of a dictionary if all of them are seen and hang on no branch."""
    found: dict[Hashable, Entry] = {}
    for part in parts:
        if isinstance(part, Entry):
            found[part.key] = part
        elif isinstance(part, Removed):
            found.pop(part.key, None)
        else:
            return None
    return list(found.values())


def entries(state: State, thing: Thing, span: Span) -> Parts:
    """What unpacking a mapping gives, as parts of a dictionary."""
    if isinstance(thing, Either):
        then = entries(state, thing.then, span)
        other = entries(state, thing.other, span)
        return fork(thing.test, then, other)
    if isinstance(thing, Ref):
        box = state.box(thing)
        if box.kind in MAPPINGS:
            return box.parts
    if isinstance(thing, Plain) and thing.value in (Known(None), Known(())):
        return ()
    return (Unseen(why_of(thing), span),)


def why_of(thing: Thing) -> str:
    """In a few words, why the contents of a thing are not seen."""
    if isinstance(thing, Plain) and not isinstance(thing.value, Known):
        return getattr(thing.value, "why", "") or "a computed value"
    if isinstance(thing, Named):
        return f"`{thing.name.rsplit('.', 1)[-1]}` is set elsewhere"
    return "a computed value"


def key_of(thing: Thing) -> Hashable | None:
    """A thing as the key of an entry, None if it is not known."""
    text = known_text(thing)
    if text is not None:
        return text
    if isinstance(thing, Plain) and isinstance(thing.value, Known):
        return thing.value.value
    return None


def look_up(parts: Parts, key: Hashable) -> Thing | None:
    """What `key` is set to; None if it is not set, Unknown if that cannot be seen."""
    for index in range(len(parts) - 1, -1, -1):
        part = parts[index]
        if isinstance(part, Entry) and part.key == key:
            return _shown(part)
        if isinstance(part, Removed) and part.key == key:
            return None
        if isinstance(part, Unseen):
            before = look_up(parts[:index], key)
            return unknown(part.why) if before is None else before
        if isinstance(part, Fork):
            if _removes(part, key):
                return unknown("it is not set on every branch")
            then, other = look_up(part.then, key), look_up(part.other, key)
            if then is None and other is None:
                continue
            rest = look_up(parts[:index], key) or unknown("it is not set on every branch")
            return either(part.test, then or rest, other or rest)
    return None


def _removes(part: Fork, key: Hashable) -> bool:
    return any(
        _removes(inner, key) if isinstance(inner, Fork) else inner == Removed(key)
        for inner in (*part.then, *part.other)
    )


def _shown(entry: Entry) -> Thing:
    name = f"`{entry.key}` is set here"
    return with_related(entry.thing, Related(name, entry.key_span))


def item_at(parts: Parts, index: int) -> Thing | None:
    """The element at an index, if no part before it is of unknown length."""
    if index >= 0:
        seen: Parts = parts[: index + 1]
        wanted = index
    else:
        seen = parts[index:]
        wanted = 0
    if len(seen) <= wanted or not all(isinstance(part, Item) for part in seen):
        return None
    part = seen[wanted]
    return part.thing if isinstance(part, Item) else None


def give_up(state: State, ref: Ref, why: str, span: Span) -> None:
    """Forget all that an object holds."""
    state.set_parts(ref, (Unseen(why, span),))


def open_up(state: State, ref: Ref, why: str, span: Span) -> None:
    """Note that an object may have got more than is seen."""
    box = state.box(ref)
    if box.parts and isinstance(box.parts[-1], Unseen) and box.parts[-1].span == span:
        return
    state.append(ref, Unseen(why, span))
