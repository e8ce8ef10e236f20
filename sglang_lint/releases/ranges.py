"""Runs of releases, in words."""

from __future__ import annotations

from collections.abc import Sequence

from sglang_lint.releases.table import known_releases


def releases_in_words(releases: Sequence[str]) -> str:
    """`0.5.15 to 0.5.18, 0.5.20`; added releases come last, one by one."""
    known = list(known_releases())
    runs: list[list[str]] = []
    for release in sorted(set(releases) & set(known), key=known.index):
        if runs and known.index(release) == known.index(runs[-1][-1]) + 1:
            runs[-1].append(release)
        else:
            runs.append([release])
    runs.extend([release] for release in releases if release not in known)
    return ", ".join(run[0] if len(run) == 1 else f"{run[0]} to {run[-1]}" for run in runs)
