"""Launches by lists of words: which words arrive, on which branches."""

from __future__ import annotations

import pytest
from python_reading import argv, at, launches, reading_of, shown, the_launch, the_variant

from sglang_lint.launches import Origin

SP = "import subprocess\n"
POPEN = "from sglang.test.test_utils import popen_launch_server\n"
L = "'python3', '-m', 'sglang.launch_server'"

STRAIGHT = {
    "run": (SP + f"subprocess.run([{L}, '--tp', '8'])", "--tp 8"),
    "imported function": (f"from subprocess import Popen as P\nP([{L}, '--tp', '8'])", "--tp 8"),
    "tuple": (SP + f"subprocess.call(({L}, '--tp', '8'))", "--tp 8"),
    "interpreter of the program": (
        SP + "import sys\nsubprocess.run([sys.executable, '-m', 'sglang.launch_server', '--tp=8'])",
        "--tp=8",
    ),
    "serve": (SP + "subprocess.run(['sglang', 'serve', 'm', '--tp', '8'])", "m --tp 8"),
    "behind another program": (
        SP + f"subprocess.run(['srun', '-N', '1', 'numactl', {L}, '--tp', '8'])",
        "--tp 8",
    ),
    "behind docker": (
        SP + f"subprocess.run(['docker', 'run', 'lmsysorg/sglang:v0.5.9', {L}, '--tp', '8'])",
        "--tp 8",
    ),
    "execvp": (f"import os\nos.execvp('python3', [{L}, '--tp', '8'])", "--tp 8"),
    "execlp": (f"import os\nos.execlp('python3', {L}, '--tp', '8')", "--tp 8"),
    "asyncio": (
        "import asyncio\nasync def f():\n"
        f"    await asyncio.create_subprocess_exec({L}, '--tp', '8')",
        "--tp 8",
    ),
    "asyncio, starred": (
        f"import asyncio\ncmd = [{L}, '--tp', '8']\n"
        "async def f():\n    await asyncio.create_subprocess_exec(*cmd)",
        "--tp 8",
    ),
    "unknown runner": (f"from x import launch\nlaunch([{L}, '--tp', '8'])", "--tp 8"),
    "keyword of a container": (f"Container(command=[{L}, '--tp', '8'])", "--tp 8"),
    "kept in a constant": (f"CMD = [{L}, '--tp', '8']", "--tp 8"),
    "kept in a class": (f"class A:\n    command = [{L}, '--tp', '8']", "--tp 8"),
    "kept in a dictionary": (f"CONFIG = {{'server': {{'cmd': [{L}, '--tp', '8']}}}}", "--tp 8"),
    "returned": (f"def command():\n    return [{L}, '--tp', '8']", "--tp 8"),
    "yielded": (f"def command():\n    yield [{L}, '--tp', '8']", "--tp 8"),
    "kept on an object": (
        SP + f"class A:\n    def __init__(self):\n        self.cmd = [{L}]\n"
        "        self.cmd += ['--tp', '8']\n    def go(self):\n        subprocess.run(self.cmd)",
        "--tp 8",
    ),
    "appended": (SP + f"a = [{L}]\na.append('--tp')\na.append('8')\nsubprocess.run(a)", "--tp 8"),
    "extended": (SP + f"a = [{L}]\na.extend(['--tp', '8'])\nsubprocess.run(a)", "--tp 8"),
    "added in place": (SP + f"a = [{L}]\na += ['--tp', '8']\nsubprocess.run(a)", "--tp 8"),
    "added": (SP + f"a = [{L}]\nsubprocess.run(a + ['--tp', '8'])", "--tp 8"),
    "added to itself": (SP + f"a = [{L}]\na = a + ['--tp', '8']\nsubprocess.run(a)", "--tp 8"),
    "starred": (SP + f"a = ['--tp', '8']\nsubprocess.run([{L}, *a])", "--tp 8"),
    "starred condition": (
        SP + f"FAST = True\nsubprocess.run([{L}, *(['--tp', '8'] if FAST else [])])",
        "--tp 8",
    ),
    "copied": (SP + f"a = [{L}]\nb = a.copy()\nb += ['--tp', '8']\nsubprocess.run(b)", "--tp 8"),
    "copy changes the copy alone": (
        SP + f"a = [{L}, '--tp', '8']\nb = list(a)\nb += ['--x']\nsubprocess.run(a)\nprint(b)",
        "--tp 8",
    ),
    "two names of one list": (
        SP + f"a = [{L}]\nb = a\nb += ['--tp', '8']\nsubprocess.run(a)",
        "--tp 8",
    ),
    "element set": (SP + f"a = [{L}, '--tp', '4']\na[-1] = '8'\nsubprocess.run(a)", "--tp 8"),
    "put in front": (
        SP + f"a = [{L}, '--tp', '8']\na.insert(0, 'numactl')\nsubprocess.run(a)",
        "--tp 8",
    ),
    "put in between": (
        SP + f"a = [{L}, '8']\na.insert(3, '--tp')\nsubprocess.run(a)",
        "--tp 8",
    ),
    "comprehension of strings": (
        SP + f"a = [{L}, '--tp', 8]\nsubprocess.run([str(x) for x in a])",
        "--tp 8",
    ),
    "map of a dictionary": (
        SP + f"flags = {{'tp': 8, 'page-size': 64}}\ncmd = [{L}]\n"
        "for k, v in flags.items():\n    cmd += [f'--{k}', str(v)]\nsubprocess.run(cmd)",
        "--tp 8 --page-size 64",
    ),
    "loop over flags": (
        SP + f"cmd = [{L}]\nfor flag in ('--a', '--b'):\n    cmd.append(flag)\nsubprocess.run(cmd)",
        "--a --b",
    ),
    "conversion": (SP + f"TP = 8\nsubprocess.run([{L}, '--tp', str(TP)])", "--tp 8"),
    "formatted": (SP + f"TP = 8\nsubprocess.run([{L}, f'--tp={{TP}}'])", "--tp=8"),
    "partly known": (SP + f"def f(tp):\n    subprocess.run([{L}, f'--tp={{tp}}'])", "--tp=?"),
    "unknown word": (SP + f"def f(tp):\n    subprocess.run([{L}, '--tp', str(tp)])", "--tp ?"),
    "unknown words": (
        SP + f"def f(more):\n    subprocess.run([{L}, '--tp', '8', *more])",
        "--tp 8 *",
    ),
    "unknown list added": (
        SP + f"def f(more):\n    subprocess.run([{L}, '--tp', '8'] + more)",
        "--tp 8 *",
    ),
    "words of a call": (SP + f"subprocess.run([{L}, '--tp', '8'] + more())", "--tp 8 *"),
    "changed by a call": (
        SP + f"a = [{L}, '--tp', '8']\nadd_flags(a)\nsubprocess.run(a)",
        "--tp 8 *",
    ),
    "shown by a call": (
        SP + f"a = [{L}, '--tp', '8']\nlogger.info('run %s', a)\nprint(a)\nsubprocess.run(a)",
        "--tp 8",
    ),
    "changed by a function of the file": (
        SP + f"def add(c):\n    c += ['--tp', '8']\na = [{L}]\nadd(a)\nsubprocess.run(a)",
        "--tp 8",
    ),
    "run by a function of the file": (
        SP + f"def go(cmd):\n    subprocess.run(cmd)\ngo([{L}, '--tp', '8'])",
        "--tp 8",
    ),
    "made by a function of the file": (
        SP + f"def base(tp):\n    return [{L}, '--tp', str(tp)]\nsubprocess.run(base(8))",
        "--tp 8",
    ),
    "filled in an unknown loop": (
        SP
        + f"a = [{L}]\nfor x in f():\n    a += ['--y', x]\na += ['--tp', '8']\nsubprocess.run(a)",
        "* --tp 8",
    ),
    "several values": (
        SP + f"for tp in ('4', '8'):\n    subprocess.run([{L}, '--tp', tp])",
        "--tp 4|8",
    ),
    "nested shell": (
        SP + "subprocess.run(['bash', '-c', 'python3 -m sglang.launch_server --tp 8'])",
        "--tp 8",
    ),
    "words of a string": ("go('python3 -m sglang.launch_server --tp 8'.split())", "--tp 8"),
    "words by quotes": (
        "import shlex\ngo(shlex.split('python3 -m sglang.launch_server --x \"a b\"'))",
        "--x a%b",
    ),
    "words of a formatted string": (
        "import shlex\ndef f(x):\n"
        "    go(shlex.split(f'python3 -m sglang.launch_server --x={x} \"a b\"'))",
        "--x=? a%b",
    ),
    "prepared": (
        "from sglang.srt.server_args import prepare_server_args\n"
        "prepare_server_args(['--model-path', 'm', '--tp', '8'])",
        "--model-path m --tp 8",
    ),
    "helper": (
        POPEN + "popen_launch_server('m', URL, timeout=1, other_args=['--tp', '8'])",
        "--model-path m --tp 8",
    ),
    "helper, all by place": (
        POPEN + "popen_launch_server('m', URL, 1, None, ['--tp', '8'])",
        "--model-path m --tp 8",
    ),
    "helper, all by keyword": (
        POPEN + "popen_launch_server(timeout=1, base_url=U, other_args=['--tp', 8], model='m')",
        "--model-path m --tp 8",
    ),
    "helper without arguments": (
        POPEN + "popen_launch_server('m', URL, timeout=1)",
        "--model-path m",
    ),
    "helper under another name": (
        "from sglang.test.test_utils import popen_launch_server as go\n"
        "go('m', URL, timeout=1, other_args=['--tp', '8'])",
        "--model-path m --tp 8",
    ),
    "helper with a name from elsewhere": (
        "from sglang.test.test_utils import popen_launch_server, MODEL\n"
        "popen_launch_server(MODEL, URL, timeout=1, other_args=('--tp', '8'))",
        "--model-path ? --tp 8",
    ),
    "helper with what it is given": (
        POPEN + "def f(args):\n    popen_launch_server('m', URL, timeout=1, other_args=args)",
        "--model-path m *",
    ),
    "helper in a class": (
        POPEN + "class T:\n    args = ['--tp', '8']\n    @classmethod\n    def setUpClass(cls):\n"
        "        cls.model = 'm'\n"
        "        cls.p = popen_launch_server(cls.model, URL, timeout=1, other_args=cls.args)",
        "--model-path m --tp 8",
    ),
    "fixture of SGLang's tests": (
        "from sglang.test.server_fixtures.default_fixture import DefaultServerBase\n"
        "class T(DefaultServerBase):\n    model = 'm'\n    other_args = ['--tp', '8']",
        "--model-path m --tp 8 *",
    ),
    "bench with server arguments": (
        SP + "subprocess.run(['python3', '-m', 'sglang.bench_one_batch', '--tp', '8'])",
        "--tp 8",
    ),
}


