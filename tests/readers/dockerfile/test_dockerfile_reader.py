"""Launches in Dockerfiles: exec and shell form, stages, variables, base images and pins."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sglang_lint.launches import Launch, Reading
from sglang_lint.readers.dockerfile import FORMAT
from sglang_lint.readers.dockerfile.reader import read
from sglang_lint.readers.registry import format_of
from sglang_lint.text import MappedText, Span
from sglang_lint.values import Known


def reading_of(text: str) -> Reading:
    reading = read(MappedText.region(text), "Dockerfile")
    whole = Span(0, len(text))
    for launch in reading.launches:
        places = [launch.span, launch.extent]
        places += [evidence.span for evidence in launch.evidence]
        places += [setting.span for setting in launch.environment]
        for variant in launch.variants:
            places += [tail.span for tail in variant.tails]
            places += [word.span for word in variant.words]
            for word in variant.words:
                if word.text is not None and word.literal.is_verbatim(0, len(word.literal)):
                    span = word.literal.span()
                    assert text[span.start : span.end] == word.literal.text
        assert all(whole.covers(place) for place in places)
    return reading


def launch_of(text: str) -> Launch:
    (launch,) = reading_of(text).launches
    return launch


def words_of(text: str) -> list[str | None]:
    (variant,) = launch_of(text).variants
    return [word.text for word in variant.words]


def written(text: str, span: Span) -> str:
    return text[span.start : span.end]


FLAGS = ["--model-path", "/m", "--tp", "8"]


@pytest.mark.parametrize(
    "command",
    [
        'CMD ["python3", "-m", "sglang.launch_server", "--model-path", "/m", "--tp", "8"]',
        'ENTRYPOINT ["python3", "-m", "sglang.launch_server"]\nCMD ["--model-path", "/m", \\\n'
        '     "--tp", "8"]',
        "CMD python3 -m sglang.launch_server --model-path /m --tp 8",
        "CMD exec python3 -m sglang.launch_server \\\n  # a comment that docker takes out\n\n"
        "  --model-path /m \\  \n  --tp 8",
        "ENTRYPOINT exec python3 -m sglang.launch_server --model-path /m --tp 8\nCMD --dp 4",
        'ENTRYPOINT ["/bin/bash", "-c"]\n'
        'CMD ["python3 -m sglang.launch_server --model-path /m --tp 8"]',
        'ENTRYPOINT ["/opt/entry.sh"]\nCMD python3 -m sglang.launch_server --model-path /m --tp 8',
        "cmd python3 -m sglang.launch_server --model-path /m --tp 8 # start",
        "CMD python3 -m sglang.launch_server --model-path /m --tp 4\n"
        "CMD python3 -m sglang.launch_server --model-path /m --tp 8",
    ],
)
@pytest.mark.parametrize("line_break", ["\n", "\r\n"])
def test_forms_are_one_launch(command: str, line_break: str) -> None:
    text = f"FROM lmsysorg/sglang:v0.5.20\n{command}\nEXPOSE 80\n".replace("\n", line_break)
    launch = launch_of(text)
    assert [word.text for word in launch.variants[0].words] == FLAGS
    assert "sglang.launch_server" in written(text, launch.span)
    assert [(e.kind.value, e.text) for e in launch.evidence] == [
        ("image", "lmsysorg/sglang:v0.5.20")
    ]
    assert launch.variants[0].tails == ()


def test_places_in_exec_form() -> None:
    text = 'FROM a\nCMD ["sglang", "serve", "/m\\u0041\\"\\/b", "--tp", "\u00e9\U0001f600"]\n'
    launch = launch_of(text)
    words = launch.variants[0].words
    assert [word.text for word in words] == ['/mA"/b', "--tp", "\u00e9\U0001f600"]
    assert written(text, words[0].span) == '"/m\\u0041\\"\\/b"'
    assert written(text, words[0].literal.span(2, 3)) == "\\u0041"
    assert written(text, words[2].literal.span()) == "\u00e9\U0001f600"
    assert written(text, launch.span) == '"sglang", "serve"'
    assert written(text, launch.extent) == text[7:-1]


def test_variables_of_the_image_reach_the_shell_form() -> None:
    text = """\
