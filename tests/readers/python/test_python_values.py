"""Values of expressions, and how they came about."""

from __future__ import annotations

import json
import os
import textwrap

import pytest
from python_reading import keyword, shown, the_variant, tuples

from sglang_lint.launches import Origin

VALUES = {
    "-1": -1,
    "+2": 2,
    "1.5": 1.5,
    "-0.5": -0.5,
    "None": None,
    "True": True,
    "not True": False,
    "1_000": 1000,
    "0x10": 16,
    "2 * 4": 8,
    "17 // 2": 8,
    "8 - 3 + 1": 6,
    "2 ** 3": "?",
    "10 ** 10 ** 10": "?",
    "10 % 4": 2,
    "1 / 0": "?",
    "'a' 'b'": "ab",
    "'a' + 'b'": "ab",
    "'a' * 3": "aaa",
    "f'a{1}b'": "a1b",
    "f'{2:03d}'": "002",
    "f'{1.5:.2f}'": "1.50",
    "f'{\"x\"!r}'": "'x'",
    "f'{{}}'": "{}",
    "f'a{f()}'": "?",
    "'{}-{}'.format(1, 'b')": "1-b",
    "'{1}{0}'.format('a', 'b')": "ba",
    "'{a}{{'.format(a=1)": "1{",
    "'{a.b}'.format(a=1)": "?",
    "'%s/%d' % ('a', 3)": "a/3",
    "'%s' % 5": "5",
    "'%(a)s' % {'a': 1}": "1",
    "'100%%' % ()": "100%",
    "str(4)": "4",
    "str(1.0)": "1.0",
    "int('8')": 8,
    "float('0.5')": 0.5,
    "int('x')": "?",
    "[1, 2]": (1, 2),
    "(1, 'a')": (1, "a"),
    "[1] + [2]": (1, 2),
    "[[1], [2]]": ((1,), (2,)),
    "list(range(1, 4))": (1, 2, 3),
    "[i * 2 for i in (1, 2)]": (2, 4),
    "[1, f()]": "?",
    "{'a': 1}": "?",
    "json.dumps({'a': [1, None, {'b': True}]})": '{"a": [1, null, {"b": true}]}',
    "json.dumps({'a': f()})": "?",
    "json.dumps({1: 2}, indent=1)": "?",
    "min(4, 2)": 2,
    "max([1])": "?",
    "len('abc')": 3,
    "'a,b'.upper()": "A,B",
    "' a '.strip()": "a",
    "'a-b'.replace('-', '_')": "a_b",
    "'abc'[1:]": "bc",
    "[4, 5][1]": 5,
    "{'a': 4}['a']": 4,
    "{'a': 4}['b']": "?",
    "'x' if True else 'y'": "x",
    "None or 4": 4,
    "0 or 4": 4,
    "3 or 4": 3,
    "3 and 4": 4,
    "b'x'": "?",
    "r'a\\b'": "a\\b",
    "'\\x41\\u0042\\N{LATIN SMALL LETTER A}\\101'": "ABaA",
    "'a\\\nb'": "ab",
    "'''a\nb'''": "a\nb",
    "...": "?",
    "lambda: 1": "?",
    "1 < 2": True,
    "'a' in ('a', 'b')": True,
    "unknown_name": "?",
    "os.path.join('/a', 'b')": "/a/b",
    "textwrap.dedent('  a')": "a",
}


@pytest.mark.parametrize(("written", "expected"), VALUES.items(), ids=VALUES)
def test_values_of_expressions(written: str, expected: object) -> None:
    text = f"import json, os, textwrap\nimport sglang\nsglang.Engine(x={written})\n"
    found = shown(keyword(the_variant(text), "x").value)
    assert found == expected
    assert type(found) is type(expected)
    if expected != "?":
        # What is said to be known is what Python makes of it.
        assert tuples(eval(f"({written})", {"json": json, "os": os, "textwrap": textwrap})) == found


ORIGINS = {
    "os.environ.get('TP', '8')": ("8", Origin.VARIABLE_DEFAULT),
    "os.getenv('TP', 8)": (8, Origin.VARIABLE_DEFAULT),
    "int(os.environ.get('TP', '8'))": (8, Origin.VARIABLE_DEFAULT),
    "os.environ.get('TP') or 8": (8, Origin.VARIABLE_DEFAULT),
    "f\"x{os.environ.get('TP', '8')}\"": ("x8", Origin.VARIABLE_DEFAULT),
    "8": (8, Origin.WRITTEN),
}


@pytest.mark.parametrize(("written", "expected"), ORIGINS.items(), ids=ORIGINS)
def test_defaults_of_variables_are_known_as_such(
    written: str, expected: tuple[object, Origin]
) -> None:
    one = keyword(the_variant(f"import os, sglang\nsglang.Engine(x={written})\n"), "x")
    assert (shown(one.value), one.origin) == expected


def test_variable_without_default_is_unknown() -> None:
    for written in ("os.environ['TP']", "os.environ.get('TP')", "os.getenv('TP')"):
        one = keyword(the_variant(f"import os, sglang\nsglang.Engine(x={written})\n"), "x")
        assert shown(one.value) == "?"


OPTIONS = {
    "type=int, default=8": (8, Origin.OPTION_DEFAULT),
    "type=int, default='8'": (8, Origin.OPTION_DEFAULT),
    "default='fa3'": ("fa3", Origin.OPTION_DEFAULT),
    "action='store_true'": (False, Origin.OPTION_DEFAULT),
    "type=int": ("?", Origin.WRITTEN),
    "type=int, required=True": ("?", Origin.WRITTEN),
    "type=parse, default='8'": ("?", Origin.WRITTEN),
}


@pytest.mark.parametrize(("options", "expected"), OPTIONS.items(), ids=OPTIONS)
def test_forwarded_options_have_their_defaults(
    options: str, expected: tuple[object, Origin]
) -> None:
    text = f"""
import argparse
import sglang
def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("-t", "--tp-size", {options})
    args = parser.parse_args()
    sglang.Engine(tp_size=args.tp_size)
"""
    one = keyword(the_variant(text), "tp_size")
    assert (shown(one.value), one.origin) == expected
    if one.origin is Origin.OPTION_DEFAULT:
        assert (
            one.related[0].message == "`args` is set here" or "`tp_size`" in one.related[0].message
        )


def test_option_parsed_in_another_function() -> None:
    text = """
import argparse
import sglang
def parse():
    parser = argparse.ArgumentParser()
    group = parser.add_argument_group("x")
    group.add_argument("--tp", default=4)
    return parser.parse_args()
if __name__ == "__main__":
    args = parse()
    sglang.Engine(tp_size=args.tp)
"""
    one = keyword(the_variant(text), "tp_size")
    assert (shown(one.value), one.origin) == (4, Origin.OPTION_DEFAULT)
