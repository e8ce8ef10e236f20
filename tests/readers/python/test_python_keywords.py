"""Launches by SGLang's own calls: which keywords arrive, with which values."""

from __future__ import annotations

import pytest
from python_reading import at, fields, keyword, launches, shown, the_launch, the_variant

from sglang_lint.values import Known

SA = "from sglang.srt.server_args import ServerArgs\n"
SGL = "import sglang as sgl\n"

CASES = {
    "imported class": (
        SA + "ServerArgs(model_path='m', tp_size=8)",
        {"model_path": "m", "tp_size": 8},
    ),
    "alias of a class": (
        "from sglang.srt.server_args import ServerArgs as SA\nSA(model_path='m')",
        {"model_path": "m"},
    ),
    "alias of a module": (SGL + "sgl.Engine(model_path='m')", {"model_path": "m"}),
    "plain module": ("import sglang\nsglang.Engine(tp_size=2)", {"tp_size": 2}),
    "name from the package": ("from sglang import Engine\nEngine(dp_size=2)", {"dp_size": 2}),
    "alias of a deep module": (
        "import sglang.srt.server_args as sa\nsa.ServerArgs(tp_size=4)",
        {"tp_size": 4},
    ),
    "whole dotted name": (
        "import sglang.srt.entrypoints.engine\nsglang.srt.entrypoints.engine.Engine(page_size=64)",
        {"page_size": 64},
    ),
    "star import": ("from sglang import *\nEngine(tp_size=2)", {"tp_size": 2}),
    "import in a function": (
        "def f():\n    from sglang import Engine as E\n    return E(tp_size=2)",
        {"tp_size": 2},
    ),
    "import that may fail": (
        "try:\n    from sglang import Engine\nexcept ImportError:\n    Engine = None\n"
        "e = Engine(tp_size=2)",
        {"tp_size": 2},
    ),
    "module found by name": (
        "import importlib\nsgl = importlib.import_module('sglang')\nsgl.Engine(tp_size=2)",
        {"tp_size": 2},
    ),
    "alias by assignment": (SGL + "E = sgl.Engine\nE(tp_size=2)", {"tp_size": 2}),
    "subclass without a constructor": (
        SGL + "class Mine(sgl.Engine):\n    pass\nMine(tp_size=2)",
        {"tp_size": 2},
    ),
    "deprecated runtime": (
        SGL + "sgl.Runtime(model_path='m', launch_timeout=5)",
        {"model_path": "m"},
    ),
    "first positional": (SA + "ServerArgs('m', tp_size=2)", {"model_path": "m", "tp_size": 2}),
    "dictionary display": (SGL + "d = {'tp_size': 2}\nsgl.Engine(**d)", {"tp_size": 2}),
    "dictionary call": (
        SGL + "d = dict(tp_size=2, page_size=1)\nsgl.Engine(**d)",
        {"tp_size": 2, "page_size": 1},
    ),
    "dictionary in place": (SGL + "sgl.Engine(**{'tp_size': 2})", {"tp_size": 2}),
    "dictionaries merged": (
        SGL + "a = {'tp_size': 2}\nb = a | {'tp_size': 4, 'dp_size': 1}\nsgl.Engine(**b)",
        {"tp_size": 4, "dp_size": 1},
    ),
    "dictionary merged in place": (
        SGL + "a = {'tp_size': 2}\na |= {'tp_size': 4}\nsgl.Engine(**a)",
        {"tp_size": 4},
    ),
    "dictionary updated": (
        SGL + "a = {'tp_size': 2}\na.update({'dp_size': 1}, page_size=64)\nsgl.Engine(**a)",
        {"tp_size": 2, "dp_size": 1, "page_size": 64},
    ),
    "element set": (SGL + "a = {}\na['tp_size'] = 2\nsgl.Engine(**a)", {"tp_size": 2}),
    "element deleted": (
        SGL + "a = {'tp_size': 2, 'x': 1}\ndel a['x']\na.pop('y', None)\nsgl.Engine(**a)",
        {"tp_size": 2},
    ),
    "default set": (
        SGL + "a = {'tp_size': 2}\na.setdefault('tp_size', 4)\na.setdefault('dp_size', 3)\n"
        "sgl.Engine(**a)",
        {"tp_size": 2, "dp_size": 3},
    ),
    "unpacked in a display": (
        SGL + "a = {'tp_size': 2}\nsgl.Engine(**{**a, 'dp_size': 1})",
        {"tp_size": 2, "dp_size": 1},
    ),
    "several dictionaries": (
        SGL + "a = {'tp_size': 2}\nb = {'dp_size': 1}\nsgl.Engine(model_path='m', **a, **b)",
        {"model_path": "m", "tp_size": 2, "dp_size": 1},
    ),
    "engine of server arguments": (
        SGL + SA + "sgl.Engine(server_args=ServerArgs(tp_size=2))",
        {"tp_size": 2},
    ),
    "server of server arguments": (
        SA + "from sglang.srt.entrypoints.http_server import launch_server\n"
        "launch_server(ServerArgs(tp_size=2))",
        {"tp_size": 2},
    ),
    "server arguments as keywords": (
        SGL + SA + "import dataclasses\na = ServerArgs(tp_size=2)\n"
        "sgl.Engine(**dataclasses.asdict(a))",
        {"tp_size": 2},
    ),
    "attribute set later": (
        SA + "a = ServerArgs(tp_size=2)\na.dcp_size = 2\na.tp_size = 4",
        {"dcp_size": 2, "tp_size": 4},
    ),
    "in a method": (
        SGL + "class A:\n    def f(self):\n        self.e = sgl.Engine(tp_size=2)",
        {"tp_size": 2},
    ),
    "constant of the module": (
        SGL + "TP = 8\ndef f():\n    sgl.Engine(tp_size=TP)",
        {"tp_size": 8},
    ),
    "attribute of the object": (
        SGL + "class A:\n    tp = 4\n    def __init__(self):\n        self.dp = 2\n"
        "    def f(self):\n        sgl.Engine(tp_size=self.tp, dp_size=self.dp)",
        {"tp_size": 4, "dp_size": 2},
    ),
    "parameter": (SGL + "def f(tp=8):\n    sgl.Engine(tp_size=tp)", {"tp_size": "?"}),
    "global that a function sets": (
        SGL + "TP = 8\ndef g():\n    global TP\n    TP = 4\ndef f():\n    sgl.Engine(tp_size=TP)",
        {"tp_size": "?"},
    ),
    "arm that is not taken as things stand": (
        SGL + "TP = None\nif TP is not None:\n    sgl.Engine(tp_size=TP)",
        {"tp_size": "?"},
    ),
    "name set twice": (
        SGL + "TP = 8\nTP = 4\ndef f():\n    sgl.Engine(tp_size=TP)",
        {"tp_size": "?"},
    ),
    "name set twice, used in order": (
        SGL + "TP = 8\nTP = 4\nsgl.Engine(tp_size=TP)",
        {"tp_size": 4},
    ),
    "changed in a loop": (
        SGL + "tp = 1\nwhile f():\n    tp *= 2\nsgl.Engine(tp_size=tp)",
        {"tp_size": "?"},
    ),
    "loop over known values": (
        SGL + "for tp in (1, 2):\n    sgl.Engine(tp_size=tp)",
        {"tp_size": [1, 2]},
    ),
    "one of several": (SGL + "sgl.Engine(tp_size={1: 2, 4: 8}[f()])", {"tp_size": [2, 8]}),
    "called in the body of a class": (
        SGL + "N = 2\ndef size():\n    return N\nclass A:\n    tp = size()\n"
        "    def f(self):\n        sgl.Engine(tp_size=self.tp)",
        {"tp_size": 2},
    ),
    "result of a function of the file": (
        SGL + "def size():\n    return 4\nsgl.Engine(tp_size=size())",
        {"tp_size": 4},
    ),
    "result that hangs on an argument": (
        SGL + "def size(n, k=2):\n    return n * k\nsgl.Engine(tp_size=size(4))",
        {"tp_size": 8},
    ),
    "dictionary that a function fills": (
        SGL + "def fill(d):\n    d['tp_size'] = 2\nd = {}\nfill(d)\nsgl.Engine(**d)",
        {"tp_size": 2},
    ),
    "tuple unpacked": (
        SGL + "tp, dp = 4, 2\nsgl.Engine(tp_size=tp, dp_size=dp)",
        {"tp_size": 4, "dp_size": 2},
    ),
    "asynchronous": (
        SGL + "async def f():\n    e = await make(sgl.Engine(tp_size=2))",
        {"tp_size": 2},
    ),
    "inside with": (SGL + "with sgl.Engine(tp_size=2) as e:\n    pass", {"tp_size": 2}),
    "inside a lambda": (SGL + "make = lambda: sgl.Engine(tp_size=2)", {"tp_size": 2}),
    "by default of get": (SGL + "d = {'a': 1}\nsgl.Engine(tp_size=d.get('b', 4))", {"tp_size": 4}),
    "by a walrus": (SGL + "sgl.Engine(tp_size=(n := 4), dp_size=n)", {"tp_size": 4, "dp_size": 4}),
}


