"""The argument parser as the source fills it: every `add_argument` becomes an Option."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sglang_lint.releases.extract.actions import describe
from sglang_lint.releases.extract.expressions import plain
from sglang_lint.releases.extract.interpreter import Interpreter
from sglang_lint.releases.extract.references import (
    ClassRef,
    External,
    FunctionRef,
    Hidden,
    Host,
    UnresolvedError,
)
from sglang_lint.releases.table import SUPPRESS, Option

_SUPPRESS = External("argparse.SUPPRESS")
_DEPRECATED = re.compile(r"\W*deprecated\b", re.IGNORECASE)
# "use --x instead", "replaced by --x=y", "alias of --x" in a help or error text of a retired one.
_REPLACEMENT = re.compile(
    r"\b(?:use|set|alias (?:of|for)|replaced by|in favou?r of|renamed to|prefer)\W+(?:the\W+)?"
    r"(--[a-z0-9][\w-]*(?:=[\w-]+)?)",
    re.IGNORECASE,
)


@dataclass
class RecordedParser:
    """Stands for the `ArgumentParser` that the source is handed.

    `options` are in the order of their registration; `unresolved` says what could not be told
    about which of them.
    """

    run: Interpreter
    options: list[Option] = field(default_factory=list)
    unresolved: list[str] = field(default_factory=list)

    def call(self, method: str, positional: list[object], keywords: dict[str, object]) -> object:
        """A method that the source calls on the parser or on a group of it."""
        if method in ("add_argument_group", "add_mutually_exclusive_group"):
            return Host(self)
        if method == "add_argument":
            self.add(positional, keywords)
        return None

    def add(self, names: list[object], keywords: Mapping[str, object]) -> None:
        """Record one registration."""
        strings = [name for name in names if isinstance(name, str)]
        if not strings or len(strings) != len(names) or not all(s.startswith("-") for s in strings):
            self.unresolved.append(f"a registration of {names!r}"[:200])
            return
        try:
            self.options.append(self._option(strings, keywords))
        except UnresolvedError as reason:
            self.unresolved.append(f"{strings[0]}: {reason}")

    def _option(self, strings: list[str], keywords: Mapping[str, object]) -> Option:
        action = keywords.get("action")
        if isinstance(action, Hidden):
            raise UnresolvedError(action.why)
        facts = describe(self.run, action, keywords)
        given = {**facts.arguments, **keywords}
        computed: list[str] = []
        if facts.kind == "boolean_optional":
            strings += [f"--no-{s[2:]}" for s in strings if s.startswith("--")]
        long = next((s for s in strings if s.startswith("--")), strings[0])
        help_text = given.get("help")
        text = help_text if isinstance(help_text, str) else ""
        deprecated = facts.deprecated or bool(_DEPRECATED.match(text))
        default = given.get("default", False if facts.kind == "store_true" else None)
        if default == _SUPPRESS:
            default = SUPPRESS
        return Option(
            strings=tuple(strings),
            field=str(given.get("dest") or long.lstrip("-").replace("-", "_")),
            action=facts.kind,
            nargs=self._plain(strings, "nargs", given.get("nargs"), computed),
            type=_type_name(given.get("type")),
            choices=self._choices(strings, given.get("choices"), computed),
            default=self._plain(strings, "default", default, computed),
            const=self._const(strings, facts.kind, given, computed),
            required=given.get("required") is True,
            hidden=help_text == _SUPPRESS,
            deprecated=deprecated,
            replacement=_replacement(given, text) if deprecated else None,
            computed=tuple(computed),
        )

    def _const(
        self, strings: list[str], kind: str, given: Mapping[str, object], computed: list[str]
    ) -> Any:
        if kind not in ("store_const", "store"):
            return None
        return self._plain(strings, "const", given.get("const"), computed)

    def _choices(self, strings: list[str], value: object, computed: list[str]) -> Any:
        if isinstance(value, ClassRef) and self.run.is_enum(value):
            value = list(self.run.members(value))
        if isinstance(value, dict):
            value = list(value)
        return self._plain(strings, "choices", value, computed)

    def _plain(self, strings: list[str], name: str, value: object, computed: list[str]) -> Any:
        try:
            return _hashable(plain(value))
        except UnresolvedError as reason:
            self.unresolved.append(f"{strings[0]}: {name}: {reason}")
            computed.append(name)
            return None


def _hashable(value: Any) -> Any:
    return tuple(_hashable(item) for item in value) if isinstance(value, list) else value


def _type_name(value: object) -> str | None:
    if isinstance(value, External):
        return value.name.rsplit(".", 1)[-1]
    if isinstance(value, (FunctionRef, ClassRef)) and not isinstance(value.node, ast.Lambda):
        return value.node.name
    return None if value is None else "computed"


def _replacement(given: Mapping[str, object], text: str) -> str | None:
    named = given.get("new_flag")
    if isinstance(named, str):
        return named
    for candidate in (given.get("error_message"), text):
        match = _REPLACEMENT.search(candidate) if isinstance(candidate, str) else None
        if match:
            return match[1]
    return None
