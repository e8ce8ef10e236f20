"""Runs Python texts against stubs of SGLang and of subprocess, and says what arrives there.

Read by a program of its own: standard input holds a JSON list of `{"text", "names"}`, standard
output gets for each a list of `{"words"}` and `{"fields"}`.
"""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import inspect
import json
import os
import re
import subprocess
import sys
import tempfile
import types
from pathlib import Path
from typing import Any

FIELDS = """
model_path tp_size dp_size dcp_size page_size x attention_backend
""".split()
UNSET = "unset"
seen: list[Any] = []


def record_words(words: Any) -> None:
    """Keep the arguments of a launch; other programs are none of ours."""
    texts = [str(word) for word in words]
    for index, text in enumerate(texts[:-1]):
        following = texts[index + 1]
        if (text == "-m" and following.startswith("sglang.")) or (text, following) == (
            "sglang",
            "serve",
        ):
            seen.append({"words": texts[index + 2 :]})
            return


def run_shell(script: str, programs: Path) -> None:
    """Let the real shell cut a script into words."""
    log = programs / "log"
    log.write_bytes(b"")
    environment = {"PATH": f"{programs}:/bin:/usr/bin", "LOG": str(log)}
    _RealPopen(["/bin/sh", "-c", f"{script}\nwait"], env=environment, cwd=programs).wait()
    for line in log.read_bytes().decode().split("\n\0"):
        if line:
            record_words(line.split("\0"))


def make_programs(folder: Path) -> None:
    """Programs that write down how they were called."""
    for name in ("python3", "python", "sglang", "numactl", "srun"):
        program = folder / name
        program.write_text(
            f'#!/bin/sh\nprintf "%s" "{name}" >> "$LOG"\n'
            'for word in "$@"; do printf "\\000%s" "$word" >> "$LOG"; done\n'
            'printf "\\n\\000" >> "$LOG"\n'
        )
        program.chmod(0o755)


_RealPopen = subprocess.Popen


def stub_subprocess(programs: Path) -> None:
    def run(command: Any, *rest: Any, shell: bool = False, **other: Any) -> None:
        if shell:
            run_shell(command, programs)
        elif not isinstance(command, str):
            record_words(command)

    for name in ("Popen", "run", "call", "check_call", "check_output"):
        setattr(subprocess, name, run)
    for name in ("getoutput", "getstatusoutput"):
        setattr(subprocess, name, lambda command: run_shell(command, programs))
    os.system = lambda command: run_shell(command, programs)  # type: ignore[assignment]
    os.popen = lambda command: run_shell(command, programs)  # type: ignore[assignment]
    os.execvp = lambda _, words: record_words(words)  # type: ignore[assignment]
    os.execlp = lambda _, *words: record_words(words)  # type: ignore[assignment]

    async def execute(*words: Any, **other: Any) -> None:
        record_words(words)

    async def execute_shell(command: str, **other: Any) -> None:
        run_shell(command, programs)

    asyncio.create_subprocess_exec = execute  # type: ignore[assignment]
    asyncio.create_subprocess_shell = execute_shell  # type: ignore[assignment]


def stub_sglang() -> None:
    """Put a package in the place of SGLang whose entry points write down what they get."""
    server_args = make_server_args()
    stub = {
        "sglang": {"Engine": Engine, "ServerArgs": server_args, "Runtime": Runtime},
        "sglang.srt": {},
        "sglang.srt.server_args": {
            "ServerArgs": server_args,
            "prepare_server_args": lambda words: seen.append({"words": list(words)}),
        },
        "sglang.srt.entrypoints": {},
        "sglang.srt.entrypoints.engine": {"Engine": Engine},
        "sglang.srt.entrypoints.http_server": {"launch_server": lambda args: None},
        "sglang.utils": {"launch_server_cmd": launch_server_cmd},
        "sglang.test": {},
        "sglang.test.test_utils": {"popen_launch_server": popen, "MODEL": "some-model"},
    }
    for name, members in stub.items():
        module = types.ModuleType(name)
        module.__path__ = []
        vars(module).update(members)
        sys.modules[name] = module
        parent, _, last = name.rpartition(".")
        if parent:
            setattr(sys.modules[parent], last, module)


