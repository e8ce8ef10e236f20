"""Whether a file starts SGLang at all, and which of its lines libcst has to look at.

`ast` is fast and libcst is not: only the statements that speak of a launch are kept, with
those that set the names they use.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from sglang_lint.launches.entry_points import MODULES

# One of these stands in any file in which there is something to find.
WORDS = re.compile(
    r"ServerArgs|\bEngine\b|\bRuntime\b|prepare_server_args|launch_server|popen_launch|other_args"
    r"|layers\.attention|sglang[\"',\s]+serve|execute_shell_command|"
    + "|".join(re.escape(module) for module in MODULES)
)
_API = frozenset(
    """
    ServerArgs Engine Runtime prepare_server_args popen_launch_server popen_launch_pd_server
    launch_server_cmd execute_shell_command _run_decode_kernel
    """.split()
)
# Calls of which the result may become part of a launch.
_BUILDERS = frozenset(
    """
    ServerArgs list tuple dict str split join format dedent strip replace copy deepcopy
    environ get
    """.split()
)
_FIXTURE_ARGUMENTS = frozenset(["other_args", "extra_args"])
_SELF = ("self", "cls")
_ATTENTION = "sglang.srt.layers.attention"
_EVIDENCE = re.compile(r"sglang[^\s]*(?::|==|>=|~=)")


@dataclass
class Unit:
    """Some lines that are kept or left out together."""

    first: int
    last: int
    header: bool = False
    wanted: bool = False
    loads: set[str] = field(default_factory=set)
    binds: set[str] = field(default_factory=set)
    hands_on: set[str] = field(default_factory=set)
    environs: bool = False  # whether it may set environment variables
    members: list[Unit] = field(default_factory=list)


@dataclass
class Sifted:
    """The lines that are needed, 1-based and in order."""

    lines: list[int]
    shared: frozenset[str]  # names that functions set outside themselves


def sift(tree: ast.Module) -> Sifted | None:
    """The lines of a file that libcst has to look at; None where there is nothing to find."""
    aliases = _Aliases(tree)
    units = [_unit(statement, aliases) for statement in tree.body]
    if not any(unit.wanted or any(m.wanted for m in unit.members) for unit in units):
        return None
    _close(units)
    lines: set[int] = set()
    for unit in _merged(_leaves(units)):
        if unit.wanted:
            lines.update(range(unit.first, unit.last + 1))
    return Sifted(sorted(lines), frozenset(aliases.shared))


class _Aliases:
    """What SGLang's API is called in a file."""

    def __init__(self, tree: ast.Module) -> None:
        self.names = set(_API)
        self.shared: set[str] = set()
        self.fixtures: set[str] = set()
        self.objects = set(_SELF)  # names on which attributes of classes are looked up
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom):
                self._take(node)
            elif isinstance(node, (ast.Global, ast.Nonlocal)):
                self.shared.update(node.names)
            elif isinstance(node, ast.ClassDef):
                self.objects.add(node.name)

    def _take(self, node: ast.ImportFrom) -> None:
        module = node.module or ""
        if not module.startswith("sglang"):
            return
        for alias in node.names:
            name = alias.asname or alias.name
            if alias.name in _API:
                self.names.add(name)
            if module.startswith("sglang.test"):
                self.fixtures.add(name)
            if module.startswith(_ATTENTION):
                self.names.add(name)


def _unit(statement: ast.stmt, aliases: _Aliases) -> Unit:
    if isinstance(statement, ast.ClassDef) and statement.body[0].lineno > statement.lineno:
        return _class_unit(statement, aliases)
    unit = Unit(_first_line(statement), statement.end_lineno or statement.lineno)
    _look(unit, [statement], aliases)
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
        _drop_locals(unit, statement)
    elif not isinstance(statement, ast.ClassDef):
        unit.hands_on = _handed_on(statement)
        unit.environs = any(
            isinstance(node, ast.Attribute) and node.attr in ("environ", "putenv")
            for node in ast.walk(statement)
        )
    return unit


