"""Strings made of parts: formatted strings, `%`, `str.format`, concatenation."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import libcst as cst

from sglang_lint.readers.python.origins import merged_related, origin_of
from sglang_lint.readers.python.render import relocated
from sglang_lint.readers.python.run import Run
from sglang_lint.readers.python.state import State
from sglang_lint.readers.python.texts import mapped_text, simple_value, text_with, thing_of
from sglang_lint.readers.python.things import (
    Either,
    Fork,
    Hole,
    Literal,
    Part,
    Parts,
    Text,
    Thing,
    fork,
)
from sglang_lint.text import Span
from sglang_lint.values import Known, Unknown, Value, candidates, one_of

_FIELD = re.compile(r"\{\{|\}\}|\{([A-Za-z_]\w*|\d*)(?:![rsa])?(?::([^{}]*))?\}")
_PERCENT = re.compile(r"%(?:%|(?:\((\w+)\))?([-+ #0]*\d*(?:\.\d+)?)([sdifgrx]))")
# A width past this is an attack and no layout.
_MAX_SPEC = 8


def joined(things: Sequence[Thing]) -> Text:
    """Strings one after the other; what is no string is a hole."""
    parts: list[Part] = []
    for thing in things:
        if isinstance(thing, Text):
            parts.extend(thing.parts)
        else:
            parts.append(Hole(Unknown("a computed value"), Span(0, 0)))
    return text_with(tuple(parts), things)


def as_text(thing: Thing, span: Span) -> Text:
    """`str(thing)`, as it would stand at `span`."""
    if isinstance(thing, Text):
        return thing
    if isinstance(thing, Either):
        then, other = as_text(thing.then, span), as_text(thing.other, span)
        parts = fork(thing.test, then.parts, other.parts)
        return Text(parts, origin_of(thing), merged_related([thing]))
    value = simple_value(thing)
    options = candidates(value)
    spelled: Value = value if isinstance(value, Unknown) else one_of(map(str, options or ()))
    made = thing_of(spelled, span, origin_of(thing), merged_related([thing]))
    if isinstance(made, Text):
        return made
    return Text((Hole(spelled, span),), origin_of(thing), merged_related([thing]))


def in_place(thing: Thing, span: Span) -> Text:
    """A value put into a text at `span`: it stands there, unless it is a run of words.

    Several words are a piece of a command that somebody wrote elsewhere and that is to be
    pointed at there.
    """
    text = as_text(thing, span)
    if any(char.isspace() for part in _literals(text.parts) for char in part.text.text):
        return text
    moved = relocated(text, span)
    return moved if isinstance(moved, Text) else text


def _literals(parts: Parts) -> list[Literal]:
    found = []
    for part in parts:
        if isinstance(part, Literal):
            found.append(part)
        elif isinstance(part, Fork):
            found += _literals((*part.then, *part.other))
    return found


def formatted(run: Run, state: State, node: cst.FormattedString) -> Thing:
    """A formatted string, with the fields filled in as far as they are known."""
    raw = "r" in node.start.lower()
    pieces: list[Thing] = []
    for part in node.parts:
        if isinstance(part, cst.FormattedStringText):
            pieces.append(Text((Literal(run.places.template(part, raw=raw)),)))
        elif isinstance(part, cst.FormattedStringExpression):
            pieces.append(_field(run, state, part))
    return joined(pieces)


def _field(run: Run, state: State, node: cst.FormattedStringExpression) -> Thing:
    span = run.places.span(node)
    thing = run.evaluate(run, state, node.expression)
    run.drafts.show(state, thing)
    spec: str | None = ""
    if node.format_spec:
        texts = [p.value for p in node.format_spec if isinstance(p, cst.FormattedStringText)]
        spec = "".join(texts) if len(texts) == len(node.format_spec) else None
    if node.equal is not None or spec is None or node.conversion in ("a",):
        return Text((Hole(Unknown("a formatted value"), span),))
    if node.conversion == "r":
        return filled(thing, span, lambda value: format(repr(value), spec))
    return with_spec(thing, spec, span)


def with_spec(thing: Thing, spec: str, span: Span) -> Text:
    """`format(thing, spec)` at `span`."""
    if not spec:
        return in_place(thing, span)
    return filled(thing, span, lambda value: format(value, spec) if len(spec) < _MAX_SPEC else None)


def filled(thing: Thing, span: Span, spell: Callable[[object], str | None]) -> Text:
    """The spelling of a known value at `span`, a hole for any other."""
    value = simple_value(thing)
    spelled: Value = value if isinstance(value, Unknown) else Unknown("a formatted value")
    if isinstance(value, Known):
        try:
            text = spell(value.value)
        except (ValueError, TypeError, OverflowError):
            text = None
        if text is not None:
            spelled = Known(text)
    made = thing_of(spelled, span, origin_of(thing), merged_related([thing]))
    if isinstance(made, Text):
        return made
    return Text((Hole(spelled, span),), origin_of(thing), merged_related([thing]))


def format_method(
    template: Text, positional: Sequence[Thing], named: dict[str, Thing], span: Span
) -> Text | None:
    """`template.format(...)`; None where it is of no simple kind."""
    text = mapped_text(template)
    if text is None:
        return None
    pieces: list[Thing] = []
    place = automatic = 0
    for match in _FIELD.finditer(text.text):
        if any(brace in text.text[place : match.start()] for brace in "{}"):
            return None
        pieces.append(Text((Literal(text.slice(place, match.start())),)))
        place = match.end()
        if match[0] in ("{{", "}}"):
            pieces.append(Text((Literal(text.slice(match.start(), match.start() + 1)),)))
            continue
        key, spec = match[1], match[2] or ""
        index = int(key) if key.isdigit() and len(key) < _MAX_SPEC else automatic
        automatic += not key
        thing = named.get(key) if key and not key.isdigit() else _at(positional, index)
        if thing is None or "!" in match[0]:
            pieces.append(Text((Hole(Unknown("a field"), span),)))
        else:
            pieces.append(with_spec(thing, spec, text.span(match.start(), match.end())))
    if any(brace in text.text[place:] for brace in "{}"):
        return None
    pieces.append(Text((Literal(text.slice(place)),)))
    return joined(pieces)


def _at(things: Sequence[Thing], index: int) -> Thing | None:
    return things[index] if index < len(things) else None


def percent(
    template: Text, positional: Sequence[Thing], named: dict[str, Thing], span: Span
) -> Text | None:
    """`template % values`; None where it is of no simple kind."""
    text = mapped_text(template)
    if text is None:
        return None
    pieces: list[Thing] = []
    place = used = 0
    for match in _PERCENT.finditer(text.text):
        if "%" in text.text[place : match.start()]:
            return None
        pieces.append(Text((Literal(text.slice(place, match.start())),)))
        place = match.end()
        where = text.span(match.start(), match.end())
        if match[0] == "%%":
            pieces.append(Text((Literal(text.slice(match.start(), match.start() + 1)),)))
            continue
        thing = named.get(match[1]) if match[1] else _at(positional, used)
        used += 1
        if thing is None:
            return None
        if match[3] == "s" and not match[2]:
            pieces.append(in_place(thing, where))
        else:
            spec = f"%{match[2]}{match[3]}"
            pieces.append(filled(thing, where, _spelled_by(spec)))
    if "%" in text.text[place:]:
        return None
    pieces.append(Text((Literal(text.slice(place)),)))
    return joined(pieces)


def _spelled_by(spec: str) -> Callable[[object], str | None]:
    return lambda value: spec % (value,) if len(spec) < _MAX_SPEC else None
