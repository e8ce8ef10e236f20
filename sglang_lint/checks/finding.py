"""What a check or a rule has found, before it gets its place in lines and columns."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from sglang_lint.launches import Related
from sglang_lint.matrix.rules import Case, Rule
from sglang_lint.releases.ranges import releases_in_words
from sglang_lint.text import Span

_PLACEHOLDER = re.compile(r"\{([a-z_]+)\}")


@dataclass(frozen=True)
class ValueEdit:
    """Put `new` in the place of `old`, which stands at a span bare or in quotes."""

    span: Span
    old: str
    new: str


@dataclass(frozen=True)
class Replacement:
    """A way out; without edits it is advice in words only."""

    title: str
    safe: bool
    edits: tuple[ValueEdit, ...] = ()


@dataclass(frozen=True)
class Finding:
    """A rule that speaks at a span; `versions` are the releases in which it does."""

    rule: Rule
    case: Case
    message: str
    span: Span
    severity: str
    definite: bool = True
    condition: str | None = None
    versions: tuple[str, ...] = ()
    related: tuple[Related, ...] = ()
    replacements: tuple[Replacement, ...] = ()


def fill_values(template: str, values: Mapping[str, str]) -> str:
    """A rule's message with a check's own values in it."""
    return _PLACEHOLDER.sub(lambda match: values.get(match[1], match[0]), template)


def listed(names: Iterable[str]) -> str:
    """`a`, `b` and `c`, each in backticks."""
    texts = [f"`{name}`" for name in names]
    return texts[0] if len(texts) == 1 else ", ".join(texts[:-1]) + f" and {texts[-1]}"


def condition_of(versions: Sequence[str], releases: Sequence[str]) -> tuple[bool, str | None]:
    """Whether something true in `versions` is so in all `releases`, else in which in words."""
    if set(versions) >= set(releases):
        return True, None
    return False, f"in {releases_in_words(versions)}"
