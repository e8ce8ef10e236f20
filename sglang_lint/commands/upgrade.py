"""`sglang-lint upgrade`: what changes for every launch with another SGLang release."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from sglang_lint.cli import EXIT_CLEAN, EXIT_FINDINGS, EXIT_INTERNAL_FAULT, MisuseError
from sglang_lint.commands.judging import (
    add_judging_arguments,
    add_path_arguments,
    checked_version,
    configurations_of,
    paths_of,
    settings_of,
)
from sglang_lint.engine import Settings
from sglang_lint.engine.directives import read_directives
from sglang_lint.engine.upgrading import Upgrade, upgrade_of
from sglang_lint.project.discovery import discover
from sglang_lint.project.run import Outcome, internal_fault, lint_file, with_configuration
from sglang_lint.project.surroundings import Surroundings
from sglang_lint.releases.context import covered_releases
from sglang_lint.releases.table import base_release, is_known
from sglang_lint.reports.upgrade import (
    UpgradeReport,
    render_upgrade_json,
    render_upgrade_text,
)
from sglang_lint.text import Document


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    add_path_arguments(parser)
    parser.add_argument("--to", metavar="V", required=True, help="the SGLang release to go to")
    add_judging_arguments(parser, "--from", "the release that every launch is for now")
    parser.add_argument("--format", choices=["text", "json"], default="text")


def run(arguments: argparse.Namespace) -> int:
    """Compare every launch below the paths; exit status 1 where one would break."""
    find_configuration = configurations_of(arguments)
    find_configuration(Path.cwd())  # it may name releases of its own
    target = _known(arguments.to)
    settings = settings_of(
        arguments.sglang_version, arguments.platform, arguments.model, least="error"
    )
    upgrades: list[tuple[Document, Upgrade]] = []
    files, failed = 0, False
    paths = paths_of(arguments)
    surroundings = Surroundings(paths)
    for path in discover(paths):
        files += 1
        own = with_configuration(settings, find_configuration(path))
        outcome = lint_file(path, own, surroundings)
        if outcome.analysis.launches:
            outcome, found = _compare(outcome, target, surroundings.added(own, path))
            upgrades.extend((outcome.analysis.document, upgrade) for upgrade in found)
        if outcome.failed:
            failed = True
            for diagnostic in outcome.analysis.diagnostics:
                print(f"{diagnostic.path}: {diagnostic.message}", file=sys.stderr)
    report = UpgradeReport(target, upgrades, files)
    as_json = arguments.format == "json"
    sys.stdout.write(render_upgrade_json(report) + "\n" if as_json else render_upgrade_text(report))
    if failed:
        return EXIT_INTERNAL_FAULT
    return EXIT_FINDINGS if report.breaking else EXIT_CLEAN


def _known(text: str) -> str:
    version = checked_version(text)
    covered = covered_releases()
    if base_release(version) not in covered or not is_known(version):
        raise MisuseError(f"the rules cover {covered[0]} to {covered[-1]}, not {version}")
    return version


def _compare(outcome: Outcome, target: str, settings: Settings) -> tuple[Outcome, list[Upgrade]]:
    analysis = outcome.analysis
    directives = read_directives(analysis.document)
    try:
        return outcome, [
            upgrade_of(analysis.document, launch, target, settings, directives)
            for launch in analysis.launches
        ]
    except Exception as error:  # the boundary at which one file's fault must not stop the others
        return internal_fault(analysis.document, settings, error), []