@pytest.mark.parametrize(("text", "expected"), STRAIGHT.values(), ids=STRAIGHT)
def test_words_that_arrive(text: str, expected: str) -> None:
    assert argv(the_variant(text + "\n")) == expected


def test_spans_of_words_are_where_they_are_written() -> None:
    text = SP + (
        "TP = 8\nCMD = ['python3', '-m', 'sglang.launch_server']\n"
        "CMD += ['--tp', str(TP), f'--dp={TP}']\nsubprocess.run(CMD)\n"
    )
    launch = the_launch(text)
    assert at(text, launch.span) == "'sglang.launch_server'"
    assert at(text, launch.extent) == "['python3', '-m', 'sglang.launch_server']"
    option, value, glued = launch.variants[0].words
    assert at(text, option.span) == "'--tp'"
    assert at(text, option.literal.span()) == "--tp"
    assert at(text, value.span) == "str(TP)"
    assert [at(text, one.span) for one in value.related] == ["TP"]
    assert at(text, glued.span) == "f'--dp={TP}'"
    assert at(text, glued.literal.span(0, 4)) == "--dp"
    assert at(text, glued.literal.span(5)) == "{TP}"


def test_words_made_in_a_loop_point_at_what_they_are_made_of() -> None:
    text = SP + (
        f"FLAGS = {{'tp-size': 8}}\ncmd = [{L}]\n"
        "for k, v in FLAGS.items():\n    cmd += [f'--{k}', str(v)]\nsubprocess.run(cmd)\n"
    )
    option, value = the_variant(text).words
    assert at(text, option.span) == "'tp-size'"
    assert at(text, value.span) == "8"


