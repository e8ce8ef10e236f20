"""Methods of strings, lists and dictionaries."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from dataclasses import replace

from sglang_lint.launches import Origin
from sglang_lint.readers.python.calls import Call
from sglang_lint.readers.python.containers import (
    MAPPINGS,
    SEQUENCES,
    elements,
    entries,
    give_up,
    key_of,
    look_up,
    new_list,
    settled_entries,
)
from sglang_lint.readers.python.library import environment_value, replace_text
from sglang_lint.readers.python.render import relocated
from sglang_lint.readers.python.splitting import blank_items
from sglang_lint.readers.python.templates import format_method, in_place
from sglang_lint.readers.python.things import (
    Box,
    Either,
    Entry,
    Fork,
    Hole,
    Item,
    Kind,
    Literal,
    Part,
    Parts,
    Plain,
    Ref,
    Removed,
    Text,
    Thing,
    Unseen,
    alternatives,
    at_place,
    fork,
    known_text,
    mapped_text,
    on_branches,
    text_of,
    thing_of,
    unknown,
)
from sglang_lint.text import MappedText, Span
from sglang_lint.values import Known, Unknown

Method = Callable[[Call, Ref], Thing | None]
TextMethod = Callable[[Call, Text], Thing | None]
_NONE = Plain(Known(None))


def model(call: Call) -> Thing | None:
    """What a method of a string or container gives; None if it is none that is known here."""
    if call.method is None or call.receiver is None:
        return None
    if call.names == ["shlex.join"]:
        return _shlex_join(call)
    for one in alternatives(call.receiver):
        if isinstance(one, Ref):
            return _on_containers(
                call, [r for r in alternatives(call.receiver) if isinstance(r, Ref)]
            )
    if isinstance(call.receiver, Either):
        return None
    if isinstance(call.receiver, Text):
        method = _TEXT_METHODS.get(call.method)
        found = None if method is None else method(call, call.receiver)
        branching = _BRANCHING_METHODS.get(call.method)
        if branching is not None:
            found = on_branches(lambda text: _branching(branching, call, text), call.receiver)
        if found is None and hasattr(str, call.method):
            return unknown("a computed text")
        return found
    return None


def _on_containers(call: Call, receivers: list[Ref]) -> Thing | None:
    """The method on each object that the receiver may be; the results are one of them."""
    results: list[Thing] = []
    for receiver in receivers:
        kind = call.state.box(receiver).kind
        if kind in SEQUENCES:
            methods, known = _LIST_METHODS, hasattr(list, call.method or "")
        elif kind in MAPPINGS:
            methods, known = _DICT_METHODS, hasattr(dict, call.method or "")
        else:
            return None
        method = methods.get(call.method or "")
        result = None if method is None else method(call, receiver)
        if result is None and not known:
            return None
        if result is None:
            give_up(call.state, receiver, f"it is changed by `{call.method}`", call.span)
        results.append(result or unknown("the result of a call"))
    return results[0] if len(results) == 1 else unknown("the result of a call")


def _append(call: Call, ref: Ref) -> Thing | None:
    argument = call.argument(0)
    if argument is None:
        return None
    thing = relocated(argument.thing, argument.span)
    call.state.append(ref, Item(thing, argument.span))
    call.run.drafts.note(call.state, ref)
    return _NONE


def _extend(call: Call, ref: Ref) -> Thing | None:
    argument = call.argument(0)
    if argument is None:
        return None
    call.run.drafts.absorb(call.state, argument.thing)
    call.state.append(ref, *elements(call.state, argument.thing, argument.span))
    call.run.drafts.note(call.state, ref)
    return _NONE


def _insert(call: Call, ref: Ref) -> Thing | None:
    where, argument = call.argument(0), call.argument(1)
    index = None if where is None else key_of(where.thing)
    if argument is None or not isinstance(index, int) or index < 0:
        return None
    parts = call.state.box(ref).parts
    before = parts[:index]
    if len(before) < index or not all(isinstance(part, Item) for part in before):
        return None
    item = Item(relocated(argument.thing, argument.span), argument.span)
    call.state.set_parts(ref, (*before, item, *parts[index:]))
    return _NONE


def _clear(call: Call, ref: Ref) -> Thing | None:
    call.state.set_parts(ref, ())
    return _NONE


def _pop(call: Call, ref: Ref) -> Thing | None:
    parts = call.state.box(ref).parts
    if call.arguments or not parts or not isinstance(parts[-1], Item):
        return None
    call.state.set_parts(ref, parts[:-1])
    return parts[-1].thing


def _copy(call: Call, ref: Ref) -> Thing | None:
    box = call.state.box(ref)
    call.run.drafts.absorb(call.state, ref)
    made = call.state.new(replace(box, sites=frozenset([call.span])))
    if box.kind in SEQUENCES:
        call.run.drafts.note(call.state, made)
    return made


def _looked_at(call: Call, ref: Ref) -> Thing | None:
    return unknown("an element")


def _update(call: Call, ref: Ref) -> Thing | None:
    parts: list[Part] = []
    for argument in call.arguments:
        if argument.keyword is not None and argument.keyword_span is not None:
            thing = relocated(argument.thing, argument.span)
            parts.append(Entry(argument.keyword, argument.keyword_span, thing, argument.span))
        else:
            parts.extend(entries(call.state, argument.thing, argument.span))
    call.state.append(ref, *parts)
    return _NONE


def _get(call: Call, ref: Ref) -> Thing | None:
    box = call.state.box(ref)
    if box.kind is Kind.ENVIRON:
        return environment_value(call)
    name, default = call.argument(0), call.argument(1)
    key = None if name is None else key_of(name.thing)
    if key is None:
        return unknown("an element")
    found = look_up(box.parts, key)
    if found is None:
        return _NONE if default is None else default.thing
    return found


def _set_default(call: Call, ref: Ref) -> Thing | None:
    name, default = call.argument(0), call.argument(1)
    key = None if name is None else key_of(name.thing)
    if name is None or default is None or key is None:
        return None
    box = call.state.box(ref)
    found = look_up(box.parts, key)
    if found is not None:
        return found
    origin = Origin.VARIABLE_DEFAULT if box.kind is Kind.ENVIRON else Origin.WRITTEN
    thing = default.thing
    if isinstance(thing, (Text, Plain)) and origin is not Origin.WRITTEN:
        thing = replace(thing, origin=origin)
    call.state.append(ref, Entry(key, name.span, thing, default.span))
    return thing


def _pop_key(call: Call, ref: Ref) -> Thing | None:
    name, default = call.argument(0), call.argument(1)
    key = None if name is None else key_of(name.thing)
    if key is None:
        return None
    found = look_up(call.state.box(ref).parts, key)
    call.state.append(ref, Removed(key))
    if found is None:
        return unknown("an element") if default is None else default.thing
    return found


def _items(call: Call, ref: Ref) -> Thing | None:
    found = settled_entries(call.state.box(ref).parts)
    if found is None:
        return new_list(call.state, (Unseen("the items of a dictionary", call.span),), call.span)
    pairs: list[Part] = []
    for entry in found:
        key = thing_of(Known(entry.key), entry.key_span)
        parts = (Item(key, entry.key_span), Item(entry.thing, entry.span))
        pairs.append(Item(call.state.new(Box(Kind.TUPLE, parts)), entry.key_span.to(entry.span)))
    return new_list(call.state, tuple(pairs), call.span)


def _values(call: Call, ref: Ref) -> Thing | None:
    found = settled_entries(call.state.box(ref).parts)
    if found is None:
        return unknown("the values of a dictionary")
    parts = tuple(Item(entry.thing, entry.span) for entry in found)
    return new_list(call.state, parts, call.span)


def _keys(call: Call, ref: Ref) -> Thing | None:
    return new_list(call.state, elements(call.state, ref, call.span), call.span)


_LIST_METHODS: dict[str, Method] = {
    "append": _append,
    "extend": _extend,
    "insert": _insert,
    "clear": _clear,
    "pop": _pop,
    "copy": _copy,
    "index": _looked_at,
    "count": _looked_at,
}
_DICT_METHODS: dict[str, Method] = {
    "update": _update,
    "get": _get,
    "setdefault": _set_default,
    "pop": _pop_key,
    "copy": _copy,
    "items": _items,
    "values": _values,
    "keys": _keys,
    "clear": _clear,
}


def _format(call: Call, text: Text) -> Thing | None:
    positional = [argument.thing for argument in call.positional()]
    named = {a.keyword: a.thing for a in call.arguments if a.keyword is not None}
    if call.unpacks:
        return None
    return format_method(text, positional, named, call.span)


def _split(call: Call, text: Text) -> Thing | None:
    if call.arguments:
        return None
    parts = blank_items(text.parts)
    if parts is None:
        return None
    made = new_list(call.state, parts, call.span)
    call.run.drafts.note(call.state, made)
    return made


def _join(call: Call, text: Text) -> Thing | None:
    argument = call.argument(0)
    separator = mapped_text(text)
    if argument is None or separator is None:
        return None
    call.run.drafts.show(call.state, argument.thing)
    parts = elements(call.state, argument.thing, argument.span)
    return Text(_joined(parts, Literal(separator), first=True))


def _joined(parts: Parts, separator: Literal, *, first: bool) -> Parts:
    """The elements of a list with a separator before each but the first."""
    found: list[Part] = []
    for part in parts:
        if isinstance(part, Fork):
            if first:
                # Whether a separator follows hangs on the branch, so what does is left open.
                return (*found, Hole(Unknown(f"it hangs on `{part.test.text}`"), Span(0, 0)))
            then = _joined(part.then, separator, first=False)
            found.extend(fork(part.test, then, _joined(part.other, separator, first=False)))
            continue
        if not first:
            found.append(separator)
        first = False
        if isinstance(part, Item):
            found.extend(in_place(part.thing, part.span).parts)
        elif isinstance(part, Unseen):
            found.append(Hole(Unknown(part.why), part.span))
    return tuple(found)


def _shlex_join(call: Call) -> Thing | None:
    argument = call.argument(0)
    if argument is None:
        return None
    call.run.drafts.show(call.state, argument.thing)
    parts = elements(call.state, argument.thing, argument.span)
    quoted = tuple(_quoted(part) for part in parts)
    return Text(_joined(quoted, Literal(at_place(" ", argument.span)), first=True))


def _quoted(part: Part) -> Part:
    if isinstance(part, Fork):
        return Fork(
            part.test,
            tuple(map(_quoted, part.then)),
            tuple(map(_quoted, part.other)),
            part.weight,
        )
    text = known_text(part.thing) if isinstance(part, Item) else None
    if not isinstance(part, Item) or text is None or shlex.quote(text) == text:
        return part
    return Item(text_of(at_place(shlex.quote(text), part.span)), part.span)


def _stripped(characters: str) -> TextMethod:
    def strip(call: Call, text: Text) -> Thing | None:
        mapped = mapped_text(text)
        if call.arguments or mapped is None:
            return text if not call.arguments else None
        source = mapped.text
        start = len(source) - len(source.lstrip()) if "l" in characters else 0
        end = len(source.rstrip()) if "r" in characters else len(source)
        return replace_text(text, mapped.slice(start, max(start, end)))

    return strip


def _replace(call: Call, text: Text) -> Thing | None:
    old, new = call.argument(0), call.argument(1)
    mapped = mapped_text(text)
    if old is None or new is None or len(call.arguments) != 2 or mapped is None:
        return None
    before, after = known_text(old.thing), known_text(new.thing)
    if not before or after is None:
        return None
    pieces: list[MappedText] = []
    place = 0
    for match in re.finditer(re.escape(before), mapped.text):
        pieces.append(mapped.slice(place, match.start()))
        pieces.append(at_place(after, mapped.span(match.start(), match.end())))
        place = match.end()
    pieces.append(mapped.slice(place))
    return replace_text(text, MappedText.join(pieces))


def _cased(function: Callable[[str], str]) -> TextMethod:
    def cased(call: Call, text: Text) -> Thing | None:
        mapped = mapped_text(text)
        if call.arguments or mapped is None or len(function(mapped.text)) != len(mapped):
            return None
        return replace_text(text, mapped.replaced(function(mapped.text)))

    return cased


def _asked(function: Callable[[str, str], bool]) -> TextMethod:
    def asked(call: Call, text: Text) -> Thing | None:
        argument = call.argument(0)
        known = known_text(text)
        part = None if argument is None else known_text(argument.thing)
        if known is None or part is None or len(call.arguments) != 1:
            return unknown("a question about a text")
        return Plain(Known(function(known, part)), text.origin)

    return asked


_TEXT_METHODS: dict[str, TextMethod] = {
    "format": _format,
    "split": _split,
    "join": _join,
    "strip": _stripped("lr"),
    "lstrip": _stripped("l"),
    "rstrip": _stripped("r"),
}
# Methods that are asked on each branch of a text by itself.
_BRANCHING_METHODS: dict[str, TextMethod] = {
    "replace": _replace,
    "lower": _cased(str.lower),
    "upper": _cased(str.upper),
    "startswith": _asked(str.startswith),
    "endswith": _asked(str.endswith),
}


def _branching(method: TextMethod, call: Call, text: Thing) -> Thing:
    found = method(call, text) if isinstance(text, Text) else None
    return found or unknown("a computed text")
