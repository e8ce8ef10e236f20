"""From the body of a module into the bodies of its functions and methods."""

from __future__ import annotations

import libcst as cst

from sglang_lint.readers.python import class_launches, hooks
from sglang_lint.readers.python.functions import body_of, is_static, parameters_of
from sglang_lint.readers.python.nodes import children
from sglang_lint.readers.python.run import Run
from sglang_lint.readers.python.state import Scope, State
from sglang_lint.readers.python.things import (
    Box,
    Class,
    Entry,
    Function,
    Kind,
    Part,
    Parts,
    Ref,
    Thing,
    unknown,
)

# Methods that run before all others and set up the object.
_FIRST = ("__init__", "__post_init__", "setUpClass", "asyncSetUp", "setUp", "setup_class", "setup")
_MAX_FUNCTIONS = 20_000


def read_module(run: Run, state: State, module: cst.Module) -> None:
    """Run through a module and then through each function of it."""
    run.execute(run, state, module.body)
    _finish(run, state)
    _enter_heirs(run, state)


def _finish(run: Run, state: State) -> None:
    """The end of a body: keep what it made, then look into the functions that it defines."""
    state.leave()
    run.drafts.keep(state)
    own = [function for function in run.pending if function.scope is state.scope]
    run.pending = [function for function in run.pending if function.scope is not state.scope]
    for function in own:
        if function.owner is None:
            _enter(run, state, function, None)
    for owner in dict.fromkeys(f.owner for f in own if f.owner is not None):
        _enter_class(run, state, owner, [f for f in own if f.owner is owner])


def _enter_class(run: Run, state: State, owner: Class, methods: list[Function]) -> None:
    """The methods of a class, with what its first ones set on the object."""
    heap = dict(state.heap)
    instance = state.new(Box(Kind.INSTANCE, of=owner))
    heap[instance.box] = state.box(instance)
    after = State(state.scope, state.numbers, heap=heap)
    several = _set_by_several(methods)
    for name in _FIRST:
        for method in methods:
            if method.node.name.value == name:
                ended = _enter(run, after, method, instance)
                after.heap = {**after.heap, **ended.heap}
    parts = after.heap[instance.box].parts
    after.heap[instance.box] = after.heap[instance.box].with_parts(_settled(parts, several))
    for method in methods:
        if method.node.name.value not in _FIRST:
            _enter(run, after, method, instance)


def _enter_heirs(run: Run, state: State) -> None:
    """Launches of classes by what they inherit."""
    for owner in run.classes:
        if owner.attributes not in state.heap:
            continue
        class_launches.report_attributes(run, state, owner)
        for method in class_launches.inherited_starters(state, owner):
            instance = state.new(Box(Kind.INSTANCE, of=owner))
            run.placement = class_launches.placement_of(run, state, owner)
            with run.silence():
                _enter(run, state, method, instance)
            run.placement = None


def _set_by_several(methods: list[Function]) -> set[str]:
    """Attributes of the object that more than one method sets."""
    seen: set[str] = set()
    several: set[str] = set()
    for method in methods:
        own = _attributes_set(method.node)
        several |= seen & own
        seen |= own
    return several


def _attributes_set(node: cst.FunctionDef) -> set[str]:
    found: set[str] = set()
    todo: list[cst.CSTNode] = [node.body]
    while todo:
        current = todo.pop()
        if isinstance(current, (cst.AssignTarget, cst.AugAssign, cst.AnnAssign)) and isinstance(
            current.target, cst.Attribute
        ):
            found.add(current.target.attr.value)
        todo.extend(children(current))
    return found


def _settled(parts: Parts, several: set[str]) -> Parts:
    """The attributes of an object, unknown where another method may have set them since."""
    found: list[Part] = []
    for part in parts:
        if isinstance(part, Entry) and part.key in several:
            part = Entry(part.key, part.key_span, unknown("it is set elsewhere too"), part.span)
        found.append(part)
    return tuple(found)


def _enter(run: Run, outer: State, function: Function, instance: Ref | None) -> State:
    """Run through the body of a function of which the arguments are not known."""
    node = function.node
    state = State(Scope(function.scope), outer.numbers, heap=dict(outer.heap))
    if function.owner is not None:
        state.names["__class__"] = function.owner
    for index, parameter in enumerate(parameters_of(node)):
        name = parameter.name.value
        thing: Thing = unknown(f"parameter `{name}`")
        if index == 0 and instance is not None and not is_static(node):
            thing = instance
        elif parameter.annotation is not None:
            annotation = parameter.annotation.annotation
            thing = hooks.annotated_backend(run, state, annotation) or thing
        state.bind(name, thing, run.places.span(parameter.name))
    for rest in (node.params.star_arg, node.params.star_kwarg):
        if isinstance(rest, cst.Param):
            name = rest.name.value
            state.bind(name, unknown(f"parameter `{name}`"), run.places.span(rest.name))
    run.execute(run, state, body_of(node))
    _finish(run, state)
    return state
