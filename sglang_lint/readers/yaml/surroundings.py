"""What stands around a command in its file."""

from __future__ import annotations

from dataclasses import dataclass

from yaml.nodes import ScalarNode

from sglang_lint.launches import Evidence, Setting
from sglang_lint.readers.yaml.environment import SettingsFinder
from sglang_lint.readers.yaml.evidence import EvidenceFinder
from sglang_lint.readers.yaml.nodes import YamlText
from sglang_lint.readers.yaml.scope import Dialect, Scope, dialect_of
from sglang_lint.text import Span


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

    @property
    def span(self) -> Span:
        """The innermost mapping or list around the command."""
        return self.text.node_span(self.scope.node)
