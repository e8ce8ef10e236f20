"""Command strings: run by a shell, or cut at blanks by SGLang's own helper."""

from __future__ import annotations

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st
from python_reading import argv, at, launches, reading_of, shown, the_launch, the_variant

from sglang_lint.readers.python.library import dedented
from sglang_lint.readers.python.splitting import shlex_words
from sglang_lint.text import MappedText

CMD = "python3 -m sglang.launch_server"

SHELL = {
    "os.system": (f"import os\nos.system('{CMD} --tp 8')", "--tp 8"),
    "os.popen": (f"import os\nos.popen('{CMD} --tp 8')", "--tp 8"),
    "shell=True": (f"import subprocess\nsubprocess.run('{CMD} --tp 8', shell=True)", "--tp 8"),
    "shell chosen elsewhere": (
        f"import subprocess\nsubprocess.run('{CMD} --tp 8', shell=SHELL)",
        "--tp 8",
    ),
    "output": (f"import subprocess\nsubprocess.getoutput('{CMD} --tp 8')", "--tp 8"),
    "asyncio": (
        "import asyncio\nasync def f():\n"
        f"    await asyncio.create_subprocess_shell('{CMD} --tp 8')",
        "--tp 8",
    ),
    "remote": (f"connection.run('{CMD} --tp 8')", "--tp 8"),
    "own helper": (f"run_command('{CMD} --tp 8')", "--tp 8"),
    "adjacent strings": (f"import os\nos.system('{CMD} '\n   '--tp 8 '\n   '--x')", "--tp 8 --x"),
    "continued lines": (f"import os\nos.system('''{CMD} \\\n  --tp 8 \\\n  --x''')", "--tp 8 --x"),
    "escaped continuation": (f"import os\nos.system('''{CMD} \\\\\n  --tp 8''')", "--tp 8"),
    "dedented": (
        f"import os, textwrap\nos.system(textwrap.dedent('''\n    {CMD} \\\\\n      --tp 8\n'''))",
        "--tp 8",
    ),
    "built up": (f"import os\nc = '{CMD}'\nc += ' --tp 8'\nos.system(c)", "--tp 8"),
    "added": (f"import os\nTP = 8\nos.system('{CMD} --tp ' + str(TP) + ' --x')", "--tp 8 --x"),
    "formatted": (f"import os\nTP = 8\nos.system(f'{CMD} --tp {{TP}}')", "--tp 8"),
    "format method": (f"import os\nos.system('{CMD} --tp {{}}'.format(8))", "--tp 8"),
    "percent": (f"import os\nos.system('{CMD} --tp %d' % 8)", "--tp 8"),
    "joined": (
        f"import os\nparts = ['{CMD}', '--tp 8']\nparts.append('--x')\nos.system(' '.join(parts))",
        "--tp 8 --x",
    ),
    "joined by quoting": (
        "import os, shlex\nos.system(shlex.join(['sglang', 'serve', 'a b', '--tp', '8']))",
        "a%b --tp 8",
    ),
    "base in a constant": (
        f"import os\nBASE = '{CMD} --model-path m'\nos.system(f'{{BASE}} --tp 8')",
        "--model-path m --tp 8",
    ),
    "environment in front": (f"import os\nos.system('A=1 {CMD} --tp 8')", "--tp 8"),
    "in a chain": (f"import os\nos.system('cd / && {CMD} --tp 8 > log 2>&1 &')", "--tp 8"),
    "quoted words": (f"import os\nos.system('{CMD} --x \"a b\"')", "--x a%b"),
    "unknown word": (f"import os\ndef f(x):\n    os.system(f'{CMD} --tp {{x}} --y')", "--tp * --y"),
    "unknown value": (
        f"import os\ndef f(x):\n    os.system(f'{CMD} --tp={{x}} --y')",
        "--tp=? --y",
    ),
    "unknown in quotes": (
        f"import os\ndef f(x):\n    os.system(f\"{CMD} --tp '{{x}}' --y\")",
        "--tp ? --y",
    ),
    "function of the file": (
        f"import subprocess\ndef sh(cmd):\n    subprocess.run(cmd, shell=True)\nsh('{CMD} --tp 8')",
        "--tp 8",
    ),
    "another function of the file": (
        "import subprocess\ndef start(cmd):\n    subprocess.run(cmd, shell=True)\n"
        f"start('{CMD} --tp 8')",
        "--tp 8",
    ),
}


@pytest.mark.parametrize(("text", "expected"), SHELL.values(), ids=SHELL)
def test_commands_that_a_shell_runs(text: str, expected: str) -> None:
    assert argv(the_variant(text + "\n")) == expected


def test_branches_of_a_command_string() -> None:
    text = f"import os\nc = '{CMD}'\nif x:\n    c += ' --tp 8'\nc += ' --y'\nos.system(c)\n"
    assert {one.condition: argv(one) for one in the_launch(text).variants} == {
        "x": "--tp 8 --y",
        "not (x)": "--y",
    }