@pytest.mark.parametrize(("text", "expected"), CASES.values(), ids=CASES)
def test_keywords_that_arrive(text: str, expected: dict[str, object]) -> None:
    variant = the_variant(text + "\n")
    assert fields(variant) == expected
    assert not variant.tails


def test_spans_of_call_and_arguments() -> None:
    text = SGL + "e = sgl.Engine(\n    model_path='m',  # a\n    tp_size = 4,\n)\n"
    launch = the_launch(text)
    assert launch.entry_point.name == "sglang.Engine"
    assert at(text, launch.span) == "sgl.Engine"
    assert at(text, launch.extent) == text[text.index("sgl.Engine") :].rstrip()
    tp = keyword(launch.variants[0], "tp_size")
    assert at(text, tp.name_span) == "tp_size"
    assert at(text, tp.value_span) == "4"
    assert at(text, tp.span) == "tp_size = 4"


def test_spans_of_dictionary_items_are_where_they_are_written() -> None:
    text = SGL + "D = {\n    'tp_size': 4,\n}\nsgl.Engine(**D)\n"
    tp = keyword(the_variant(text), "tp_size")
    assert at(text, tp.span) == "'tp_size': 4"


def test_places_that_a_value_came_through() -> None:
    text = SGL + "A = 4\nB = A\nsgl.Engine(tp_size=B)\n"
    tp = keyword(the_variant(text), "tp_size")
    assert at(text, tp.value_span) == "B"
    assert [(r.message, at(text, r.span)) for r in tp.related] == [
        ("`B` is set here", "B"),
        ("`A` is set here", "A"),
    ]


