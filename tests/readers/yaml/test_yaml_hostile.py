"""Input that was made to hurt: nothing crashes, nothing hangs, every place lies in the file."""

from __future__ import annotations

import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from yaml_reading import check_places, launches_of, reading_of, texts

from sglang_lint.readers.yaml.reader import read
from sglang_lint.text import MappedText

SECONDS = 20  # generous: two busy cores, and what is meant is seconds against forever

SHAPES = [
    "apiVersion: v1\nkind: Pod\nspec:\n  containers:\n    - image: lmsysorg/sglang:v0.5.18\n"
    "      env: [{name: TP, value: '4'}]\n      command: [python3, -m, sglang.launch_server]\n"
    '      args: [--tp, $(TP), "--dp 2", 8, --x={{ .y }}]\n',
    "services:\n  a: &a\n    command: >-\n      python3 -m sglang.launch_server\n"
    "      --tp ${TP:-8}\n    environment:\n      - X=1\n  b:\n    <<: *a\n"
    "    entrypoint: ['sh', '-c']\n",
    "- run: |\n    export TP=8\n    python3 -m sglang.launch_server \\\n      --tp $TP\n"
    "  {{- if .x }}\n  env:\n    A: |2-\n       deep\n  {{- end }}\n",
    "model: {container: a/b:c}\nresources: {gpu_type: h100}\nbackend:\n  sglang_config:\n"
    "    prefill: {tp-size: 8, list: [1, {a: b}], x: null}\n    decode:\n      page-size: 64\n",
]
FRAGMENTS = st.sampled_from(
    """\t|- |: |[|]|{|}|'|"|>-|&a |*a|<<: |{{ x }}|{{- if a }}|{{- end }}|# |\\|$(|${|sglang serve
    |!!str |? |---|...|--tp 8 |command: |args: |%|@|`""".split("|")
    + list("\n\r |\u2028\x85\ufeff\ue000\ue001\U0001f600\x00\x07\ud800")
)


@st.composite
def mutated(draw: st.DrawFn) -> str:
    text = draw(st.sampled_from(SHAPES))
    for _ in range(draw(st.integers(1, 6))):
        start = draw(st.integers(0, len(text)))
        end = min(len(text), start + draw(st.integers(0, 12)))
        text = text[:start] + draw(FRAGMENTS) + text[end:]
    return text


@settings(max_examples=400, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(mutated())
def test_mutated_deployments(text: str) -> None:
    reading = read(MappedText.region(text), "file.yaml")
    for launch in reading.launches:
        for variant in launch.variants:
            for word in variant.words:
                assert 0 <= word.span.start <= word.span.end <= len(text)
                assert word.text is None or not {"\ue000", "\ue001"} & set(word.text)


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=200))
def test_random_bytes(data: bytes) -> None:
    text = "command: [sglang, serve]\n" + data.decode("utf-8", "surrogateescape")
    read(MappedText.region(text), "file.yaml")


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(SHAPES), st.sampled_from(["\r\n", "\r"]))
def test_other_line_breaks(text: str, line_break: str) -> None:
    converted = text.replace("\n", line_break)
    plain = read(MappedText.region(text), "file.yaml")
    other = read(MappedText.region(converted), "file.yaml")
    if line_break == "\r\n":
        assert [[texts(v) for v in one.variants] for one in other.launches] == [
            [texts(v) for v in one.variants] for one in plain.launches
        ]


def test_the_host_may_be_larger_than_the_text() -> None:
    inner = SHAPES[0]
    host = "```yaml\n" + inner + "```\n"
    start = len("```yaml\n")
    reading = read(MappedText.region(host, start, start + len(inner)), "file.md")
    check_places(host, reading)
    assert reading.launches[0].span.start > start


def test_a_byte_order_mark() -> None:
    text = "\ufeffcommand: [sglang, serve, /m]\nargs: ['--tp', '8']\n"
    (launch,) = reading_of(text).launches
    assert texts(launch.variants[0]) == ["/m", "--tp", "8"]


