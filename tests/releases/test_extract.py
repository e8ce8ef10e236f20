"""Reading options out of small source trees, one for each style of declaring them."""

import json
import zipfile
from textwrap import dedent

import pytest

from sglang_lint.releases.extract.encode import decode, encode, facts_of
from sglang_lint.releases.extract.release import extract_release
from sglang_lint.releases.extract.tree import NotASourceTreeError
from sglang_lint.releases.table import SUPPRESS

ACTIONS = """
    import argparse

    class DeprecatedAction(argparse.Action):
        def __init__(self, option_strings, dest, error_message=None, nargs=0, **kwargs):
            self.error_message = error_message
            super().__init__(option_strings, dest, nargs=nargs, **kwargs)

        def __call__(self, parser, namespace, values, option_string=None):
            if self.error_message is not None:
                parser.error(self.error_message)
            print("gone")

    class RaisingAction(argparse.Action):
        def __init__(self, option_strings, dest, nargs=0, **kwargs):
            super().__init__(option_strings, dest, nargs=nargs, **kwargs)

        def __call__(self, parser, namespace, values, option_string=None):
            raise ValueError(self.help)

    class DeprecatedFlag(argparse.Action):
        def __init__(self, option_strings, dest, new_flag=None, nargs=0, **kwargs):
            self.new_flag = new_flag
            super().__init__(option_strings, dest, nargs=nargs, **kwargs)

        def __call__(self, parser, namespace, values, option_string=None):
            setattr(namespace, self.dest, True)

    class DeprecatedConst(argparse.Action):
        def __init__(self, option_strings, dest, const_value=None, nargs=0, **kwargs):
            self.const_value = const_value
            super().__init__(option_strings, dest, nargs=nargs, **kwargs)

        def __call__(self, parser, namespace, values, option_string=None):
            setattr(namespace, self.dest, self.const_value)

    class DeprecatedAlias(argparse.Action):
        def __init__(self, option_strings, dest, new_flag=None, **kwargs):
            self.new_flag = new_flag
            super().__init__(option_strings, dest, **kwargs)

        def __call__(self, parser, namespace, values, option_string=None):
            setattr(namespace, self.dest, values)

    class PairsAction(argparse.Action):
        def __call__(self, parser, namespace, values, option_string=None):
            setattr(namespace, self.dest, [value.split("=") for value in values])
"""

EXPLICIT = """
    import argparse
    import dataclasses
    import json
    from typing import List, Optional

    from sglang.srt.actions import (
        DeprecatedAction, DeprecatedAlias, DeprecatedConst, DeprecatedFlag, PairsAction,
        RaisingAction,
    )
    from sglang.srt.choices import BACKENDS, EXTRA, Mode
    from sglang.srt.parsers import Registry
    from sglang.srt.utils import is_hip, positive

    MORE = BACKENDS + [EXTRA]

    @dataclasses.dataclass
    class ServerArgs:
        model_path: str
        size: int = 1
        ratio: Optional[float] = None
        backend: Optional[str] = None
        names: Optional[List[str]] = None
        shards: List[str] = dataclasses.field(default_factory=list)
        warm: bool = dataclasses.field(default_factory=lambda: is_hip())
        trust: bool = True

        @staticmethod
        def add_cli_args(parser: argparse.ArgumentParser):
            group = parser.add_argument_group("model")
            group.add_argument("--model-path", "--model", type=str, required=True)
            parser.add_argument("--tensor-size", "--size", type=int, default=ServerArgs.size)
            parser.add_argument("--ratio", type=float, nargs="?", const=0.5)
            parser.add_argument("--backend", type=str, choices=MORE, default=ServerArgs.backend)
            parser.add_argument("--names", type=str, nargs="+", help=argparse.SUPPRESS)
            parser.add_argument("--extra", type=json.loads, default="{}")
            parser.add_argument("--count", type=positive)
            parser.add_argument("--trust", action="store_true")
            parser.add_argument("--parser", choices=list(Registry.Map.keys()))
            parser.add_argument("--mode", choices=[m.name.lower() for m in Mode])
            parser.add_argument("--fast", action=argparse.BooleanOptionalAction)
            parser.add_argument("--pairs", nargs="*", action=PairsAction)
            for name in ("alpha", "beta"):
                parser.add_argument(f"--{name}-rate", type=float, default=0.1)
            add_more(parser)
            parser.add_argument("--old", action=DeprecatedAction)
            parser.add_argument("--older", action=DeprecatedAction, error_message="Use --size.")
            parser.add_argument("--oldest", action=RaisingAction, help="please use --trust instead")
            parser.add_argument("--yes", action=DeprecatedFlag, dest="trust", new_flag="--trust")
            parser.add_argument("--slow", action=DeprecatedConst, dest="backend", const_value="a")
            parser.add_argument(
                "--engine", action=DeprecatedAlias, dest="backend", new_flag="--backend",
                choices=MORE, default=argparse.SUPPRESS,
            )
            parser.add_argument("--gone", help="[Deprecated] Alias of --backend.")
            if computed():
                parser.add_argument("--maybe", type=int)
            parser.add_argument("--open", choices=ask_the_machine())

    def add_more(parser, kind=str):
        parser.add_argument("--more", type=kind, default=None)

    def ask_the_machine():
        return computed()
"""

