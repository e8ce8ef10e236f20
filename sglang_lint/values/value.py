"""What is known of a value: all of it, a few candidates, or nothing."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import TypeAlias

# More candidates than this say too little to be worth carrying.
MAX_CANDIDATES = 16


@dataclass(frozen=True, slots=True)
class Known:
    """Exactly this Python value (a string, number, boolean, None, tuple)."""

    value: Hashable


@dataclass(frozen=True, slots=True)
class OneOf:
    """One of at least two distinct values, which one is not known."""

    values: tuple[Hashable, ...]


@dataclass(frozen=True, slots=True)
class Unknown:
    """Any value; `why` says in a few words what hides it."""

    why: str = ""


Value: TypeAlias = Known | OneOf | Unknown


def known(value: Hashable) -> Known:
    """The value itself, known."""
    return Known(value)


def one_of(values: Iterable[Hashable], why: str = "too many candidates") -> Value:
    """Known, OneOf or, past MAX_CANDIDATES or with none at all, Unknown."""
    distinct: list[tuple[type, Hashable]] = []
    for value in values:
        key = (type(value), value)  # 1, 1.0 and True are different values here
        if key not in distinct:
            distinct.append(key)
    if len(distinct) == 1:
        return Known(distinct[0][1])
    if not distinct or len(distinct) > MAX_CANDIDATES:
        return Unknown(why)
    return OneOf(tuple(value for _, value in distinct))


def candidates(value: Value) -> tuple[Hashable, ...] | None:
    """The values it can have, or None if that is not known."""
    if isinstance(value, Known):
        return (value.value,)
    if isinstance(value, OneOf):
        return value.values
    return None


def join(values: Iterable[Value]) -> Value:
    """What is known of a value that is one of the given ones."""
    found: list[Hashable] = []
    for value in values:
        options = candidates(value)
        if options is None:
            return value
        found.extend(options)
    return one_of(found)
