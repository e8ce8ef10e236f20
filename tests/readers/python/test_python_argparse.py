"""Options that a program declares itself and hands on."""

import pytest

from sglang_lint.readers.python.reader import read
from sglang_lint.text import MappedText
from sglang_lint.values import Known, Unknown, Value


def rank_of(declaration: str) -> Value:
    text = (
        "import argparse, subprocess\n\nparser = argparse.ArgumentParser()\n"
        f"parser.add_argument('--rank', type=int{declaration})\nargs = parser.parse_args()\n"
        "subprocess.run(['python', '-m', 'sglang.launch_server', '--node-rank', str(args.rank)])\n"
    )
    (launch,) = read(MappedText.region(text), "x.py").launches
    return launch.variants[0].words[1].value


def test_a_default_is_what_is_handed_on() -> None:
    assert rank_of(", default=3") == Known("3")


@pytest.mark.parametrize("declaration", ["", ", default=None", ", required=True"])
def test_without_a_default_the_value_is_the_user_s(declaration: str) -> None:
    assert isinstance(rank_of(declaration), Unknown)