OTHER_MODULES = {
    "sglang/srt/choices.py": """
        import os
        from enum import IntEnum

        BACKENDS = ["a", "b"]
        if os.environ.get("ALL"):
            BACKENDS.append("c")
        EXTRA = "x"

        class Mode(IntEnum):
            NONE = 0
            ALL = 1
    """,
    "sglang/srt/parsers/__init__.py": """
        from ._registry import Registry
    """,
    "sglang/srt/parsers/_registry.py": """
        from elsewhere import First, Second

        class Registry:
            Map = {"one": First, "two": Second}
    """,
    "sglang/srt/utils.py": """
        import torch

        def is_hip():
            return torch.version.hip is not None

        def positive(text):
            return abs(int(text))
    """,
}


def tree(root, modules, version="0.9.1"):
    files = {"sglang/version.py": f'__version__ = "{version}"', **modules}
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(text))
    return root


@pytest.fixture
def explicit(tmp_path):
    modules = {"sglang/srt/server_args.py": EXPLICIT, "sglang/srt/actions.py": ACTIONS}
    return tree(tmp_path, {**modules, **OTHER_MODULES})


def options_of(extracted):
    return {option.strings[0]: option for option in extracted.options}


def test_registered_options(explicit):
    extracted = extract_release(explicit)
    options = options_of(extracted)
    assert extracted.version == "0.9.1"
    assert not extracted.has_serve
    assert list(options)[:3] == ["-h", "--model-path", "--tensor-size"]
    model = options["--model-path"]
    assert (model.strings, model.field, model.required) == (
        ("--model-path", "--model"),
        "model_path",
        True,
    )
    size = options["--tensor-size"]
    assert (size.strings[1], size.field, size.type, size.default) == (
        "--size",
        "tensor_size",
        "int",
        1,
    )
    ratio = options["--ratio"]
    assert (ratio.nargs, ratio.const, ratio.type) == ("?", 0.5, "float")
    # `c` is there in some runs: it is taken.
    assert options["--backend"].choices == ("a", "b", "c", "x")
    assert (options["--names"].nargs, options["--names"].hidden) == ("+", True)
    assert (options["--extra"].type, options["--extra"].default) == ("loads", "{}")
    assert options["--count"].type == "positive"
    assert (options["--trust"].action, options["--trust"].nargs) == ("store_true", 0)
    assert options["--parser"].choices == ("one", "two")
    assert options["--mode"].choices == ("none", "all")
    assert options["--fast"].strings == ("--fast", "--no-fast")
    assert options["--fast"].action == "boolean_optional"
    assert (options["--pairs"].action, options["--pairs"].nargs) == ("custom", "*")
    assert options["--alpha-rate"].default == options["--beta-rate"].default == 0.1
    assert options["--more"].type == "str"
    assert "--maybe" in options  # registered in some runs: it is accepted
    assert options["--open"].choices is None
    assert options["--open"].computed == ("choices",)
    assert any(reason.startswith("--open: choices") for reason in extracted.unresolved)


