"""Places in files with all kinds of line ends, blanks and characters."""

from __future__ import annotations

import ast
import io
import tokenize
import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st
from python_reading import argv, at, fields, launches, reading_of, the_launch, the_variant

from sglang_lint.readers.python.literals import decode_token
from sglang_lint.readers.python.reader import read
from sglang_lint.text import Document, MappedText, Position

LINES = [
    "# é 😀 \u2028 comment",
    "import subprocess",
    "TITLE = '😀é'",
    "if TITLE:",
    "\tARGS = ['python3', '-m', 'sglang.launch_server', '--served-model-name', '😀é', '--tp', '8']",
    "\tsubprocess.run(ARGS)",
    "import sglang as sgl",
    "sgl.Engine(model_path='é😀', tp_size=8)",
]

ENDINGS = {"unix": "\n", "dos": "\r\n", "mac": "\r"}


@pytest.mark.parametrize("ending", ENDINGS.values(), ids=ENDINGS)
@pytest.mark.parametrize("start", ["", "\ufeff", "\f", "\n\n", "# a\f\n"])
def test_spans_whatever_the_lines_end_with(start: str, ending: str) -> None:
    text = start + ending.join(LINES) + ending
    first, second = launches(text)
    assert at(text, first.span) == "'sglang.launch_server'"
    assert argv(first.variants[0]) == "--served-model-name 😀é --tp 8"
    assert [at(text, word.span) for word in first.variants[0].words] == [
        "'--served-model-name'",
        "'😀é'",
        "'--tp'",
        "'8'",
    ]
    assert at(text, second.span) == "sgl.Engine"
    assert at(text, second.variants[0].keywords[1].span) == "tp_size=8"


def test_no_line_end_at_the_end() -> None:
    assert fields(the_variant("import sglang\nsglang.Engine(tp_size=8)")) == {"tp_size": 8}


def test_form_feeds_and_continued_lines() -> None:
    text = "import sglang\n\x0cx = 1\n\x0c\nsglang.\\\n  Engine(tp_size=\\\n8)\n"
    launch = the_launch(text)
    assert at(text, launch.span) == "sglang.\\\n  Engine"
    assert at(text, launch.variants[0].keywords[0].value_span) == "8"


def test_statements_on_one_line() -> None:
    text = "import sglang; x = '''\n'''; sglang.Engine(tp_size=8); y = 1\n"
    assert fields(the_variant(text)) == {"tp_size": 8}


def test_statements_between_are_not_looked_at() -> None:
    noise = "def f%d():\n    return '😀' * %d\n\n\n"
    text = (
        "import sglang\n"
        + "".join(noise % (i, i) for i in range(50))
        + "TP = 8\n"
        + "".join(noise % (i, i) for i in range(50))
        + "sglang.Engine(tp_size=TP)\n"
    )
    launch = the_launch(text)
    assert fields(launch.variants[0]) == {"tp_size": 8}
    assert at(text, launch.span) == "sglang.Engine"
    (related,) = launch.variants[0].keywords[0].related
    assert at(text, related.span) == "TP"


def test_dos_lines_inside_a_command() -> None:
    text = "import os\r\nos.system('''python3 -m sglang.launch_server \\\\\r\n  --tp 8''')\r\n"
    variant = the_variant(text)
    assert argv(variant) == "--tp 8"
    assert at(text, variant.words[0].span) == "--tp"


def test_python_inside_another_text() -> None:
    host = "# Title\n\n```python\nimport sglang\nsglang.Engine(tp_size=8)\n```\n"
    start = host.index("import")
    source = MappedText.region(host, start, host.rindex("```"))
    (launch,) = read(source, "README.md").launches
    assert host[launch.span.start : launch.span.end] == "sglang.Engine"
    keyword = launch.variants[0].keywords[0]
    assert host[keyword.value_span.start : keyword.value_span.end] == "8"


def test_python_inside_an_escaped_text() -> None:
    # A cell of a notebook: each line of the code is a JSON string.
    host = '["import sglang\\n", "sglang.Engine(tp_size=\\"8\\")\\n"]'
    code, starts, ends, index = "", [], [], 0
    inside = False
    while index < len(host):
        char = host[index]
        if char == '"':
            inside = not inside
        elif inside:
            length = 2 if char == "\\" else 1
            code += {"\\n": "\n", '\\"': '"'}.get(host[index : index + length], char)
            starts.append(index)
            ends.append(index + length)
            index += length - 1
        index += 1
    (launch,) = read(MappedText(code, starts, ends), "x.ipynb").launches
    keyword = launch.variants[0].keywords[0]
    assert host[keyword.value_span.start : keyword.value_span.end] == '\\"8\\"'


def test_positions_in_lines_and_columns() -> None:
    text = "import sglang\ns = '😀'; sglang.Engine(tp_size=8)\n"
    launch = the_launch(text)
    document = Document("x.py", text)
    assert document.position(launch.span.start) == Position(2, 10)


SYNTAX = {
    "Python 2": ("import sglang\nprint 'sglang.launch_server'\n", 2),
    "template": ("import sglang\nsglang.Engine(tp_size={{ tp }} x)\n", 2),
    "cut off": ("import sglang\nsglang.Engine(tp_size=8\n", 2),
    "indentation": ("import sglang\n  sglang.Engine(tp_size=8)\n", 2),
    "merge conflict": ("import sglang\n<<<<<<< HEAD\nsglang.Engine()\n", 2),
}


@pytest.mark.parametrize(("text", "line"), SYNTAX.values(), ids=SYNTAX)
def test_a_file_that_is_no_python(text: str, line: int) -> None:
    reading = reading_of(text)
    assert reading.launches == ()
    (fault,) = reading.faults
    assert fault.check == "python-syntax"
    assert Document("x.py", text).position(fault.span.start).line == line


def test_syntax_errors_of_files_without_launches_are_for_others() -> None:
    assert reading_of("print 'sglang'\n").faults == ()


NEWER = {
    "quotes inside a formatted string": "x = f'{d['k']}'\n",
    "type statement": "type X = int\n",
    "type parameters": "def f[T](x: T) -> T:\n    return x\n",
    "exception groups": "try:\n    pass\nexcept* ValueError:\n    pass\n",
}


@pytest.mark.parametrize("body", NEWER.values(), ids=NEWER)
def test_syntax_that_is_newer_than_the_interpreter(body: str) -> None:
    text = body + "import sglang\nsglang.Engine(tp_size=8)\n"
    assert fields(the_variant(text)) == {"tp_size": 8}
    assert reading_of(text).faults == ()


@given(
    st.sampled_from(["", "r", "R", "u"]),
    st.sampled_from(["'", '"', "'''", '"""']),
    st.text(alphabet="ab\\nx41u{}N'\"\n\r é😀07", max_size=12),
)
def test_decoded_tokens_are_what_python_reads(prefix: str, quote: str, body: str) -> None:
    token = f"{prefix}{quote}{body}{quote}"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            value = ast.literal_eval(token)
        kinds = [one.type for one in tokenize.generate_tokens(io.StringIO(token).readline)]
    except (SyntaxError, ValueError, tokenize.TokenError):
        return
    if kinds.count(tokenize.STRING) != 1:
        return
    decoded = decode_token(token, 10)
    assert decoded is not None
    assert decoded.text == value
    assert all(10 <= start < end <= 10 + len(token) for start, end in _ranges(decoded))


def _ranges(text: MappedText) -> list[tuple[int, int]]:
    return list(zip(text.starts, text.ends, strict=True))
