"""Build stages: what each knows of its variables, its base image and its command."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

import tree_sitter

from sglang_lint.launches import Evidence, EvidenceKind, Setting, Word
from sglang_lint.readers.dockerfile.instructions import Instruction, Parsed, joined_words
from sglang_lint.readers.shell.reader import words_of
from sglang_lint.text import MappedText, Span
from sglang_lint.values import Known, Unknown, Value

_PIN = re.compile(
    r"(?<![\w.-])sglang(?:\[[\w,\s-]*\])?\s*={2,3}\s*"
    r"(?P<version>\d[\w.!+]*|\$\{?(?P<variable>\w+)\}?)"
)
# A build from the source of a release.
_CLONE = re.compile(
    r"git\s+clone\s[^;&|\n]{0,200}?(?:-b|--branch)[\s=]+v(?P<version>\d[\w.]{0,30})\s"
    r"[^;&|\n]{0,200}?sgl-project/sglang"
)
_HEREDOC = re.compile(r"<<-?\s*(?P<quote>['\"]?)\w+(?P=quote)\s*")
_SHELL_FILE = re.compile(r"(?:.*\.(?:sh|bash)|[^.]*)")
_SHELL_LINE = re.compile(r"#!.*\b(?:ba|da|z|k|a)?sh\b")
MAX_INSTRUCTIONS = 5_000


@dataclass(frozen=True)
class Command:
    """ENTRYPOINT or CMD: words in exec form, or one text for the shell."""

    span: Span
    words: tuple[Word, ...] = ()
    script: MappedText | None = None


@dataclass(frozen=True)
class Script:
    """A shell text that a build runs, or writes into the image."""

    text: MappedText
    variables: Mapping[str, Value]
    span: Span


@dataclass
class Stage:
    """One build stage; a stage that is built from another begins as a copy of it."""

    name: str = ""
    image: Evidence | None = None
    pin: Evidence | None = None
    environment: dict[str, Setting] = field(default_factory=dict)
    arguments: dict[str, Value] = field(default_factory=dict)
    entrypoint: Command | None = None
    command: Command | None = None
    scripts: list[Script] = field(default_factory=list)
    base: Stage | None = None
    declares_command: bool = False
    declares_entrypoint: bool = False

    def variables(self) -> dict[str, Value]:
        """What an instruction of the build sees: ENV hides ARG."""
        settings = {name: setting.value for name, setting in self.environment.items()}
        return {**self.arguments, **settings}

    def evidence(self) -> tuple[Evidence, ...]:
        """What is installed over the base image says more than the base image."""
        return tuple(one for one in (self.pin, self.image) if one is not None)


def stages_of(parsed: Parsed) -> list[Stage]:
    """The stages in their order."""
    stages: list[Stage] = []
    given: dict[str, Value] = {}
    for number, instruction in enumerate(parsed.instructions()):
        if number >= MAX_INSTRUCTIONS:
            break
        if instruction.name == "from":
            stages.append(_begun(instruction, stages, given))
        elif instruction.name == "arg" and not stages:
            given.update(_arguments(instruction, given, given))
        elif stages:
            _apply(stages[-1], instruction, given)
    return stages


def _begun(instruction: Instruction, stages: list[Stage], given: Mapping[str, Value]) -> Stage:
    alias = instruction.children("image_alias")
    name = instruction.file.region(alias[0]).text.lower() if alias else ""
    specs = instruction.children("image_spec")
    if not specs:
        return Stage(name)
    region = instruction.file.region(specs[0])
    text = joined_words(list(words_of(region, given)))
    if text is None:
        return Stage(name)
    for stage in reversed(stages):
        if stage.name and stage.name == text.lower():
            return replace(
                stage,
                name=name,
                environment=dict(stage.environment),
                arguments={},
                scripts=[],
                base=stage,
                declares_command=False,
                declares_entrypoint=False,
            )
    return Stage(name, Evidence(EvidenceKind.IMAGE, text, region.span()))


def _apply(stage: Stage, instruction: Instruction, given: Mapping[str, Value]) -> None:
    name = instruction.name
    if name == "env":
        stage.environment.update(_environment(instruction, stage.variables()))
    elif name == "arg":
        stage.arguments.update(_arguments(instruction, given, stage.variables()))
    elif name == "entrypoint":
        stage.entrypoint = _command(instruction)
        stage.declares_entrypoint = True
        if not stage.declares_command:  # docker forgets the base image's
            stage.command = None
    elif name == "cmd":
        stage.command = _command(instruction)
        stage.declares_command = True
    elif name in ("run", "copy", "add"):
        for text in _scripts(instruction):
            stage.pin = _pinned(text, stage.variables()) or stage.pin
            stage.scripts.append(Script(text, stage.variables(), instruction.span))


def _environment(
    instruction: Instruction, variables: Mapping[str, Value]
) -> Iterator[tuple[str, Setting]]:
    for pair in instruction.children("env_pair"):
        children = pair.named_children
        if len(children) > 1:
            name = instruction.file.region(children[0]).text
            span = instruction.file.region(pair).span()
            yield name, Setting(name, _value(instruction, children[1], variables), span)


def _arguments(
    instruction: Instruction, given: Mapping[str, Value], variables: Mapping[str, Value]
) -> Iterator[tuple[str, Value]]:
    for pair in instruction.children("arg_pair"):
        children = pair.named_children
        if not children:
            continue
        name = instruction.file.region(children[0]).text
        if len(children) > 1:
            yield name, _value(instruction, children[1], variables)
        else:
            yield name, given.get(name, Unknown(f"build argument {name}"))


def _value(
    instruction: Instruction, node: tree_sitter.Node, variables: Mapping[str, Value]
) -> Value:
    words = list(words_of(instruction.file.region(node), variables))
    text = joined_words(words)
    if text is not None:
        return Known(text)
    return words[0].value if len(words) == 1 else Unknown("words that are not known")


def _command(instruction: Instruction) -> Command | None:
    arrays = instruction.children("json_string_array")
    if arrays:
        return Command(instruction.span, instruction.file.exec_words(arrays[0]))
    shells = instruction.children("shell_command")
    if shells:
        return Command(instruction.span, script=instruction.file.command_text(shells[0]))
    return None


def _scripts(instruction: Instruction) -> Iterator[MappedText]:
    """The shell texts of RUN, and the files that COPY or ADD write from here-documents."""
    file = instruction.file
    contents = [
        file.region(content)
        for block in instruction.children("heredoc_block")
        for content in block.named_children
        if content.type == "heredoc_content"
    ]
    if instruction.name != "run":
        paths = [file.region(path).text for path in instruction.children("path")]
        for content in contents:
            line = content.text.split("\n", 1)[0]
            if _SHELL_LINE.match(line) or _SHELL_FILE.fullmatch(paths[-1].rsplit("/", 1)[-1]):
                yield content
        return
    for shell in instruction.children("shell_command"):
        command = file.command_text(shell)
        if not contents:
            yield command
        elif _HEREDOC.fullmatch(command.text.strip()):
            yield from contents
        else:
            end = instruction.node.end_byte
            whole = file.region(shell)
            yield MappedText.join([command, file.between(shell.end_byte, end)], whole.anchor)


def _pinned(text: MappedText, variables: Mapping[str, Value]) -> Evidence | None:
    """The release whose source a script fetches, or its last requirement `sglang==X`."""
    found = None
    for clone in _CLONE.finditer(text.text):
        span = text.span(clone.start("version"), clone.end("version"))
        found = Evidence(EvidenceKind.PIP, f"sglang=={clone['version']}", span)
    for pin in _PIN.finditer(text.text):
        version = pin["version"]
        if pin["variable"]:
            value = variables.get(pin["variable"])
            if not isinstance(value, Known):
                continue
            version = str(value.value)
        span = text.span(pin.start(), pin.end())
        found = Evidence(EvidenceKind.PIP, f"sglang=={version}", span)
    return found
