"""The ways out that a rule offers, as edits where the option stands in the file as it is."""

from __future__ import annotations

from collections.abc import Hashable, Iterable

from sglang_lint.checks.finding import Replacement, ValueEdit
from sglang_lint.matrix.judge import Verdict
from sglang_lint.matrix.rules import WayOut
from sglang_lint.matrix.world import Subject, World
from sglang_lint.releases.binding import BoundArgument
from sglang_lint.values import Known


def replacements_of(verdict: Verdict) -> tuple[Replacement, ...]:
    """The rule's ways out that exist in the release the launch is judged for."""
    world = verdict.world
    return tuple(
        Replacement(way.title or _title(world, way), way.safe, tuple(_edits(world, way)))
        for way in verdict.case.instead
        if world.subject.release in way.releases
    )


def _title(world: World, way: WayOut) -> str:
    subject = world.subject
    parts = [_assignment(subject, name, value) for name, value in way.set.items()]
    if parts:
        parts = [f"set {' and '.join(parts)}"]
    dropped = [name for name in way.unset if name in subject.binding.arguments]
    if dropped:
        parts.append("drop " + " and ".join(f"`{subject.spelling(name)}`" for name in dropped))
    return ", ".join(parts)


def _assignment(subject: Subject, name: str, value: Hashable) -> str:
    spelling = subject.spelling(name)
    if subject.by_keywords:
        return f"`{spelling}={value!r}`"
    return f"`{spelling}`" if value is True else f"`{spelling} {value}`"


def _edits(world: World, way: WayOut) -> Iterable[ValueEdit]:
    """Values replaced where all of them are written; nothing where an option must come or go."""
    if way.unset:
        return []
    edits = []
    for name, value in way.set.items():
        argument = world.subject.binding.arguments.get(name)
        if argument is None or not _is_replaceable(argument):
            return []
        old = argument.value.value if isinstance(argument.value, Known) else ""
        edits.append(ValueEdit(argument.value_span, str(old), str(value)))
    return edits


def _is_replaceable(argument: BoundArgument) -> bool:
    """Whether the value's span holds the value itself and no variable, escape or expression."""
    return (
        isinstance(argument.value, Known)
        and isinstance(argument.value.value, str)
        and not argument.related
        and argument.value_span.start < argument.value_span.end
    )
