"""The environment variables that a launched process is given."""

from __future__ import annotations

from sglang_lint.launches import Setting
from sglang_lint.readers.python.attributes import ENVIRON
from sglang_lint.readers.python.calls import Call
from sglang_lint.readers.python.containers import MAPPINGS
from sglang_lint.readers.python.state import State
from sglang_lint.readers.python.texts import simple_value
from sglang_lint.readers.python.things import Entry, Fork, Parts, Ref, Removed
from sglang_lint.values import Unknown, Value, join


def settings_of(call: Call) -> tuple[Setting, ...]:
    """What the process sees that a call starts: its `env`, else what the program set before."""
    passed = call.argument(-1, "env")
    if passed is None:
        return process_settings(call.state)
    if isinstance(passed.thing, Ref):
        box = call.state.box(passed.thing)
        if box.kind in MAPPINGS:
            return settings(box.parts)
    return ()


def process_settings(state: State) -> tuple[Setting, ...]:
    """What the program itself has set in its environment so far."""
    return settings(state.box(ENVIRON).parts)


def settings(parts: Parts) -> tuple[Setting, ...]:
    """The variables that a mapping sets; one that a branch sets may have any other value."""
    found: dict[str, Setting] = {}
    _collect(parts, found, branch=False)
    return tuple(found.values())


def _collect(parts: Parts, found: dict[str, Setting], *, branch: bool) -> None:
    for part in parts:
        if isinstance(part, Fork):
            _collect(part.then, found, branch=True)
            _collect(part.other, found, branch=True)
        elif isinstance(part, Removed):
            found.pop(str(part.key), None)
        elif isinstance(part, Entry) and isinstance(part.key, str):
            value: Value = simple_value(part.thing)
            if branch:
                before = found.get(part.key)
                why = "it is set on a branch"
                value = join([value, Unknown(why) if before is None else before.value])
            found[part.key] = Setting(part.key, value, part.key_span.to(part.span))
