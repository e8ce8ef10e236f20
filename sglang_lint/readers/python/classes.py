"""Classes of the file: their attributes, their bases, and what their methods start."""

from __future__ import annotations

import libcst as cst

from sglang_lint.readers.python import hooks
from sglang_lint.readers.python.functions import body_of
from sglang_lint.readers.python.run import Run
from sglang_lint.readers.python.state import Scope, State
from sglang_lint.readers.python.things import Box, Class, Entry, Function, Kind, Part


def class_definition(run: Run, state: State, node: cst.ClassDef) -> None:
    """`class A(B): ...`: its body runs at once, its methods later."""
    for decorator in node.decorators:
        run.evaluate(run, state, decorator.decorator)
    bases = tuple(run.evaluate(run, state, base.value) for base in node.bases)
    inner = state.fork()
    inner.scope = Scope(state.scope, spans=dict(state.scope.spans))
    outside = dict(state.names)
    started = len(run.pending)
    with state.published():
        run.execute(run, inner, body_of(node))
    own = {name: t for name, t in inner.names.items() if outside.get(name) is not t}
    parts: list[Part] = []
    span = run.places.span(node.name)
    for name, thing in own.items():
        where = inner.scope.spans.get(name, span)
        parts.append(Entry(name, where, thing, where))
    state.heap = inner.heap
    attributes = state.new(Box(Kind.DICT).with_parts(tuple(parts)))
    initializes = isinstance(own.get("__init__"), Function)
    made = Class(node, bases, attributes.box, initializes)
    _take_methods(run, state, made, started)
    state.bind(node.name.value, made, span)
    if not run.quiet:
        run.classes.append(made)
        hooks.note_class(run, made)


def _take_methods(run: Run, state: State, made: Class, started: int) -> None:
    """Make the functions of a class body its methods; they do not see its names as free ones."""
    box = state.heap[made.attributes]
    parts: list[Part] = []
    for part in box.parts:
        if isinstance(part, Entry) and isinstance(part.thing, Function):
            method = Function(part.thing.node, state.scope, made)
            if part.thing in run.pending[started:]:
                run.pending[run.pending.index(part.thing)] = method
            part = Entry(part.key, part.key_span, method, part.span)
        parts.append(part)
    state.heap[made.attributes] = box.with_parts(tuple(parts))
