"""Random but realistic launches: a model that runs, and two to eight options around it."""

from __future__ import annotations

import random
import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

import yaml

from sglang_lint.matrix.rules import Rule, bundled_rules
from sglang_lint.releases.table import ReleaseTable, release_table

Unit: TypeAlias = tuple[str, ...]

MIN_OPTIONS, MAX_OPTIONS = 2, 8
FLAG = "-"


@dataclass(frozen=True)
class RandomLaunch:
    """A command line as units that can be dropped or changed one by one."""

    units: tuple[Unit, ...]

    @property
    def argv(self) -> tuple[str, ...]:
        """The words in order."""
        return tuple(word for unit in self.units for word in unit)

    def without(self, index: int) -> RandomLaunch:
        """The launch without one unit."""
        return replace(self, units=self.units[:index] + self.units[index + 1 :])

    def with_unit(self, index: int, unit: Unit) -> RandomLaunch:
        """The launch with one unit replaced."""
        return replace(self, units=(*self.units[:index], unit, *self.units[index + 1 :]))


@dataclass(frozen=True)
class Knob:
    """An option with the values it may take and the words that may stand beside it."""

    names: tuple[str, ...]
    values: tuple[str, ...]
    beside: tuple[Unit, ...]
    weight: int

    def spelling(self, table: ReleaseTable) -> str | None:
        """The option as the release spells it, None where it has none."""
        return next((name for name in self.names if name in table.by_string), None)


@cache
def _pool() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load(
        Path(__file__).with_name("launch_pool.yaml").read_text(encoding="utf-8")
    )
    return loaded


@cache
def knobs() -> tuple[Knob, ...]:
    """Every knob of the pool; a theme's weight is shared by its options."""
    return tuple(
        Knob(
            tuple(option["name"]),
            tuple(option["values"]),
            tuple(tuple(words) for words in option.get("beside", [()])),
            theme["weight"],
        )
        for theme in _pool()["knobs"]
        for option in theme["options"]
    )


class Generator:
    """Launches for one release, from a seeded source of chance."""

    def __init__(self, release: str, chance: random.Random) -> None:
        self._chance = chance
        self._release = release
        self._table = release_table(release)
        self._knobs = [knob for knob in knobs() if knob.spelling(self._table)]

    def launch(self) -> RandomLaunch:
        """A launch that aims at nothing in particular."""
        count = self._chance.randint(MIN_OPTIONS, MAX_OPTIONS)
        weights = [knob.weight for knob in self._knobs]
        return self._with(self._base(), self._chance.choices(self._knobs, weights, k=count))

    def aimed_at(self, rules: Sequence[Rule]) -> RandomLaunch:
        """A launch that writes what one of the rules reads, or one near an example of it."""
        rule = self._chance.choice(rules)
        examples = [*rule.examples.bad, *rule.examples.good]
        if examples and self._chance.random() < 0.6:
            base = self.example(self._chance.choice(examples))
            return self._with(base, self._chance.sample(self._knobs, k=1))
        fields = {name for case in rule.cases for name in case.condition.all_fields}
        near = [knob for knob in self._knobs if self._field(knob) in fields]
        if not near:
            return self.launch()
        chosen = self._chance.sample(near, k=min(len(near), self._chance.randint(2, 5)))
        return self._with(self._base(), [*chosen, *self._chance.sample(self._knobs, k=1)])

    def example(self, line: str) -> RandomLaunch:
        """A rule's example, without the options that this release does not have."""
        return RandomLaunch(self._known(units_of(shlex.split(line), self._table)))

    def other_values(self, unit: Unit) -> Iterable[Unit]:
        """What could stand in the place of a unit: its option with other values."""
        knob = next((knob for knob in self._knobs if unit[0] in knob.names), None)
        if knob is not None and knob.values != (FLAG,):
            for value in knob.values:
                if value not in unit:
                    yield (unit[0], value)
        elif unit[0] in ("--tp", "--tp-size"):
            yield from ((unit[0], size) for size in ("8", "4", "16", "2") if size != unit[1])

    def _field(self, knob: Knob) -> str:
        spelling = knob.spelling(self._table)
        return self._table.canonical(self._table.by_string[spelling or ""].field)

    def _base(self) -> RandomLaunch:
        models = _pool()["models"]
        model = self._chance.choices(models, [entry.get("weight", 1) for entry in models])[0]
        units: list[Unit] = [("--model-path", model["id"])]
        if model.get("words"):
            units.append(tuple(model["words"]))
        units.append(("--tp-size", str(self._chance.choice(model["tp"]))))
        return RandomLaunch(tuple(units))

    def _with(self, base: RandomLaunch, chosen: Iterable[Knob]) -> RandomLaunch:
        units = list(base.units)
        written = {unit[0] for unit in units}
        for knob in chosen:
            spelling = knob.spelling(self._table)
            value = self._value(knob, spelling or "")
            if spelling is None or spelling in written or value is None:
                continue
            written.add(spelling)
            units.append((spelling,) if value == FLAG else (spelling, value))
            beside = units_of(self._chance.choice(knob.beside), self._table)
            units.extend(unit for unit in self._known(beside) if unit[0] not in written)
            written.update(unit[0] for unit in beside)
        return RandomLaunch(tuple(units))

    def _value(self, knob: Knob, spelling: str) -> str | None:
        option = self._table.by_string.get(spelling)
        values = knob.values
        if option is not None and option.choices is not None and not option.computed:
            allowed = {str(choice) for choice in option.choices}
            values = tuple(value for value in values if value in allowed)
        return self._chance.choice(values) if values else None

    def _known(self, units: Iterable[Unit]) -> tuple[Unit, ...]:
        return tuple(unit for unit in units if self._table.match(unit[0]) is not None)


def units_of(words: Sequence[str], table: ReleaseTable) -> tuple[Unit, ...]:
    """Words grouped into options with their values."""
    units: list[list[str]] = []
    for word in words:
        if word.startswith("--") or not units:
            units.append([word])
        else:
            units[-1].append(word)
    return tuple(tuple(unit) for unit in units)


def rules_named(names: Iterable[str]) -> list[Rule]:
    """The rules of these names that the package has."""
    by_name = bundled_rules().by_name
    return [by_name[name] for name in names if name in by_name]