def test_actions_of_the_source(explicit):
    options = options_of(extract_release(explicit))
    summary = {
        name: (option.action, option.field, option.nargs, option.deprecated, option.replacement)
        for name, option in options.items()
    }
    assert summary["--old"] == ("ignored", "old", 0, True, None)
    assert summary["--older"] == ("refused", "older", 0, True, "--size")
    assert summary["--oldest"][:2] == ("refused", "oldest")
    assert summary["--yes"] == ("store_true", "trust", 0, True, "--trust")
    assert summary["--slow"] == ("store_const", "backend", 0, True, None)
    assert options["--slow"].const == "a"
    assert summary["--engine"] == ("store", "backend", None, True, "--backend")
    assert options["--engine"].default == SUPPRESS
    assert summary["--gone"] == ("store", "gone", None, True, "--backend")


def test_fields(explicit):
    extracted = extract_release(explicit)
    fields = {entry.name: entry for entry in extracted.fields}
    assert list(fields) == [
        "model_path", "size", "ratio", "backend", "names", "shards", "warm", "trust",
    ]  # fmt: skip
    assert fields["model_path"].required
    assert (fields["size"].type, fields["size"].default) == ("int", 1)
    assert fields["names"].type == "Optional[list[str]]"
    assert fields["shards"].default == ()
    assert fields["warm"].computed == ("default",)
    # The parser leaves False where the record has True.
    assert extracted.parsed == {"trust": False}


ANNOTATED = """
    import argparse
    import dataclasses
    import json
    from typing import Dict, List, Literal, Optional, Union

    from sglang.srt.arg_utils import A, Arg, add_cli_args_from_dataclass
    from sglang.srt.choices import BACKENDS, Mode
    from sglang.srt.utils import positive

    def _modes():
        import sys
        loaded = sys.modules.get("sglang.srt.choices")
        if loaded is not None:
            return loaded.everything()
        from sglang.srt.choices import Mode
        return list(Mode)

    @dataclasses.dataclass
    class ServerArgs:
        model_path: A[str, Arg(help="The model.", aliases=["--model"])]
        name: A[Optional[str], "A name."] = None
        long_text: A[str, f"{positive.__doc__} and more"] = "t"
        size: A[int, Arg("The size.", cli_name="--tensor-size", aliases=["--tsize"])] = 1
        backend: A[Optional[str], Arg(help="h", choices=BACKENDS + ["own"])] = None
        level: A[Literal["low", "high"], "h"] = "low"
        step: A[Optional[Literal[1, 2]], "h"] = None
        flag: A[bool, "h"] = False
        maybe: A[Optional[bool], Arg(help="h", action=argparse.BooleanOptionalAction)] = None
        ids: A[Optional[List[int]], "h"] = None
        words: A[List[str], Arg(help="h", nargs="*")] = dataclasses.field(default_factory=list)
        table: A[Optional[Dict[str, str]], Arg(help="h", type_parser=json.loads)] = None
        rows: A[Optional[List[float]], Arg(help="h", type_parser=positive)] = None
        either: A[Optional[Union[str, Dict]], "h"] = None
        union: A[int | None, "h"] = None
        part: A[Optional[float], Arg(help="h", nargs="?", const=0.5)] = None
        inner: A[int, Arg(help="h", no_cli=True)] = 10 * 1000
        plain: Optional[str] = None

        @staticmethod
        def add_cli_args(parser):
            add_cli_args_from_dataclass(parser, ServerArgs)
            parser.add_argument(
                "--plain", default=ServerArgs.plain, choices=[m.name.lower() for m in _modes()]
            )
"""
ARG_UTILS = """
    import dataclasses
    from typing import Annotated

    A = Annotated

    @dataclasses.dataclass(frozen=True)
    class Arg:
        help: str = ""

    def add_cli_args_from_dataclass(parser, cls, *, fields=None):
        for field in reflect(cls):
            parser.add_argument(field)
"""


