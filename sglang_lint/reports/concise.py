"""One line a finding, as compilers print them."""

from __future__ import annotations

from sglang_lint.engine import Diagnostic
from sglang_lint.reports.report import Report, printable


def render_concise(report: Report) -> str:
    """`path:line:column: CODE [rule] severity: message` for each finding."""
    return "".join(f"{line_of(diagnostic)}\n" for _, diagnostic in report.diagnostics())


def line_of(diagnostic: Diagnostic) -> str:
    """One finding in one line."""
    place = f"{diagnostic.path}:{diagnostic.start.line}:{diagnostic.start.column}"
    return printable(
        f"{place}: {diagnostic.code} [{diagnostic.rule}] {diagnostic.severity}: "
        f"{message_of(diagnostic)}"
    )


def message_of(diagnostic: Diagnostic) -> str:
    """The message with the condition of a possible finding, or the branch of a definite one."""
    if diagnostic.condition is None:
        return diagnostic.message
    word = "holds" if diagnostic.definite else "possible"
    return f"{diagnostic.message} ({word} {diagnostic.condition})"
