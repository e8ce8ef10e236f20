"""Run cases (an input, and the verdict expected on each line by release) and print the misses.

A case is a directory with `case.yaml` and the `input` that it names. `expected` holds verdicts:
`line`, `verdict` (error, warning, none), `since` and `until` (inclusive releases, null where
open); `target` holds the platform and the architecture to judge for. A finding counts for a line
that its span covers. A definite error on a line that no verdict names is a false one.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from sglang_lint.commands.judging import settings_of
from sglang_lint.engine import Diagnostic, analyse
from sglang_lint.project.files import Unreadable, document_of
from sglang_lint.releases.table import known_releases

DEFAULT_RELEASES = ("0.5.17", "0.5.18", "0.5.19", "0.5.20", "0.5.21", "0.5.22", "0.5.23")


@dataclass(frozen=True)
class Miss:
    """A line of a case that did not come out as expected in a release."""

    case: str
    release: str
    line: int
    expected: str
    found: str

    def __str__(self) -> str:
        place = f"{self.case} {self.release} line {self.line}"
        return f"{place}: expected {self.expected}, {self.found}"


def run_case(directory: Path, releases: Sequence[str] = DEFAULT_RELEASES) -> list[Miss]:
    """Judge one case in every release and compare."""
    case = yaml.safe_load((directory / "case.yaml").read_text(encoding="utf-8"))
    path = directory / case["input"]
    document = document_of(path.read_bytes(), path.name)
    if isinstance(document, Unreadable):
        raise ValueError(f"{path}: {document.reason}")
    target = case.get("target") or {}
    is_open = target.get("platform") in (None, "cuda") or target.get("architecture") is None
    misses: list[Miss] = []
    for release in releases:
        settings = settings_of(
            release, target.get("platform"), target.get("architecture"), least="info"
        )
        found = analyse(document, settings).diagnostics
        expected = [item for item in case["expected"] if _holds(item, release)]
        misses.extend(_compare(directory.name, release, expected, found, is_open))
    return misses


def _holds(item: dict[str, Any], release: str) -> bool:
    order = known_releases()
    index = order.index(release)
    return (item["since"] is None or order.index(item["since"]) <= index) and (
        item["until"] is None or index <= order.index(item["until"])
    )


def _compare(
    name: str,
    release: str,
    expected: Sequence[dict[str, Any]],
    found: Sequence[Diagnostic],
    is_open: bool,
) -> Iterable[Miss]:
    for item in expected:
        here = [finding for finding in found if _covers(finding, item["line"])]
        severities = {finding.severity for finding in here}
        wanted = item["verdict"]
        right = {
            "error": "error" in severities
            or (is_open and any(not finding.definite for finding in here)),
            "warning": "warning" in severities and not _false_errors(here),
            "none": not severities & {"error", "warning"},
        }[wanted]
        if not right:
            yield Miss(name, release, item["line"], wanted, f"found {_names(here)}")
    named = {item["line"] for item in expected if item["verdict"] == "error"}
    for finding in found:
        if (
            finding.severity == "error"
            and finding.definite
            and not any(_covers(finding, line) for line in named)
        ):
            yield Miss(name, release, finding.start.line, "no error", f"found {_names([finding])}")


def _false_errors(found: Iterable[Diagnostic]) -> bool:
    return any(finding.severity == "error" and finding.definite for finding in found)


def _covers(finding: Diagnostic, line: int) -> bool:
    return finding.start.line <= line <= finding.end.line


def _names(found: Iterable[Diagnostic]) -> str:
    return ", ".join(f"{item.severity} {item.code} {item.rule}" for item in found) or "nothing"


def main() -> int:
    """Run the cases below a directory."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("directory", type=Path)
    parser.add_argument("--area", action="append", help="only cases of these areas")
    arguments = parser.parse_args()
    right = total = 0
    for case in sorted(path.parent for path in arguments.directory.glob("*/case.yaml")):
        areas = yaml.safe_load((case / "case.yaml").read_text(encoding="utf-8"))["areas"]
        if arguments.area and not set(arguments.area) & set(areas):
            continue
        misses = run_case(case)
        total += 1
        right += not misses
        for miss in misses:
            print(miss)
    print(f"{right} of {total} cases right")
    return 0 if right == total else 1


if __name__ == "__main__":
    sys.exit(main())