def annotated_modules(**more):
    return {
        "sglang/srt/server_args.py": ANNOTATED,
        "sglang/srt/arg_utils.py": ARG_UTILS,
        **OTHER_MODULES,
        **more,
    }


def test_annotated_fields(tmp_path):
    extracted = extract_release(tree(tmp_path, annotated_modules()))
    options = options_of(extracted)
    assert "--inner" not in options
    assert not [reason for reason in extracted.unresolved if reason.startswith("--")]
    shape = {
        name: (o.strings[1:], o.field, o.action, o.type, o.nargs, o.choices, o.default)
        for name, o in options.items()
    }
    assert shape["--model-path"][:4] == (("--model",), "model_path", "store", "str")
    assert options["--model-path"].required
    assert shape["--name"] == ((), "name", "store", "str", None, None, None)
    assert shape["--long-text"][-1] == "t"
    assert shape["--tensor-size"] == (("--tsize",), "size", "store", "int", None, None, 1)
    assert shape["--backend"][5] == ("a", "b", "c", "own")
    assert shape["--level"] == ((), "level", "store", "str", None, ("low", "high"), "low")
    assert shape["--step"] == ((), "step", "store", "int", None, (1, 2), None)
    assert shape["--flag"] == ((), "flag", "store_true", None, 0, None, False)
    assert shape["--maybe"] == (("--no-maybe",), "maybe", "boolean_optional", None, 0, None, None)
    assert shape["--ids"] == ((), "ids", "store", "int", "+", None, None)
    assert shape["--words"] == ((), "words", "store", "str", "*", None, ())
    assert shape["--table"] == ((), "table", "store", "loads", None, None, None)
    assert shape["--rows"] == ((), "rows", "store", "positive", None, None, None)
    assert shape["--either"] == ((), "either", "store", "str", None, None, None)
    assert shape["--union"] == ((), "union", "store", "int", None, None, None)
    assert (options["--part"].nargs, options["--part"].const) == ("?", 0.5)
    assert options["--plain"].choices == ("none", "all")
    fields = {entry.name: (entry.type, entry.default) for entry in extracted.fields}
    assert fields["inner"] == ("int", 10_000)
    assert fields["union"] == ("Optional[int]", None)
    assert fields["either"] == ("Optional[Union[str, dict]]", None)


SPLIT = """
    import msgspec

    from sglang.srt.arg_utils import add_cli_args_from_dataclass
    from sglang.srt.fields import collect_input_fields
    from sglang.srt.fields.model import Model
    from sglang.srt.fields.parallel import Parallel

    class ServerArgs:
        @staticmethod
        def add_cli_args(parser):
            add_cli_args_from_dataclass(parser, ServerArgs)
            parser.add_argument("--mode", choices=["a"], default=_declared("mode"))

    _SOURCES = [Model, Parallel]
    _annotations, _defaults = collect_input_fields(_SOURCES)
    ServerArgs = msgspec.defstruct("ServerArgs", list(_annotations))

    def _declared(name):
        return next(f.default for f in msgspec.structs.fields(ServerArgs) if f.name == name)
"""


