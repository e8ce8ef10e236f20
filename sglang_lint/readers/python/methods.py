"""Methods of lists and dictionaries, and which methods are known at all."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from sglang_lint.launches import Origin
from sglang_lint.readers.python.calls import Call
from sglang_lint.readers.python.choices import alternatives
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
from sglang_lint.readers.python.library import environment_value
from sglang_lint.readers.python.render import relocated
from sglang_lint.readers.python.text_methods import shlex_join, text_method
from sglang_lint.readers.python.texts import thing_of
from sglang_lint.readers.python.things import (
    Box,
    Entry,
    Item,
    Kind,
    Part,
    Plain,
    Ref,
    Removed,
    Text,
    Thing,
    Unseen,
    unknown,
)
from sglang_lint.values import Known

Method = Callable[[Call, Ref], Thing | None]
_NONE = Plain(Known(None))


def model(call: Call) -> Thing | None:
    """What a method of a string or container gives; None if it is none that is known here."""
    if call.method is None or call.receiver is None:
        return None
    if call.names == ["shlex.join"]:
        return shlex_join(call)
    for one in alternatives(call.receiver):
        if isinstance(one, Ref):
            return _on_containers(
                call, [r for r in alternatives(call.receiver) if isinstance(r, Ref)]
            )
    return text_method(call, call.receiver) if isinstance(call.receiver, Text) else None


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
