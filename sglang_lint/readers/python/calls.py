"""A call with its callee and arguments evaluated."""

from __future__ import annotations

from dataclasses import dataclass

import libcst as cst

from sglang_lint.readers.python.choices import alternatives
from sglang_lint.readers.python.run import Run
from sglang_lint.readers.python.state import State
from sglang_lint.readers.python.things import Function, Named, Thing
from sglang_lint.text import Span


@dataclass(frozen=True)
class Argument:
    """One argument; `star` is `*` or `**` where it is unpacked."""

    thing: Thing
    node: cst.BaseExpression
    span: Span
    star: str = ""
    keyword: str | None = None
    keyword_span: Span | None = None


@dataclass(frozen=True)
class Call:
    """A call at one point of the program.

    `receiver` is what stands before the last dot of the callee, `method` what stands behind it.
    """

    run: Run
    state: State
    node: cst.Call
    callee: Thing
    receiver: Thing | None
    method: str | None
    arguments: tuple[Argument, ...]

    @property
    def span(self) -> Span:
        """The whole call."""
        return self.run.places.span(self.node)

    @property
    def callee_span(self) -> Span:
        """The callee as it is written."""
        return self.run.places.span(self.node.func)

    @property
    def names(self) -> list[str]:
        """The dotted names that the callee may have."""
        return [thing.name for thing in alternatives(self.callee) if isinstance(thing, Named)]

    @property
    def function(self) -> Function | None:
        """The function of the file that is called, if it is that for sure."""
        return self.callee if isinstance(self.callee, Function) else None

    @property
    def last_name(self) -> str:
        """The callee's own name, whatever it is called on."""
        node = self.node.func
        if isinstance(node, cst.Attribute):
            return node.attr.value
        return node.value if isinstance(node, cst.Name) else ""

    def positional(self) -> list[Argument]:
        """The positional arguments before the first starred one."""
        found = []
        for argument in self.arguments:
            if argument.star == "*":
                break
            if not argument.star and argument.keyword is None:
                found.append(argument)
        return found

    def argument(self, index: int, keyword: str | None = None) -> Argument | None:
        """The argument for a parameter, by keyword or by place."""
        for argument in self.arguments:
            if keyword is not None and argument.keyword == keyword:
                return argument
        positional = self.positional()
        return positional[index] if 0 <= index < len(positional) else None

    @property
    def unpacks(self) -> bool:
        """Whether arguments may come in through `*` or `**`."""
        return any(argument.star for argument in self.arguments)
