"""Whether a command can start SGLang at all: most name it nowhere, and are not expanded."""

from __future__ import annotations

from collections.abc import Iterable

from sglang_lint.readers.shell.bindings import (
    Appended,
    Arguments,
    Binding,
    Bound,
    Element,
    Given,
    Grown,
    Items,
    Optional,
    Scalar,
    Selected,
    Shifted,
)
from sglang_lint.readers.shell.pieces import Chars
from sglang_lint.values import Known

NAME = "sglang"
_MAX_LOOKS = 20_000


def may_name(bounds: Iterable[Bound]) -> bool:
    """Whether the words, or anything that their variables hold, mention SGLang."""
    pending: list[Bound | Binding | None] = list(bounds)
    seen: set[int] = set()
    while pending:
        current = pending.pop()
        if current is None or id(current) in seen:
            continue
        seen.add(id(current))
        if len(seen) > _MAX_LOOKS:
            return True
        if isinstance(current, Bound):
            if current.word.mentions(NAME):
                return True
            pending.extend(current.captured.values())
        elif isinstance(current, Scalar):
            pending.append(current.value)
        elif isinstance(current, Appended):
            pending.extend((current.before, current.value))
        elif isinstance(current, Items):
            pending.extend((current.before, *current.values))
        elif isinstance(current, Selected):
            pending.extend(current.arms)
        elif isinstance(current, Optional | Grown | Shifted):
            pending.append(current.before)
        elif _mentions(current):
            return True
    return False


def _mentions(binding: Binding) -> bool:
    if isinstance(binding, Element):
        return any(
            isinstance(piece, Chars) and NAME in piece.text.text for piece in binding.field.pieces
        )
    if isinstance(binding, Arguments):
        return any(NAME in word.literal.text for word in binding.words)
    if isinstance(binding, Given):
        value = binding.value
        return isinstance(value, Known) and NAME in str(value.value)
    return False
