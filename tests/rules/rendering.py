"""One launch written in every host language."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Sequence

from sglang_lint.launches import Variant, Word
from sglang_lint.launches.entry_points import LAUNCH_SERVER
from sglang_lint.releases.bind import bind
from sglang_lint.releases.table import release_table
from sglang_lint.text import MappedText, Span
from sglang_lint.values import Known


def as_shell(argv: Sequence[str], release: str) -> tuple[str, str]:
    return "launch.sh", f"python3 -m sglang.launch_server {shlex.join(argv)}\n"


def as_continued_shell(argv: Sequence[str], release: str) -> tuple[str, str]:
    words = " \\\n  ".join(shlex.quote(word) for word in argv)
    return "launch.sh", f"exec python3 -m sglang.launch_server \\\n  {words}\n"


def as_python_list(argv: Sequence[str], release: str) -> tuple[str, str]:
    command = ["python3", "-m", "sglang.launch_server", *argv]
    return "launch.py", f"import subprocess\n\nsubprocess.run({command!r}, check=True)\n"


def as_server_args(argv: Sequence[str], release: str) -> tuple[str, str]:
    keywords = keywords_of(argv, release)
    lines = "".join(f"    {name}={value!r},\n" for name, value in keywords.items())
    return (
        "launch.py",
        f"from sglang.srt.server_args import ServerArgs\n\nServerArgs(\n{lines})\n",
    )


def as_kubernetes(argv: Sequence[str], release: str) -> tuple[str, str]:
    items = "".join(f"        - {json.dumps(word)}\n" for word in argv)
    return "pod.yaml", (
        "apiVersion: v1\nkind: Pod\nmetadata: {name: x}\nspec:\n  containers:\n    - name: x\n"
        '      command: ["python3", "-m", "sglang.launch_server"]\n      args:\n' + items
    )


def as_compose(argv: Sequence[str], release: str) -> tuple[str, str]:
    words = shlex.join(argv).replace("$", "$$")
    return "compose.yaml", (
        "services:\n  x:\n    image: x\n    command: >-\n"
        f"      python3 -m sglang.launch_server {words}\n"
    )


RENDERINGS: dict[str, Callable[[Sequence[str], str], tuple[str, str]]] = {
    "shell": as_shell,
    "continued shell": as_continued_shell,
    "python list": as_python_list,
    "ServerArgs": as_server_args,
    "kubernetes": as_kubernetes,
    "compose": as_compose,
}


def keywords_of(argv: Sequence[str], release: str) -> dict[str, object]:
    """The ServerArgs keywords that the parser of a release makes of a command line."""
    table = release_table(release)
    words = tuple(Word(Known(word), Span(0, 0), MappedText.region(word)) for word in argv)
    binding = bind(Variant(words=words), LAUNCH_SERVER, table)
    found: dict[str, object] = {}
    for name, argument in binding.arguments.items():
        assert isinstance(argument.value, Known)
        own = table.by_canonical.get(name)
        if own is not None:
            found[own.name] = argument.value.value
    return found
