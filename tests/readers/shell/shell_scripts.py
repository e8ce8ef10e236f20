"""Scripts as people write them, with the environments in which bash runs them.

Each text file holds sections: a line `==== name`, then directives in comments, then the script.
`# run: X=1` is an environment, one for each way through the script; `# unknown: 2` is how many
words of the launch nobody can know; `# arguments: a b` are the script's own.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

_SECTION = re.compile(r"^==== (.+)\n", re.MULTILINE)
_DIRECTIVE = re.compile(r"# (run|unknown|arguments):(.*)\n")


@dataclass(frozen=True)
class Example:
    """A script, the environments to run it in, and how many words may stay unknown."""

    name: str
    script: str
    runs: tuple[Mapping[str, str], ...] = ({},)
    unknown: int = 0
    arguments: tuple[str, ...] = ()


def examples(name: str) -> list[Example]:
    """The sections of a file beside this module."""
    text = (Path(__file__).parent / name).read_text(encoding="utf-8")
    parts = _SECTION.split(text)[1:]
    return [_example(parts[i], parts[i + 1]) for i in range(0, len(parts), 2)]


def _example(name: str, text: str) -> Example:
    runs: list[Mapping[str, str]] = []
    unknown = 0
    arguments: tuple[str, ...] = ()
    while (match := _DIRECTIVE.match(text)) is not None:
        kind, value = match.groups()
        if kind == "run":
            runs.append(dict(entry.split("=", 1) for entry in shlex.split(value)))
        elif kind == "unknown":
            unknown = int(value)
        else:
            arguments = tuple(shlex.split(value))
        text = text[match.end() :]
    # The blank line before the next section is no part of the script.
    return Example(name, text.removesuffix("\n"), tuple(runs) or ({},), unknown, arguments)


_LAUNCH = "python3 -m sglang.launch_server"
# What an editor would not keep: ends of lines, and blanks there.
UNSEEN = [
    Example("no final newline", f"{_LAUNCH} --tp 8"),
    Example("backslash and blank", f"{_LAUNCH} --tp 8 \\ \n  --dp 2\n"),
    Example("backslash and blanks", f"{_LAUNCH} --tp 8 \\ \t \n  --dp 2\n"),
    Example("backslash and return", f"{_LAUNCH} --tp 8 \\\r\n  --dp 2\r\n"),
    Example("returns at the ends", f"TP=8\r\n{_LAUNCH} --tp $TP\r\n"),
]
STRAIGHT = examples("straight.txt") + UNSEEN
BRANCHING = examples("branching.txt")
NO_LAUNCH = examples("no_launch.txt")
