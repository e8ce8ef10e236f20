"""No text makes the reader fail, wait, or point outside of it."""

from __future__ import annotations

import shlex
import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from shell_reading import reading_of, spans_in, words_in
from shell_scripts import BRANCHING, NO_LAUNCH, STRAIGHT

from sglang_lint.readers.shell.reader import read_script, words_of
from sglang_lint.text import MappedText

L = "python3 -m sglang.launch_server"
_SCRIPTS = [example.script for example in STRAIGHT + BRANCHING + NO_LAUNCH]
_FRAGMENTS = st.sampled_from(
    [
        *"\"'`\\\n\r\0\t #$&|;<>(){}[]*?~=!\ue000",
        *("${", "$(", "$((", "((", "[[ ", " ]]", "<<EOF\n", "EOF\n", "<<<", "\\\n", "\\\r\n"),
        *("if ", "then ", "fi\n", "do ", "done\n", "case ", "esac\n", "for x in ", "function "),
        *("A=(", "A+=(", "$A", '"$@"', "eval ", "bash -c ", "set -- ", "shift\n", "return\n"),
        *("{a,b}", "{1..9}", "${A[@]}", "${A//x", "${A:-", "😀", "\ud800", "sglang", f"{L} "),
    ]
)


def _check(text: str) -> None:
    reading = reading_of(text)
    for span in spans_in(reading):
        assert 0 <= span.start <= span.end <= len(text)
    for launch in reading.launches:
        assert 1 <= len(launch.variants) <= 64
    for word in words_in(reading):
        assert word.text is None or word.literal.text == word.text
    words_of(MappedText.region(text))


@st.composite
def _mutated(draw: st.DrawFn) -> str:
    text = draw(st.sampled_from(_SCRIPTS))
    for _ in range(draw(st.integers(1, 6))):
        place = draw(st.integers(0, len(text)))
        end = place + draw(st.integers(0, 10))
        fragment = draw(_FRAGMENTS) * draw(st.sampled_from([0, 1, 1, 7]))
        text = text[:place] + fragment + text[end:]
    return text


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(_mutated())
def test_mutated_scripts(text: str) -> None:
    _check(text)


@settings(max_examples=150, deadline=None)
@given(st.lists(_FRAGMENTS, max_size=30).map("".join))
def test_fragments_in_any_order(text: str) -> None:
    _check(text)


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes(data: bytes) -> None:
    _check(data.decode("latin-1") + f"\n{L} --tp 8\n")


def _quoted(depth: int) -> str:
    command = L
    for _ in range(depth):
        command = f"bash -c {shlex.quote(command)}"
    return command


HEAVY = {
    "doubled string": "A='x '\n" + 'A="$A$A"\n' * 60 + f"{L} $A\n",
    "doubled array": "A=(x)\n" + 'A=("${A[@]}" "${A[@]}")\n' * 60 + f'{L} "${{A[@]}}"\n',
    "doubled nothing": "A=\n" + 'A="$A$A"\n' * 60 + f"{L} $A\n",
    "braces": f"{L} {'{a,b}' * 30} {{1..999999}}{{1..99999}} {'{' * 3000}\n",
    "many branches": "".join(f'[ "$X{i}" = 1 ] && A+=(--x{i})\n' for i in range(300))
    + f'{L} "${{A[@]}}"\n',
    "deep branches": 'if [ "$X" = 1 ]; then A+=" --x"\n' * 1000 + "fi\n" * 1000 + f"{L} $A\n",
    "many cases": "case $X in\n"
    + "".join(f"{i}) A={i};;\n" for i in range(1000))
    + f"esac\n{L} $A\n",
    "long list": "a && " * 3000 + f"{L}\n",
    "deep substitutions": f"{L} {'$(' * 5000}\n",
    "deep expansions": f"{L} {'${a:-' * 5000}{'}' * 5000}\n",
    "deep shells": _quoted(10),
    "eval of itself": f'C=\'eval "$C"; eval "$C"; {L}\'\neval "$C"\n',
    "recursion": f'f() {{ f "$@" a; f; {L} "$@"; }}\nf\n',
    "calls": "".join(f"f{i}() {{ {f'f{i + 1};' * 6} }}\n" for i in range(12))
    + f"f12() {{ {L}; }}\nf0\n",
    "alternatives": L + "".join(f" ${{X{i}:+--x{i}}}" for i in range(500)) + "\n",
    "comments": f"{L} \\\n # c\n" + " --tp 8 \\\n # c\n" * 3000,
    "stars": f"M={'a' * 5000}\n{L} ${{M%%*a*a*a*a*b}}\n",
    "nothing but quotes": "\"'" * 20000,
}


@pytest.mark.parametrize("name", HEAVY)
def test_heavy_scripts_come_to_an_end(name: str) -> None:
    begin = time.process_time()
    _check(HEAVY[name])
    assert time.process_time() - begin < 15


def test_variants_are_bounded_and_hide_nothing() -> None:
    lines = [f'if [ "$X{i}" = 1 ]; then A+=(--x{i}); fi\n' for i in range(10)]
    (launch,) = reading_of("A=(--tp 8)\n" + "".join(lines) + f'{L} "${{A[@]}}" --end\n').launches
    assert len(launch.variants) <= 64
    for variant in launch.variants:
        texts = [word.text for word in variant.words]
        assert texts[:2] == ["--tp", "8"]
        assert texts[-1] == "--end"
    shown = {word.text for variant in launch.variants for word in variant.words}
    assert {f"--x{i}" for i in range(10)} <= shown
    # Each variant leaves open what the branches that it does not decide would add.
    assert any(variant.unseen() for variant in launch.variants)


def test_depth_is_an_argument() -> None:
    assert read_script(MappedText.region(L), depth=8).launches
    assert not read_script(MappedText.region(L), depth=9).launches