KEPT = {
    "constant": f"CMD = [{L}, '--tp', '8']\n",
    "returned": f"def f():\n    return [{L}, '--tp', '8']\n",
}


@pytest.mark.parametrize("text", KEPT.values(), ids=KEPT)
def test_a_list_that_is_only_kept_may_still_grow(text: str) -> None:
    variant = the_variant(text)
    assert argv(variant) == "--tp 8"
    assert variant.tails


def test_a_list_that_the_file_itself_runs_is_whole() -> None:
    text = SP + f"def f(tp):\n    return [{L}, '--tp', tp]\nsubprocess.run(f('8'))\n"
    variant = the_variant(text)
    assert argv(variant) == "--tp 8"
    assert not variant.unseen()


def test_extent_is_the_call_that_holds_the_list() -> None:
    text = SP + f"p = subprocess.Popen([{L}, '--tp', '8'])  # x\n"
    launch = the_launch(text)
    assert at(text, launch.extent) == f"subprocess.Popen([{L}, '--tp', '8'])"


def test_model_of_the_helper() -> None:
    text = POPEN + "M = 'm'\npopen_launch_server(M, URL, timeout=1, other_args=['--tp', '8'])\n"
    launch = the_launch(text)
    assert at(text, launch.span) == "popen_launch_server"
    option, model = launch.variants[0].words[:2]
    assert (option.text, at(text, option.span)) == ("--model-path", "M")
    assert (model.text, at(text, model.span)) == ("m", "M")


