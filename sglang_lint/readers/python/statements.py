"""Walking through statements in their order, on every branch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import libcst as cst

from sglang_lint.readers.python import assignments, branches, calling, classes, loops, tests
from sglang_lint.readers.python.conditions import Atom, Formula, Test, any_of, decided
from sglang_lint.readers.python.names import import_from_names, import_names
from sglang_lint.readers.python.run import Returned, Run
from sglang_lint.readers.python.state import State, merge
from sglang_lint.readers.python.texts import simple_value
from sglang_lint.readers.python.things import Function, Thing, unknown
from sglang_lint.values import Known

Executor = Callable[[Run, State, Any], None]


def execute(run: Run, state: State, statements: Sequence[cst.CSTNode]) -> None:
    """Run through statements; what follows a return or a raise is not reached."""
    for statement in statements:
        if not state.alive:
            return
        run.step()
        executor = _EXECUTORS.get(type(statement))
        if executor is not None:
            executor(run, state, statement)


def _line(run: Run, state: State, node: cst.SimpleStatementLine) -> None:
    execute(run, state, node.body)


def _expression(run: Run, state: State, node: cst.Expr) -> None:
    thing = run.evaluate(run, state, node.value)
    # A display that stands alone, and a text above a body, do nothing.
    if not isinstance(node.value, (cst.Call, cst.Await, cst.Yield)):
        run.drafts.show(state, thing)


def _return(run: Run, state: State, node: cst.Return) -> None:
    thing: Thing = unknown("None") if node.value is None else run.evaluate(run, state, node.value)
    if run.followed and run.quiet:
        run.followed[-1][1].append(Returned(state.fork(), thing))
    elif node.value is not None:
        calling.hand_over(run, state, thing)
    run.drafts.keep(state)
    state.alive = False


def _raise(run: Run, state: State, node: cst.Raise) -> None:
    if node.exc is not None:
        run.evaluate(run, state, node.exc)
    run.drafts.keep(state)
    state.alive = False


def _leave_loop(run: Run, state: State, node: cst.CSTNode) -> None:
    run.drafts.keep(state)
    state.alive = False


def _assert(run: Run, state: State, node: cst.Assert) -> None:
    run.drafts.show(state, run.evaluate(run, state, node.test))
    if node.msg is not None:
        run.evaluate(run, state, node.msg)


def _import(run: Run, state: State, node: cst.Import) -> None:
    for name, thing, where in import_names(node):
        state.bind(name, thing, run.places.span(where))


def _import_from(run: Run, state: State, node: cst.ImportFrom) -> None:
    for name, thing, where in import_from_names(node, state.scope):
        state.bind(name, thing, run.places.span(where))


def _outside(run: Run, state: State, node: cst.Global | cst.Nonlocal) -> None:
    for item in node.names:
        state.scope.outside.add(item.name.value)


def _delete(run: Run, state: State, node: cst.Del) -> None:
    assignments.delete(run, state, node.target)


def _if(run: Run, state: State, node: cst.If) -> None:
    test = _main_guard(node.test) or tests.test_of(run, state, node.test)
    other = node.orelse
    otherwise: Sequence[cst.CSTNode] = ()
    if isinstance(other, cst.If):
        otherwise = [other]
    elif isinstance(other, cst.Else):
        otherwise = other.body.body
    if isinstance(test, bool):
        branches.dead_arm(run, state, node.test, otherwise if test else node.body.body)
        execute(run, state, node.body.body if test else otherwise)
    else:
        branches.branch(run, state, test, node.test, node.body.body, otherwise)


def _main_guard(test: cst.BaseExpression) -> bool:
    """`__name__ == "__main__"`: the file is read as the program that it is then."""
    return (
        isinstance(test, cst.Comparison)
        and isinstance(test.left, cst.Name)
        and test.left.value == "__name__"
    )


def _try(run: Run, state: State, node: cst.Try | cst.TryStar) -> None:
    before = state.fork()
    execute(run, state, node.body.body)
    if node.orelse is not None:
        execute(run, state, node.orelse.body.body)
    for handler in node.handlers:
        caught = before.fork()
        changed = loops.changed_names(node.body)
        loops.forget(caught, changed, "it is set in a `try`", run.places.span(handler))
        if handler.name is not None and isinstance(handler.name.name, cst.Name):
            caught.names[handler.name.name.value] = unknown("an exception")
        test = tests.opaque_test(run.places.range(handler), _handler_text(run, handler))
        caught.path[test] = True
        execute(run, caught, handler.body.body)
        if state.alive:
            normal = state.fork(test, False)
            state.become(merge(test, caught, normal, before) if caught.alive else state)
        else:
            state.become(caught)
    if node.finalbody is not None:
        alive = state.alive
        state.alive = True
        execute(run, state, node.finalbody.body.body)
        state.alive = alive and state.alive


def _handler_text(run: Run, handler: cst.ExceptHandler | cst.ExceptStarHandler) -> str:
    return f"except {run.places.text(handler.type)}" if handler.type is not None else "except"


def _with(run: Run, state: State, node: cst.With) -> None:
    for item in node.items:
        thing = run.evaluate(run, state, item.item)
        if item.asname is not None:
            assignments.assign(run, state, item.asname.name, thing)
    execute(run, state, node.body.body)


def _match(run: Run, state: State, node: cst.Match) -> None:
    subject = run.evaluate(run, state, node.subject)
    _cases(run, state, node, subject, list(node.cases))


def _cases(
    run: Run, state: State, node: cst.Match, subject: Thing, cases: list[cst.MatchCase]
) -> None:
    """The first case that fits, as a chain of branches."""
    arms: list[tuple[Test, State, State]] = []
    rest = state.fork()
    for case in cases:
        loops.forget(rest, loops.changed_names(case.pattern), "a pattern", run.places.span(case))
        test = _case_test(run, rest, node, subject, case)
        if isinstance(test, bool):
            if test:
                execute(run, rest, case.body.body)
                break
            continue
        arm = rest.fork(test, True)
        before, rest = rest, rest.fork(test, False)
        execute(run, arm, case.body.body)
        arms.append((test, arm, before))
    for test, arm, before in reversed(arms):
        if arm.alive and rest.alive:
            rest = merge(test, arm, rest, before)
        elif arm.alive:
            rest = arm
    state.become(rest)


def _case_test(
    run: Run, state: State, node: cst.Match, subject: Thing, case: cst.MatchCase
) -> Test | bool:
    text = f"{run.places.text(node.subject)} is {run.places.text(case.pattern)}"
    formula = None if case.guard is not None else _pattern(run, state, node, case.pattern)
    if formula is None:
        if isinstance(case.pattern, cst.MatchAs) and case.pattern.pattern is None:
            return case.guard is None or tests.opaque_test(run.places.range(case), text)
        return tests.opaque_test(run.places.range(case), text)
    value = simple_value(subject)
    if isinstance(value, Known) and isinstance(formula, Atom):
        return value.value == formula.constant
    test = Test(formula, text)
    truth = decided(test, state.path)
    return test if truth is None else truth


def _pattern(run: Run, state: State, node: cst.Match, pattern: cst.MatchPattern) -> Formula | None:
    """A pattern of constants as a formula over the subject."""
    if isinstance(pattern, cst.MatchValue):
        value = simple_value(run.evaluate(run, state, pattern.value))
        if isinstance(value, Known):
            return Atom(tests.subject_of(run, state, node.subject), "==", value.value)
    if isinstance(pattern, cst.MatchOr):
        inner = [_pattern(run, state, node, element.pattern) for element in pattern.patterns]
        formulas = [formula for formula in inner if formula is not None]
        return any_of(formulas) if len(formulas) == len(inner) else None
    return None


def _function(run: Run, state: State, node: cst.FunctionDef) -> None:
    for decorator in node.decorators:
        run.evaluate(run, state, decorator.decorator)
    for parameter in (*node.params.params, *node.params.kwonly_params):
        if parameter.default is not None:
            run.evaluate(run, state, parameter.default)
    function = Function(node, state.scope)
    state.bind(node.name.value, function, run.places.span(node.name))
    if not run.quiet:
        run.pending.append(function)


_EXECUTORS: dict[type[cst.CSTNode], Executor] = {
    cst.SimpleStatementLine: _line,
    cst.Expr: _expression,
    cst.Assign: assignments.assignment,
    cst.AnnAssign: assignments.annotated,
    cst.AugAssign: assignments.augmented,
    cst.Return: _return,
    cst.Raise: _raise,
    cst.Break: _leave_loop,
    cst.Continue: _leave_loop,
    cst.Assert: _assert,
    cst.Import: _import,
    cst.ImportFrom: _import_from,
    cst.Global: _outside,
    cst.Nonlocal: _outside,
    cst.Del: _delete,
    cst.If: _if,
    cst.For: loops.for_loop,
    cst.While: loops.while_loop,
    cst.Try: _try,
    cst.TryStar: _try,
    cst.With: _with,
    cst.Match: _match,
    cst.FunctionDef: _function,
    cst.ClassDef: classes.class_definition,
}
