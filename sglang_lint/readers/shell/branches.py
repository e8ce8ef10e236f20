"""`if`, `case`, `&&` and `||`: ways that exclude each other, joined again behind them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sglang_lint.readers.shell.bindings import Binding, Hidden, Scope, Selected
from sglang_lint.readers.shell.expansion import Expander
from sglang_lint.readers.shell.formulas import Arm, Formula, Negated, Path, Select, joined
from sglang_lint.readers.shell.reasoning import Reasoner
from sglang_lint.readers.shell.session import Session
from sglang_lint.readers.shell.state import Left, Return, State

MAX_WAYS = 80


@dataclass(frozen=True)
class Way:
    """One way: its wording, what must hold for it, and what then runs."""

    label: str
    conditions: tuple[tuple[Formula, bool], ...]
    run: Callable[[State], object] | None = None


def branch(session: Session, state: State, ways: Sequence[Way]) -> None:
    """Run every way that can be taken and leave behind what they leave behind."""
    reasoner = Expander(session, state.path).reasoner
    if len(ways) > MAX_WAYS:
        _each_alone(ways, state)
        return
    open_ways: list[tuple[Way, Path]] = []
    for way in ways:
        path = _assumed(reasoner, way.conditions, state.path)
        if path is not None:
            open_ways.append((way, path))
    if not open_ways:
        return
    if len(open_ways) == 1:
        way, state.path = open_ways[0]
        if way.run is not None:
            way.run(state)
        return
    select = Select(tuple(Arm(way.label, way.conditions) for way, _ in open_ways))
    ends: list[State] = []
    for index, (way, path) in enumerate(open_ways):
        end = state.copy()
        end.path = reasoner.enter(select, index, state.path) or path
        if way.run is not None:
            way.run(end)
        ends.append(end)
    _join(reasoner, state, select, ends)


def _each_alone(ways: Sequence[Way], state: State) -> None:
    """More ways than are told apart: whatever one of them sets is not known behind them."""
    before = dict(state.scope.variables)
    for way in ways:
        end = state.copy()
        if way.run is not None:
            way.run(end)
        changed = [
            name for name, binding in end.scope.variables.items() if before.get(name) is not binding
        ]
        state.scope.hide(changed, "set in one of many branches")
        state.functions.update(end.functions)


def _assumed(
    reasoner: Reasoner, conditions: Sequence[tuple[Formula, bool]], path: Path
) -> Path | None:
    current: Path | None = path
    for formula, truth in conditions:
        if current is None:
            return None
        current = reasoner.assume(formula, truth, current)
    return current


def _join(reasoner: Reasoner, state: State, select: Select, ends: list[State]) -> None:
    staying = [end for end in ends if end.left is None]
    for index, end in enumerate(ends):
        state.returns += [one.under(select, index) for one in end.returns]
        if staying and end.left is Left.FUNCTION:
            state.returns.append(Return(((select, index),), end.scope))
    if not staying:
        left = [end.left for end in ends]
        state.left = Left.FUNCTION if Left.FUNCTION in left else left[0]
        staying = ends
    elif len(staying) == 1:
        only = staying[0]
        state.scope, state.path = only.scope, only.path
        state.functions, state.images = only.functions, only.images
        return
    else:
        state.path = _without(reasoner, select, ends, state.path)
    before = state.scope.variables
    names = {
        name
        for end in staying
        for name, binding in end.scope.variables.items()
        if before.get(name) is not binding
    }
    for name in sorted(names):
        arms = [end.scope.variables.get(name) for end in ends]
        state.scope.variables[name] = _selected(select, arms, staying, ends)
    for end in staying:
        state.scope.exported |= end.scope.exported
        state.functions.update(end.functions)
        state.images = tuple(dict.fromkeys((*state.images, *end.images)))


def _selected(
    select: Select, arms: list[Binding | None], staying: list[State], ends: list[State]
) -> Binding:
    kept = [arm for arm, end in zip(arms, ends, strict=True) if end in staying]
    first = kept[0]
    if first is not None and all(arm is first for arm in kept):
        return first
    return Selected(select, tuple(arms))


def _without(reasoner: Reasoner, select: Select, ends: list[State], path: Path) -> Path:
    """The path behind the branch: it did not go through an arm that left."""
    for arm, end in zip(select.arms, ends, strict=True):
        if end.left is None or not arm.conditions:
            continue
        formula: Formula | None = None
        for condition, truth in arm.conditions:
            part = condition if truth else Negated(condition)
            formula = part if formula is None else joined(formula, part, True)
        if formula is not None:
            path = reasoner.assume(formula, False, path) or path
    return path


def joined_returns(scope: Scope, returns: Sequence[Return]) -> None:
    """Let a function's end be one of several: its last line, or a `return` before it."""
    for one in reversed(returns):
        names = {*one.scope.variables, *scope.variables}
        for name in sorted(names):
            here, there = scope.variables.get(name), one.scope.variables.get(name)
            if here is not there:
                scope.variables[name] = _nested(one.arms, there, here)
        scope.exported |= one.scope.exported


def _nested(
    arms: Sequence[tuple[Select, int]], there: Binding | None, here: Binding | None
) -> Binding:
    binding = there
    for select, index in reversed(arms):
        ways = tuple(binding if way == index else here for way in range(len(select.arms)))
        binding = Selected(select, ways)
    return binding if binding is not None else Hidden("set in a function")
