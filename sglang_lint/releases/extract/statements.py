"""What statements do to names: the globals of a module, and the bodies of functions."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sglang_lint.releases.extract import expressions
from sglang_lint.releases.extract.modules import Module
from sglang_lint.releases.extract.references import (
    ClassRef,
    FunctionRef,
    Hidden,
    Imported,
    Scope,
    UnresolvedError,
)

if TYPE_CHECKING:
    from sglang_lint.releases.extract.interpreter import Interpreter


@dataclass(frozen=True, slots=True)
class _Returned:
    value: object


def replay(
    run: Interpreter, module: Module, name: str, events: Iterable[tuple[ast.stmt, bool]]
) -> object | None:
    """The value of a global name after the statements that bind or change it.

    A change that happens under a condition of the run is taken to happen: what it adds may be
    there. A second value bound under such a condition leaves the name untold.
    """
    scope = Scope(module.name)
    for statement, certain in events:
        before = scope.names.get(name)
        try:
            _execute(run, module, statement, scope)
        except UnresolvedError as reason:
            if certain or before is None:
                scope.names[name] = Hidden(str(reason))
        after = scope.names.get(name)
        if isinstance(before, ClassRef) and isinstance(after, Hidden):
            scope.names[name] = before  # a class rebuilt under its own name keeps its source
            continue
        if not certain:
            if isinstance(statement, ast.Expr):
                run.notes.append(f"{name}: changed under a condition of the run")
            elif before is not None and not _same(before, after):
                scope.names[name] = Hidden(f"{name} depends on a condition of the run")
    return scope.names.get(name)


def _same(left: object, right: object) -> bool:
    return expressions.is_plain(left) and type(left) is type(right) and left == right


def call_function(
    run: Interpreter, function: FunctionRef, positional: list[object], keywords: dict[str, object]
) -> object:
    """What a function of the tree returns for these arguments; raises UnresolvedError."""
    names = dict(function.scope.names)
    _bind_parameters(run, function, positional, keywords, names)
    scope = Scope(function.module, names)
    node = function.node
    if isinstance(node, ast.Lambda):
        return run.evaluate(node.body, scope)
    module = run.module(function.module)
    if module is None:
        raise UnresolvedError(f"module {function.module}")
    returned = _execute_body(run, module, node.body, scope)
    return None if returned is None else run.resolve(returned.value)


def _bind_parameters(
    run: Interpreter,
    function: FunctionRef,
    positional: list[object],
    keywords: dict[str, object],
    names: dict[str, object],
) -> None:
    arguments = function.node.args
    parameters = [*arguments.posonlyargs, *arguments.args]
    outer = Scope(function.module, dict(function.scope.names))
    padding: list[ast.expr | None] = [None] * (len(parameters) - len(arguments.defaults))
    with_defaults = list(zip(parameters, [*padding, *arguments.defaults], strict=True))
    with_defaults += list(zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True))
    for index, (parameter, default) in enumerate(with_defaults):
        if index < len(positional) and index < len(parameters):
            names[parameter.arg] = positional[index]
        elif parameter.arg in keywords:
            names[parameter.arg] = keywords[parameter.arg]
        elif default is not None:
            names[parameter.arg] = run.lenient(default, outer)
        else:
            names[parameter.arg] = Hidden(f"parameter {parameter.arg}")


def _execute_body(
    run: Interpreter, module: Module, body: list[ast.stmt], scope: Scope
) -> _Returned | None:
    for statement in body:
        returned = _execute(run, module, statement, scope)
        if returned is not None:
            return returned
    return None


def _execute(
    run: Interpreter, module: Module, statement: ast.stmt, scope: Scope
) -> _Returned | None:
    if isinstance(statement, ast.Return):
        return _Returned(None if statement.value is None else run.evaluate(statement.value, scope))
    if isinstance(statement, ast.If):
        return _branch(run, module, statement, scope)
    if isinstance(statement, ast.For):
        for element in expressions.iterate(run, run.evaluate(statement.iter, scope)):
            expressions.bind(run, statement.target, element, scope)
            returned = _execute_body(run, module, statement.body, scope)
            if returned is not None:
                return returned
        return None
    _bind_names(run, module, statement, scope)
    return None


def _bind_names(run: Interpreter, module: Module, statement: ast.stmt, scope: Scope) -> None:
    if isinstance(statement, ast.Expr):
        if isinstance(statement.value, ast.Call):
            _effect(run, statement.value, scope)
    elif isinstance(statement, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
        _assign(run, statement, scope)
    elif isinstance(statement, ast.Import):
        for alias in statement.names:
            name = alias.name if alias.asname else alias.name.split(".")[0]
            scope.names[alias.asname or name] = Imported(name, None)
    elif isinstance(statement, ast.ImportFrom):
        origin = module.absolute(statement)
        for alias in statement.names:
            scope.names[alias.asname or alias.name] = Imported(origin, alias.name)
    elif isinstance(statement, ast.FunctionDef):
        scope.names[statement.name] = FunctionRef(module.name, statement, scope)
    elif isinstance(statement, ast.ClassDef):
        scope.names[statement.name] = ClassRef(module.name, statement)
    elif not isinstance(statement, (ast.Pass, ast.Global, ast.Nonlocal, ast.Assert)):
        raise UnresolvedError(f"a statement of kind {type(statement).__name__}")


def _effect(run: Interpreter, call: ast.Call, scope: Scope) -> None:
    """A call for its effect alone; one that cannot be followed has none that matters here."""
    try:
        run.evaluate(call, scope)
    except UnresolvedError as reason:
        function = call.func
        if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name):
            holder = scope.names.get(function.value.id)
            if isinstance(holder, (list, set, dict)):
                scope.names[function.value.id] = Hidden(str(reason))


def _assign(
    run: Interpreter, statement: ast.Assign | ast.AnnAssign | ast.AugAssign, scope: Scope
) -> None:
    if isinstance(statement, ast.AugAssign):
        value = run.evaluate(
            ast.BinOp(_loaded(statement.target), statement.op, statement.value), scope
        )
        expressions.bind(run, statement.target, value, scope)
        return
    if statement.value is None:
        return
    value = run.lenient(statement.value, scope)
    targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
    for target in targets:
        if isinstance(target, ast.Name):
            scope.names[target.id] = value
        elif isinstance(target, (ast.Tuple, ast.List)):
            expressions.bind(run, target, value, scope)


def _loaded(target: ast.expr) -> ast.expr:
    if isinstance(target, ast.Name):
        return ast.Name(target.id, ast.Load())
    raise UnresolvedError("an assignment to an attribute or a subscript")


def _branch(run: Interpreter, module: Module, statement: ast.If, scope: Scope) -> _Returned | None:
    holds = expressions.truth(run, statement.test, scope)
    if holds is not None:
        body = statement.body if holds else statement.orelse
        return _execute_body(run, module, body, scope)
    run.notes.append(f"a condition of the run: {ast.unparse(statement.test)[:80]}")
    before = dict(scope.names)
    outcomes = []
    for body in (statement.body, statement.orelse):
        scope.names.clear()
        scope.names.update(before)
        if _execute_body(run, module, body, scope) is not None:
            raise UnresolvedError("a return under a condition of the run")
        outcomes.append(dict(scope.names))
    scope.names.clear()
    for name in outcomes[0].keys() | outcomes[1].keys():
        first, second = outcomes[0].get(name), outcomes[1].get(name)
        agreed = first is second or _same(first, second)
        scope.names[name] = first if agreed else Hidden("depends on a condition of the run")
    return None
