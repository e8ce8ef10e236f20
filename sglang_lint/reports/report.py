"""What every report is made of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from sglang_lint.engine import Analysis, Diagnostic
from sglang_lint.matrix.rules import SEVERITIES


@dataclass(frozen=True)
class Report:
    """The analyses of one run; `shown` is the least severity that is printed."""

    analyses: Sequence[Analysis]
    shown: str = "warning"
    files: int = 0

    def diagnostics(self) -> list[tuple[Analysis, Diagnostic]]:
        """What is printed, in the order of the files and their texts."""
        return [
            (analysis, diagnostic)
            for analysis in self.analyses
            for diagnostic in analysis.diagnostics
            if self._is_shown(diagnostic)
        ]

    def counts(self) -> dict[str, int]:
        """Files looked at, launches found, those not wholly decided, findings by severity."""
        launches = [launch for analysis in self.analyses for launch in analysis.launches]
        shown = Counter(diagnostic.severity for _, diagnostic in self.diagnostics())
        total = sum(len(analysis.diagnostics) for analysis in self.analyses)
        return {
            "files": self.files,
            "launches": len(launches),
            "undecided": sum(1 for launch in launches if launch.undecided),
            "errors": shown["error"],
            "warnings": shown["warning"],
            "infos": shown["info"],
            "hidden": total - sum(shown.values()),
            "suppressed": sum(analysis.suppressed for analysis in self.analyses),
        }

    def release_sources(self) -> dict[str, int]:
        """How many launches have their release from each kind of source, the commonest first."""
        found = Counter(
            launch.judged.release_kind for analysis in self.analyses for launch in analysis.launches
        )
        return dict(found.most_common())

    def undecided_by(self) -> dict[str, int]:
        """How many launches wait for a release, platform, model or value to be known."""
        return dict(
            Counter(
                axis
                for analysis in self.analyses
                for launch in analysis.launches
                for axis in launch.undecided
            )
        )

    def _is_shown(self, diagnostic: Diagnostic) -> bool:
        return SEVERITIES.index(diagnostic.severity) >= SEVERITIES.index(self.shown)


def printable(text: str) -> str:
    """Text with every control character made visible, so that no source reaches a terminal raw."""
    return "".join(
        char if char.isprintable() or char == "\t" else ascii(char)[1:-1] for char in text
    )
