"""Binding of Python keywords and schema keys, which name fields."""

from __future__ import annotations

from sglang_lint.launches import EntryPoint, Keyword
from sglang_lint.releases.binding import BoundArgument
from sglang_lint.releases.problems import Reporter
from sglang_lint.releases.suggest import misspelled_field
from sglang_lint.releases.table import ReleaseTable


def bind_keywords(
    keywords: tuple[Keyword, ...],
    entry_point: EntryPoint,
    table: ReleaseTable,
    report: Reporter,
    arguments: dict[str, BoundArgument],
) -> None:
    """Add the arguments that keywords give, by canonical field name.

    A field's name of another release is bound as well as reported: what is meant is clear.
    Choices and types are the parser's, and no keyword passes through it.
    """
    for keyword in keywords:
        if keyword.name.startswith(entry_point.own_options or ("\0",)):
            continue
        if keyword.name not in table.by_name:
            if entry_point.other_options:
                continue
            report.unknown_keyword(keyword)
        canonical = table.canonical(keyword.name)
        if canonical not in table.by_canonical:
            canonical = misspelled_field("--" + keyword.name.replace("_", "-")) or ""
            if canonical not in table.by_canonical:
                continue
        argument = BoundArgument(
            canonical,
            keyword.name,
            keyword.name_span,
            keyword.value,
            keyword.value_span,
            keyword.origin,
            keyword.related,
        )
        previous = arguments.get(canonical)
        if previous is not None:
            report.repeated(argument, previous)
            argument = argument.after(previous)
        arguments[canonical] = argument
