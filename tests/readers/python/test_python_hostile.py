"""Files that were made to break a reader, and files that are broken by chance."""

from __future__ import annotations

import random
import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from python_reading import check_spans, reading_of
from test_python_argv import STRAIGHT
from test_python_branches import BRANCHES
from test_python_commands import AT_BLANKS, SHELL
from test_python_hooks import OVERRIDE
from test_python_keywords import CASES
from test_python_silent import SILENT

from sglang_lint.readers.python.reader import read
from sglang_lint.text import MappedText

E = "import sglang\n"

DEEP = {
    "parentheses": "(" * 150 + "1" + ")" * 150,
    "many parentheses": "(" * 5000 + "1" + ")" * 5000,
    "open parentheses": "(" * 100_000,
    "lists": "[" * 150 + "]" * 150,
    "sum": " + ".join(["1"] * 5000),
    "long sum": " + ".join(["1"] * 100_000),
    "not": "not " * 3000 + "1",
    "minus": "-" * 100_000 + "1",
    "attributes": "a" + ".b" * 3000,
    "calls": "a" + "()" * 3000,
    "subscripts": "a" + "[0]" * 3000,
    "lambdas": "lambda: " * 3000 + "1",
    "and": " and ".join(["a"] * 100_000),
    "or and": " or ".join(["a and b"] * 3000),
    "comparisons": " < ".join(["a"] * 5000),
    "conditions": "1 if a else " * 3000 + "2",
    "powers": "**".join(["1"] * 3000),
    "adjacent strings": "\n".join(["'a'"] * 3000),
    "more adjacent strings": "(" + "\n".join(["'sglang serve'"] * 50_000) + ")",
    "formatted strings": "f'{" * 50 + "1" + "}'" * 50,
    "dictionaries": "{'a': " * 95 + "1" + "}" * 95,
    "comprehension": "[x " + "for x in y " * 3000 + "]",
    "walrus": "(a := " * 95 + "1" + ")" * 95,
    "await": "await " * 3000 + "x",
}


@pytest.mark.parametrize("expression", DEEP.values(), ids=DEEP)
@pytest.mark.parametrize("place", ["sglang.Engine(x={})", "x = (\n{})\nsglang.Engine(x=x)"])
def test_deep_expressions(expression: str, place: str) -> None:
    reading = reading_of(E + place.replace("{}", expression) + "\n")
    assert all(fault.check in ("too-deep", "python-syntax") for fault in reading.faults)


STATEMENTS = {
    "blocks": "".join(" " * i + "if a:\n" for i in range(90)) + " " * 90 + "sglang.Engine()\n",
    "too many blocks": "".join(" " * i + "if a:\n" for i in range(200)) + " " * 200 + "pass\n",
    "elif": "if a: pass\n" + "elif b: pass\n" * 3000 + "else: sglang.Engine()\n",
    "functions": "".join(" " * i + "def f():\n" for i in range(60))
    + " " * 60
    + "sglang.Engine()\n",
    "classes": "".join(" " * i + "class A:\n" for i in range(60))
    + " " * 60
    + "x = sglang.Engine()\n",
    "dotted import": "import " + ".".join(["a"] * 5000) + "\nsglang.Engine()\n",
    "targets": "a = " * 3000 + "sglang.Engine()\n",
    "cases": "match a:\n" + "".join(f" case {i}: sglang.Engine()\n" for i in range(3000)),
    "recursion": "def f(x):\n    return f(x) + f(x) + f(x)\nsglang.Engine(tp_size=f(1))\n",
    "mutual recursion": (
        "def f(x):\n    return g(x) + g(x)\ndef g(x):\n    return f(x) + f(x)\n"
        "sglang.Engine(tp_size=f(1))\n"
    ),
    "calls in calls": (
        "".join(f"def f{i}(x):\n    return f{i + 1}(x) + f{i + 1}(x)\n" for i in range(40))
        + "sglang.Engine(tp_size=f0(1))\n"
    ),
    "class that derives from itself": "class A(A, sglang.Engine):\n    pass\nA(tp_size=1)\n",
    "list in itself": "a = ['sglang']\na.append(a)\na += a\nsglang.Engine(x=a)\n",
    "dictionary in itself": "d = {}\nd['d'] = d\nd.update(d)\nsglang.Engine(**d)\n",
    "doubling list": "a = ['x']\n" + "a += a\n" * 200 + "sglang.Engine(x=a)\n",
    "doubling string": "a = 'x'\n" + "a += a\n" * 200 + "sglang.Engine(x=a)\n",
    "doubling number": "a = 2\n" + "a = a * a\n" * 200 + "sglang.Engine(x=a)\n",
    "doubling on branches": "a = 'x'\n" + "if b:\n    a = a + a\n" * 200 + "sglang.Engine(x=a)\n",
    "reversed list on branches": (
        "a = ['x']\n" + "if b():\n    a = ['y'] + a\n" * 200 + "sglang.Engine(x=a)\n"
    ),
    "choices of choices": (
        "a = 1\n"
        + "".join(f"if b{i}:\n    a = a + {i}\n" for i in range(60))
        + "sglang.Engine(x=a)\n"
    ),
    "loops in loops": (
        "a = []\n"
        + "".join(" " * i + f"for x{i} in range(200):\n" for i in range(20))
        + " " * 20
        + "a += ['x']\nsglang.Engine(x=a)\n"
    ),
    "comprehensions in comprehensions": (
        "a = [[[[[1 for a in range(200)] for b in range(200)] for c in range(200)]"
        " for d in range(200)] for e in range(200)]\nsglang.Engine(x=a)\n"
    ),
    "many tests": "".join(f"if a == {i}:\n    x = {i}\n" for i in range(500))
    + "sglang.Engine(x=x)\n",
    "one long test": "if " + " or ".join(f"a{i}" for i in range(80)) + ":\n    sglang.Engine()\n",
    "formats": (
        "sglang.Engine(x=f'{1:99999999999d}', y='%9999999999d' % 1, z='{:9999999}'.format(1))\n"
    ),
    "powers": "sglang.Engine(x=9**9**9, y='a' * 10**10, z=[1] * 10**10, w=1 << 10**10)\n",
    "long number": "sglang.Engine(x=" + "9" * 100_000 + ")\n",
    "variants": "".join(f"x{i} = 1 if a{i} else 2\n" for i in range(40))
    + "sglang.Engine("
    + ", ".join(f"x{i}=x{i}" for i in range(40))
    + ")\n",
}


