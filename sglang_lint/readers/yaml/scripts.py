"""Launches in string scalars that hold shell: CI steps, `run:` blocks, start commands."""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass, replace

from yaml.nodes import ScalarNode

from sglang_lint.launches import Launch, Reading
from sglang_lint.launches.entry_points import NOT_RUNNERS, SERVE
from sglang_lint.readers.embedded import surrounded
from sglang_lint.readers.shell.reader import read_script
from sglang_lint.readers.yaml.interpolation import script_of
from sglang_lint.readers.yaml.nodes import Entry, YamlText, is_text, items
from sglang_lint.readers.yaml.scope import Scope, find
from sglang_lint.readers.yaml.surroundings import Finders
from sglang_lint.text import MappedText

_LAUNCH_WORD = re.compile(r"sglang\w{0,20}\.\w|sglang\s+serve|dynamo\.sglang|launch_server")
_SCRIPT_KEY = re.compile(
    r"(?:.*[_.-])?(?:run|runs|scripts?|commands?|cmds?|exec|shell|bash|setup|start|launch"
    r"|entry_?point|args|arguments|steps?)"
    r"|.*(?:Command|Commands|Cmd|Script|Scripts)"
    r"|.*\.(?:sh|bash)",
)
_PROSE_KEY = re.compile(
    r"(?:.*[_.-])?(?:description|summary|message|title|notes?|comments?|help|text|docs?"
    r"|documentation|markdown|readme|about|details?|reason|errors?|logs?|output|prompt|question"
    r"|answer|abstract|caption|changelog|usage|hint|warning|name|label)"
    r"|.*\.(?:md|mdx|rst|txt)",
    re.IGNORECASE,
)
# What a sentence holds around a command that it quotes, and no command line does.
_PROSE = re.compile(
    r"(?:^|\s)(?:a|an|and|are|by|can|is|it|must|of|or|please|see|that|the|this|to|use|uses|using"
    r"|via|we|when|which|will|with|you|your)\s|[A-Za-z]{2}[.,:]\s|`",
    re.IGNORECASE,
)
_SEPARATOR = re.compile(r"\n|&&|\|\|?|;")
_OTHER_LANGUAGE = re.compile(r"python|pwsh|powershell|cmd|node|perl", re.IGNORECASE)


@dataclass(frozen=True)
class ScriptReader:
    """Reads the string scalars of one text."""

    finders: Finders

    def read(self, entry: Entry, scope: Scope) -> Reading:
        """The launches of a scalar, or of a list of scalars, under a key of `scope`'s mapping."""
        value = entry.value
        lines = [item for item in [value, *items(value)] if isinstance(item, ScalarNode)]
        if not any(_may_launch(line) for line in lines) or _PROSE_KEY.fullmatch(entry.key):
            return Reading()
        if _in_another_language(self.finders.text, scope):
            return Reading()
        if _SCRIPT_KEY.fullmatch(entry.key):
            return self._script(entry, lines, scope)
        if len(lines) > 1 and lines[0].value in NOT_RUNNERS:
            return Reading()
        return Reading.merged(
            self._script(entry, [line], scope) for line in lines if _may_launch(line)
        )

    def _script(self, entry: Entry, lines: list[ScalarNode], scope: Scope) -> Reading:
        place = self.finders.at(scope)
        mapped = _joined([place.text.scalar(line) for line in lines if is_text(line)])
        script, variables = script_of(mapped, place.dialect, place.settings)
        reading = read_script(script, variables=variables)
        if not _SCRIPT_KEY.fullmatch(entry.key):
            launches = tuple(one for one in reading.launches if not _is_prose(one, mapped))
            reading = replace(reading, launches=launches) if launches else Reading()
        holders = (place.text.entry_span(entry), place.span)
        return surrounded(reading, place.evidence, place.settings.values(), (), holders)


def _may_launch(node: ScalarNode) -> bool:
    return "sglang" in node.value and _LAUNCH_WORD.search(node.value) is not None


def _in_another_language(text: YamlText, scope: Scope) -> bool:
    """Whether a CI step says that its script is none for a POSIX shell."""
    shell = find(text, scope.node, ("shell",))
    return isinstance(shell, ScalarNode) and _OTHER_LANGUAGE.match(shell.value) is not None


def _joined(lines: list[MappedText]) -> MappedText:
    """The items of a list as the lines of one script; the line breaks stand nowhere."""
    parts: list[MappedText] = []
    for line in lines:
        if parts:
            end = parts[-1].span().end
            parts.append(MappedText("\n", [end], [end], end))
        parts.append(line)
    return MappedText.join(parts)


def _is_prose(launch: Launch, mapped: MappedText) -> bool:
    """Whether the command is quoted in a sentence; asked only where the key tells nothing."""
    start = bisect_left(mapped.starts, launch.extent.start)
    end = bisect_left(mapped.starts, launch.extent.end)
    line = mapped.text[:start].rsplit("\n", 1)[-1]
    before = _SEPARATOR.split(line)[-1]
    if _PROSE.search(before + mapped.text[start:end]):
        return True
    first = launch.variants[0].words[:1] if launch.variants else ()
    text = first[0].text if first else None
    return text is not None and not text.startswith("-") and launch.entry_point is not SERVE
