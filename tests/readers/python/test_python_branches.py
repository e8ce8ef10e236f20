"""Launches whose words hang on branches: each way through is a variant of its own."""

from __future__ import annotations

import pytest
from python_reading import argv, the_launch, the_variant

SP = "import subprocess\n"
L = "'python3', '-m', 'sglang.launch_server'"

BRANCHES = {
    "one branch": (
        "if args.dp:\n    cmd += ['--dp', '2']",
        {"args.dp": "--dp 2", "not (args.dp)": ""},
    ),
    "two arms": (
        "if fast():\n    cmd += ['--a']\nelse:\n    cmd += ['--b']",
        {"fast()": "--a", "not (fast())": "--b"},
    ),
    "three arms": (
        "if m == 'a':\n    cmd += ['--a']\nelif m == 'b':\n    cmd += ['--b']\n"
        "else:\n    cmd += ['--c']",
        {
            "m == 'a'": "--a",
            "not (m == 'a') and m == 'b'": "--b",
            "not (m == 'a') and not (m == 'b')": "--c",
        },
    ),
    "the same test twice": (
        "if x:\n    cmd += ['--a']\ncmd += ['--m']\nif x:\n    cmd += ['--b']",
        {"x": "--a --m --b", "not (x)": "--m"},
    ),
    "the contrary test": (
        "if x:\n    cmd += ['--a']\nif not x:\n    cmd += ['--b']",
        {"x": "--a", "not (x)": "--b"},
    ),
    "tests that exclude each other": (
        "if m == 'a':\n    cmd += ['--a']\nif m == 'b':\n    cmd += ['--b']",
        {
            "m == 'a'": "--a",
            "not (m == 'a') and m == 'b'": "--b",
            "not (m == 'a') and not (m == 'b')": "",
        },
    ),
    "tests by order": (
        "if n > 4:\n    cmd += ['--a']\nif n > 8:\n    cmd += ['--b']",
        {"n > 4 and n > 8": "--a --b", "n > 4 and not (n > 8)": "--a", "not (n > 4)": ""},
    ),
    "part of a test": (
        "if x and y:\n    cmd += ['--a']\nif x:\n    cmd += ['--b']",
        {
            "x and y": "--a --b",
            "not (x and y) and x": "--b",
            "not (x and y) and not (x)": "",
        },
    ),
    "a name set between": (
        "if x:\n    cmd += ['--a']\nx = f()\nif x:\n    cmd += ['--b']",
        {
            "x and x": "--a --b",
            "x and not (x)": "--a",
            "not (x) and x": "--b",
            "not (x) and not (x)": "",
        },
    ),
    "independent tests": (
        "if x:\n    cmd += ['--a']\nif y:\n    cmd += ['--b']",
        {
            "x and y": "--a --b",
            "x and not (y)": "--a",
            "not (x) and y": "--b",
            "not (x) and not (y)": "",
        },
    ),
    "nested": (
        "if x:\n    cmd += ['--a']\n    if y:\n        cmd += ['--b']",
        {"x and y": "--a --b", "x and not (y)": "--a", "not (x)": ""},
    ),
    "an arm that leaves": ("if x:\n    raise ValueError\ncmd += ['--a']", {None: "--a"}),
    "a condition that is certain": (
        "DEBUG = False\nif DEBUG:\n    cmd += ['--a']\nelse:\n    cmd += ['--b']",
        {None: "--b"},
    ),
    "a default is not certain": (
        "d = os.environ.get('D', '1')\nif d == '1':\n    cmd += ['--a']",
        {"d == '1'": "--a", "not (d == '1')": ""},
    ),
    "a value with its branch": (
        "tp = 4 if x else 8\ncmd += ['--tp', str(tp)]\nif x:\n    cmd += ['--b']",
        {"x": "--tp 4 --b", "not (x)": "--tp 8"},
    ),
    "a condition on such a value": (
        "mode = 'a' if x else 'b'\nif mode == 'a':\n    cmd += ['--a']\ncmd += [mode]",
        {"mode == 'a'": "--a a", "not (mode == 'a')": "b"},
    ),
    "a conditional element": (
        "cmd += ['--a' if x else '--b']",
        {"x": "--a", "not (x)": "--b"},
    ),
    "a conditional list": (
        "cmd += ['--a'] if x else []",
        {"x": "--a", "not (x)": ""},
    ),
    "a list chosen": (
        "more = []\nif x:\n    more = ['--a']\ncmd += more",
        {"x": "--a", "not (x)": ""},
    ),
    "or": ("tp = given or '8'\ncmd += [tp]", {"given": "?", "not (given)": "8"}),
    "match": (
        "match m:\n    case 'a':\n        cmd += ['--a']\n"
        "    case 'b' | 'c':\n        cmd += ['--b']\n    case _:\n        cmd += ['--c']",
        {
            "m is 'a'": "--a",
            "not (m is 'a') and m is 'b' | 'c'": "--b",
            "not (m is 'a') and not (m is 'b' | 'c')": "--c",
        },
    ),
    "try": (
        "try:\n    import fast\nexcept ImportError:\n    cmd += ['--a']",
        {"except ImportError": "--a", "not (except ImportError)": ""},
    ),
}