ARG VERSION=v0.5.18
FROM lmsysorg/sglang:${VERSION}-cu129 AS server
ARG PORT=30000
ENV TP=8 MODEL="/models/a b"
ENV NAME the model
CMD python3 -m sglang.launch_server --tp $TP --model-path "$MODEL" --port $PORT
"""
    launch = launch_of(text)
    words = [word.text for word in launch.variants[0].words]
    assert words[:5] == ["--tp", "8", "--model-path", "/models/a b", "--port"]
    assert words[5] is None  # a build argument is gone when the image runs
    assert launch.evidence[0].text == "lmsysorg/sglang:v0.5.18-cu129"
    assert written(text, launch.evidence[0].span) == "lmsysorg/sglang:${VERSION}-cu129"
    assert {setting.name: setting.value for setting in launch.environment} == {
        "TP": Known("8"),
        "MODEL": Known("/models/a b"),
        "NAME": Known("the model"),
    }


def test_exec_form_fills_in_nothing() -> None:
    text = 'FROM a\nENV TP=8\nCMD ["sglang", "serve", "/m", "--tp", "$TP"]\n'
    assert words_of(text) == ["/m", "--tp", "$TP"]


def test_an_unknown_base_image_is_no_evidence() -> None:
    text = "ARG IMAGE\nFROM ${IMAGE}\nCMD sglang serve /m\n"
    assert launch_of(text).evidence == ()


def test_stages() -> None:
    text = """\
FROM lmsysorg/sglang:v0.5.18 AS base
ENV TP=2
ENTRYPOINT ["python3", "-m", "sglang.launch_server"]
CMD ["--help"]
FROM base AS prefill
CMD ["--model-path", "/m", "--disaggregation-mode", "prefill"]
FROM lmsysorg/sglang:v0.5.20 AS decode
CMD ["sglang", "serve", "/m", "--disaggregation-mode", "decode"]
FROM Base
RUN pip install "sglang[all]==0.5.21"
CMD ["--model-path", "/m", "--tp", "2"]
"""
    found = reading_of(text).launches
    assert [one.evidence[-1].text for one in found] == [
        "lmsysorg/sglang:v0.5.18",
        "lmsysorg/sglang:v0.5.18",
        "lmsysorg/sglang:v0.5.20",
    ]
    last = next(one for one in found if one.evidence[0].kind.value == "pip")
    assert last.evidence[0].text == "sglang==0.5.21"
    assert [setting.name for setting in last.environment] == ["TP"]
    assert [word.text for word in last.variants[0].words][-2:] == ["--tp", "2"]


def test_an_entry_point_forgets_the_base_images_command() -> None:
    text = """\
FROM a AS base
CMD ["sleep", "1"]
FROM base
ENTRYPOINT ["python3", "-m", "sglang.launch_server", "--tp", "2"]
"""
    launch = launch_of(text)
    assert [word.text for word in launch.variants[0].words] == ["--tp", "2"]
    (tail,) = launch.variants[0].tails  # whoever runs the image adds arguments
    assert written(text, tail.span).startswith("ENTRYPOINT")


@pytest.mark.parametrize(
    ("install", "pin"),
    [
        ("RUN pip install sglang==0.5.18", "sglang==0.5.18"),
        (
            "RUN uv pip install \\\n  'sglang[all]==0.5.18.post1' && \\\n  true",
            "sglang==0.5.18.post1",
        ),
        ("ARG V=0.5.19\nRUN pip install sglang==${V}", "sglang==0.5.19"),
        (
            "RUN git clone -b v0.5.16 https://github.com/sgl-project/sglang.git && \\\n"
            "    cd sglang && pip install -e python",
            "sglang==0.5.16",
        ),
        ("RUN <<EOF\nset -e\npip install sglang==0.5.17\nEOF", "sglang==0.5.17"),
    ],
)
def test_pins(install: str, pin: str) -> None:
    text = f"FROM nvidia/cuda:13.0.1-devel\n{install}\nCMD sglang serve /m\n"
    evidence = launch_of(text).evidence
    assert (evidence[0].kind.value, evidence[0].text) == ("pip", pin)
    assert written(text, evidence[0].span)
    assert evidence[1].text == "nvidia/cuda:13.0.1-devel"


def test_scripts_that_a_build_runs_or_writes() -> None:
    text = """\
FROM lmsysorg/sglang:v0.5.20
RUN python3 -m sglang.compile_deep_gemm --model-path /m --tp 8 \\
    --trust-remote-code
RUN <<EOF
sglang serve /a
EOF
COPY <<-"EOT" /opt/start.sh
	sglang serve /b