def test_fields_collected_from_other_classes(tmp_path):
    modules = {
        "sglang/srt/server_args.py": SPLIT,
        "sglang/srt/arg_utils.py": ARG_UTILS,
        "sglang/srt/fields/__init__.py": "def collect_input_fields(sources): ...",
        "sglang/srt/fields/model.py": """
            import msgspec
            from typing import ClassVar, Optional
            from ..arg_utils import A, Arg

            class Model(msgspec.Struct):
                _NS_PATH = "model"
                KIND: ClassVar[str] = "x"
                model_path: A[str, Arg(help="The model.")]
                mode: Optional[str] = "a"
                shards: A[list[str], "h"] = msgspec.field(default_factory=list)
        """,
        "sglang/srt/fields/parallel.py": """
            import msgspec
            from sglang.srt import arg_utils
            from sglang.srt.arg_utils import Derived

            class Parallel(msgspec.Struct):
                size: arg_utils.A[int, arg_utils.Arg(help="h", aliases=["--tp"])] = 2
                rank = Derived("computed later")
        """,
    }
    extracted = extract_release(tree(tmp_path, modules))
    options = options_of(extracted)
    assert set(options) == {"-h", "--model-path", "--shards", "--size", "--mode"}
    assert options["--mode"].default == "a"
    assert options["--size"].strings == ("--size", "--tp")
    assert [entry.name for entry in extracted.fields] == ["model_path", "mode", "shards", "size"]


def test_a_wheel_a_repository_and_a_package_are_the_same(tmp_path):
    repository = tree(tmp_path / "repository" / "python", annotated_modules())
    wheel = tmp_path / "sglang-0.9.1-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for path in repository.rglob("*.py"):
            archive.write(path, path.relative_to(repository))
    found = [
        extract_release(place)
        for place in (wheel, repository.parent, repository, repository / "sglang")
    ]
    assert all(extracted == found[0] for extracted in found)


@pytest.mark.parametrize(
    "modules",
    [
        {"sglang/__init__.py": ""},
        {"sglang/srt/server_args.py": "X = 1"},
        {"sglang/srt/server_args.py": "class ServerArgs: pass"},
        {"sglang/srt/server_args.py": "class ServerArgs(:"},
    ],
)
def test_what_is_no_source_tree(tmp_path, modules):
    with pytest.raises(NotASourceTreeError):
        extract_release(tree(tmp_path, modules))


@pytest.mark.parametrize(
    "expression",
    [
        "f(1)",
        "'x' * 10 ** 9",
        "[1] * 10 ** 9",
        "2 ** 10 ** 9",
        "1 << 10 ** 9",
        "'%1000000000d' % 1",
        "__import__('os').system('true')",
        "[x for x in range(10 ** 9)]",
        "().__class__.__bases__[0].__subclasses__()",
        "(" * 90 + "1" + ")" * 90 + " + ".join([""] + ["1"] * 300),
    ],
)
def test_hostile_choices_are_computed(tmp_path, expression):
    source = f"""
        import dataclasses

        def f(n):
            return f(n + 1) + f(n + 2)

        @dataclasses.dataclass
        class ServerArgs:
            @staticmethod
            def add_cli_args(parser):
                parser.add_argument("--x", choices={expression})
    """
    extracted = extract_release(tree(tmp_path, {"sglang/srt/server_args.py": source}))
    option = options_of(extracted)["--x"]
    assert option.choices is None
    assert option.computed == ("choices",)


def test_the_data_file_keeps_every_fact_and_no_order(tmp_path, explicit):
    first = facts_of(extract_release(explicit))
    second = facts_of(extract_release(tree(tmp_path / "b", annotated_modules(), "0.10.0")))
    third = facts_of(extract_release(tree(tmp_path / "c", annotated_modules(), "0.9.1.post1")))
    releases = {"0.9.1": first, "0.10.0": second, "0.9.1.post1": third}
    text = encode(releases)
    assert encode(dict(reversed(releases.items()))) == text
    data = json.loads(text)
    assert data["releases"] == ["0.9.1", "0.9.1.post1", "0.10.0"]
    assert encode(decode(data)) == text
    # One line a fact; what holds in a run of releases is said once.
    assert '["--ids","nargs","+",1,null],' in text.splitlines()
    assert sum(line.startswith('["--model-path","action"') for line in text.splitlines()) == 1
