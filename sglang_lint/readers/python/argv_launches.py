"""Launches that a list of words starts, wherever the list is used."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sglang_lint.launches import EntryPoint, Fault, Setting, Tail, Variant, Word
from sglang_lint.launches.command import Found, NestedScript, find_launch
from sglang_lint.readers.python import commands
from sglang_lint.readers.python.calls import Call
from sglang_lint.readers.python.choices import alternatives
from sglang_lint.readers.python.conditions import Path
from sglang_lint.readers.python.containers import SEQUENCES
from sglang_lint.readers.python.drafts import Argv
from sglang_lint.readers.python.environment import settings_of
from sglang_lint.readers.python.evidence import image_in
from sglang_lint.readers.python.render import is_not_text, words_of
from sglang_lint.readers.python.run import Run
from sglang_lint.readers.python.sinks import is_strict, only_shows
from sglang_lint.readers.python.state import State
from sglang_lint.readers.python.things import Box, Item, Ref, Text, Thing
from sglang_lint.readers.python.unfold import Choices, Labels, unfold
from sglang_lint.text import Span

NOT_A_STRING = "python-argv-not-a-string"


def note(call: Call) -> None:
    """Report the launches in the lists and strings that a call gets."""
    run, state = call.run, call.state
    things = [argument.thing for argument in call.arguments]
    if only_shows(call):
        run.drafts.show(state, *things)
        return
    commands.note(call)
    environment = settings_of(call)
    for argument in call.arguments:
        for thing in alternatives(argument.thing):
            _note_list(call, thing, environment)
    _note_positional(call, environment)


def _note_list(call: Call, thing: Thing, environment: tuple[Setting, ...]) -> None:
    run, state = call.run, call.state
    if not isinstance(thing, Ref) or state.box(thing).kind not in SEQUENCES:
        return
    box = state.box(thing)
    if run.muted or (run.quiet and not _comes_from_outside(run, box.sites)):
        return
    argv = Argv(
        box.parts, state.heap, state.path, call.span, box.sites, is_strict(call), environment
    )
    if not argv.strict:
        # It may be run by the call, or only be looked at or filled further by it.
        run.drafts.wait(argv)
    elif report(run, argv):
        run.drafts.use(box.sites)


def _comes_from_outside(run: Run, sites: frozenset[Span]) -> bool:
    """Whether a list was handed to the functions that are followed, and is not their own."""
    bodies = [run.places.span(function.node) for function, _ in run.followed]
    own = any(body.covers(site) for body in bodies for site in sites)
    return run.drafts.knows(sites) and not own


def _note_positional(call: Call, environment: tuple[Setting, ...]) -> None:
    """Words that are passed one by one: `create_subprocess_exec("python3", "-m", ...)`."""
    positional = call.positional()
    if call.run.quiet or sum(isinstance(argument.thing, Text) for argument in positional) < 2:
        return
    parts: list[Item] = [Item(argument.thing, argument.span) for argument in positional]
    argv = Argv(
        tuple(parts),
        call.state.heap,
        call.state.path,
        call.span,
        strict=is_strict(call),
        environment=environment,
    )
    report(call.run, argv)


def hand_over(run: Run, state: State, thing: Thing) -> None:
    """Report the launch in a list that leaves its body, by return or yield."""
    for one in alternatives(thing):
        if not isinstance(one, Ref) or state.box(one).kind not in SEQUENCES:
            continue
        box = state.box(one)
        if not run.quiet and run.drafts.knows(box.sites):
            run.drafts.wait(_kept(box, dict(state.heap), dict(state.path), min(box.sites)))


def report_waiting(run: Run) -> None:
    """Report the lists that go into unknown calls, or that this file makes and does not use."""
    for site, candidate in list(run.drafts.candidates.items()):
        if candidate.used:
            continue
        for argv in candidate.waiting:
            report(run, argv)
        if not candidate.waiting and not candidate.shown:
            report(run, _kept(candidate.box, candidate.heap, candidate.path, site))


def _kept(box: Box, heap: Mapping[int, Box], path: Path, site: Span) -> Argv:
    """A list that leaves its body or is only kept: whoever runs it may add to it."""
    tails = (Tail("what uses the list may add to it", site),)
    return Argv(box.parts, heap, path, site, box.sites, tails=tails)


def report(run: Run, argv: Argv) -> bool:
    """Report the launches that the words start; whether there are any."""
    any_found = False
    for labels, (words, odd) in unfold(argv.path, lambda choices: _words_and_odd(argv, choices)):
        found = find_launch(words)
        if isinstance(found, Found):
            any_found = True
            _report_found(run, argv, labels, words, found)
            if argv.strict:
                _report_odd(run, odd)
        elif isinstance(found, NestedScript):
            any_found |= commands.report_script(
                run, found.word.literal, argv.extent, labels, argv.environment
            )
    return any_found


def _report_found(run: Run, argv: Argv, labels: Labels, words: list[Word], found: Found) -> None:
    variant = Variant(words=found.arguments, tails=argv.tails)
    extent = argv.extent
    if not extent.covers(found.span):
        extent = next((site for site in argv.sites if site.covers(found.span)), extent)
    evidence = [image for word in words[: found.first] for image in image_in(word)]
    run.drafts.add(
        found.entry_point, found.span, extent, [(labels, variant)], argv.environment, evidence
    )


def _report_odd(run: Run, spans: Iterable[Span]) -> None:
    for span in spans:
        message = "an element of an argument list is no string, and the program is not started"
        run.drafts.add_fault(Fault(NOT_A_STRING, message, span))


def report_words(
    run: Run,
    entry_point: EntryPoint,
    span: Span,
    argv: Argv,
) -> None:
    """Report a launch of which the words are its arguments alone."""
    found = unfold(argv.path, lambda choices: _words_and_odd(argv, choices))
    variants = []
    for labels, (words, odd) in found:
        variants.append((labels, Variant(words=tuple(words))))
        if argv.strict:
            _report_odd(run, odd)
    run.drafts.add(entry_point, span, argv.extent, variants, argv.environment)


def _words_and_odd(argv: Argv, choices: Choices) -> tuple[list[Word], list[Span]]:
    """The words, and the places of those that are no strings."""
    odd = [
        part.span
        for part in choices.flat(argv.parts)
        if isinstance(part, Item) and is_not_text(choices.settle(part.thing))
    ]
    return words_of(argv.parts, argv.heap, choices), odd