def _drop_locals(unit: Unit, statement: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
    """Names that a function has for itself tie it to no other code."""
    own: set[str] = set()
    outside: set[str] = set()
    for node in ast.walk(statement):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            own.add(node.id)
        elif isinstance(node, ast.arg):
            own.add(node.arg)
        elif isinstance(node, (ast.Global, ast.Nonlocal)):
            outside.update(node.names)
    own -= outside
    unit.loads -= own
    unit.binds -= own
    unit.binds.add(statement.name)


def _handed_on(statement: ast.stmt) -> set[str]:
    """The names that a statement sets to something of which a launch may be made elsewhere."""
    found: set[str] = set()
    for node in ast.walk(statement):
        if isinstance(node, ast.Assign) and not _is_done(node.value):
            for target in node.targets:
                found |= _roots(target)
        elif isinstance(node, (ast.AnnAssign, ast.AugAssign)):
            found |= _roots(node.target)
    return found


def _is_done(value: ast.expr) -> bool:
    """Whether a value is the result of a call that builds nothing further to pass on."""
    if not isinstance(value, ast.Call):
        return False
    func = value.func
    name = func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")
    return name not in _BUILDERS


def _class_unit(node: ast.ClassDef, aliases: _Aliases) -> Unit:
    """A class as its header, which its kept members need, and its members."""
    members = [_unit(statement, aliases) for statement in node.body]
    unit = Unit(_first_line(node), members[0].first - 1, header=True)
    unit.binds.add(node.name)
    _look(unit, [*node.bases, *node.decorator_list, *node.keywords], aliases)
    unit.hands_on = {node.name} if unit.wanted else set()
    for member, statement in zip(members, node.body, strict=True):
        attributes = {"self." + name for name in member.binds}
        if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
            member.binds = attributes | _attributes_set(statement)
        else:
            member.binds |= attributes
        unit.members.append(member)
    fixture = bool(aliases.fixtures) and any(
        not _FIXTURE_ARGUMENTS.isdisjoint(member.binds) for member in members
    )
    for member, statement in zip(members, node.body, strict=True):
        described = fixture and isinstance(statement, (ast.Assign, ast.AnnAssign))
        member.wanted |= unit.wanted or described
    return unit


def _first_line(statement: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
    return min([statement.lineno, *(decorator.lineno for decorator in decorators)])


def _attributes_set(statement: ast.AST) -> set[str]:
    """The attributes of its own object that a method sets, or calls a method of."""
    found: set[str] = set()
    for node in ast.walk(statement):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            target: ast.AST = node.func.value
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            target = node
        else:
            continue
        if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name):
            found |= {"self." + target.attr} if target.value.id in _SELF else set()
    return found


def _look(unit: Unit, nodes: Iterable[ast.AST], aliases: _Aliases) -> None:
    """Collect what some code uses and sets, and whether it speaks of a launch."""
    for root in nodes:
        for node in _walk(root):
            if isinstance(node, ast.Name):
                if isinstance(node.ctx, ast.Load):
                    unit.loads.add(node.id)
                    unit.wanted |= node.id in aliases.names
                else:
                    unit.binds.add(node.id)
            elif isinstance(node, ast.Attribute):
                if isinstance(node.value, ast.Name) and node.value.id in aliases.objects:
                    unit.loads.add("self." + node.attr)
                unit.wanted |= node.attr in _API
                if isinstance(node.ctx, ast.Store):
                    unit.binds |= _roots(node)
            elif isinstance(node, ast.Constant):
                unit.wanted |= isinstance(node.value, str) and _speaks(node.value)
            elif isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
                unit.binds |= _roots(node)
            else:
                _look_at_statement(unit, node)


def _look_at_statement(unit: Unit, node: ast.AST) -> None:
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        unit.binds.add(node.name)
    elif isinstance(node, (ast.Import, ast.ImportFrom)):
        for alias in node.names:
            unit.binds |= _API if alias.name == "*" else set()
            unit.binds.add(alias.asname or alias.name.split(".", 1)[0])
    elif isinstance(node, (ast.Global, ast.Nonlocal)):
        unit.binds.update(node.names)
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        unit.binds |= _roots(node.func)
    elif isinstance(node, ast.Call):
        unit.binds |= {argument.id for argument in node.args if isinstance(argument, ast.Name)}


def _roots(node: ast.expr) -> set[str]:
    """The name that an attribute or element is of: what it stands for may change."""
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        node = node.value
    return {node.id} if isinstance(node, ast.Name) else set()


def _walk(root: ast.AST) -> Iterator[ast.AST]:
    """All nodes but the texts that stand alone: they are documentation."""
    todo = [root]
    while todo:
        node = todo.pop()
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            continue
        yield node
        todo.extend(ast.iter_child_nodes(node))


def _speaks(text: str) -> bool:
    if "sglang" not in text:
        return False
    return (
        any(module in text for module in MODULES)
        or "launch_server" in text
        or "serve" in text
        or text == "sglang"
        or _EVIDENCE.search(text) is not None
    )


def _leaves(units: Iterable[Unit]) -> list[Unit]:
    found: list[Unit] = []
    for unit in units:
        found.append(unit)
        found.extend(_leaves(unit.members))
    return found


def _close(units: Sequence[Unit]) -> None:
    """Keep what the kept ones need, and what they need in turn."""
    everything = _leaves(units)
    by_name: dict[str, list[Unit]] = {}
    users: dict[str, list[Unit]] = {}
    for unit in everything:
        for name in unit.binds:
            by_name.setdefault(name, []).append(unit)
        for name in unit.loads | unit.binds:
            users.setdefault(name, []).append(unit)
    owner = {id(member): unit for unit in everything for member in unit.members}
    speakers = {id(unit) for unit in everything if unit.wanted}
    for unit in everything:
        unit.wanted |= unit.environs
    todo = [unit for unit in everything if unit.wanted]
    seen: set[str] = set()
    handed: set[str] = set()
    while todo:
        unit = todo.pop()
        around = owner.get(id(unit))
        needed = [] if around is None else [around]
        if unit.header and unit.members and not any(m.wanted for m in unit.members):
            needed.append(unit.members[0])
        for name in unit.loads - seen:
            seen.add(name)
            needed += by_name.get(name, [])
        for name in unit.hands_on - handed if id(unit) in speakers else ():
            handed.add(name)
            for user in users.get(name, []):
                needed.append(user)
                speakers.add(id(user))
        for other in needed:
            if not other.wanted:
                other.wanted = True
                todo.append(other)
    for unit in everything:
        # A class needs a body, whatever stands in it.
        if unit.header and unit.wanted and not any(m.wanted for m in unit.members):
            unit.members[0].wanted = True


def _merged(units: list[Unit]) -> list[Unit]:
    """Units of which no two share a line; what shares one is kept together."""
    merged: list[Unit] = []
    for unit in sorted(units, key=lambda unit: (unit.first, unit.last)):
        if merged and unit.first <= merged[-1].last:
            merged[-1].last = max(merged[-1].last, unit.last)
            merged[-1].wanted |= unit.wanted
        else:
            merged.append(unit)
    return merged