EOT
COPY <<EOT /opt/readme.txt
sglang serve /c
EOT
RUN cat <<EOF > /opt/x && sglang serve /d
sglang serve /e
EOF
"""
    found = reading_of(text).launches
    assert [one.variants[0].words[-1].text for one in found] == [
        "--trust-remote-code",
        "/a",
        "/b",
        "/d",
    ]
    assert {one.evidence[0].text for one in found} == {"lmsysorg/sglang:v0.5.20"}


@pytest.mark.parametrize(
    "instructions",
    [
        'CMD ["python3", "-m", "sglang_router.launch_router"]',
        'CMD ["trtllm-serve", "/models/sglang"]',
        'CMD ["sglang", "serve", "/m", "--num-gpus", "4"]',
        'CMD ["echo", "python3 -m sglang.launch_server"]',
        "# CMD python3 -m sglang.launch_server",
        "HEALTHCHECK CMD pgrep -f sglang.launch_server",
        "ONBUILD CMD python3 -m sglang.launch_server",
        "LABEL run='python3 -m sglang.launch_server'",
        "CMD python3 -m sglang.launch_server --help",
        'CMD []\nENTRYPOINT []\nCMD ["sglang.launch_server"]',
        "RUN echo sglang serve /m",
    ],
)
def test_what_starts_no_server(instructions: str) -> None:
    assert reading_of(f"FROM lmsysorg/sglang:v0.5.20\n{instructions}\n") == Reading()


def test_backtick_escapes() -> None:
    text = "# escape=`\nFROM a\nCMD sglang serve /m `\n  --tp 8\n"
    assert words_of(text) == ["/m", "--tp", "8"]


@pytest.mark.parametrize(
    "name",
    ["Dockerfile", "Containerfile", "sglang.Dockerfile", "b200.dockerfile", "Dockerfile.rocm"],
)
def test_names(name: str) -> None:
    assert format_of(f"docker/{name}") is FORMAT


SHAPE = """\
ARG V=v0.5.18
FROM lmsysorg/sglang:${V} AS base
ENV TP=8
RUN <<EOF
pip install sglang==0.5.17
EOF
ENTRYPOINT ["python3", "-m", "sglang.launch_server"]
FROM base
CMD ["--tp", "8", \\
  "--x"]
CMD sglang serve /m --tp $TP
"""


@st.composite
def mutated(draw: st.DrawFn) -> str:
    text = SHAPE
    for _ in range(draw(st.integers(1, 6))):
        start = draw(st.integers(0, len(text)))
        end = min(len(text), start + draw(st.integers(0, 12)))
        piece = draw(
            st.sampled_from(["\n", "\r\n", "\\\n", '"', "[", "]", "<<EOF", "$", "FROM ", ""])
        )
        other = draw(
            st.sampled_from(["\u00e9", "\ud800", "\x00", "{{ x }}", "ARG ", "ENV ", "#", "`"])
        )
        text = text[:start] + draw(st.sampled_from([piece, other])) + text[end:]
    return text


@settings(max_examples=300, deadline=None)
@given(mutated())
def test_mutated_files(text: str) -> None:
    for launch in read(MappedText.region(text), "Dockerfile").launches:
        for variant in launch.variants:
            for word in variant.words:
                assert 0 <= word.span.start <= word.span.end <= len(text)


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=120))
def test_random_bytes(data: bytes) -> None:
    text = "FROM a\nCMD sglang serve " + data.decode("utf-8", "surrogateescape")
    read(MappedText.region(text), "Dockerfile")


@pytest.mark.parametrize(
    "text",
    [
        "FROM a\nCMD [" + '"sglang",' * 50_000 + '"x"]\n',
        "FROM a\nRUN sglang \\\n" * 20_000,
        "FROM a\n" + "ENV A=$A$A$A\n" * 5_000 + "CMD sglang serve $A\n",
        "FROM a AS a\n" * 20_000 + "CMD sglang serve /m\n",
        "FROM a\n" + "CMD sglang serve /m\nENTRYPOINT []\n" * 10_000,
        "FROM a\nRUN <<A\n" * 10_000,
        "FROM a\nCMD " + '["' * 10_000,
    ],
)
def test_long_files(text: str) -> None:
    start = time.monotonic()
    read(MappedText.region(text), "Dockerfile")
    assert time.monotonic() - start < 20
