"""Values that may not be known, and the three-valued logic over them."""

from sglang_lint.values.logic import Truth, all_of, any_of, negate, truth_of
from sglang_lint.values.value import (
    Known,
    OneOf,
    Unknown,
    Value,
    candidates,
    join,
    known,
    one_of,
)

__all__ = [
    "Known",
    "OneOf",
    "Truth",
    "Unknown",
    "Value",
    "all_of",
    "any_of",
    "candidates",
    "join",
    "known",
    "negate",
    "one_of",
    "truth_of",
]
