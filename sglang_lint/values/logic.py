"""Kleene's strong three-valued logic."""

from __future__ import annotations

import enum
from collections.abc import Iterable

from sglang_lint.values.value import Known, Value, candidates


class Truth(enum.Enum):
    """True, false, or not known."""

    TRUE = "true"
    FALSE = "false"
    UNKNOWN = "unknown"


def truth_of(value: Value) -> Truth:
    """Whether a value is true in Python's sense, as far as it is known."""
    if type(value) is Known:
        return Truth.TRUE if value.value else Truth.FALSE
    options = candidates(value)
    if options is None:
        return Truth.UNKNOWN
    truths = {bool(option) for option in options}
    if len(truths) > 1:
        return Truth.UNKNOWN
    return Truth.TRUE if truths.pop() else Truth.FALSE


def negate(truth: Truth) -> Truth:
    """Not."""
    if truth is Truth.UNKNOWN:
        return truth
    return Truth.FALSE if truth is Truth.TRUE else Truth.TRUE


def all_of(truths: Iterable[Truth]) -> Truth:
    """And: false as soon as one is false."""
    result = Truth.TRUE
    for truth in truths:
        if truth is Truth.FALSE:
            return truth
        if truth is Truth.UNKNOWN:
            result = truth
    return result


def any_of(truths: Iterable[Truth]) -> Truth:
    """Or: true as soon as one is true."""
    return negate(all_of(negate(truth) for truth in truths))
