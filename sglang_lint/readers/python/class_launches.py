"""Launches that a test class describes in its attributes and a base class starts."""

from __future__ import annotations

import libcst as cst

from sglang_lint.launches import Setting
from sglang_lint.launches.entry_points import POPEN_LAUNCH_SERVER
from sglang_lint.readers.python.argv_launches import report_words
from sglang_lint.readers.python.attributes import class_attribute, lineage
from sglang_lint.readers.python.choices import alternatives
from sglang_lint.readers.python.containers import MAPPINGS, SEQUENCES
from sglang_lint.readers.python.drafts import Argv
from sglang_lint.readers.python.environment import settings
from sglang_lint.readers.python.nodes import children
from sglang_lint.readers.python.popen_launches import HELPERS, model_items
from sglang_lint.readers.python.run import Run
from sglang_lint.readers.python.state import State
from sglang_lint.readers.python.texts import mapped_text, simple_value
from sglang_lint.readers.python.things import Class, Entry, Function, Named, Ref, Text, Unseen
from sglang_lint.text import Span
from sglang_lint.values import Unknown

_ARGUMENTS = ("other_args", "extra_args")
_BASES_MODULE = "sglang.test."
# Bases that are no server fixtures.
_PLAIN_BASES = frozenset(["CustomTestCase"])


def report_attributes(run: Run, state: State, owner: Class) -> None:
    """Report the launch of a fixture of SGLang's tests by the attributes of its subclass."""
    if not _has_fixture(owner):
        return
    for part in state.heap[owner.attributes].parts:
        if not isinstance(part, Entry) or part.key not in _ARGUMENTS:
            continue
        thing = part.thing
        if not isinstance(thing, Ref) or state.box(thing).kind not in SEQUENCES:
            continue
        box = state.box(thing)
        extent = min(box.sites, default=part.key_span)
        model = class_attribute(state, owner, "model")
        before = () if model is None else model_items(model, _place(state, owner, part.key_span))
        known_model = model is not None and not isinstance(simple_value(model), Unknown)
        parts = (
            *(before if known_model else ()),
            *box.parts,
            Unseen("the base class may add arguments", part.key_span),
        )
        environment = class_attribute(state, owner, "env")
        passed: tuple[Setting, ...] = ()
        if isinstance(environment, Ref) and state.box(environment).kind in MAPPINGS:
            passed = settings(state.box(environment).parts)
        argv = Argv(parts, state.heap, {}, extent, environment=passed)
        run.drafts.absorb(state, thing)
        report_words(run, POPEN_LAUNCH_SERVER, part.key_span, argv)


def _place(state: State, owner: Class, otherwise: Span) -> Span:
    for part in state.heap[owner.attributes].parts:
        if isinstance(part, Entry) and part.key == "model":
            text = mapped_text(part.thing) if isinstance(part.thing, Text) else None
            return text.span() if text else part.span
    return otherwise


def _has_fixture(owner: Class) -> bool:
    """Whether a class derives from one of SGLang's test package that may start a server."""
    for one in lineage(owner):
        for base in one.bases:
            for thing in alternatives(base):
                if (
                    isinstance(thing, Named)
                    and thing.name.startswith(_BASES_MODULE)
                    and thing.name.rsplit(".", 1)[-1] not in _PLAIN_BASES
                ):
                    return True
    return False


def inherited_starters(state: State, owner: Class) -> list[Function]:
    """Methods of bases in the file that start a server and that a class does not override."""
    if not any(
        isinstance(part, Entry) and not isinstance(part.thing, Function)
        for part in state.heap[owner.attributes].parts
    ):
        return []
    seen: set[str] = set()
    found: list[Function] = []
    for one in lineage(owner):
        for part in state.heap[one.attributes].parts if one.attributes in state.heap else ():
            if not isinstance(part, Entry) or str(part.key) in seen:
                continue
            seen.add(str(part.key))
            method = part.thing
            if one is not owner and isinstance(method, Function) and _starts(method.node):
                found.append(method)
    return found


def _starts(node: cst.FunctionDef) -> bool:
    todo: list[cst.CSTNode] = [node.body]
    while todo:
        current = todo.pop()
        if isinstance(current, cst.Name) and current.value in HELPERS:
            return True
        todo.extend(children(current))
    return False


def placement_of(run: Run, state: State, owner: Class) -> tuple[Span, Span]:
    """Where a launch is reported that a base starts for a class: at its own arguments."""
    for part in state.heap[owner.attributes].parts:
        if isinstance(part, Entry) and part.key in _ARGUMENTS:
            thing = part.thing
            sites = state.box(thing).sites if isinstance(thing, Ref) else ()
            return part.key_span, min(sites, default=part.key_span)
    span = run.places.span(owner.node.name)
    return span, span