TAILS = {
    "unknown mapping": "def f(**kw):\n    sgl.Engine(tp_size=2, **kw)",
    "mapping from elsewhere": "from x import CFG\nsgl.Engine(tp_size=2, **CFG)",
    "computed key": "d = {}\nd[f()] = 1\nsgl.Engine(tp_size=2, **d)",
    "changed by a function": "d = {}\nfill(d)\nsgl.Engine(tp_size=2, **d)",
    "filled in a loop": "d = {}\nfor k in f():\n    d[k] = 1\nsgl.Engine(tp_size=2, **d)",
    "starred": "sgl.Engine(*args, tp_size=2)",
    "read from a file": "import json\nsgl.Engine(tp_size=2, **json.load(f))",
}


@pytest.mark.parametrize("body", TAILS.values(), ids=TAILS)
def test_what_cannot_be_seen_leaves_the_launch_open(body: str) -> None:
    variant = the_variant(SGL + body + "\n")
    assert fields(variant)["tp_size"] == 2
    assert variant.tails


def test_replaced_server_arguments_are_another_launch() -> None:
    text = (
        SA + "import dataclasses\na = ServerArgs(tp_size=2, dp_size=1)\n"
        "b = dataclasses.replace(a, tp_size=4)\n"
    )
    first, second = launches(text)
    assert fields(first.variants[0]) == {"tp_size": 2, "dp_size": 1}
    assert fields(second.variants[0]) == {"dp_size": 1, "tp_size": 4}
    assert at(text, second.span) == "dataclasses.replace"


def test_environment_of_the_program_itself() -> None:
    text = (
        "import os, sglang\nos.environ['SGLANG_A'] = '1'\nos.environ.update({'B': '2'})\n"
        "os.environ.setdefault('C', '3')\nsglang.Engine(tp_size=1)\nos.environ['D'] = '4'\n"
    )
    settings = {one.name: one for one in the_launch(text).environment}
    assert {name: shown(one.value) for name, one in settings.items()} == {
        "SGLANG_A": "1",
        "B": "2",
        "C": "3",
    }
    assert at(text, settings["B"].span) == "'B': '2'"


def test_environment_that_a_branch_sets_is_not_known() -> None:
    text = "import os, sglang\nif f():\n    os.environ['A'] = '1'\nsglang.Engine(tp_size=1)\n"
    (setting,) = the_launch(text).environment
    assert not isinstance(setting.value, Known)


def test_each_call_is_a_launch_of_its_own() -> None:
    text = SGL + "a = sgl.Engine(tp_size=1)\nb = sgl.Engine(tp_size=2)\n"
    assert [fields(launch.variants[0]) for launch in launches(text)] == [
        {"tp_size": 1},
        {"tp_size": 2},
    ]
