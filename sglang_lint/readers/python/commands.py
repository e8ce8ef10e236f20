"""Launches in command strings: those that a shell runs, and those that are cut at blanks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from sglang_lint.launches import Fault, Launch, Reading, Setting, Variant, Word
from sglang_lint.launches.command import Found, find_launch
from sglang_lint.readers.python.calls import Call
from sglang_lint.readers.python.choices import alternatives
from sglang_lint.readers.python.environment import settings_of
from sglang_lint.readers.python.run import Run
from sglang_lint.readers.python.sinks import runs_shell, splits_at_blanks
from sglang_lint.readers.python.splitting import blank_words
from sglang_lint.readers.python.texts import at_place
from sglang_lint.readers.python.things import Hole, Literal, Part, Parts, Text
from sglang_lint.readers.python.unfold import Labels, unfold
from sglang_lint.text import MappedText, Span
from sglang_lint.values import Known, Unknown

KEEPS_QUOTES = "python-split-keeps-quotes"

# Stands in a script for what is not known of it: a variable that nothing sets.
_HOLE = "sglang_lint_unknown_"
_HOLE_NAME = re.compile(r"\$?\{?" + _HOLE + r"\d+\}?")
_WHY = "a computed value"
_OPENING = re.compile(r"(?:--?[\w-]+=)?(?P<quote>['\"])")
_ASSIGNMENT = re.compile(r"(\w+)=(.*)", re.DOTALL)


def note(call: Call) -> None:
    """Report the launches in the command strings that a call runs."""
    if call.run.muted:
        return
    at_blanks = splits_at_blanks(call)
    if not at_blanks and not runs_shell(call):
        return
    for argument in call.arguments[:2]:
        for thing in alternatives(argument.thing):
            if not isinstance(thing, Text) or not _may_launch(thing.parts):
                continue
            if call.run.quiet and not _comes_from_outside(call.run, thing.parts):
                continue
            if at_blanks:
                _report_blank_split(call, thing)
            else:
                _report_shell(call, thing)


def _may_launch(parts: Iterable[object]) -> bool:
    for part in parts:
        if isinstance(part, Literal):
            if "sglang" in part.text.text:
                return True
        elif not isinstance(part, Hole) and _may_launch(
            (*getattr(part, "then", ()), *getattr(part, "other", ()))
        ):
            return True
    return False


def _comes_from_outside(run: Run, parts: Iterable[Part]) -> bool:
    """Whether a command was handed to the functions that are followed, and is not their own."""
    bodies = [run.places.span(function.node) for function, _ in run.followed]
    return not any(
        body.covers(part.text.span())
        for part in parts
        if isinstance(part, Literal) and "sglang" in part.text.text
        for body in bodies
    )


def _report_shell(call: Call, thing: Text) -> None:
    settings = settings_of(call)
    found = unfold(call.state.path, lambda choices: tuple(choices.flat(thing.parts)))
    for labels, parts in found:
        report_script(call.run, _script(parts), call.span, labels, settings)


def _script(parts: Parts) -> MappedText:
    """A command as a script in which a variable stands for each part that is not known."""
    texts = []
    for number, part in enumerate(parts):
        if isinstance(part, Literal):
            texts.append(part.text)
        elif isinstance(part, Hole):
            texts.append(at_place(f"${{{_HOLE}{number}}}", part.span))
    return MappedText.join(texts)


def report_script(
    run: Run,
    script: MappedText,
    extent: Span,
    labels: Labels,
    environment: tuple[Setting, ...],
) -> bool:
    """Report the launches in a script that a shell runs; whether there are any."""
    if not script.text:
        return False
    # The shell reader is heavy, and few files hold command strings.
    from sglang_lint.readers.shell.reader import read_script

    reading: Reading = read_script(script)
    for launch in reading.launches:
        _add(run, launch, _extent(launch, script, extent), labels, environment)
    for fault in reading.faults:
        if _HOLE not in fault.message:
            run.drafts.add_fault(replace(fault, span=_upright(fault.span)))
    return bool(reading.launches)


def _add(
    run: Run,
    launch: Launch,
    extent: Span,
    labels: Labels,
    environment: tuple[Setting, ...],
) -> None:
    variants = []
    for variant in launch.variants:
        inner = () if variant.condition is None else (variant.condition,)
        told = tuple(_HOLE_NAME.sub("...", label) for label in (*labels, *inner))
        words = tuple(map(_without_holes, variant.words))
        variants.append((told, replace(variant, condition=None, words=words)))
    settings = [
        replace(setting, value=Unknown(_WHY), span=_upright(setting.span))
        if isinstance(setting.value, Known) and _HOLE in str(setting.value.value)
        else replace(setting, span=_upright(setting.span))
        for setting in launch.environment
    ]
    run.drafts.add(
        launch.entry_point,
        _upright(launch.span),
        extent,
        variants,
        (*environment, *settings),
        launch.evidence,
    )


def _extent(launch: Launch, script: MappedText, call: Span) -> Span:
    """What a launch reaches over: the call that runs it, or the string that holds its name."""
    span = _upright(launch.span)
    if call.covers(span):
        return call
    first = last = next((i for i, start in enumerate(script.starts) if start == span.start), 0)
    while first > 0 and script.ends[first - 1] == script.starts[first]:
        first -= 1
    while last + 1 < len(script) and script.starts[last + 1] == script.ends[last]:
        last += 1
    return _upright(script.span(first, last + 1))


def _upright(span: Span) -> Span:
    """A span whose ends may come from two places of the file, the right way round."""
    return Span(min(span.start, span.end), max(span.start, span.end))


def _without_holes(word: Word) -> Word:
    """A word in which a quoted hole came through as text, with that part unknown again."""
    word = replace(word, span=_upright(word.span))
    if word.text is None or _HOLE in word.text:
        shown = word.value.why if isinstance(word.value, Unknown) else _HOLE
        word = replace(word, value=Unknown(_WHY)) if _HOLE in shown else word
    match = _HOLE_NAME.search(word.literal.text)
    if match is None:
        return word
    return replace(word, value=Unknown(_WHY), literal=word.literal.slice(0, match.start()))


def _report_blank_split(call: Call, thing: Text) -> None:
    """`launch_server_cmd(text)`: backslashes go, blanks part the words, quotes stay."""
    settings = settings_of(call)
    found = unfold(call.state.path, lambda choices: tuple(choices.flat(thing.parts)))
    for labels, parts in found:
        words = blank_words(parts, backslashes=True)
        own: list[Setting] = []
        while words and (setting := _assignment(words[0])) is not None:
            own.append(setting)
            words = words[1:]
        launch = find_launch(words)
        if not isinstance(launch, Found):
            continue
        variant = Variant(words=launch.arguments)
        extent = call.span if call.span.covers(launch.span) else launch.span
        call.run.drafts.add(
            launch.entry_point, launch.span, extent, [(labels, variant)], (*settings, *own)
        )
        _report_quotes(call.run, launch.arguments)


def _assignment(word: Word) -> Setting | None:
    match = _ASSIGNMENT.fullmatch(word.text or "")
    return None if match is None else Setting(match[1], Known(match[2]), word.span)


def _report_quotes(run: Run, words: Sequence[Word]) -> None:
    """Report words in quotes: such a helper leaves the quotes, and cuts at the blanks in them."""
    index = 0
    while index < len(words):
        opening = _OPENING.match(words[index].literal.text)
        if opening is None:
            index += 1
            continue
        first = last = index
        while last < len(words) and not _closes(words[last], opening, last == first):
            last += 1
        last = min(last, len(words) - 1)
        message = (
            "the command is cut at blanks and not by a shell, "
            "so that quotes and blanks inside them reach the server as they are"
        )
        span = words[first].span.to(words[last].span)
        run.drafts.add_fault(Fault(KEEPS_QUOTES, message, span))
        index = last + 1


def _closes(word: Word, opening: re.Match[str], first: bool) -> bool:
    """Whether a word ends what an opening quote began."""
    text = word.literal.text[opening.end() :] if first else word.literal.text
    return text.endswith(opening["quote"])
