"""Whether a file starts SGLang at all, and which of its lines libcst has to look at.

`ast` is fast and libcst is not: only the statements that speak of a launch are kept, with
those that set the names they use.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from sglang_lint.launches.entry_points import MODULES
from sglang_lint.readers.python.depth import MAX_DEPTH
from sglang_lint.readers.python.survey import API, SELF, Survey, survey

# One of these stands in any file in which there is something to find.
WORDS = re.compile(
    r"ServerArgs|\bEngine\b|\bRuntime\b|prepare_server_args|launch_server|popen_launch|other_args"
    r"|extra_args|layers\.attention|sglang[\"',\s]+serve|execute_shell_command|"
    + "|".join(re.escape(module) for module in MODULES)
)
_FIXTURE_ARGUMENTS = frozenset(["other_args", "extra_args"])
_ATTENTION = "sglang.srt.layers.attention"
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass
class Unit:
    """Some lines that are kept or left out together, with the names that tie them to others.

    `members` are the statements of a class, whose own lines are only its header.
    """

    statement: ast.stmt
    first: int
    last: int
    seen: Survey
    loads: set[str] = field(default_factory=set)
    binds: set[str] = field(default_factory=set)
    handed: set[str] = field(default_factory=set)
    members: list[Unit] = field(default_factory=list)
    wanted: bool = False


@dataclass
class Sifted:
    """The lines that are needed, 1-based and in order.

    `shared` are names that functions set outside themselves, `deep` statements that speak of
    SGLang and are nested too deeply to be read.
    """

    lines: list[int]
    shared: frozenset[str] = frozenset()
    deep: tuple[ast.stmt, ...] = ()


def sift(tree: ast.Module, lines: Sequence[str]) -> Sifted:
    """The lines of a file that libcst has to look at; `lines` are all, with their ends."""
    units = [_unit(statement, lines) for statement in tree.body]
    everything = _leaves(units)
    aliases = _Aliases(everything)
    deep: list[ast.stmt] = []
    for unit in everything:
        unit.wanted = aliases.speaks(unit)
        if unit.seen.depth > MAX_DEPTH:
            deep += [unit.seen.deepest or unit.statement] if unit.wanted else []
    units = _without_deep(units)
    everything = _leaves(units)
    for unit in units:
        _want_members(unit, aliases)
    if not any(unit.wanted for unit in everything):
        return Sifted([], deep=tuple(deep))
    _close(everything, aliases)
    kept: set[int] = set()
    for unit in _merged(everything):
        if unit.wanted:
            kept.update(range(unit.first, unit.last + 1))
    return Sifted(sorted(kept), frozenset(aliases.shared), tuple(deep))


class _Aliases:
    """What SGLang's API is called in a file, and on which names attributes of classes are."""

    def __init__(self, units: Iterable[Unit]) -> None:
        self.names = set(API)
        self.shared: set[str] = set()
        self.fixtures: set[str] = set()
        self.objects = set(SELF)
        for unit in units:
            self.shared |= unit.seen.outside
            self.objects |= unit.seen.classes
            for node in unit.seen.imports:
                self._take(node)

    def _take(self, node: ast.Import | ast.ImportFrom) -> None:
        module = node.module or "" if isinstance(node, ast.ImportFrom) else None
        for alias in node.names:
            name = alias.asname or alias.name
            full = alias.name if module is None else f"{module}.{alias.name}"
            if not full.startswith("sglang"):
                continue
            if alias.name in API and module is not None:
                self.names.add(name)
            if full.startswith(_ATTENTION):
                self.names.add(name.split(".", 1)[0])
            if full.startswith("sglang.test."):
                self.fixtures.add(name)

    def speaks(self, unit: Unit) -> bool:
        """Whether a statement uses SGLang's API, or a string in it is part of a launch."""
        return unit.seen.speaks or not self.names.isdisjoint(unit.seen.loads)


def _unit(statement: ast.stmt, lines: Sequence[str]) -> Unit:
    first = min(
        [statement.lineno, *(one.lineno for one in getattr(statement, "decorator_list", []))]
    )
    last = statement.end_lineno or statement.lineno
    if isinstance(statement, ast.ClassDef) and statement.body[0].lineno > statement.lineno:
        return _class_unit(statement, first, lines)
    seen = survey([statement], lines)
    unit = Unit(statement, first, last, seen, set(seen.loads), seen.stores | seen.roots)
    if isinstance(statement, _FUNCTIONS):
        # Names that a function has for itself tie it to no other code.
        own = seen.stores - seen.outside
        unit.loads -= own
        unit.binds = (unit.binds - own) | {statement.name}
        unit.handed = {statement.name} if seen.returns else set()
    elif not isinstance(statement, ast.ClassDef):
        unit.handed = seen.handed
    unit.binds |= seen.outside
    return unit


