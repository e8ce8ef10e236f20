"""What names mean: imports, builtins, and SGLang's own API under whatever alias."""

from __future__ import annotations

import builtins
from collections.abc import Iterator

import libcst as cst

from sglang_lint.readers.python.attributes import imported
from sglang_lint.readers.python.state import Scope, State
from sglang_lint.readers.python.things import Class, Function, Named, Thing, unknown
from sglang_lint.text import Span

_BUILTINS = frozenset(dir(builtins))
# Packages inside SGLang whose ServerArgs and Engine are other programs'.
_OTHER_PROGRAMS = frozenset(["multimodal_gen", "lang", "jit_kernel", "eval"])

SERVER_ARGS_NAMES = frozenset(["ServerArgs"])
ENGINE_NAMES = frozenset(["Engine", "Runtime"])


def dotted(node: cst.BaseExpression | None) -> str:
    """A dotted name as text, empty where it is none."""
    parts: list[str] = []
    while isinstance(node, cst.Attribute):
        parts.append(node.attr.value)
        node = node.value
    if not isinstance(node, cst.Name):
        return ""
    return ".".join([node.value, *reversed(parts)])


def import_names(node: cst.Import) -> Iterator[tuple[str, Thing, cst.CSTNode]]:
    """The names that `import ...` sets, what they stand for, and the node that says so."""
    for alias in node.names:
        full = dotted(alias.name)
        if alias.asname is not None and isinstance(alias.asname.name, cst.Name):
            yield alias.asname.name.value, imported(full), alias.asname.name
        elif full:
            yield full.split(".", 1)[0], Named(full.split(".", 1)[0]), alias.name


def import_from_names(
    node: cst.ImportFrom, scope: Scope
) -> Iterator[tuple[str, Thing, cst.CSTNode]]:
    """The names that `from ... import ...` sets; a star import is noted in the scope."""
    module = "." * len(node.relative) + dotted(node.module)
    if isinstance(node.names, cst.ImportStar):
        if is_sglang(module):
            scope.starred = module
        return
    for alias in node.names:
        if not isinstance(alias.name, cst.Name):
            continue
        target = alias.asname.name if alias.asname is not None else alias.name
        if isinstance(target, cst.Name):
            yield target.value, imported(f"{module}.{alias.name.value}"), target


def free_name(scope: Scope | None, name: str) -> tuple[Thing | None, Span | None]:
    """What a name that a body does not set means around it, and where it was set."""
    if scope is None:
        return None, None
    for around in scope.chain():
        thing = around.names.get(name)
        if thing is None:
            continue
        if name in around.reset and not isinstance(thing, (Named, Function, Class)):
            return unknown(f"`{name}` is set more than once"), None
        return thing, around.spans.get(name)
    return None, None


def free_stamp(state: State, name: str) -> int:
    """A number that says which setting of a name is meant."""
    if name in state.stamps:
        return state.stamps[name]
    if state.scope.outer is not None:
        for around in state.scope.outer.chain():
            if name in around.stamps:
                return around.stamps[name]
    return 0


def builtin(scope: Scope, name: str) -> Thing:
    """What a name means that nothing in the file sets."""
    for around in scope.chain():
        if around.starred is not None and name not in _BUILTINS:
            return Named(f"{around.starred}.{name}")
    if name in _BUILTINS or name.startswith("__"):
        return Named(f"builtins.{name}")
    return unknown(f"`{name}` is not set in this file")


def is_sglang(module: str) -> bool:
    """Whether a dotted name is in SGLang's runtime and not in a program beside it."""
    parts = module.split(".")
    return parts[0] == "sglang" and (len(parts) < 2 or parts[1] not in _OTHER_PROGRAMS)


def api_name(name: str) -> str | None:
    """The last part of a dotted name if that is one of SGLang's."""
    return name.rsplit(".", 1)[-1] if is_sglang(name) and "." in name else None
