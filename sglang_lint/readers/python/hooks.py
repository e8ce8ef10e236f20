"""Code against the attention backends of SGLang: what it overrides, what it calls."""

from __future__ import annotations

import libcst as cst

from sglang_lint.launches import HookCall, HookOverride
from sglang_lint.readers.python.attributes import lineage
from sglang_lint.readers.python.backends import backend_name, backend_of
from sglang_lint.readers.python.calls import Call
from sglang_lint.readers.python.choices import alternatives
from sglang_lint.readers.python.containers import entries
from sglang_lint.readers.python.functions import is_static, parameters_of
from sglang_lint.readers.python.names import dotted
from sglang_lint.readers.python.nodes import children
from sglang_lint.readers.python.render import keywords_of, relocated
from sglang_lint.readers.python.run import Run
from sglang_lint.readers.python.state import State
from sglang_lint.readers.python.things import (
    Box,
    Class,
    Entry,
    Function,
    Kind,
    Part,
    Ref,
    Thing,
    Unseen,
)
from sglang_lint.readers.python.unfold import unfold
from sglang_lint.text import Span


def note_class(run: Run, owner: Class) -> None:
    """Report the methods that a class of the file defines over a backend's."""
    found = backend_of(owner)
    if found is None:
        return
    for statement in owner.node.body.body:
        if isinstance(statement, cst.FunctionDef):
            run.overrides.append(_override(run, found, owner.node.name.value, statement))


def note_patch(run: Run, state: State, target: cst.BaseExpression, thing: Thing) -> None:
    """Report a function of the file that is set as a method of a backend."""
    if run.quiet or not isinstance(target, cst.Attribute) or not isinstance(thing, Function):
        return
    owner = run.evaluate(run, state, target.value)
    found = next(filter(None, map(backend_name, alternatives(owner))), None)
    if found is not None:
        run.overrides.append(_override(run, found, found[0], thing.node, target.attr.value))


def _override(
    run: Run,
    found: tuple[str, str],
    class_name: str,
    node: cst.FunctionDef,
    method: str | None = None,
) -> HookOverride:
    spans: dict[str, Span] = {}
    for parameter in parameters_of(node):
        spans[parameter.name.value] = run.places.span(parameter.name)
    if not is_static(node) and spans:
        # The object itself is no parameter of the contract.
        del spans[next(iter(spans))]
    stars = [node.params.star_arg, node.params.star_kwarg]
    names = [*spans, *(star.name.value for star in stars if isinstance(star, cst.Param))]
    return HookOverride(
        base=found[0],
        module=found[1],
        class_name=class_name,
        method=method or node.name.value,
        parameters=tuple(spans),
        takes_any_keyword=node.params.star_kwarg is not None,
        read=frozenset(names) & _names_read(node.body),
        span=run.places.span(node.name),
        parameter_spans=spans,
    )


def _names_read(body: cst.CSTNode) -> set[str]:
    """The names that a body mentions otherwise than as attribute, keyword or target."""
    found: set[str] = set()
    todo: list[cst.CSTNode] = [body]
    while todo:
        current = todo.pop()
        if isinstance(current, cst.Name):
            found.add(current.value)
        elif isinstance(current, (cst.Attribute, cst.Arg)):
            todo.append(current.value)
        elif isinstance(current, cst.AssignTarget) and isinstance(current.target, cst.Name):
            continue
        else:
            todo.extend(children(current))
    return found


def annotated_backend(run: Run, state: State, annotation: cst.BaseExpression) -> Ref | None:
    """An object of the backend that an annotation names."""
    if isinstance(annotation, cst.SimpleString):
        try:
            annotation = cst.parse_expression(annotation.raw_value)
        except cst.ParserSyntaxError:
            return None
    if not dotted(annotation):
        return None
    thing = run.evaluate(run, state, annotation)
    for one in alternatives(thing):
        if backend_name(one) is not None or (isinstance(one, Class) and backend_of(one)):
            return state.new(Box(Kind.INSTANCE, of=one))
    return None


def note_call(call: Call) -> None:
    """Report a method of a backend of SGLang that is called with keywords."""
    if call.run.quiet or call.method is None or call.receiver is None:
        return
    found = _called_backend(call)
    if found is None:
        return
    parts: list[Part] = []
    for argument in call.arguments:
        if argument.star == "**":
            parts.extend(entries(call.state, argument.thing, argument.span))
        elif argument.star:
            parts.append(Unseen("positional arguments", argument.span))
        elif argument.keyword is not None and argument.keyword_span is not None:
            thing = relocated(argument.thing, argument.span)
            parts.append(Entry(argument.keyword, argument.keyword_span, thing, argument.span))
    variants = unfold(
        call.state.path, lambda choices: keywords_of(tuple(parts), call.state.heap, choices)
    )
    func = call.node.func
    span = call.run.places.span(func.attr if isinstance(func, cst.Attribute) else func)
    for _, (keywords, tails) in variants:
        made = HookCall(found[0], found[1], call.method, keywords, bool(tails), span)
        if made not in call.run.hook_calls:
            call.run.hook_calls.append(made)


def _called_backend(call: Call) -> tuple[str, str] | None:
    """The backend whose own method is called, and not one that the file puts in its place."""
    for thing in alternatives(call.receiver) if call.receiver is not None else []:
        if not isinstance(thing, Ref):
            continue
        of = call.state.box(thing).of
        if of is None:
            continue
        found = backend_name(of)
        if found is not None:
            return found
        if isinstance(of, Class) and not any(
            _defines(one, call.method or "") for one in lineage(of)
        ):
            return backend_of(of)
    return None


def _defines(owner: Class, method: str) -> bool:
    return any(
        isinstance(statement, cst.FunctionDef) and statement.name.value == method
        for statement in owner.node.body.body
    )
