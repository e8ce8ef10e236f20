"""Comments that speak to the linter: suppressions and statements about a launch."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sglang_lint.launches import Related
from sglang_lint.releases.context import Stated
from sglang_lint.text import Document, Span

_DIRECTIVE = re.compile(r"#\s*sglang-lint:[ \t]*(?P<body>[^\r\n]*)")
_IGNORE = re.compile(r"ignore\[(?P<names>[^\]\r\n]*)\][ \t]*(?P<reason>.*)")
_NOQA = re.compile(r"#\s*noqa(?P<codes>:[ \t]*[A-Z]+[0-9]+(?:[,\s]+[A-Z]+[0-9]+)*)?", re.IGNORECASE)
_STATEMENT = re.compile(r"\b(release|platform|model)=(\S+)")


@dataclass(frozen=True)
class Suppression:
    """An `ignore[...]` or `noqa` comment; `names` empty means every rule.

    `own_line` tells that nothing but the comment stands on its line: it then reaches over the
    command, list or mapping that follows.
    """

    names: frozenset[str]
    line: int
    span: Span
    own_line: bool
    written_as: str


@dataclass(frozen=True)
class Directives:
    """All such comments of one document."""

    ignore_file: bool = False
    suppressions: tuple[Suppression, ...] = ()
    statements: tuple[tuple[str, Stated, int], ...] = ()

    def stated(self, kind: str, offset: int) -> list[Stated]:
        """What is stated for a launch at an offset: the nearest above it, else the file's first."""
        of_kind = [(stated, place) for name, stated, place in self.statements if name == kind]
        above = [stated for stated, place in of_kind if place <= offset]
        if above:
            return above[-1:]
        return [stated for stated, _ in of_kind[:1]]


def read_directives(document: Document, *, noqa: bool = True) -> Directives:
    """The comments of a document that speak to the linter; cheap where there are none.

    `noqa` comments count in Python files only, and only where they are asked for.
    """
    if "sglang-lint:" not in document.text and "noqa" not in document.text:
        return Directives()
    suppressions, statements, ignore_file = [], [], False
    for match in _DIRECTIVE.finditer(document.text):
        body = match["body"].strip()
        if body == "ignore-file":
            ignore_file = True
        elif ignored := _IGNORE.match(body):
            names = frozenset(name.strip() for name in ignored["names"].split(",")) - {""}
            if names:
                suppressions.append(_suppression(document, match, names, "ignore"))
        for kind, value in _STATEMENT.findall(body):
            span = Span(match.start(), match.end())
            statements.append(
                (
                    kind,
                    Stated(value, "a comment in the file", Related(f"{kind} {value}", span)),
                    match.start(),
                )
            )
    if noqa and document.path.endswith((".py", ".pyi")):
        for match in _NOQA.finditer(document.text):
            codes = frozenset(re.findall(r"[A-Z]+[0-9]+", (match["codes"] or "").upper()))
            suppressions.append(_suppression(document, match, codes, "noqa"))
    return Directives(ignore_file, tuple(suppressions), tuple(statements))


def _suppression(
    document: Document, match: re.Match[str], names: frozenset[str], written_as: str
) -> Suppression:
    line = document.position(match.start()).line
    start = document.line_starts[line - 1]
    own_line = not document.text[start : match.start()].strip()
    return Suppression(names, line, Span(match.start(), match.end()), own_line, written_as)


def suppressed_by(
    document: Document,
    suppressions: Iterable[Suppression],
    extents: Sequence[Span],
    span: Span,
    names: frozenset[str],
) -> Suppression | None:
    """The comment that silences a finding of a rule (its name, code, code's prefix) at a span."""
    lines = range(document.position(span.start).line, document.position(span.end).line + 1)
    for suppression in suppressions:
        if suppression.names and not _names_rule(suppression.names, names):
            continue
        if suppression.line in lines and not suppression.own_line:
            return suppression
        if suppression.own_line and suppression.written_as == "ignore":
            following = _following_line(document, suppression.line)
            if following in lines:
                return suppression
            for extent in extents:
                if document.position(extent.start).line == following and extent.covers(span):
                    return suppression
    return None


def _names_rule(written: frozenset[str], names: frozenset[str]) -> bool:
    return any(name == rule for name in written for rule in names)


def _following_line(document: Document, line: int) -> int:
    for number in range(line + 1, len(document.line_starts) + 1):
        text = document.line(number).strip()
        if text and not text.startswith("#"):
            return number
    return line
