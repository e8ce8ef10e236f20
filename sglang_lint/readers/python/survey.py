"""One fast walk through a statement: what it uses and sets, and whether it may start SGLang."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from sglang_lint.launches.entry_points import MODULES
from sglang_lint.readers.python.depth import levels

API = frozenset(
    """
    ServerArgs Engine Runtime prepare_server_args popen_launch_server popen_launch_pd_server
    launch_server_cmd execute_shell_command _run_decode_kernel
    """.split()
)
SELF = ("self", "cls")
# Calls of which the result may become part of a launch.
_BUILDERS = frozenset(
    """
    ServerArgs list tuple dict str split join format dedent strip replace copy deepcopy
    environ get
    """.split()
)
_EVIDENCE = re.compile(r"sglang[^\s]*(?::|==|>=|~=)")
_UNNAMED = frozenset(["ctx", "op", "ops", "type_comment", "kind", "lineno", "level", "conversion"])
_FIELDS: dict[type[ast.AST], tuple[str, ...]] = {}


@dataclass
class Survey:
    """What some code uses and sets, and how deeply it is nested.

    `roots` are names whose objects it may change, `self_stores` attributes of the object itself
    that it sets or calls a method of, `handed` names and `self_handed` attributes that it sets to
    something of which a launch may be made elsewhere.
    """

    loads: set[str] = field(default_factory=set)
    stores: set[str] = field(default_factory=set)
    roots: set[str] = field(default_factory=set)
    outside: set[str] = field(default_factory=set)
    attributes: set[tuple[str, str]] = field(default_factory=set)
    self_stores: set[str] = field(default_factory=set)
    handed: set[str] = field(default_factory=set)
    self_handed: set[str] = field(default_factory=set)
    imports: list[ast.Import | ast.ImportFrom] = field(default_factory=list)
    classes: set[str] = field(default_factory=set)
    returns: bool = False
    speaks: bool = False
    environs: bool = False
    depth: int = 0
    deepest: ast.stmt | None = None


def survey(nodes: Sequence[ast.AST], lines: Sequence[str]) -> Survey:
    """Look through some code; `lines` are those of the file, with their ends."""
    found = Survey()
    todo: list[tuple[ast.AST, int, ast.stmt | None]] = [(node, 0, None) for node in nodes]
    while todo:
        node, depth, statement = todo.pop()
        if isinstance(node, ast.stmt):
            statement = node
        depth += levels(node, lines)
        if depth > found.depth:
            found.depth, found.deepest = depth, statement
        looker = _LOOKERS.get(type(node))
        if looker is not None:
            looker(found, node)
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            # A text that stands alone is documentation.
            found.depth = max(found.depth, depth + levels(node.value, lines))
            continue
        todo.extend((child, depth, statement) for child in _children(node))
    return found


def _children(node: ast.AST) -> Iterator[ast.AST]:
    kind = type(node)
    names = _FIELDS.get(kind)
    if names is None:
        names = _FIELDS[kind] = tuple(name for name in kind._fields if name not in _UNNAMED)
    for name in names:
        value = getattr(node, name, None)
        if isinstance(value, list):
            for inner in value:
                if isinstance(inner, ast.AST):
                    yield inner
        elif isinstance(value, ast.AST):
            yield value


def roots_of(node: ast.expr) -> set[str]:
    """The name that an attribute or element is of: what it stands for may change."""
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        node = node.value
    return {node.id} if isinstance(node, ast.Name) else set()


def _name(found: Survey, node: ast.Name) -> None:
    (found.loads if isinstance(node.ctx, ast.Load) else found.stores).add(node.id)


def _attribute(found: Survey, node: ast.Attribute) -> None:
    found.speaks |= node.attr in API
    found.environs |= node.attr in ("environ", "putenv")
    if isinstance(node.value, ast.Name):
        found.attributes.add((node.value.id, node.attr))
    if not isinstance(node.ctx, ast.Load):
        found.roots |= roots_of(node)
        _self_store(found, node)


def _self_store(found: Survey, node: ast.AST) -> None:
    if (
        isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id in SELF
    ):
        found.self_stores.add(node.attr)


def _subscript(found: Survey, node: ast.Subscript) -> None:
    if not isinstance(node.ctx, ast.Load):
        found.roots |= roots_of(node)
        _self_store(found, node.value)


def _constant(found: Survey, node: ast.Constant) -> None:
    if isinstance(node.value, str) and "sglang" in node.value:
        found.speaks |= _speaks(node.value)


def _speaks(text: str) -> bool:
    return (
        text == "sglang"
        or "launch_server" in text
        or "serve" in text
        or any(module in text for module in MODULES)
        or _EVIDENCE.search(text) is not None
    )


def _call(found: Survey, node: ast.Call) -> None:
    if isinstance(node.func, ast.Attribute):
        found.roots |= roots_of(node.func)
        _self_store(found, node.func.value)
    else:
        found.roots.update(arg.id for arg in node.args if isinstance(arg, ast.Name))


def _definition(found: Survey, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> None:
    found.stores.add(node.name)
    if isinstance(node, ast.ClassDef):
        found.classes.add(node.name)


def _import(found: Survey, node: ast.Import | ast.ImportFrom) -> None:
    found.imports.append(node)
    for alias in node.names:
        # A star may bring in all that there is.
        found.stores |= API if alias.name == "*" else set()
        found.stores.add(alias.asname or alias.name.split(".", 1)[0])


def _argument(found: Survey, node: ast.arg) -> None:
    found.stores.add(node.arg)
    _annotation(found, node)


def _annotation(found: Survey, node: ast.arg | ast.AnnAssign) -> None:
    if isinstance(node.annotation, ast.Constant):
        found.loads.add(str(node.annotation.value))


def _assignment(found: Survey, node: ast.Assign) -> None:
    if _is_done(node.value):
        return
    for target in node.targets:
        found.handed |= roots_of(target)
        if isinstance(target, ast.Attribute) and _may_be_command(node.value):
            found.self_handed.add(target.attr)


def _may_be_command(value: ast.expr) -> bool:
    if isinstance(value, ast.Constant):
        return isinstance(value.value, str) and "sglang" in value.value
    return isinstance(value, (ast.List, ast.Tuple, ast.BinOp, ast.JoinedStr, ast.Dict, ast.Call))


def _is_done(value: ast.expr) -> bool:
    """Whether a value is the result of a call that builds nothing further to pass on."""
    if not isinstance(value, ast.Call):
        return False
    func = value.func
    name = func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")
    return name not in _BUILDERS


def _annotated(found: Survey, node: ast.AnnAssign) -> None:
    found.handed |= roots_of(node.target)
    _annotation(found, node)


def _augmented(found: Survey, node: ast.AugAssign) -> None:
    found.handed |= roots_of(node.target)


def _return(found: Survey, node: ast.Return) -> None:
    found.returns |= node.value is not None and not _is_done(node.value)


def _outside(found: Survey, node: ast.Global | ast.Nonlocal) -> None:
    found.outside.update(node.names)


_LOOKERS: dict[type[ast.AST], Callable[[Survey, Any], None]] = {
    ast.Name: _name,
    ast.Attribute: _attribute,
    ast.Subscript: _subscript,
    ast.Constant: _constant,
    ast.Call: _call,
    ast.FunctionDef: _definition,
    ast.AsyncFunctionDef: _definition,
    ast.ClassDef: _definition,
    ast.Import: _import,
    ast.ImportFrom: _import,
    ast.arg: _argument,
    ast.Assign: _assignment,
    ast.AnnAssign: _annotated,
    ast.AugAssign: _augmented,
    ast.Return: _return,
    ast.Global: _outside,
    ast.Nonlocal: _outside,
}
