"""Where things came from: how they were written, and the places they came through."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from sglang_lint.launches import Origin, Related
from sglang_lint.readers.python.things import Either, Plain, Text, Thing


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
