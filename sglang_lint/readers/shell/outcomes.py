"""All the ways in which words can come out, one for each way through the script."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from sglang_lint.readers.shell.expansion import Expander
from sglang_lint.readers.shell.formulas import Path, UndecidedError
from sglang_lint.readers.shell.session import MAX_VARIANTS, Session

_T = TypeVar("_T")


def outcomes(
    session: Session, path: Path, evaluate: Callable[[Expander], _T]
) -> list[tuple[Path, _T]]:
    """What `evaluate` gives on each path that extends `path` and decides what it asks for.

    Past MAX_VARIANTS every branch is decided alone, with the others left open: each arm is then
    still seen with all that does not depend on a branch, and no combination is lost.
    """
    pending = [path]
    done: list[tuple[Path, _T]] = []
    while pending:
        current = pending.pop()
        expander = Expander(session, current)
        try:
            done.append((current, evaluate(expander)))
        except UndecidedError as undecided:
            select = undecided.select
            ways = expander.reasoner.ways(select, current)
            entered = [expander.reasoner.enter(select, way, current) for way in ways]
            pending.extend(way for way in reversed(entered) if way is not None)
        if len(done) + len(pending) > MAX_VARIANTS:
            return _one_branch_at_a_time(session, path, evaluate)
    return done


def _one_branch_at_a_time(
    session: Session, path: Path, evaluate: Callable[[Expander], _T]
) -> list[tuple[Path, _T]]:
    whole = Expander(session, path, merging=True)
    merged = evaluate(whole)
    if 2 * len(whole.met) > MAX_VARIANTS:
        return [(path, merged)]
    done: list[tuple[Path, _T]] = []
    for select in whole.met:
        for way in whole.reasoner.ways(select, path):
            entered = whole.reasoner.enter(select, way, path)
            if entered is not None:
                done.append((entered, evaluate(Expander(session, entered, merging=True))))
            if len(done) > MAX_VARIANTS:
                return [(path, merged)]
    return done or [(path, merged)]
