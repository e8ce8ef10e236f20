"""Helm and Jinja templates: what a tag decides is unknown, what a branch holds is a variant."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from yaml_reading import evidence_of, launch_of, launches_of, reading_of, texts, written

from sglang_lint.readers.yaml.templates import HIDDEN, mask

HELM = """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ include "chart.fullname" . }}
  labels:
    {{- include "chart.labels" . | nindent 4 }}
spec:
  template:
    spec:
      {{- with .Values.nodeSelector }}
      nodeSelector:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      containers:
        - name: server
          image: "{{ .Values.image.repository }}:{{ .Values.image.tag }}"
          command: [python3, -m, sglang.launch_server]
          args:
            - --model-path
            - {{ .Values.model.path }}
            - --tp-size={{ .Values.tp }}
            - --port
            - "30000"
"""


def test_helm_values_are_unknown_and_places_stay() -> None:
    launch = launch_of(HELM)
    words = launch.variants[0].words
    assert [word.text for word in words] == ["--model-path", None, None, "--port", "30000"]
    assert written(HELM, words[1].span) == "{{ .Values.model.path }}"
    assert words[2].literal.text == "--tp-size="
    assert written(HELM, words[2].span) == "--tp-size={{ .Values.tp }}"
    assert evidence_of(launch) == []
    assert not launch.variants[0].tails
    assert not any(word.splits for word in words)


def test_inserted_lines_leave_the_launch_open() -> None:
    text = HELM + "            {{- toYaml .Values.extraArgs | nindent 12 }}\n"
    (tail,) = launch_of(text).variants[0].tails
    assert written(text, tail.span) == "{{- toYaml .Values.extraArgs | nindent 12 }}"


def test_branches_are_variants() -> None:
    text = HELM + (
        "            {{- if .Values.dp }}\n"
        "            - --dp-size\n"
        '            - "8"\n'
        "            {{- else if .Values.pp }}\n"
        "            - --pp-size=2\n"
        "            {{- end }}\n"
        "            {{- if .Values.metrics }}\n"
        "            - --enable-metrics\n"
        "            {{- else }}\n"
        "            - --log-level=error\n"
        "            {{- end }}\n"
    )
    variants = launch_of(text).variants
    ends = {variant.condition: tuple(texts(variant)[5:]) for variant in variants}
    dp, pp = "{{- if .Values.dp }}", "{{- else if .Values.pp }}"
    metrics = "{{- if .Values.metrics }}"
    assert ends == {
        f"{dp} and {metrics}": ("--dp-size", "8", "--enable-metrics"),
        f"{dp} and not {metrics}": ("--dp-size", "8", "--log-level=error"),
        f"{pp} and {metrics}": ("--pp-size=2", "--enable-metrics"),
        f"{pp} and not {metrics}": ("--pp-size=2", "--log-level=error"),
        f"not {dp} and {metrics}": ("--enable-metrics",),
        f"not {dp} and not {metrics}": ("--log-level=error",),
    }


def test_loops_leave_the_launch_open() -> None:
    text = HELM + (
        "            {{- range $key, $value := .Values.flags }}\n"
        "            - --{{ $key }}={{ $value }}\n"
        "            {{- end }}\n"
    )
    (variant,) = launch_of(text).variants
    assert len(variant.words) == 5
    assert len(variant.tails) == 1


def test_too_many_branches_leave_the_launch_open() -> None:
    branch = "            {{- if .Values.x%d }}\n            - --x%d\n            {{- end }}\n"
    text = HELM + "".join(branch % (number, number) for number in range(8))
    (variant,) = launch_of(text).variants
    assert len(variant.words) == 5
    assert variant.tails[0].why == "too many branches of a template"


def test_a_whole_launch_in_a_branch_is_one_variant() -> None:
    text = "{{- if .Values.enabled }}\n" + HELM + "{{- end }}\n"
    (variant,) = launch_of(text).variants
    assert variant.condition is None
    assert len(variant.words) == 5


def test_shell_with_tags() -> None:
    text = """\
kind: Pod
apiVersion: v1
spec:
  containers:
    - command: [sh, -c]
      args:
        - |
          python3 -m sglang.launch_server \\
            --model-path {{ .Values.model }} \\
            {{- if .Values.dp }}
            --dp-size 8 \\
            {{- end }}
            --tp {{ if .Values.big }}8{{ else }}4{{ end }}
"""
    variants = launch_of(text).variants
    assert [texts(variant) for variant in variants] == [
        ["--model-path", None, "--dp-size", "8", "--tp", None],
        ["--model-path", None, "--tp", None],
    ]


def test_jinja() -> None:
    text = """\
{# the server #}
{% set tp = 8 %}
services:
  llm:
    image: lmsysorg/sglang:{{ version }}
    command:
      - sglang
      - serve
      - /m
      {% if dp %}
      - --dp=2
      {% endif %}
      - --tp={{ tp }}
"""
    variants = launch_of(text).variants
    assert [texts(variant) for variant in variants] == [["/m", "--dp=2", None], ["/m", None]]


def test_escaped_templates() -> None:
    text = """\
server:
  command: [sglang, serve]
  args: [--model-path, '{{`{{ .ModelPath }}`}}', --tp, '2']
"""
    assert texts(launch_of(text).variants[0]) == ["--model-path", None, "--tp", "2"]


@pytest.mark.parametrize(
    "text",
    [
        "image: sglang\n{{ if }}\n  - broken: [\n",
        "sglang: {{ .x }}\n\tbad: tabs\n",
        "<% if sglang %>\nkey: [\n<% end %>\n",
    ],
)
def test_a_template_that_is_no_yaml_is_no_fault(text: str) -> None:
    assert reading_of(text).faults == ()


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("sglang: [a\nkey: b\n", ":"),
        ("sglang: a\n\tkey: b\n", "\t"),
        ("sglang: *nowhere\n", "*"),
        ("sglang: 'open\n", None),
        ("sglang: a\x07b\n", "\x07"),
        ("\u00e9\U0001f600: a\x07b\n", "\x07"),
    ],
)
def test_a_file_that_is_no_yaml(text: str, place: str | None) -> None:
    (fault,) = reading_of(text).faults
    assert fault.check == "yaml-syntax"
    if place is not None:
        assert text[fault.span.start : fault.span.end] == place


def test_what_stands_before_a_syntax_error_is_kept() -> None:
    text = "command: [sglang, serve, /m]\n---\nkey: [\n"
    assert len(launches_of(text)) == 1
    assert len(reading_of(text).faults) == 1


@given(st.text(alphabet=st.sampled_from("{}%#-a \n\r<>`$\ue000if end"), max_size=80))
def test_masks_keep_lengths_and_lines(text: str) -> None:
    masked = mask(text)
    assert len(masked.text) == len(text)
    for before, after in zip(text, masked.text, strict=True):
        if before in "\r\n":
            assert after == before
        elif before != after:
            assert after in (" ", "\\", HIDDEN, "\ufffd")
    for arm in masked.arms:
        assert 0 <= arm.start <= arm.end <= len(text)
