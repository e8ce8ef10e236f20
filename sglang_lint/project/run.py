"""Linting files one after the other, whatever befalls a single one."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from sglang_lint.checks.finding import Finding
from sglang_lint.engine.analyse import Analysis, Settings, analyse
from sglang_lint.engine.diagnostic import Diagnostic
from sglang_lint.engine.placing import diagnostic_of
from sglang_lint.project.configuration import Configuration
from sglang_lint.project.discovery import discover, first_line_of
from sglang_lint.project.files import Unreadable, read_document, shown_path
from sglang_lint.project.surroundings import Surroundings
from sglang_lint.readers.registry import format_of
from sglang_lint.releases.context import Stated
from sglang_lint.text import Document, Span


@dataclass(frozen=True)
class Outcome:
    """What came of one file; `failed` where the linter itself did."""

    analysis: Analysis
    failed: bool = False


ConfigurationFinder = Callable[[Path], Configuration]


def lint_paths(
    paths: Iterable[Path], settings: Settings, find_configuration: ConfigurationFinder
) -> Iterator[Outcome]:
    """Lint every file below the paths.

    Raises FileNotFoundError for a path that does not exist, ConfigurationError for a wrong
    configuration.
    """
    given = list(paths)
    surroundings = Surroundings(given)
    for path in discover(given):
        yield lint_file(path, with_configuration(settings, find_configuration(path)), surroundings)


def lint_file(path: Path, settings: Settings, surroundings: Surroundings) -> Outcome:
    """Lint one file from the disk; one that cannot be read is a diagnostic."""
    shown_as = shown_path(path)
    try:
        document = read_document(path, shown_as)
        if document is None:
            return Outcome(Analysis(Document(shown_as, "")))
        if isinstance(document, Unreadable):
            return Outcome(_unreadable(document, path, settings))
        return lint_document(document, surroundings.added(settings, path))
    except (MemoryError, RecursionError) as error:
        return internal_fault(Document(shown_as, ""), settings, error)


def lint_document(document: Document, settings: Settings) -> Outcome:
    """Lint one text; a fault of the linter is a diagnostic of its own and ends nothing else."""
    try:
        return Outcome(analyse(document, settings))
    except Exception as error:  # the boundary at which one file's fault must not stop the others
        return internal_fault(document, settings, error)


def internal_fault(document: Document, settings: Settings, error: BaseException) -> Outcome:
    """SGL000: where the linter failed and how to report it."""
    frames = traceback.extract_tb(error.__traceback__)
    where = f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else "unknown place"
    detail = (
        f"sglang-lint failed on this file ({type(error).__name__} at {where}); "
        "this is a fault of sglang-lint, please report it together with the file"
    )
    return Outcome(
        Analysis(document, (_file_diagnostic(document, "internal-fault", detail, 0, settings),)),
        True,
    )


def _unreadable(problem: Unreadable, path: Path, settings: Settings) -> Analysis:
    if format_of(path.name, first_line_of(path)) is None:
        return Analysis(problem.document)
    detail = f"the file {problem.reason}"
    diagnostic = _file_diagnostic(problem.document, "unreadable", detail, problem.offset, settings)
    return Analysis(problem.document, (diagnostic,))


def _file_diagnostic(
    document: Document, check: str, detail: str, offset: int, settings: Settings
) -> Diagnostic:
    rule = settings.rules.by_check[check]
    case = rule.cases[0]
    finding = Finding(rule, case, detail, Span(offset, offset), case.severity)
    return diagnostic_of(document, finding, None, None)


def with_configuration(settings: Settings, configuration: Configuration) -> Settings:
    """Settings with what a configuration file adds; what was given before goes first."""
    given = settings.statements
    source = "the configuration"
    statements = replace(
        given,
        default_releases=[*given.default_releases, *_stated(configuration.sglang_version, source)],
        default_platforms=[*given.default_platforms, *_stated(configuration.platform, source)],
        default_models=[*given.default_models, *_stated(configuration.model, source)],
    )
    return replace(
        settings,
        statements=statements,
        select=settings.select or configuration.select,
        ignore=(*settings.ignore, *configuration.ignore),
    )


def _stated(value: str | None, source: str) -> list[Stated]:
    return [] if value is None else [Stated(value, source)]