def make_server_args() -> type:
    """A dataclass, since texts copy and change it as one."""

    def record(self: Any) -> None:
        seen.append(self)

    made = dataclasses.make_dataclass(
        "ServerArgs",
        [(name, object, dataclasses.field(default=UNSET)) for name in FIELDS],
        namespace={"__post_init__": record},
    )
    made.__module__ = "sglang"
    return made


class Engine:
    def __init__(self, **keywords: Any) -> None:
        if "server_args" not in keywords and not is_recorded(keywords):
            seen.append({"fields": keywords})

    def __enter__(self) -> Engine:
        return self

    def __exit__(self, *error: object) -> None:
        pass


class Runtime(Engine):
    def __init__(self, launch_timeout: float = 1, **keywords: Any) -> None:
        super().__init__(**keywords)


Engine.__module__ = Runtime.__module__ = "sglang"


def popen(
    model: str,
    base_url: str,
    timeout: float,
    api_key: Any = None,
    other_args: Any = (),
    **_: Any,
) -> None:
    seen.append({"words": ["--model-path", model, *map(str, other_args or ())]})


def launch_server_cmd(text: str, **_: Any) -> tuple[None, int]:
    words = [word for word in re.split(r"[\s\\]+", text) if word]
    while words and re.match(r"\w+=", words[0]):
        del words[0]
    record_words(words)
    return None, 1


def is_recorded(keywords: dict[str, Any]) -> bool:
    """Whether keywords are those of a ServerArgs, which was recorded itself."""
    return any(value == UNSET for value in keywords.values())


def settled(one: Any) -> dict[str, Any]:
    """A record as it is in the end: attributes of a ServerArgs may have been set since."""
    if isinstance(one, dict):
        return one
    values = {name: getattr(one, name) for name in FIELDS}
    return {"fields": {name: value for name, value in values.items() if value != UNSET}}


def call_what_was_made(made: Any) -> None:
    """Call a function of the text, or the methods of a class of it."""
    if isinstance(made, types.FunctionType) and made.__code__.co_filename == "text":
        parameters = list(inspect.signature(made).parameters.values())
        words = [p.name for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD]
        result = made(*[["--more"] if name in ("more", "args") else "5" for name in words])
        if inspect.iscoroutine(result):
            asyncio.run(result)
    elif isinstance(made, type) and made.__module__ != "sglang" and made.__base__ is object:
        one = made()
        for name in vars(made):
            if isinstance(getattr(one, name), types.MethodType) and name != "__init__":
                getattr(one, name)()


def run_text(text: str, names: dict[str, Any]) -> list[dict[str, Any]]:
    """What arrives when a text is run with some names set; nothing if it does not run."""
    seen.clear()
    before = dict(os.environ)
    sys.argv = ["program"]
    space: dict[str, Any] = {"__name__": "__main__", "URL": "u", "U": "u", **names}
    space["args"] = types.SimpleNamespace(dp=names.get("x"))
    space["fast"] = lambda: names.get("x")
    # Loops over it come to an end.
    answers = iter([names.get("x")] * 3)
    space["f"] = lambda *_: next(answers, 0)
    output, sys.stdout = sys.stdout, sys.stderr
    given = set(space)
    try:
        exec(compile(text, "text", "exec"), space)
        for name in [name for name in space if name not in given or name == "f"]:
            with contextlib.suppress(Exception):
                call_what_was_made(space[name])
    except (Exception, SystemExit):
        return []
    finally:
        sys.stdout = output
        os.environ.clear()
        os.environ.update(before)
    return [settled(one) for one in seen]


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        make_programs(Path(folder))
        stub_subprocess(Path(folder))
        stub_sglang()
        cases = json.load(sys.stdin)
        results = [run_text(case["text"], case["names"]) for case in cases]
    json.dump(results, sys.stdout, default=repr)


if __name__ == "__main__":
    main()
