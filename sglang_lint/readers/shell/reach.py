"""Whether a command can start SGLang at all: most name it nowhere, and are not expanded."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from sglang_lint.launches.entry_points import MODULES
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
# A module that starts a server, the program `sglang`, or a beginning that a variable completes.
_MODULES = "|".join(map(re.escape, MODULES))
_ENTRY = re.compile(rf"\b(?:{_MODULES})\b|launch_server\.py|(?<![\w.:@-])sglang(?![\w:@=\[-])")
_MAX_LOOKS = 20_000


def may_name(bounds: Iterable[Bound]) -> bool:
    """Whether the words, or anything that their variables hold, mention SGLang."""
    return any(NAME in text for text in _texts(bounds))


def may_start(bounds: Iterable[Bound]) -> bool:
    """Whether they hold anything by which SGLang is started."""
    return any(NAME in text and _ENTRY.search(text) for text in _texts(bounds))


def _texts(bounds: Iterable[Bound]) -> Iterator[str]:
    pending: list[Bound | Binding | None] = list(bounds)
    seen: set[int] = set()
    while pending:
        current = pending.pop()
        if current is None or id(current) in seen:
            continue
        seen.add(id(current))
        if len(seen) > _MAX_LOOKS:
            yield NAME
            return
        if isinstance(current, Bound):
            yield from current.word.texts()
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
        else:
            yield from _texts_in(current)


def _texts_in(binding: Binding) -> Iterator[str]:
    if isinstance(binding, Element):
        for piece in binding.field.pieces:
            if isinstance(piece, Chars):
                yield piece.text.text
    elif isinstance(binding, Arguments):
        for word in binding.words:
            yield word.literal.text
    elif isinstance(binding, Given) and isinstance(binding.value, Known):
        yield str(binding.value.value)
