"""Finding the launch in one simple command, whatever stands before it (srun, env, docker run)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from sglang_lint.launches.entry_points import (
    DIFFUSION_OPTIONS,
    MODULES,
    NOT_RUNNERS,
    SERVE,
    SHELLS,
    EntryPoint,
)
from sglang_lint.launches.model import Word
from sglang_lint.text import Span


@dataclass(frozen=True)
class Found:
    """A launch among the words of a command: `words[first]` is the entry point's first word."""

    entry_point: EntryPoint
    first: int
    span: Span
    arguments: tuple[Word, ...]


@dataclass(frozen=True)
class NestedScript:
    """A word that a shell in the command will run as a script (`bash -c SCRIPT`)."""

    word: Word
    arguments: tuple[Word, ...]


def find_launch(words: Sequence[Word]) -> Found | NestedScript | None:
    """The launch that a simple command starts, or the script it hands to a shell.

    Wrappers need no list: whatever program stands in front, `python -m MODULE` behind it is
    taken as run by it, unless that program only prints, searches or kills.
    """
    for index, word in enumerate(words):
        text = word.text
        if text is None:
            continue
        program = _program(text)
        if program in NOT_RUNNERS:
            return None
        if program in SHELLS:
            nested = _nested_script(words, index)
            if nested is not None:
                return nested
        found = _entry_at(words, index, program)
        if found is not None:
            return None if _starts_nothing(found) else found
    return None


def _program(text: str) -> str:
    return text.rsplit("/", 1)[-1]


def _entry_at(words: Sequence[Word], index: int, program: str) -> Found | None:
    following = words[index + 1].text if index + 1 < len(words) else None
    if words[index].text == "-m" and index and following in MODULES:
        return _found(MODULES[following], words, index + 1, 1)
    if program == "sglang" and following == "serve":
        return _found(SERVE, words, index, 2)
    if program == "launch_server.py" and "sglang" in (words[index].text or ""):
        return _found(MODULES["sglang.launch_server"], words, index, 1)
    return None


def _found(entry: EntryPoint, words: Sequence[Word], first: int, length: int) -> Found:
    last = first + length - 1
    return Found(
        entry, first, words[first].span.to(words[last].span), tuple(words[first + length :])
    )


def _starts_nothing(found: Found) -> bool:
    texts = [word.text for word in found.arguments]
    if "--help" in texts or "-h" in texts:
        return True
    return found.entry_point is SERVE and _serves_diffusion([text or "" for text in texts])


def _serves_diffusion(texts: Sequence[str]) -> bool:
    options = {text.split("=", 1)[0] for text in texts}
    asked = "--model-type=diffusion" in texts or ("--model-type", "diffusion") in pairwise(texts)
    return asked or not options.isdisjoint(DIFFUSION_OPTIONS)


def _nested_script(words: Sequence[Word], shell: int) -> NestedScript | None:
    """The first word that is no option, if `-c` is among the options before it."""
    runs_text = False
    index = shell + 1
    while index < len(words):
        text = words[index].text
        if text is None or not text.startswith(("-", "+")) or len(text) == 1:
            break
        index += 1
        if text == "--":
            break
        if not text.startswith("--"):
            runs_text = runs_text or (text[0] == "-" and "c" in text)
            # `-o pipefail`, also as the last of several letters.
            index += text[-1] in "oO"
    if runs_text and index < len(words):
        return NestedScript(words[index], tuple(words[index + 1 :]))
    return None