def test_branches_of_a_joined_list() -> None:
    text = (
        f"import os\nc = ['{CMD}']\nif x:\n    c.append('--tp 8')\nc.append('--y')\n"
        "os.system(' '.join(c))\n"
    )
    assert {one.condition: argv(one) for one in the_launch(text).variants} == {
        "x": "--tp 8 --y",
        "not (x)": "--y",
    }


def test_two_launches_of_one_script() -> None:
    text = f"import os\nos.system('''\n{CMD} --tp 1 &\n{CMD} --tp 2\n''')\n"
    assert [argv(one.variants[0]) for one in launches(text)] == ["--tp 1", "--tp 2"]


def test_spans_of_a_command_string() -> None:
    text = (
        "import os\nTP = 8\nos.system(f'python3 -m sglang.launch_server --tp {TP} --dp=2')  # x\n"
    )
    launch = the_launch(text)
    assert at(text, launch.span) == "sglang.launch_server"
    assert at(text, launch.extent) == text[text.index("os.system") : text.index("  # x")]
    option, value, glued = launch.variants[0].words
    assert at(text, option.span) == "--tp"
    assert at(text, value.span) == "{TP}"
    assert at(text, glued.literal.span(0, 4)) == "--dp"


def test_spans_through_escapes() -> None:
    text = "import os\nos.system('python3 -m sglang.launch_server \\x2d-tp \\\n8 --\\u0061')\n"
    option, value, last = the_variant(text).words
    assert (option.text, at(text, option.span)) == ("--tp", "\\x2d-tp")
    assert (value.text, at(text, value.span)) == ("8", "8")
    assert (last.text, at(text, last.span)) == ("--a", "--\\u0061")


HELPER = "from sglang.utils import launch_server_cmd\n"

AT_BLANKS = {
    "plain": (
        "launch_server_cmd('''\npython3 -m sglang.launch_server \\\n --tp 8\n''')",
        "--tp 8",
        None,
    ),
    "escaped": (
        "launch_server_cmd('''\npython3 -m sglang.launch_server \\\\\n --tp 8\n''')",
        "--tp 8",
        None,
    ),
    "environment": ("launch_server_cmd('A=1 sglang serve m --tp 8')", "m --tp 8", None),
    "formatted": ("TP = 8\nlaunch_server_cmd(f'sglang serve m --tp {TP}')", "m --tp 8", None),
    "quotes after an equals sign": (
        "launch_server_cmd('sglang serve m --x=\"a\" --y')",
        'm --x="a" --y',
        '--x="a"',
    ),
    "quotes": (
        "launch_server_cmd('sglang serve m --x \\'a b\\' --y')",
        "m --x 'a b' --y",
        "\\'a b\\'",
    ),
    "JSON": (
        "launch_server_cmd('''sglang serve m --x '{\"a\": 1}' ''')",
        "m --x '{\"a\": 1}'",
        "'{\"a\": 1}'",
    ),
    "JSON without blanks or quotes around it": (
        "launch_server_cmd('''sglang serve m --x {\"a\":1} ''')",
        'm --x {"a":1}',
        None,
    ),
}


@pytest.mark.parametrize(("call", "expected", "odd"), AT_BLANKS.values(), ids=AT_BLANKS)
def test_commands_that_are_cut_at_blanks(call: str, expected: str, odd: str | None) -> None:
    text = HELPER + call + "\n"
    assert argv(the_variant(text)) == expected
    faults = reading_of(text).faults
    assert [at(text, fault.span) for fault in faults] == ([] if odd is None else [odd])
    assert {fault.check for fault in faults} <= {"python-split-keeps-quotes"}


def test_environment_of_command_strings() -> None:
    text = "import os\nos.system('A=1 python3 -m sglang.launch_server --tp 8')\n"
    assert [(one.name, shown(one.value)) for one in the_launch(text).environment] == [("A", "1")]
    text = HELPER + "launch_server_cmd('A=1 sglang serve m')\n"
    (setting,) = the_launch(text).environment
    assert (setting.name, shown(setting.value), at(text, setting.span)) == ("A", "1", "A=1")


@given(st.text(alphabet="ab '\"\\\n-\té😀", max_size=24))
def test_words_by_quotes_are_those_of_shlex(text: str) -> None:
    words = shlex_words(MappedText.region(text))
    try:
        expected = shlex.split(text)
    except ValueError:
        assert words is None
    else:
        assert words is not None
        assert [word.text for word in words] == expected
        for word in words:
            for index, char in enumerate(word.text):
                assert text[word.starts[index] : word.ends[index]] == char


@given(st.text(alphabet="a \t\n\x0b\u2028é", max_size=40))
def test_dedented_text_is_that_of_the_library(text: str) -> None:
    import textwrap

    made = dedented(MappedText.region(text))
    assert made.text == textwrap.dedent(text)
    assert all(text[start] == char for start, char in zip(made.starts, made.text, strict=True))
