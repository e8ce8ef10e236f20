"""Where an evaluation stands: the script, its variables, and the way that led there."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field

import tree_sitter

from sglang_lint.launches import Evidence
from sglang_lint.readers.shell import tree
from sglang_lint.readers.shell.bindings import Binding, Scope
from sglang_lint.readers.shell.formulas import Path, Select
from sglang_lint.readers.shell.lexer import Lexer
from sglang_lint.readers.shell.pieces import Assembled


@dataclass(frozen=True)
class Script:
    """One text of shell, wherever it stands; `base` is where the tree's part of it begins."""

    lexer: Lexer
    view: str
    root: tree_sitter.Node
    depth: int
    base: int = 0
    # Parsing again what the grammar took for part of a command must come to an end.
    repairs: int = 0

    @classmethod
    def of(cls, assembled: Assembled, depth: int = 0) -> Script:
        """The script parsed."""
        view = tree.view_of(assembled.text.text)
        return cls(Lexer(assembled), view, tree.parse(view), depth)

    def part(self, start: int, end: int) -> Script:
        """A part of it, parsed on its own."""
        root = tree.parse(self.view[start:end])
        return Script(self.lexer, self.view, root, self.depth, start, self.repairs + 1)

    def start(self, node: tree_sitter.Node) -> int:
        """Offset of a node in the script's text."""
        return node.start_byte + self.base

    def end(self, node: tree_sitter.Node) -> int:
        """Offset behind a node in the script's text."""
        return node.end_byte + self.base

    def text(self, node: tree_sitter.Node) -> str:
        """What a node covers."""
        return self.lexer.text[self.start(node) : self.end(node)]


@dataclass(frozen=True, eq=False)
class Function:
    """A function of a script."""

    name: str
    script: Script
    body: tree_sitter.Node


class Left(enum.Enum):
    """How far control went away from what comes next."""

    LOOP = "loop"
    FUNCTION = "function"
    SCRIPT = "script"


@dataclass(frozen=True)
class Return:
    """What a `return` inside of branches left behind, and the arms that lead to it."""

    arms: tuple[tuple[Select, int], ...]
    scope: Scope

    def under(self, select: Select, index: int) -> Return:
        """The same, seen from around another branch."""
        return Return(((select, index), *self.arms), self.scope)


@dataclass(eq=False)
class State:
    """Changes as commands run; `left` once the rest of the block is not reached."""

    scope: Scope = field(default_factory=Scope)
    path: Path = field(default_factory=Path)
    functions: dict[str, Function] = field(default_factory=dict)
    calls: tuple[Function, ...] = ()
    # What `local` hides until the function returns.
    saved: dict[str, Binding | None] | None = None
    images: tuple[Evidence, ...] = ()
    left: Left | None = None
    returns: list[Return] = field(default_factory=list)

    def copy(self) -> State:
        """For an arm or a subshell."""
        return State(
            self.scope.copy(),
            self.path,
            dict(self.functions),
            self.calls,
            self.saved,
            self.images,
        )
