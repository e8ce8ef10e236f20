"""One launch in one world: a release, a platform, a model, and what the release makes of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from sglang_lint.matrix.expression import Expression
from sglang_lint.matrix.rules import Assignment, Branch, RuleSet
from sglang_lint.releases.binding import Binding
from sglang_lint.releases.models import ModelFacts, kinds
from sglang_lint.releases.platforms import Platform, possible_platforms
from sglang_lint.releases.table import ReleaseTable
from sglang_lint.values import Known, Truth, Unknown, Value, join

PLATFORM = "platform"
MODEL = "model"
AXES = (PLATFORM, MODEL)

_IN_TAIL = Unknown("an option that may come from the launch's open tail")
_NO_AXES: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Subject:
    """A variant of a launch bound to one release.

    `defaults` are what the fields hold that are not written, by canonical name; `unseen` are the
    fields that may be set by arguments that nobody sees, None where that may be any. `environment`
    holds the variables known to be set; where it is not `complete`, others may be.
    """

    release: str
    table: ReleaseTable
    binding: Binding
    by_keywords: bool
    defaults: Mapping[str, Value]
    unseen: frozenset[str] | None
    environment: Mapping[str, Value]
    environment_complete: bool
    rules: RuleSet

    def spelling(self, name: str) -> str:
        """How a field is written in this launch: as it stands there, else as it would be."""
        argument = self.binding.arguments.get(name)
        if argument is not None:
            return argument.option
        if self.by_keywords:
            entry = self.table.by_canonical.get(name)
            return entry.name if entry is not None else name
        options = self.table.options_of.get(name)
        return options[0].strings[0] if options else name

    def typed(self, name: str) -> Value:
        """A field as the release's parser sets it."""
        argument = self.binding.arguments.get(name)
        if argument is None:
            return _IN_TAIL if self.may_be_unseen(name) else self.default(name)
        if argument.presence == "maybe":
            return join([argument.value, self.default(name)])
        return argument.value

    def default(self, name: str) -> Value:
        """The parser's default of a field; None for a field that the release does not have."""
        return self.defaults.get(name, Known(None))

    @property
    def open(self) -> bool:
        """Whether arguments may be there that nobody sees."""
        return self.unseen is None or bool(self.unseen)

    def may_be_unseen(self, name: str) -> bool:
        """Whether a field that is not written may be set all the same."""
        return self.unseen is None or name in self.unseen

    def given(self, name: str) -> Value:
        """Whether a field was written."""
        argument = self.binding.arguments.get(name)
        if argument is None:
            return _IN_TAIL if self.may_be_unseen(name) else Known(False)
        return Known(True) if argument.presence == "given" else Unknown("a branch")

    @cached_property
    def step_index(self) -> dict[str, int]:
        """Position of each resolution step of this release."""
        return {step.name: i for i, step in enumerate(self.rules.steps_in(self.release))}


@dataclass(frozen=True, slots=True)
class _Resolved:
    """A value that a field has from a step on; `axes` are those whose openness blurs it."""

    step: int
    value: Value
    axes: frozenset[str]


class World:
    """A subject on a platform with a model, each of which may be open (None, or a family)."""

    def __init__(
        self, subject: Subject, platform: Platform | None, model: ModelFacts | None
    ) -> None:
        self.subject = subject
        self.platform = platform
        self.model = model
        self._splits: dict[str, tuple[World, ...]] = {}

    def split(self, axis: str) -> tuple[World, ...]:
        """The worlds that this one may turn out to be, along one open axis."""
        if axis not in self._splits:
            if axis == PLATFORM:
                self._splits[axis] = tuple(
                    World(self.subject, platform, self.model)
                    for platform in possible_platforms(self.platform)
                )
            else:
                self._splits[axis] = tuple(
                    World(self.subject, self.platform, model)
                    for model in kinds(self.subject.release)
                )
        return self._splits[axis]

    @property
    def is_unlike_any(self) -> bool:
        """Whether its model stands for all those that are of no named kind."""
        return self.model is not None and not self.model.facts and self.model.architecture is None

    def is_open(self, axis: str) -> bool:
        """Whether more than one world lies along the axis."""
        if axis == PLATFORM:
            return len(possible_platforms(self.platform)) > 1
        return self.model is None

    def scope(self, at: str, *, tail_is_empty: bool = False) -> WorldScope:
        """What a rule that stands at `parse`, `resolve:STEP`, `check`, `init` or `decode` reads."""
        steps = self.subject.step_index
        if at == "parse":
            index = -1
        elif at.startswith("resolve:"):
            index = steps.get(at.removeprefix("resolve:"), len(steps))
        else:
            index = len(steps)
        return WorldScope(self, index, tail_is_empty)

    @cached_property
    def history(self) -> dict[str, list[_Resolved]]:
        """What each step makes of the fields, in the order of the steps."""
        history: dict[str, list[_Resolved]] = {}
        for index, step in enumerate(self.subject.rules.steps_in(self.subject.release)):
            for assignment in step.assignments:
                scope = WorldScope(self, index, False, history)
                for name, value in _outcome(assignment, scope).items():
                    axes = _NO_AXES if isinstance(value, Known) else frozenset(scope.touched)
                    history.setdefault(name, []).append(_Resolved(index, value, axes))
        return history


