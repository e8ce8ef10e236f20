"""Things that hang on branches."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from sglang_lint.readers.python.conditions import Test
from sglang_lint.readers.python.texts import text_with
from sglang_lint.readers.python.things import Either, Fork, Plain, Text, Thing, fork, weight_of
from sglang_lint.values import Unknown

# A choice deeper than this says too little to be worth carrying.
MAX_CHOICE = 64


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