@pytest.mark.parametrize(("body", "expected"), BRANCHES.values(), ids=BRANCHES)
def test_branches_are_alternatives(body: str, expected: dict[str | None, str]) -> None:
    text = f"import os, subprocess\ncmd = [{L}]\n{body}\nsubprocess.run(cmd)\n"
    launch = the_launch(text)
    assert {variant.condition: argv(variant) for variant in launch.variants} == expected


def test_launch_on_a_branch_has_that_branch_alone() -> None:
    text = SP + f"cmd = [{L}]\nif x:\n    cmd += ['--a']\nif x:\n    subprocess.run(cmd)\n"
    assert argv(the_variant(text)) == "--a"


def test_many_branches_become_opaque() -> None:
    body = "".join(f"if x{i}:\n    cmd += ['--a{i}', '1']\n" for i in range(12))
    launch = the_launch(SP + f"cmd = [{L}]\n{body}cmd += ['--tp', '8']\nsubprocess.run(cmd)\n")
    assert 1 < len(launch.variants) <= 64
    assert all(argv(variant).endswith("* * * * * * * --tp 8") for variant in launch.variants)


def test_many_branches_of_an_element_become_opaque() -> None:
    body = "".join(f"x{i} = '1' if y{i} else '2'\n" for i in range(12))
    items = ", ".join(f"x{i}" for i in range(12))
    launch = the_launch(SP + f"{body}subprocess.run([{L}, {items}])\n")
    assert 1 < len(launch.variants) <= 64
    assert all(argv(variant).endswith("? ? ? ? ? ? ?") for variant in launch.variants)


GIVEN = {
    "truth": ("if a.x:\n    cmd += ['--x', str(a.x)]", {"a.x": "--x ?", "not (a.x)": ""}),
    "not None": (
        "if a.x is not None:\n    cmd += ['--x', str(a.x)]",
        {"a.x is not None": "--x ?", "not (a.x is not None)": ""},
    ),
    "the contrary": (
        "if not a.x:\n    cmd += ['--none']\nelse:\n    cmd += [f'--x={a.x}']",
        {"not a.x": "--none", "not (not a.x)": "--x=?"},
    ),
    "another default": (
        "if a.y > 4:\n    cmd += ['--y', str(a.y)]\nelse:\n    cmd += ['--small', str(a.y)]",
        {"a.y > 4": "--y 8", "not (a.y > 4)": "--small ?"},
    ),
    "in a conditional": (
        "cmd += ['--x', str(a.x)] if a.x else []",
        {"a.x": "--x ?", "not (a.x)": ""},
    ),
    "by or": ("cmd += ['--z', str(a.z or 3)]", {None: "--z 3"}),
    "by or without a default": (
        "cmd += ['--x', str(a.x or 3)]",
        {"a.x": "--x ?", "not (a.x)": "--x 3"},
    ),
    "after the branch": (
        "if a.y > 9:\n    print(a.y)\ncmd += ['--y', str(a.y)]",
        {None: "--y 8"},
    ),
    "a variable of the environment": (
        "x = os.environ.get('X', '')\nif x:\n    cmd += ['--x', x]",
        {"x": "--x ?", "not (x)": ""},
    ),
}


@pytest.mark.parametrize(("body", "expected"), GIVEN.values(), ids=GIVEN)
def test_a_default_does_not_hold_where_it_is_ruled_out(
    body: str, expected: dict[str | None, str]
) -> None:
    text = (
        "import argparse, os, subprocess\np = argparse.ArgumentParser()\n"
        "p.add_argument('--x', type=int)\np.add_argument('--y', type=int, default=8)\n"
        "p.add_argument('--z', type=int, default=0)\n"
        f"a = p.parse_args()\ncmd = [{L}]\n{body}\nsubprocess.run(cmd)\n"
    )
    found = {one.condition: argv(one) for one in the_launch(text).variants}
    assert found == expected
