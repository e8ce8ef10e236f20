"""What the flake8 plugin loads once a file names SGLang."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from flake8.exceptions import ExecutionError

from sglang_lint.cli import MisuseError
from sglang_lint.commands.judging import Configurations, settings_of
from sglang_lint.engine import Diagnostic, Settings
from sglang_lint.project.files import shown_path
from sglang_lint.project.run import lint_document, with_configuration
from sglang_lint.project.surroundings import Surroundings
from sglang_lint.reports.concise import message_of
from sglang_lint.text import Document

_FROM_STDIN = frozenset(["stdin", "-", "/dev/stdin"])


def findings(
    text: str, filename: str, options: argparse.Namespace
) -> Iterator[tuple[Diagnostic, str]]:
    """The diagnostics of a file with flake8's text for each; raises flake8's ExecutionError."""
    path = Path("stdin.py" if filename in _FROM_STDIN else filename)
    try:
        settings = _settings(
            options.sglang_version,
            options.sglang_platform,
            options.sglang_model,
            options.sglang_min_severity,
        )
        configured = with_configuration(settings, Configurations()(path))
    except MisuseError as error:
        raise ExecutionError(f"sglang-lint: {error}") from None
    surrounded = Surroundings([path]).added(configured, path)
    outcome = lint_document(Document(shown_path(path), text), surrounded)
    for diagnostic in outcome.analysis.diagnostics:
        yield diagnostic, f"{diagnostic.code} {message_of(diagnostic)}"


@lru_cache(maxsize=8)
def _settings(version: str, platform: str, model: str, least: str) -> Settings:
    settings = settings_of(version or None, platform or None, model or None, least=least)
    # flake8 applies `# noqa` itself and counts it.
    return replace(settings, honour_noqa=False)
