"""Launches by SGLang's own calls: `ServerArgs(...)`, `Engine(...)` and what is made of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from sglang_lint.launches import EntryPoint, Variant
from sglang_lint.launches.entry_points import ENGINE, PREPARE_SERVER_ARGS, SERVER_ARGS, Style
from sglang_lint.readers.python import argv_launches
from sglang_lint.readers.python.calls import Argument, Call
from sglang_lint.readers.python.choices import alternatives
from sglang_lint.readers.python.conditions import Path
from sglang_lint.readers.python.containers import elements, entries
from sglang_lint.readers.python.drafts import Argv
from sglang_lint.readers.python.environment import process_settings
from sglang_lint.readers.python.names import api_name
from sglang_lint.readers.python.render import keywords_of, relocated
from sglang_lint.readers.python.run import Run
from sglang_lint.readers.python.things import (
    Box,
    Class,
    Entry,
    Kind,
    Named,
    Part,
    Parts,
    Ref,
    Thing,
    Unseen,
    unknown,
)
from sglang_lint.readers.python.unfold import unfold
from sglang_lint.text import Span

RUNTIME = EntryPoint("sglang.Runtime", Style.KEYWORDS)

_ENTRY_POINTS = {"ServerArgs": SERVER_ARGS, "Engine": ENGINE, "Runtime": RUNTIME}
# Parameters of the entry points that are no server arguments.
_OWN = {"sglang.Runtime": frozenset(["launch_timeout"])}


def model(call: Call) -> Thing | None:
    """What a call of SGLang's API gives; None if it is none."""
    if "dataclasses.replace" in call.names:
        return _replaced(call)
    if any(api_name(name) == "prepare_server_args" for name in call.names):
        return _prepared(call)
    entry_point = _entry_point(call.callee)
    if entry_point is None:
        return None
    given = call.argument(-1, "server_args")
    if given is not None and entry_point is not SERVER_ARGS:
        return unknown("an engine")
    parts = _keyword_parts(call, entry_point)
    if parts is None:
        return unknown("an engine")
    return _launched(call, entry_point, parts)


def _entry_point(callee: Thing, depth: int = 0) -> EntryPoint | None:
    """The entry point that a callee is, also through a class of the file that only derives."""
    for thing in alternatives(callee):
        if isinstance(thing, Named):
            found = _ENTRY_POINTS.get(api_name(thing.name) or "")
            if found is not None:
                return found
        if isinstance(thing, Class) and depth < 4 and not thing.initializes:
            for base in thing.bases:
                found = _entry_point(base, depth + 1)
                if found is not None:
                    return found
    return None


def _keyword_parts(call: Call, entry_point: EntryPoint) -> Parts | None:
    """The arguments as entries; None where they are those of a ServerArgs reported already."""
    parts: list[Part] = []
    own = _OWN.get(entry_point.name, frozenset())
    for index, argument in enumerate(call.arguments):
        if argument.star == "**":
            if _is_launched(call, argument.thing):
                return None
            parts.extend(entries(call.state, argument.thing, argument.span))
        elif argument.keyword is not None and argument.keyword_span is not None:
            if argument.keyword not in own:
                parts.append(_entry(argument, argument.keyword, argument.keyword_span))
        elif argument.star:
            parts.append(Unseen("positional arguments", argument.span))
        elif index == 0 and entry_point is not RUNTIME:
            parts.append(_entry(argument, "model_path", argument.span))
        else:
            parts.append(Unseen("a positional argument", argument.span))
    return tuple(parts)


def _entry(argument: Argument, key: str, key_span: Span) -> Entry:
    return Entry(key, key_span, relocated(argument.thing, argument.span), argument.span)


def _is_launched(call: Call, thing: Thing) -> bool:
    """Whether a mapping was made of a ServerArgs (`Engine(**asdict(args))`)."""
    return isinstance(thing, Ref) and call.state.box(thing).kind is Kind.SERVER_ARGS


def _launched(call: Call, entry_point: EntryPoint, parts: Parts) -> Thing:
    run, state = call.run, call.state
    made = state.new(Box(Kind.SERVER_ARGS, sites=frozenset([call.span])).with_parts(parts))
    if run.quiet:
        return made
    if entry_point is SERVER_ARGS:
        # What is assigned to its attributes later still counts, so it waits for the end.
        run.drafts.begin(state, made, call.callee_span, call.span, process_settings(state))
        return made
    report(run, state.heap, state.path, parts, entry_point, call.callee_span, call.span)
    run.drafts.add(entry_point, call.callee_span, call.span, (), process_settings(state))
    return unknown("an engine")


def report(
    run: Run,
    heap: Mapping[int, Box],
    path: Path,
    parts: Parts,
    entry_point: EntryPoint,
    span: Span,
    extent: Span,
) -> None:
    """Report a launch with these entries as its keywords."""
    found = unfold(path, lambda choices: keywords_of(parts, heap, choices))
    variants = [
        (labels, Variant(keywords=keywords, tails=tails)) for labels, (keywords, tails) in found
    ]
    run.drafts.add(entry_point, span, extent, variants)


def report_begun(run: Run) -> None:
    """Report each ServerArgs as it is at the end of the body that made it."""
    for begun in run.drafts.begun.values():
        report(run, begun.heap, begun.path, begun.box.parts, SERVER_ARGS, begun.span, begun.extent)
        run.drafts.add(SERVER_ARGS, begun.span, begun.extent, (), begun.environment)


def _replaced(call: Call) -> Thing | None:
    """`dataclasses.replace(args, tp_size=4)` of a ServerArgs that is known."""
    first = call.argument(0)
    if first is None or not isinstance(first.thing, Ref):
        return None
    box = call.state.box(first.thing)
    if box.kind is not Kind.SERVER_ARGS:
        return None
    changed = replace(call, arguments=tuple(a for a in call.arguments if a is not first))
    parts = _keyword_parts(changed, SERVER_ARGS)
    return None if parts is None else _launched(call, SERVER_ARGS, (*box.parts, *parts))


def _prepared(call: Call) -> Thing:
    """`prepare_server_args([...])`."""
    argument = call.argument(0, "argv")
    if argument is not None and not call.run.quiet:
        parts = elements(call.state, argument.thing, argument.span)
        argv = Argv(
            parts,
            call.state.heap,
            call.state.path,
            call.span,
            strict=True,
            environment=process_settings(call.state),
        )
        argv_launches.report_words(call.run, PREPARE_SERVER_ARGS, call.callee_span, argv)
        call.run.drafts.absorb(call.state, argument.thing)
    return unknown("server arguments")
