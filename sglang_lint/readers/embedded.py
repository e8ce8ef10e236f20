"""Launches found in a text inside another, with what stands around that text in its host."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from sglang_lint.launches import Evidence, Launch, Reading, Setting, Tail
from sglang_lint.text import Span


def surrounded(
    reading: Reading,
    evidence: Iterable[Evidence],
    settings: Iterable[Setting],
    tails: tuple[Tail, ...] = (),
    holders: tuple[Span, ...] = (),
) -> Reading:
    """The reading with evidence, environment, tails and holders added to each of its launches.

    What the inner text itself says comes first, and a variable that it sets hides the one around.
    """
    around, outer = tuple(evidence), tuple(settings)
    launches = []
    for launch in reading.launches:
        inner = _surrounded(launch, around, outer, tails)
        launches.append(replace(inner, holders=inner.holders + holders))
    return replace(reading, launches=tuple(launches))


def _surrounded(
    launch: Launch,
    around: tuple[Evidence, ...],
    outer: tuple[Setting, ...],
    tails: tuple[Tail, ...],
) -> Launch:
    known = {(one.kind, one.span) for one in launch.evidence}
    names = {setting.name for setting in launch.environment}
    evidence = tuple(one for one in around if (one.kind, one.span) not in known)
    environment = tuple(setting for setting in outer if setting.name not in names)
    variants = launch.variants
    if tails:
        variants = tuple(replace(one, tails=one.tails + tails) for one in variants)
    return replace(
        launch,
        evidence=launch.evidence + evidence,
        environment=launch.environment + environment,
        variants=variants,
    )
