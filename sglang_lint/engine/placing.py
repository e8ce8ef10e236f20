"""Findings with their places in lines and columns, and ways out as edits of the text."""

from __future__ import annotations

from sglang_lint.checks.finding import Finding, Replacement, ValueEdit
from sglang_lint.engine.diagnostic import Diagnostic, Edit, Fix, JudgedAs, place_related
from sglang_lint.text import Document, Span


def diagnostic_of(
    document: Document, finding: Finding, launch: int | None, judged: JudgedAs | None
) -> Diagnostic:
    """A finding in a document as the faces print it."""
    related = [place_related(document, item) for item in finding.related]
    return Diagnostic(
        finding.rule.name,
        finding.rule.code,
        finding.severity,
        finding.definite,
        finding.case.consequence,
        finding.message,
        document.path,
        finding.span,
        document.position(finding.span.start),
        document.position(finding.span.end),
        launch,
        finding.condition,
        judged,
        tuple(dict.fromkeys(related)),
        tuple(_fix(document, replacement) for replacement in finding.replacements),
    )


def _fix(document: Document, replacement: Replacement) -> Fix:
    edits = [_edit(document, edit) for edit in replacement.edits]
    complete = tuple(edit for edit in edits if edit is not None)
    return Fix(replacement.title, replacement.safe, complete if len(complete) == len(edits) else ())


def _edit(document: Document, edit: ValueEdit) -> Edit | None:
    """The edit of the bare value, None where the text at its place is something else."""
    written = document.text[edit.span.start : edit.span.end]
    span = edit.span
    if written[:1] in ("'", '"') and written[-1:] == written[:1] and len(written) > 1:
        span, written = Span(span.start + 1, span.end - 1), written[1:-1]
    if written != edit.old:
        return None
    return Edit(document.path, document.position(span.start), document.position(span.end), edit.new)