def test_a_base_list_used_twice_is_two_launches() -> None:
    text = SP + (
        f"base = [{L}, '--tp', '8']\nsubprocess.Popen(base + ['--node-rank', '0'])\n"
        "subprocess.Popen(base + ['--node-rank', '1'])\n"
    )
    assert [argv(launch.variants[0]) for launch in launches(text)] == [
        "--tp 8 --node-rank 0",
        "--tp 8 --node-rank 1",
    ]


ODD = {
    "number": ("[{L}, '--tp', 8]", ["8"]),
    "two numbers": ("[{L}, '--tp', 8, '--x', 0.5]", ["8", "0.5"]),
    "constant": ("[{L}, '--tp', TP]", ["TP"]),
    "nothing": ("[{L}, '--tp', None]", []),
    "flag": ("[{L}, '--tp', True]", ["True"]),
    "string": ("[{L}, '--tp', '8']", []),
    "converted": ("[{L}, '--tp', str(TP)]", []),
    "unknown": ("[{L}, '--tp', tp]", []),
    "path": ("[{L}, '--model-path', Path('m')]", []),
}


@pytest.mark.parametrize(("written", "odd"), ODD.values(), ids=ODD)
def test_elements_that_are_no_strings(written: str, odd: list[str]) -> None:
    text = f"import subprocess\nTP = 8\nsubprocess.Popen({written.replace('{L}', L)})\n"
    faults = reading_of(text).faults
    assert [at(text, fault.span) for fault in faults] == odd
    assert {fault.check for fault in faults} <= {"python-argv-not-a-string"}


