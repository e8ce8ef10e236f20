"""Dockerfile in, launches out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sglang_lint.launches import Launch, Reading, Tail, Variant, Word
from sglang_lint.launches.command import Found, NestedScript, find_launch
from sglang_lint.readers.dockerfile.instructions import Parsed
from sglang_lint.readers.dockerfile.stages import Command, Stage, stages_of
from sglang_lint.readers.embedded import surrounded
from sglang_lint.readers.shell.reader import read_script
from sglang_lint.text import MappedText, Span
from sglang_lint.values import Known


def read(source: MappedText, path: str) -> Reading:
    """Every launch of a Dockerfile: its stages' commands, and scripts that it runs or writes."""
    del path  # what the file's name tells is added by whoever knows the project
    stages = stages_of(Parsed(source))
    readings: list[Reading] = []
    for stage in stages:
        readings.extend(
            surrounded(
                read_script(script.text, variables=script.variables),
                stage.evidence(),
                stage.environment.values(),
                holders=(script.span,),
            )
            for script in stage.scripts
            if "sglang" in script.text.text
        )
        declares = stage.declares_command or stage.declares_entrypoint
        if declares and (stage is stages[-1] or not _is_continued(stage, stages)):
            readings.append(_commanded(stage))
    merged = Reading.merged(readings)
    return replace(merged, launches=tuple(sorted(merged.launches, key=lambda one: one.span)))


def _is_continued(stage: Stage, stages: Sequence[Stage]) -> bool:
    """Whether a later stage is built from this one and changes its command."""
    return any(
        other.base is stage and (other.declares_command or other.declares_entrypoint)
        for other in stages
    )


def _commanded(stage: Stage) -> Reading:
    """The launch of ENTRYPOINT and CMD together, as docker puts them together."""
    entry, command = stage.entrypoint, stage.command
    if entry is not None and entry.script is not None:
        return _script(entry.script, stage, (), entry.span)
    if entry is None or not entry.words:
        if command is not None and command.script is not None:
            return _script(command.script, stage, (), command.span)
        words = command.words if command else ()
    else:
        words = entry.words + (_shell_words(command) if command else ())
    found = find_launch(words)
    if isinstance(found, NestedScript):
        return _script(found.word.literal, stage, found.arguments, _span(stage, found.word.span))
    if found is None:
        return Reading()
    return Reading((_launch(found, stage),))


def _shell_words(command: Command) -> tuple[Word, ...]:
    """CMD behind an ENTRYPOINT in exec form: words, or a shell with its script."""
    script = command.script
    if script is None:
        return command.words
    place = Span(script.span().start, script.span().start)
    nothing = MappedText("", (), (), place.start)
    shell = [Word(Known(text), place, nothing) for text in ("/bin/sh", "-c")]
    return (*shell, Word(Known(script.text), script.span(), script))


def _launch(found: Found, stage: Stage) -> Launch:
    return Launch(
        found.entry_point,
        found.span,
        _span(stage, found.span),
        (Variant(None, found.arguments, (), _tails(stage)),),
        stage.evidence(),
        tuple(stage.environment.values()),
    )


def _tails(stage: Stage) -> tuple[Tail, ...]:
    """An ENTRYPOINT without a CMD is made to be given arguments by whoever runs the image."""
    if stage.entrypoint is None or stage.command is not None:
        return ()
    return (Tail("arguments given when the image is run", stage.entrypoint.span),)


def _span(stage: Stage, span: Span) -> Span:
    """The instructions that make up a stage's command."""
    for command in (stage.entrypoint, stage.command):
        if command is not None:
            span = span.to(command.span)
    return span


def _script(text: MappedText, stage: Stage, parameters: Sequence[Word], holder: Span) -> Reading:
    variables = {name: setting.value for name, setting in stage.environment.items()}
    reading = read_script(text, variables=variables, parameters=parameters or None)
    settings = stage.environment.values()
    return surrounded(reading, stage.evidence(), settings, holders=(holder,))
