"""The findings for a person: source line, underlined span, what it was judged for, the way out."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console
from rich.text import Text

from sglang_lint.engine import Analysis, Diagnostic, JudgedAs
from sglang_lint.releases.ranges import releases_in_words
from sglang_lint.reports.report import Report, printable
from sglang_lint.text import Position

_STYLES = {"error": "bold red", "warning": "bold yellow", "info": "bold cyan"}
CONSEQUENCES = {
    "refused": "refused while the arguments resolve, before anything loads",
    "init": "fails when the workers start, after the node is booked",
    "crash": "dies while it serves",
    "overridden": "runs with something else than what was asked for",
    "wrong": "runs and answers wrongly",
}
_TAB = "    "


def print_text(report: Report, console: Console) -> None:
    """Print every finding with its source, then the summary."""
    for analysis, diagnostic in report.diagnostics():
        for line in _diagnostic(analysis, diagnostic):
            console.print(line, soft_wrap=True)
        console.print()
    for line in _summary(report):
        console.print(line, soft_wrap=True)


def _diagnostic(analysis: Analysis, diagnostic: Diagnostic) -> Iterable[Text]:
    style = _STYLES[diagnostic.severity]
    place = f"{diagnostic.path}:{diagnostic.start.line}:{diagnostic.start.column}"
    yield Text.assemble(
        (printable(place), "bold"),
        ": ",
        (diagnostic.severity, style),
        (f" {diagnostic.code}", style),
        (f" {diagnostic.rule}", "dim"),
    )
    yield Text(f"  {printable(diagnostic.message)}")
    yield from _frame(analysis, diagnostic.start, diagnostic.end, style)
    if diagnostic.condition is not None:
        word = "holds" if diagnostic.definite else "possible"
        yield _note(word, diagnostic.condition)
    if diagnostic.consequence is not None:
        yield _note("consequence", CONSEQUENCES[diagnostic.consequence])
    if diagnostic.judged is not None:
        yield _note("judged for", _judged(diagnostic.judged))
    for fix in diagnostic.fixes:
        yield _note("instead", fix.title)
    for related in diagnostic.related:
        place = f"{related.path}:{related.start.line}:{related.start.column}"
        yield _note("see", f"{place}: {related.message}")


def _frame(analysis: Analysis, start: Position, end: Position, style: str) -> Iterable[Text]:
    document = analysis.document
    if start.line > len(document.line_starts) or not document.text:
        return
    width = len(str(end.line))
    lines = range(start.line, min(end.line, start.line + 3) + 1)
    yield Text(f"{' ' * width} |", "blue")
    for number in lines:
        source = document.line(number)
        first = start.column - 1 if number == start.line else len(source) - len(source.lstrip())
        last = end.column - 1 if number == end.line else len(source)
        if number == end.line and last <= first and number != start.line:
            continue
        yield Text.assemble((f"{number:>{width}} | ", "blue"), _shown(source))
        marks = " " * len(_shown(source[:first])) + "^" * max(len(_shown(source[first:last])), 1)
        yield Text.assemble((f"{' ' * width} | ", "blue"), (marks, style))


def _shown(source: str) -> str:
    return printable(source).replace("\t", _TAB)


def _note(label: str, text: str) -> Text:
    return Text.assemble("  = ", (f"{label}: ", "bold"), printable(text))


def _judged(judged: JudgedAs) -> str:
    parts = [f"SGLang {releases_in_words(judged.versions)} ({judged.source})"]
    if judged.platform is not None:
        parts.append(f"on {judged.platform} ({judged.platform_source})")
    if judged.model is not None:
        parts.append(f"model {judged.model} ({judged.model_source})")
    return ", ".join(parts)


def _summary(report: Report) -> Iterable[Text]:
    counts = report.counts()
    found = _counted(counts["errors"], "error"), _counted(counts["warnings"], "warning")
    line = Text(f"{', '.join(found)} in {_counted(counts['launches'], 'launch', 'launches')}")
    line.append(f" ({_counted(counts['files'], 'file')})")
    if counts["errors"]:
        line.stylize("bold red")
    elif not counts["warnings"]:
        line.stylize("bold green")
    yield line
    hidden = [f"{counts[key]} {key}" for key in ("hidden", "suppressed") if counts[key]]
    if hidden:
        yield Text(f"{', '.join(hidden)}: see `--min-severity info`", "dim")
    sources = report.release_sources()
    if len(sources) > 1:
        parts = ", ".join(f"{kind} ({count})" for kind, count in sources.items())
        yield Text(f"release from: {printable(parts)}", "dim")
    waiting = report.undecided_by()
    if waiting:
        reasons = ", ".join(
            f"{axis} of {count}" for axis, count in sorted(waiting.items(), key=lambda p: -p[1])
        )
        yield Text(
            f"{_counted(counts['undecided'], 'launch', 'launches')} not wholly decided; "
            f"not known: {reasons}",
            "dim",
        )


def _counted(number: int, singular: str, plural: str | None = None) -> str:
    return f"{number} {singular if number == 1 else plural or singular + 's'}"
