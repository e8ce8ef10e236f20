"""Attributes of modules, of objects and of classes of the file."""

from __future__ import annotations

from sglang_lint.readers.python.choices import either
from sglang_lint.readers.python.containers import look_up
from sglang_lint.readers.python.state import State
from sglang_lint.readers.python.things import Class, Either, Kind, Named, Ref, Thing, unknown

# The object of os.environ, which every state has.
ENVIRON = Ref(-1)
_MAX_BASES = 32


def imported(name: str) -> Thing:
    """What a dotted name of a module outside the file stands for."""
    return ENVIRON if name == "os.environ" else Named(name)


def attribute_of(state: State, thing: Thing, name: str) -> Thing:
    """`thing.name`, looked up in the object, then in its class and the bases of that."""
    if isinstance(thing, Named):
        return imported(f"{thing.name}.{name}")
    if isinstance(thing, Either):
        then = attribute_of(state, thing.then, name)
        return either(thing.test, then, attribute_of(state, thing.other, name))
    found: Thing | None = None
    if isinstance(thing, Ref):
        box = state.box(thing)
        if box.kind in (Kind.INSTANCE, Kind.NAMESPACE, Kind.SERVER_ARGS):
            found = look_up(box.parts, name)
        if found is None and isinstance(box.of, Class):
            found = class_attribute(state, box.of, name)
    elif isinstance(thing, Class):
        found = class_attribute(state, thing, name)
    return found or unknown(f"attribute `{name}`")


def class_attribute(state: State, owner: Class, name: str) -> Thing | None:
    """An attribute of a class of this file or of its bases in this file."""
    for one in lineage(owner):
        box = state.heap.get(one.attributes)
        found = look_up(box.parts, name) if box else None
        if found is not None:
            return found
    return None


def lineage(owner: Class) -> list[Class]:
    """A class and its bases in this file, nearest first."""
    found: list[Class] = []
    todo = [owner]
    while todo and len(found) < _MAX_BASES:
        one = todo.pop(0)
        if one not in found:
            found.append(one)
            todo += [base for base in one.bases if isinstance(base, Class)]
    return found
