"""`sglang-lint check`: find launches and say what is wrong with them."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from sglang_lint.cli import EXIT_CLEAN, EXIT_FINDINGS, EXIT_INTERNAL_FAULT, MisuseError
from sglang_lint.commands.judging import (
    SEVERITIES,
    add_judging_arguments,
    add_path_arguments,
    configurations_of,
    paths_of,
    settings_of,
)
from sglang_lint.engine import Settings
from sglang_lint.project.files import Unreadable, document_of
from sglang_lint.project.run import (
    ConfigurationFinder,
    Outcome,
    lint_document,
    lint_file,
    with_configuration,
)
from sglang_lint.project.surroundings import Surroundings
from sglang_lint.reports.report import Report

# A person sees a progress bar from this many files on.
_MANY_FILES = 200


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    add_path_arguments(parser)
    add_judging_arguments(parser)
    parser.add_argument("--format", choices=["text", "concise", "json"], default="text")
    parser.add_argument("--select", metavar="RULES", help="only these rules, by name or code")
    parser.add_argument("--ignore", metavar="RULES", help="not these rules")
    parser.add_argument("--min-severity", choices=SEVERITIES, help="what is shown (warning)")
    parser.add_argument(
        "--fail-on", choices=[*SEVERITIES, "never"], help="what makes exit status 1 (warning)"
    )
    parser.add_argument(
        "--explain",
        metavar="PATH:LINE",
        help="say what decides the launch at a line: its release, its values, the rules",
    )
    parser.add_argument(
        "--stdin-filename", metavar="NAME", help="with `-`: the name of what is read from stdin"
    )


def run(arguments: argparse.Namespace) -> int:
    """Lint, print, and tell by the exit status what was found."""
    find_configuration = configurations_of(arguments)
    top = find_configuration(Path.cwd())
    shown = arguments.min_severity or top.min_severity or "warning"
    fail_on = arguments.fail_on or top.fail_on or "warning"
    searched = shown if fail_on == "never" else min(shown, fail_on, key=_rank)
    settings = settings_of(
        arguments.sglang_version,
        arguments.platform,
        arguments.model,
        select=arguments.select,
        ignore=arguments.ignore,
        least=searched,
    )
    if arguments.explain is not None:
        return _explain(arguments, settings, find_configuration)
    if arguments.paths == ["-"]:
        outcomes = [_lint_stdin(arguments.stdin_filename, settings, find_configuration)]
    else:
        outcomes = list(_lint_files(paths_of(arguments), settings, find_configuration))
    report = Report([outcome.analysis for outcome in outcomes], shown, len(outcomes))
    _print(report, arguments.format)
    if any(outcome.failed for outcome in outcomes):
        return EXIT_INTERNAL_FAULT
    failing = fail_on != "never" and any(
        _rank(diagnostic.severity) >= _rank(fail_on)
        for outcome in outcomes
        for diagnostic in outcome.analysis.diagnostics
    )
    return EXIT_FINDINGS if failing else EXIT_CLEAN


def _explain(
    arguments: argparse.Namespace, settings: Settings, find_configuration: ConfigurationFinder
) -> int:
    from sglang_lint.engine.explaining import explain, launch_at
    from sglang_lint.reports.explanation import render_explanation

    name, _, number = arguments.explain.rpartition(":")
    if not name or not number.isdecimal() or arguments.paths or arguments.format != "text":
        raise MisuseError("`--explain` takes PATH:LINE, no other path and no other format")
    path = Path(name)
    if not path.is_file():
        raise MisuseError(f"there is no file `{name}`")
    (outcome,) = _lint_files([path], settings, find_configuration)
    if outcome.failed:
        raise MisuseError(outcome.analysis.diagnostics[0].message)
    launch = launch_at(outcome.analysis, int(number))
    if launch is None:
        raise MisuseError(f"there is no launch at line {number} of `{name}`")
    explanation = explain(launch, settings)
    sys.stdout.write(render_explanation(outcome.analysis.document, explanation))
    return EXIT_CLEAN


def _rank(severity: str) -> int:
    return -SEVERITIES.index(severity)


def _lint_stdin(
    name: str | None, settings: Settings, find_configuration: ConfigurationFinder
) -> Outcome:
    if name is None:
        raise MisuseError("`-` needs `--stdin-filename NAME`, whose ending tells the language")
    path = Path(name)
    configured = with_configuration(settings, find_configuration(path))
    document = document_of(sys.stdin.buffer.read(), name)
    if isinstance(document, Unreadable):
        raise MisuseError(f"standard input {document.reason}")
    return lint_document(document, Surroundings([path]).added(configured, path))


def _lint_files(
    paths: list[Path], settings: Settings, find_configuration: ConfigurationFinder
) -> Iterator[Outcome]:
    from sglang_lint.project.discovery import discover

    surroundings = Surroundings(paths)
    files: Iterable[Path] = discover(paths)
    if sys.stderr.isatty():
        files = _with_progress(list(files))
    for path in files:
        configured = with_configuration(settings, find_configuration(path))
        yield lint_file(path, configured, surroundings)


def _with_progress(files: list[Path]) -> Iterable[Path]:
    if len(files) < _MANY_FILES:
        return files
    from rich.console import Console
    from rich.progress import track

    return track(files, "Linting", console=Console(stderr=True), transient=True)


def _print(report: Report, text_format: str) -> None:
    if text_format == "json":
        from sglang_lint.reports.json_report import render_json

        print(render_json(report))
    elif text_format == "concise":
        from sglang_lint.reports.concise import render_concise

        sys.stdout.write(render_concise(report))
    else:
        from rich.console import Console

        from sglang_lint.reports.text import print_text

        print_text(report, Console(highlight=False, emoji=False, markup=False))
