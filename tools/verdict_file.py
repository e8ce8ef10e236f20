"""Verdicts of real releases as lines of JSON, so that tests can run without the releases."""

from __future__ import annotations

import json
import random
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

# Lines kept for each guard, and for each place where a launch was accepted or met no listed guard.
KEPT_A_GUARD = 40
KEPT_OTHERS = 12


@dataclass(frozen=True)
class Verdict:
    """What a release said of a command line on a platform.

    `outcome` is accept, arguments or backend; `guard` the listed guard that refused, if any.
    """

    release: str
    platform: str
    argv: tuple[str, ...]
    outcome: str
    function: str | None = None
    guard: str | None = None


def read_verdicts(path: Path) -> Iterator[Verdict]:
    """The verdicts of a file."""
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            release, platform, argv, outcome, function, guard = json.loads(line)
            yield Verdict(release, platform, tuple(argv), outcome, function, guard)


def save_sample(path: Path, verdicts: Iterable[Verdict], chance: random.Random) -> None:
    """Write an even sample: some verdicts of every guard, and of every release and platform."""
    kinds: dict[tuple[str | None, ...], list[Verdict]] = defaultdict(list)
    for verdict in verdicts:
        if verdict.guard is None:
            kinds[verdict.release, verdict.platform, verdict.outcome].append(verdict)
        else:
            kinds[(verdict.guard,)].append(verdict)
    kept: list[Verdict] = []
    for kind, members in kinds.items():
        limit = KEPT_A_GUARD if len(kind) == 1 else KEPT_OTHERS
        kept += chance.sample(members, k=min(limit, len(members)))
    lines = sorted(
        json.dumps(
            [one.release, one.platform, one.argv, one.outcome, one.function, one.guard],
            separators=(",", ":"),
        )
        for one in kept
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
