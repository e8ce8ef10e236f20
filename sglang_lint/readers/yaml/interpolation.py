"""What becomes of a scalar before its program sees it: `$(NAME)`, `${NAME:-default}`, `$$`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from sglang_lint.launches import Origin, Related, Setting, Word
from sglang_lint.readers.yaml.scope import Dialect
from sglang_lint.readers.yaml.templates import HIDDEN
from sglang_lint.text import MappedText, Span
from sglang_lint.values import Known, Unknown, Value

_PART = re.compile(
    r"(?P<dollars>\$\$)"
    r"|\$\((?P<kube>[A-Za-z_][\w.-]*)\)"
    r"|\$\{(?P<braced>[^{}]*(?:\{[^{}]*\}[^{}]*)*)\}"
    r"|\$(?P<name>[A-Za-z_]\w*)"
    rf"|(?P<hidden>{HIDDEN}+)"
)
_DEFAULT = re.compile(r"\w+:?[-=](?P<default>.+)", re.DOTALL)
_NAME = re.compile(r"\w+")
_PLACEHOLDER = re.compile(r"(?:--?[\w-]+=)?<[^<>]+>")


@dataclass
class _Assembly:
    """The known beginning of a word, and whether anything after it is not known."""

    parts: list[MappedText] = field(default_factory=list)
    why: str | None = None
    origin: Origin = Origin.WRITTEN
    related: list[Related] = field(default_factory=list)

    def add(self, part: MappedText) -> None:
        if self.why is None:
            self.parts.append(part)

    def hide(self, why: str) -> None:
        if self.why is None:
            self.why = why

    def word(self, span: Span, anchor: int) -> Word:
        literal = MappedText.join([part for part in self.parts if part.text], anchor)
        value: Value = Known(literal.text) if self.why is None else Unknown(self.why)
        return Word(value, span, literal, False, self.origin, tuple(self.related))


def word_of_item(
    text: MappedText, span: Span, dialect: Dialect, settings: Mapping[str, Setting]
) -> Word:
    """The word that an item of a list hands to its program."""
    assembly = _Assembly()
    if _PLACEHOLDER.fullmatch(text.text):
        assembly.add(text.slice(0, text.text.index("<")))
        assembly.hide("a placeholder")
        return assembly.word(span, text.anchor)
    position = 0
    for found in _PART.finditer(text.text):
        assembly.add(text.slice(position, found.start()))
        position = found.end()
        part = text.slice(found.start(), found.end())
        _add_part(assembly, found, part, dialect, settings)
    assembly.add(text.slice(position))
    return assembly.word(span, text.anchor)


def _add_part(
    assembly: _Assembly,
    found: re.Match[str],
    part: MappedText,
    dialect: Dialect,
    settings: Mapping[str, Setting],
) -> None:
    if found.lastgroup == "hidden":
        assembly.hide("a template fills it in")
    elif found.lastgroup == "dollars":
        following = found.string[found.end() : found.end() + 1]
        escaped = dialect is Dialect.COMPOSE or (dialect is Dialect.KUBERNETES and following == "(")
        assembly.add(_stands_for(part, "$") if escaped else part)
    elif found.lastgroup == "kube":
        _add_kubernetes_variable(assembly, found["kube"], part, settings)
    else:
        default = _DEFAULT.fullmatch(found["braced"] or "")
        if default and "$" not in default["default"] and HIDDEN not in default["default"]:
            start = found.start("braced") - found.start() + default.start("default")
            assembly.add(part.slice(start, len(part) - 1))
            assembly.origin = Origin.VARIABLE_DEFAULT
        else:
            name = _NAME.match(found["name"] or found["braced"] or "")
            assembly.hide(f"variable {name[0]}" if name else "an expression")


def _add_kubernetes_variable(
    assembly: _Assembly, name: str, part: MappedText, settings: Mapping[str, Setting]
) -> None:
    setting = settings.get(name)
    if setting is None or not isinstance(setting.value, Known):
        assembly.hide(f"variable {name}")
        return
    assembly.add(_stands_for(part, str(setting.value.value)))
    assembly.origin = Origin.ENVIRONMENT
    assembly.related.append(Related(f"{name} is set here", setting.span))


def _stands_for(part: MappedText, text: str) -> MappedText:
    """Another text in the place of a part: every character of it stands for the whole."""
    span = part.span()
    size = len(text)
    return MappedText(text, [span.start] * size, [span.end] * size, span.start)


def script_of(
    text: MappedText, dialect: Dialect, settings: Mapping[str, Setting]
) -> tuple[MappedText, dict[str, Value]]:
    """A shell text as the shell receives it, and the variables it finds in its environment.

    Kubernetes replaces `$(NAME)` of the variables it knows; compose replaces `$NAME` from the
    environment of whoever calls it, which nobody knows here, and leaves `$$NAME` to the shell.
    """
    variables = {name: setting.value for name, setting in settings.items()}
    if dialect is Dialect.OTHER:
        return text, variables
    parts: list[MappedText] = []
    position = 0
    for found in _PART.finditer(text.text):
        part = text.slice(found.start(), found.end())
        replaced: MappedText | None = None
        if found.lastgroup == "dollars":
            if dialect is Dialect.COMPOSE or text.text[found.end() : found.end() + 1] == "(":
                replaced = _stands_for(part, "$")
        elif found.lastgroup == "kube":
            setting = settings.get(found["kube"])
            if dialect is Dialect.KUBERNETES and setting is not None:
                value = setting.value
                replaced = _stands_for(
                    part, str(value.value) if isinstance(value, Known) else HIDDEN
                )
        elif dialect is Dialect.COMPOSE and found.lastgroup in ("braced", "name"):
            name = _NAME.match(found["name"] or found["braced"] or "")
            variables.pop(name[0] if name else "", None)
        if replaced is not None:
            parts += [text.slice(position, found.start()), replaced]
            position = found.end()
    if not parts:
        return text, variables
    parts.append(text.slice(position))
    return MappedText.join([part for part in parts if part.text], text.anchor), variables
