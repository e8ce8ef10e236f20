"""`sglang-lint matrix`: what each release refuses, crashes on, changes or gets wrong."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Sequence
from typing import Any

from sglang_lint.cli import EXIT_CLEAN, MisuseError
from sglang_lint.commands.judging import checked_version
from sglang_lint.matrix.rules import Rule, bundled_rules
from sglang_lint.releases.context import covered_releases

_LETTERS = {"refused": "S", "init": "I", "crash": "D", "overridden": "O", "wrong": "W"}
_LEGEND = (
    "S refused at start, I fails at worker start, D dies while serving, O silently changed, "
    "W answers wrongly, i advice, - no finding"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.add_argument("--sglang-version", metavar="V", help="only this release")
    parser.add_argument("--format", choices=["text", "markdown", "json"], default="text")


def run(arguments: argparse.Namespace) -> int:
    """Print a table of rules by releases."""
    releases: Sequence[str] = covered_releases()
    if arguments.sglang_version is not None:
        version = checked_version(arguments.sglang_version)
        if version not in releases:
            raise MisuseError(f"the rules cover {releases[0]} to {releases[-1]}, not {version}")
        releases = (version,)
    rows = [row for row in _rows(releases) if any(row["consequences"].values())]
    if arguments.format == "json":
        print(json.dumps({"releases": list(releases), "rules": rows}, indent=1))
    else:
        print("\n".join(_table(rows, releases, markdown=arguments.format == "markdown")))
    return EXIT_CLEAN


def _rows(releases: Sequence[str]) -> Iterable[dict[str, Any]]:
    for rule in sorted(bundled_rules().conditions, key=lambda rule: (rule.code, rule.name)):
        yield {
            "code": rule.code,
            "rule": rule.name,
            "summary": rule.summary,
            "consequences": {release: _consequences(rule, release) for release in releases},
        }


def _consequences(rule: Rule, release: str) -> list[str]:
    found = [case.consequence or "advice" for case in rule.cases_in(release)]
    return list(dict.fromkeys(found))


def _table(
    rows: Sequence[dict[str, Any]], releases: Sequence[str], *, markdown: bool
) -> Iterable[str]:
    header = ["code", "rule", *releases]
    lines = [
        [
            row["code"],
            row["rule"],
            *(
                "".join(_LETTERS.get(item, "i") for item in row["consequences"][release]) or "-"
                for release in releases
            ),
        ]
        for row in rows
    ]
    if markdown:
        yield "| " + " | ".join(header) + " |"
        yield "|" + " --- |" * len(header)
        yield from ("| " + " | ".join(line) + " |" for line in lines)
        yield ""
    else:
        widths = [max(len(line[i]) for line in [header, *lines]) for i in range(len(header))]
        for line in [header, *lines]:
            cells = (cell.ljust(width) for cell, width in zip(line, widths, strict=True))
            yield "  ".join(cells).rstrip()
    yield _LEGEND
