"""The reader against Python itself: what it says is known is what arrives."""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from python_reading import reading_of, shown
from test_python_argv import STRAIGHT, L
from test_python_branches import BRANCHES
from test_python_commands import AT_BLANKS, HELPER, SHELL
from test_python_keywords import CASES, SGL
from test_python_values import ORIGINS, VALUES

from sglang_lint.launches import Variant, Word
from sglang_lint.values import Known, OneOf, Value

PROGRAMS = {
    "two roles": f"""
import os
import subprocess

COMMON = [{L}, "--model-path", "m"]
ROLES = {{"prefill": 1, "decode": 2}}

def command(role, size):
    cmd = list(COMMON)
    cmd += ["--disaggregation-mode", role]
    if size > 1:
        cmd += ["--tp-size", str(size)]
    if role == "decode":
        cmd.append("--enable-dp-attention")
    return cmd

for name, size in ROLES.items():
    subprocess.Popen(command(name, size), env={{**os.environ, "ROLE": name}})
""",
    "flags of a dictionary": f"""
import subprocess
config = {{"tp-size": 8, "trust-remote-code": True, "quantization": None, "page-size": 64}}
config |= {{"page-size": 32}}
cmd = [{L}]
for flag, value in config.items():
    if value is None:
        pass
    elif value is True:
        cmd.append(f"--{{flag}}")
    else:
        cmd += [f"--{{flag}}", str(value)]
subprocess.run(cmd)
""",
    "a class that keeps its command": f"""
import subprocess
class Server:
    port = 30000
    def __init__(self):
        self.cmd = [{L}, "--port", str(self.port)]
        if x:
            self.cmd += ["--tp", "2"]
    def start(self):
        subprocess.Popen(self.cmd + ["--host", "0.0.0.0"])
Server().start()
""",
    "keywords by branches": """
import sglang as sgl
kwargs = dict(model_path="m", tp_size=4)
if x:
    kwargs["attention_backend"] = "fa3"
    kwargs.update(page_size=64)
elif y:
    kwargs["attention_backend"] = "triton"
if not x:
    kwargs.pop("tp_size")
sgl.Engine(**kwargs)
""",
    "a script in pieces": """
import os
lines = ["python3 -m sglang.launch_server", "--model-path m"]
if x:
    lines.append("--tp 8")
if m == "a":
    lines.append('--served-model-name "a b"')
os.system(" ".join(lines))
""",
    "server arguments changed later": """
from sglang.srt.server_args import ServerArgs
args = ServerArgs(model_path="m", tp_size=8 if x else 4)
if y:
    args.dp_size = 2
args.page_size = args.tp_size * 8
""",
    "a command by a function with early returns": f"""
import subprocess
def size(kind):
    if kind == "a":
        return "1"
    if kind == "b":
        return "2"
    return "4"
subprocess.run([{L}, "--tp", size(m)])
""",
}

NAMES: list[dict[str, Any]] = [
    {"x": x, "y": y, "m": m, "n": n, "given": given}
    for x, y, m, n, given in itertools.product(
        (0, 1), (0, 1), ("a", "b", "c"), (1, 6, 9), (None, "7")
    )
]
FEW = NAMES[:: len(NAMES) // 7]


def texts() -> list[tuple[str, list[dict[str, Any]]]]:
    found = [(text + "\n", FEW) for text, _ in (*STRAIGHT.values(), *SHELL.values())]
    found += [(text + "\n", FEW) for text, _ in CASES.values()]
    found += [(HELPER + call + "\n", FEW[:1]) for call, _, _ in AT_BLANKS.values()]
    found += [
        (f"import os, subprocess\ncmd = [{L}]\n{body}\nsubprocess.run(cmd)\n", NAMES)
        for body, _ in BRANCHES.values()
    ]
    found += [
        (f"import json, os, textwrap\n{SGL}sgl.Engine(x={written})\n", FEW[:1])
        for written in (*VALUES, *ORIGINS)
        if "**" not in written
    ]
    found += [(text, NAMES) for text in PROGRAMS.values()]
    return found


@pytest.fixture(scope="module")
def arrived() -> list[tuple[str, list[dict[str, Any]]]]:
    """Each text with the launches that arrived when it was run."""
    cases = [{"text": text, "names": names} for text, many in texts() for names in many]
    twin = Path(__file__).with_name("python_twin.py")
    done = subprocess.run(
        [sys.executable, str(twin)],
        input=json.dumps(cases),
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    results = json.loads(done.stdout)
    return [(case["text"], result) for case, result in zip(cases, results, strict=True)]


def test_what_arrives_is_what_the_reader_says(
    arrived: list[tuple[str, list[dict[str, Any]]]],
) -> None:
    read: dict[str, list[Variant]] = {}
    for text, records in arrived:
        if text not in read:
            read[text] = [v for launch in reading_of(text).launches for v in launch.variants]
        for record in records:
            assert any(_fits(variant, record) for variant in read[text]), (
                text,
                record,
                read[text],
            )


def test_most_texts_run(arrived: list[tuple[str, list[dict[str, Any]]]]) -> None:
    ran = {text for text, records in arrived if records}
    assert len(ran) > 0.8 * len({text for text, _ in arrived})


def test_each_branch_is_taken_by_some_run(
    arrived: list[tuple[str, list[dict[str, Any]]]],
) -> None:
    """No variant is made up: each way through that is wholly known is gone by some run."""
    for text in PROGRAMS.values():
        records = [record for one, found in arrived if one == text for record in found]
        for launch in reading_of(text).launches:
            for variant in launch.variants:
                if _is_known(variant):
                    assert any(_fits(variant, record) for record in records), variant


def _is_known(variant: Variant) -> bool:
    values = [word.value for word in variant.words] + [one.value for one in variant.keywords]
    return not variant.unseen() and all(isinstance(value, Known) for value in values)


def _fits(variant: Variant, record: dict[str, Any]) -> bool:
    if "words" in record:
        return not variant.keywords and _words_fit(list(variant.words), record["words"])
    arrived = record["fields"]
    said = {one.name: one.value for one in variant.keywords}
    if variant.words or not said.keys() <= arrived.keys():
        return False
    if said.keys() != arrived.keys() and not variant.tails:
        return False
    return all(_is(value, arrived[name]) for name, value in said.items())


def _is(value: Value, arrived: object) -> bool:
    if isinstance(value, Known):
        return bool(json.loads(json.dumps(shown(value), default=repr)) == arrived)
    if isinstance(value, OneOf):
        return any(_is(Known(option), arrived) for option in value.values)
    return True


def _words_fit(words: list[Word], arrived: list[str]) -> bool:
    if not words:
        return not arrived
    first, rest = words[0], words[1:]
    if first.splits:
        return any(_words_fit(rest, arrived[count:]) for count in range(len(arrived) + 1))
    if not arrived:
        return False
    fits = (
        _is(first.value, arrived[0])
        if isinstance(first.value, (Known, OneOf))
        else arrived[0].startswith(first.literal.text)
    )
    return fits and _words_fit(rest, arrived[1:])