class WorldScope:
    """The values that an expression sees in a world at one step.

    `touched` collects the open axes that hid a value from the expressions evaluated in it.
    """

    def __init__(
        self,
        world: World,
        index: int,
        tail_is_empty: bool,
        history: dict[str, list[_Resolved]] | None = None,
    ) -> None:
        self._world = world
        self._index = index
        self._tail_is_empty = tail_is_empty
        self._history = history
        self.touched: set[str] = set()

    def field(self, name: str) -> Value:
        """The field as the steps so far have left it."""
        subject = self._world.subject
        if self._index >= 0 and name in subject.rules.resolved_fields:
            history = self._world.history if self._history is None else self._history
            for entry in reversed(history.get(name, ())):
                if entry.step <= self._index:
                    self.touched |= entry.axes
                    return entry.value
        return self.typed(name)

    def typed(self, name: str) -> Value:
        """The field as the parser set it."""
        subject = self._world.subject
        if self._tail_is_empty and name not in subject.binding.arguments:
            return subject.default(name)
        return subject.typed(name)

    def given(self, name: str) -> Value:
        """Whether the field was written."""
        subject = self._world.subject
        if self._tail_is_empty and name not in subject.binding.arguments:
            return Known(False)
        return subject.given(name)

    def fact(self, name: str) -> Value:
        """A fact of the model; None for one that the model does not have."""
        model = self._world.model
        if model is None:
            self.touched.add(MODEL)
            return Unknown("the model is not known")
        if name == "architecture":
            known = Unknown("its architecture") if model.architecture is None else None
            return known or Known(model.architecture)
        if name in model.facts:
            return Known(model.facts[name])
        return Unknown(f"the model's {name}")

    def platform(self, attribute: str) -> Value:
        """An attribute of the platform."""
        platform = self._world.platform
        if platform is None or (attribute != "family" and self._world.is_open(PLATFORM)):
            self.touched.add(PLATFORM)
            return Unknown("the platform is not known")
        return Known(getattr(platform, attribute))

    def environment(self, name: str) -> Value:
        """An environment variable of the launched process."""
        subject = self._world.subject
        if name in subject.environment:
            return subject.environment[name]
        return Known(None) if subject.environment_complete else Unknown("the environment")


def _outcome(assignment: Assignment, scope: WorldScope) -> dict[str, Value]:
    """The fields that an assignment sets, with what is known of their new values."""
    entered = _truth(assignment.condition, scope)
    if entered is Truth.FALSE:
        return {}
    taken: list[Branch | None] = [None] if entered is Truth.UNKNOWN else []
    for branch in assignment.branches:
        truth = _truth(branch.condition, scope)
        if truth is not Truth.FALSE:
            taken.append(branch)
        if truth is Truth.TRUE:
            break
    else:
        taken.append(None)
    fields = {name for branch in taken if branch for name, _ in _settings(branch, None)}
    results: dict[str, Value] = {}
    values = [dict(_settings(branch, scope)) if branch else {} for branch in taken]
    for name in fields:
        results[name] = join(
            branch[name] if name in branch else scope.field(name) for branch in values
        )
    return results


def _truth(condition: Expression | None, scope: WorldScope) -> Truth:
    return Truth.TRUE if condition is None else condition.truth(scope)


def _settings(branch: Branch, scope: WorldScope | None) -> Iterator[tuple[str, Value]]:
    for name, literal in branch.literals.items():
        yield name, Known(literal)
    for name, expression in branch.expressions.items():
        yield name, Unknown() if scope is None else expression.evaluate(scope)