def test_anchors_defined_anew() -> None:
    text = """\
    a: &x {command: [sglang, serve, /m]}
    b: &x [--tp, "8"]
    c: {command: [sglang, serve], args: *x}
    """
    assert [texts(one.variants[0]) for one in launches_of(text)] == [["/m"], ["--tp", "8"]]


def _timed(text: str) -> int:
    start = time.monotonic()
    reading = read(MappedText.region(text), "file.yaml")
    assert time.monotonic() - start < SECONDS
    return len(reading.launches)


def test_an_alias_bomb() -> None:
    lines = ["a0: &a0 [sglang serve /m --tp 8, sglang serve /m --tp 8]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 30)]
    assert _timed("\n".join(lines)) == 2


def test_a_merge_bomb() -> None:
    lines = ["m0: &m0 {command: [sglang, serve, /m]}"]
    lines += [f"m{n}: &m{n} {{<<: [{', '.join([f'*m{n - 1}'] * 9)}]}}" for n in range(1, 200)]
    assert _timed("\n".join(lines)) >= 1


def test_one_long_list_named_often() -> None:
    words = ", ".join(["sglang.launch_server"] * 5_000)
    lines = [f"base: &base [python3, -m, {words}]"]
    lines += [f"c{n}: {{command: *base, n: {n}}}" for n in range(5_000)]
    _timed("\n".join(lines))


def test_one_long_environment_over_many_commands() -> None:
    text = "env:\n" + "".join(f"  V{n}: x\n" for n in range(5_000)) + "all:\n"
    text += "  - {command: [sglang, serve, /m], n: 1}\n" * 3_000
    _timed(text)


def test_recursive_aliases() -> None:
    _timed("sglang: &a [*a, {command: [sglang, serve, *a]}]\n")
    _timed("sglang: &a {<<: *a, command: [sglang, serve, /m]}\n")
    _timed("&a {command: *a, env: *a, image: *a, sglang: *a}\n")


@pytest.mark.parametrize("opening", ["[", "{a: ", "- ", "? ", "a:\n", "{{", "{%", "${", "$(", "<"])
@pytest.mark.parametrize("depth", [100, 10_000])
def test_deep_nesting(opening: str, depth: int) -> None:
    _timed("sglang: 1\n" + opening * depth)
    _timed("run: sglang serve " + opening * min(depth, 1_000))
    if opening == "a:\n":
        _timed("".join(" " * level + "sglang:\n" for level in range(min(depth, 1_000))))


@pytest.mark.parametrize(
    "line",
    [
        "- {command: [sglang, serve, /m, --tp, '8'], image: lmsysorg/sglang:v0.5.20}\n",
        "- run: sglang serve /m --tp 8\n",
        "sglang: sglang serve\n",
        "- 'sglang serve /m --tp {{ .x }} {{ if .y }}--dp 2{{ end }}'\n",
        "{{- if .sglang }}\n",
        "{{ sglang }}\n",
        "{{ sglang }} {{ if .x }}",
        "{% if sglang %}\n- run: sglang serve /m\n{% endif %}\n",
        "- command: [sglang, serve]\n  args:\n    {{- if .x }}\n    - --a\n    {{- end }}\n",
    ],
)
def test_long_files(line: str) -> None:
    _timed(line * 2_000)


def test_a_large_scalar() -> None:
    _timed("run: " + "sglang" * 200_000 + "\n")
    _timed("sglang " + "run" * 200_000 + ": sglang serve /m\n")
    _timed("run: 'sglang serve " + "${a{b}" * 50_000 + "'\n")
    _timed("run: |\n  " + "sglang " * 200_000 + "\n")
    _timed('run: "sglang serve ' + "\\x41" * 200_000 + '"\n')
    _timed("run: >\n" + "  sglang serve /m\n\n" * 5_000)


def test_a_file_that_is_too_large_is_left_alone() -> None:
    text = "command: [sglang, serve, /m]\n" + "#" * 9_000_000
    assert _timed(text) == 0