def test_helpers_that_convert_get_any_element() -> None:
    text = POPEN + "popen_launch_server('m', U, timeout=1, other_args=['--tp', 8])\n"
    assert reading_of(text).faults == ()
    assert reading_of(f"launch([{L}, '--tp', 8])\n").faults == ()


def test_environment_of_the_process() -> None:
    text = SP + (
        "import os\nenv = os.environ.copy()\nenv['SGLANG_A'] = '1'\n"
        f"subprocess.run([{L}], env={{**env, 'B': '2'}})\n"
    )
    settings = the_launch(text).environment
    assert [(one.name, shown(one.value), at(text, one.span)) for one in settings] == [
        ("SGLANG_A", "1", "'SGLANG_A'] = '1'"),
        ("B", "2", "'B': '2'"),
    ]


def test_inheritance_of_arguments_within_a_file() -> None:
    text = POPEN + (
        "class Base:\n    model = 'm'\n    other_args = ['--tp', '1']\n    @classmethod\n"
        "    def setUpClass(cls):\n        args = ['--x', *cls.other_args]\n"
        "        popen_launch_server(cls.model, U, timeout=1, other_args=args)\n"
        "class Sub(Base):\n    other_args = ['--tp', '2']\n"
        "class Other(Base):\n    model = 'n'\n"
    )
    found = {
        at(text, one.span) + at(text, one.extent): argv(one.variants[0]) for one in launches(text)
    }
    assert list(found.values()) == [
        "--model-path m --x --tp 1",
        "--model-path m --x --tp 2",
        "--model-path n --x --tp 1",
    ]
    assert "other_args['--tp', '2']" in found


def test_default_of_an_option_in_a_word() -> None:
    text = (
        "import argparse, subprocess\np = argparse.ArgumentParser()\n"
        "p.add_argument('--tp', type=int, default=8)\na = p.parse_args()\n"
        f"subprocess.run([{L}, '--tp', str(a.tp), f'--dp={{a.tp}}'])\n"
    )
    variant = the_variant(text)
    assert argv(variant) == "--tp 8 --dp=8"
    assert [word.origin for word in variant.words] == [
        Origin.WRITTEN,
        Origin.OPTION_DEFAULT,
        Origin.OPTION_DEFAULT,
    ]


IMAGES = {
    "modal": "import modal\nimage = modal.Image.from_registry('lmsysorg/sglang:v0.5.9-cu130')",
    "constant": "TAG = 'v0.5.9-cu130'\nimage = Image.from_registry(f'lmsysorg/sglang:{TAG}')",
    "keyword": "c = Container(image='lmsysorg/sglang:v0.5.9-cu130')",
}


@pytest.mark.parametrize("written", IMAGES.values(), ids=IMAGES)
def test_images_in_the_file(written: str) -> None:
    text = f"{written}\nimport subprocess\nsubprocess.run([{L}])\n"
    (evidence,) = the_launch(text).evidence
    assert (evidence.kind.value, evidence.text) == ("image", "lmsysorg/sglang:v0.5.9-cu130")


def test_requirements_in_the_file() -> None:
    text = (
        "import modal, subprocess\n"
        "image = modal.Image.debian_slim().pip_install('sglang[all]==0.5.9')\n"
        f"subprocess.run([{L}])\n"
    )
    (evidence,) = the_launch(text).evidence
    assert (evidence.kind.value, evidence.text) == ("pip", "sglang[all]==0.5.9")
    assert at(text, evidence.span) == "sglang[all]==0.5.9"


def test_image_of_the_command_itself() -> None:
    text = SP + f"subprocess.run(['docker', 'run', 'lmsysorg/sglang:v0.5.9', {L}])\n"
    (evidence,) = the_launch(text).evidence
    assert at(text, evidence.span) == "lmsysorg/sglang:v0.5.9"
