"""What stands around a command in its file, and how it is added to what was found in a script."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from yaml.nodes import ScalarNode

from sglang_lint.launches import Evidence, Launch, Reading, Setting, Tail
from sglang_lint.readers.yaml.environment import SettingsFinder
from sglang_lint.readers.yaml.evidence import EvidenceFinder
from sglang_lint.readers.yaml.nodes import YamlText
from sglang_lint.readers.yaml.scope import Dialect, Scope, dialect_of


@dataclass(frozen=True)
class Finders:
    """The text with all that looks things up in it."""

    text: YamlText
    evidence: EvidenceFinder
    settings: SettingsFinder

    @classmethod
    def of(cls, text: YamlText) -> Finders:
        """Finders that know nothing yet."""
        return cls(text, EvidenceFinder(text), SettingsFinder(text))

    def at(self, scope: Scope) -> Place:
        """The surroundings of a place."""
        dialect, kind = dialect_of(scope, self.text)
        return Place(
            scope,
            self.text,
            dialect,
            kind,
            self.settings.around(scope, dialect),
            self.evidence.around(scope, dialect),
        )


@dataclass(frozen=True)
class Place:
    """Where a command stands: whose rules hold, and the variables and evidence around it."""

    scope: Scope
    text: YamlText
    dialect: Dialect
    kind: ScalarNode | None
    settings: dict[str, Setting]
    evidence: tuple[Evidence, ...]


def surrounded(
    reading: Reading,
    evidence: Iterable[Evidence],
    settings: Mapping[str, Setting],
    tails: tuple[Tail, ...] = (),
) -> Reading:
    """The reading with evidence, environment and tails added to each of its launches.

    What the script itself says comes first, and a variable that it sets hides the one around it.
    """
    around = tuple(evidence)
    return replace(
        reading,
        launches=tuple(_surrounded(launch, around, settings, tails) for launch in reading.launches),
    )


def _surrounded(
    launch: Launch,
    around: tuple[Evidence, ...],
    settings: Mapping[str, Setting],
    tails: tuple[Tail, ...],
) -> Launch:
    kinds = {(one.kind, one.span) for one in launch.evidence}
    names = {setting.name for setting in launch.environment}
    return replace(
        launch,
        evidence=launch.evidence
        + tuple(one for one in around if (one.kind, one.span) not in kinds),
        environment=launch.environment
        + tuple(setting for name, setting in settings.items() if name not in names),
        variants=tuple(replace(variant, tails=variant.tails + tails) for variant in launch.variants)
        if tails
        else launch.variants,
    )