def _class_unit(node: ast.ClassDef, first: int, lines: Sequence[str]) -> Unit:
    """A class as its header, which its kept members need, and its members."""
    members = [_unit(statement, lines) for statement in node.body]
    seen = survey([*node.bases, *node.keywords, *node.decorator_list], lines)
    seen.classes.add(node.name)
    unit = Unit(node, first, members[0].first - 1, seen, set(seen.loads), {node.name})
    unit.members = members
    for member in members:
        attributes = {"self." + name for name in member.binds | member.seen.self_stores}
        if isinstance(member.statement, _FUNCTIONS):
            member.binds = attributes | member.seen.outside
            handed = member.handed | member.seen.self_handed
            member.handed = {"self." + name for name in handed}
        else:
            member.binds |= attributes
    return unit


def _want_members(unit: Unit, aliases: _Aliases) -> None:
    """What of a class is wanted because of the class itself."""
    if not unit.members:
        return
    fixture = bool(aliases.fixtures) and any(
        not _FIXTURE_ARGUMENTS.isdisjoint(member.binds) for member in unit.members
    )
    for member in unit.members:
        described = fixture and isinstance(member.statement, (ast.Assign, ast.AnnAssign))
        member.wanted |= unit.wanted or described
        _want_members(member, aliases)
    if unit.wanted:
        unit.handed = unit.handed | {unit.statement.name}  # type: ignore[attr-defined]


def _without_deep(units: Iterable[Unit]) -> list[Unit]:
    kept = []
    for unit in units:
        if unit.seen.depth > MAX_DEPTH:
            continue
        if unit.members:
            unit.members = _without_deep(unit.members)
            if not unit.members:
                continue
        kept.append(unit)
    return kept


def _leaves(units: Iterable[Unit]) -> list[Unit]:
    found: list[Unit] = []
    for unit in units:
        found.append(unit)
        found.extend(_leaves(unit.members))
    return found


def _close(everything: Sequence[Unit], aliases: _Aliases) -> None:
    """Keep what the kept ones need, what needs in turn, and who uses what they hand on."""
    setters: dict[str, list[Unit]] = {}
    users: dict[str, list[Unit]] = {}
    owners = {id(member): unit for unit in everything for member in unit.members}
    for unit in everything:
        unit.loads |= {
            "self." + name for owner, name in unit.seen.attributes if owner in aliases.objects
        }
        for name in unit.binds:
            setters.setdefault(name, []).append(unit)
        for name in unit.loads | unit.binds:
            users.setdefault(name, []).append(unit)
    speakers = {id(unit) for unit in everything if unit.wanted}
    for unit in everything:
        if unit.seen.environs and not isinstance(unit.statement, (*_FUNCTIONS, ast.ClassDef)):
            unit.wanted = True
    todo = [unit for unit in everything if unit.wanted]
    loaded: set[str] = set()
    handed: set[str] = set()
    while todo:
        unit = todo.pop()
        needed = [owners[id(unit)]] if id(unit) in owners else []
        for name in unit.loads - loaded:
            loaded.add(name)
            needed += setters.get(name, [])
        for name in unit.handed - handed if id(unit) in speakers else ():
            handed.add(name)
            needed += users.get(name, [])
            speakers.update(map(id, users.get(name, [])))
        for other in needed:
            if not other.wanted:
                other.wanted = True
                todo.append(other)
    for unit in everything:
        # A class needs a body, whatever stands in it.
        if unit.members and unit.wanted and not any(member.wanted for member in unit.members):
            unit.members[0].wanted = True


def _merged(units: Iterable[Unit]) -> list[Unit]:
    """Units of which no two share a line; what shares one is kept together."""
    merged: list[Unit] = []
    for unit in sorted(units, key=lambda unit: (unit.first, unit.last)):
        if merged and unit.first <= merged[-1].last:
            merged[-1].last = max(merged[-1].last, unit.last)
            merged[-1].wanted |= unit.wanted
        else:
            merged.append(unit)
    return merged