@pytest.mark.parametrize("body", STATEMENTS.values(), ids=STATEMENTS)
def test_hostile_statements(body: str) -> None:
    start = time.process_time()
    reading = reading_of(E + body)
    assert time.process_time() - start < 20
    for launch in reading.launches:
        assert len(launch.variants) <= 64


BYTES = {
    "nul": "import sglang\n\0sglang.Engine()\n",
    "surrogate": "import sglang\nsglang.Engine(model_path='\udce9')\n",
    "surrogate in a comment": "import sglang  # \udcff\nsglang.Engine(tp_size=8)\n",
    "bidirectional": "import sglang  # \u202e\nsglang.Engine(tp_size=8)\n",
    "control characters": "import sglang\nsglang.Engine(model_path='\x01\x1b')\n",
    "mixed line ends": "import sglang\r\rsglang.Engine(\n\r\ntp_size=8)\r",
}


@pytest.mark.parametrize("text", BYTES.values(), ids=BYTES)
def test_odd_characters(text: str) -> None:
    reading = reading_of(text)
    assert len(reading.launches) + len(reading.faults) == 1


def test_a_very_long_list() -> None:
    items = "".join(f"    '--option-{i}', '{i}',\n" for i in range(10_000))
    text = f"import subprocess\ncmd = [\n'python3', '-m', 'sglang.launch_server',\n{items}]\n"
    start = time.process_time()
    reading = reading_of(text + "subprocess.run(cmd)\n")
    assert time.process_time() - start < 20
    assert reading.launches or reading.faults


def test_a_large_file_with_one_launch() -> None:
    noise = "".join(f"def f{i}(a, b):\n    return [a, b, {i}, 'x']\n\n" for i in range(8_000))
    start = time.process_time()
    reading = reading_of(f"import sglang\n{noise}sglang.Engine(tp_size=8)\n{noise}")
    assert time.process_time() - start < 20
    assert len(reading.launches) == 1


WORDS = [
    "import sglang\n", "sglang.Engine(", "ServerArgs(", ")", "[", "]", "{", "}", "'python3', ",
    "'-m', ", "'sglang.launch_server', ", "'--tp'", "8", ", ", "tp_size=", "**", "*", "cmd", " = ",
    " += ", "if x:\n    ", "else:\n    ", "for k, v in d.items():\n    ",
    "def f(a, *b, **c):\n    ",
    "class A(B):\n    ", "return ", "f'{", "}'", "\n", "    ", "subprocess.run(", "os.system(",
    "'''", '"', "\\", "\\\n", "lambda: ", "try:\n    ", "except:\n    ", "with a as b:\n    ",
    "from sglang.test.test_utils import popen_launch_server\n", "popen_launch_server(", "self.x",
    "# é😀\n", "\r\n", "\f", "\ufeff", "match a:\n    case 1:\n        ", "print(", "not ", " and ",
    ".format(", ".split()", "' '.join(", "async ", "await ", "yield ", "global x\n", "del x\n",
]  # fmt: skip


@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(st.sampled_from(WORDS), max_size=30).map("".join))
def test_random_pieces(text: str) -> None:
    source = "import sglang  # launch_server\n" + text
    check_spans(source, read(MappedText.region(source), "x.py"))


FILES = [
    *(text for text, _ in STRAIGHT.values()),
    *(
        f"import os, subprocess\ncmd = ['sglang', 'serve', 'm']\n{b}\nsubprocess.run(cmd)\n"
        for b, _ in BRANCHES.values()
    ),
    *(text for text, _ in SHELL.values()),
    *(f"from sglang.utils import launch_server_cmd\n{call}\n" for call, _, _ in AT_BLANKS.values()),
    *(text for text, _ in CASES.values()),
    *SILENT.values(),
    OVERRIDE,
]


@settings(max_examples=400, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.sampled_from(FILES), st.randoms(use_true_random=False))
def test_damaged_files(text: str, chance: random.Random) -> None:
    for _ in range(chance.randint(1, 4)):
        place, end = sorted(chance.randint(0, len(text)) for _ in range(2))
        kind = chance.randint(0, 3)
        if kind == 0:
            text = text[:place] + text[min(end, place + 6) :]
        elif kind == 1:
            text = text[:place] + chance.choice(WORDS) + text[place:]
        elif kind == 2:
            text = text[:place] + text[place : place + 20] * 2 + text[place + 20 :]
        else:
            other = chance.choice(FILES)
            text = text[:place] + other[chance.randint(0, len(other)) :]
    check_spans(text, read(MappedText.region(text), "x.py"))


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=60))
def test_random_text(text: str) -> None:
    source = f"import sglang  # launch_server\n{text}\nsglang.Engine(tp_size='{text}')\n"
    check_spans(source, read(MappedText.region(source), "x.py"))
