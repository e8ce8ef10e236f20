"""Launches in compose files, CI workflows, platform YAML and command lists of any tool."""

from __future__ import annotations

import pytest
from yaml_reading import (
    evidence_of,
    launch_of,
    launches_of,
    reading_of,
    texts,
    variant_of,
    words_of,
    written,
)

from sglang_lint.launches import Origin
from sglang_lint.values import Known, Unknown

FLAGS = ["--model-path", "/m", "--tp", "8"]


@pytest.mark.parametrize(
    "service",
    [
        "command: python3 -m sglang.launch_server --model-path /m --tp 8",
        "command: [python3, -m, sglang.launch_server, --model-path, /m, --tp, '8']",
        "entrypoint: python3 -m sglang.launch_server\n    command: --model-path /m\n      --tp 8",
        "entrypoint: [python3, -m, sglang.launch_server]\n    command: >\n      --model-path /m\n"
        "      --tp 8",
        "command: >-\n      bash -c 'python3 -m sglang.launch_server --model-path /m --tp 8'",
        "entrypoint: [/bin/bash, -c]\n    command:\n      - |\n"
        "        python3 -m sglang.launch_server \\\n          --model-path /m --tp 8",
        'command: "python3 -m sglang.launch_server --model-path \\"/m\\" \\\n      --tp 8"',
        "command:\n      - python3\n      - -m\n      - sglang.launch_server\n"
        "      - --model-path\n      - /m\n      - --tp\n      - 8",
    ],
)
def test_compose_forms_are_one_launch(service: str) -> None:
    text = f"services:\n  llm:\n    image: lmsysorg/sglang:v0.5.20\n    {service}\n"
    launch = launch_of(text)
    assert texts(launch.variants[0]) == FLAGS
    assert "sglang.launch_server" in written(text, launch.span)
    assert evidence_of(launch) == [("image", "lmsysorg/sglang:v0.5.20")]
    assert reading_of(text).faults == ()


def test_compose_fills_in_its_own_variables() -> None:
    text = """\
    services:
      llm:
        image: ${IMAGE:-lmsysorg/sglang:v0.5.20}
        environment:
          - SGLANG_X=${X:-1}
          - HF_TOKEN
        command:
          - sglang
          - serve
          - ${MODEL}
          - --tp=${TP:-8}
          - --served-model-name=$$literal
    """
    launch = launch_of(text)
    words = launch.variants[0].words
    assert [word.text for word in words] == [None, "--tp=8", "--served-model-name=$literal"]
    assert words[1].origin is Origin.VARIABLE_DEFAULT
    assert written(text, words[1].literal.span(5)) == "8"
    assert evidence_of(launch) == [("image", "lmsysorg/sglang:v0.5.20")]
    values = {setting.name: setting.value for setting in launch.environment}
    assert values["SGLANG_X"] == Known("1")
    assert isinstance(values["HF_TOKEN"], Unknown)


def test_compose_leaves_doubled_dollars_to_the_shell() -> None:
    text = """\
    services:
      llm:
        environment: {TP: "8", DP: "2"}
        command: ["sh", "-c", "python3 -m sglang.launch_server --tp $$TP --dp $DP"]
    """
    words = words_of(text)
    assert words[:3] == ["--tp", "8", "--dp"]
    assert words[3] is None  # the caller's DP, not the container's


def test_compose_splits_a_string_and_expands_nothing_in_it() -> None:
    text = """\
    services:
      llm:
        image: lmsysorg/sglang:${TAG:-v0.5.20}
        command: >-
          sglang serve /m* --json-model-override-args '{"a": [1, 2]}' --cuda-graph-bs {1,2}
          --port ${PORT:-30000} --tp ${TP:?set it} $EXTRA "$QUOTED"
    """
    launch = launch_of(text)
    words = launch.variants[0].words
    assert [word.text for word in words] == [
        "/m*",
        "--json-model-override-args",
        '{"a": [1, 2]}',
        "--cuda-graph-bs",
        "{1,2}",
        "--port",
        "30000",
        "--tp",
        None,
        None,
        None,
    ]
    assert [word.splits for word in words[8:]] == [True, True, False]
    assert written(text, launch.evidence[0].span) == "lmsysorg/sglang:${TAG:-v0.5.20}"


def test_merge_keys_and_extensions() -> None:
    text = """\
    x-server: &server
      image: lmsysorg/sglang:v0.5.19
      command: [sglang, serve, /m, --tp, "8"]
    services:
      one:
        <<: *server
      two:
        <<: *server
        image: lmsysorg/sglang:v0.5.21
      three:
        <<: *server
        command: [sleep, infinity]
    """
    found = launches_of(text)
    assert [texts(one.variants[0]) for one in found] == [["/m", "--tp", "8"]] * 2
    assert sorted(one.evidence[0].text for one in found) == [
        "lmsysorg/sglang:v0.5.19",
        "lmsysorg/sglang:v0.5.21",
    ]


def test_aliased_items_and_lists() -> None:
    text = """\
    shared:
      tp: &tp "8"
      more: &more [--trust-remote-code]
    services:
      llm:
        command:
          - sglang
          - serve
          - --tp
          - *tp
          - *more
    """
    words = variant_of(text).words
    assert [word.text for word in words] == ["--tp", "8", None]
    assert words[2].splits


def test_ci_workflow() -> None:
    text = """\
    on: push
    env:
      TP: 4
    jobs:
      test:
        container: lmsysorg/sglang:v0.5.21
        steps:
          - name: start sglang.launch_server
            run: |
              # python3 -m sglang.launch_server --tp 16
              python3 -m sglang.launch_server \\
                --model-path ${{ matrix.model }} \\
                --tp $TP &
          - shell: python
            run: print("python -m sglang.launch_server --tp 2")
    """
    launch = launch_of(text)
    assert texts(launch.variants[0]) == ["--model-path", None, "--tp", "4"]
    assert evidence_of(launch) == [("image", "lmsysorg/sglang:v0.5.21")]


def test_pins_of_earlier_steps() -> None:
    text = """\
    jobs:
      test:
        steps:
          - run: pip install "sglang[all]==0.5.18"
          - run: sglang serve /m --tp 8
    """
    launch = launch_of(text)
    assert evidence_of(launch) == [("pip", "sglang[all]==0.5.18")]
    assert written(text, launch.evidence[0].span) == "sglang[all]==0.5.18"


def test_platform_yaml() -> None:
    text = """\
    resources:
      accelerators: H100:8
      image_id: docker:lmsysorg/sglang:v0.5.17
    envs:
      MODEL: /models/a
    setup: |
      uv pip install sglang==0.5.18
    run: |
      python -m sglang.launch_server --model-path $MODEL --tp $SKYPILOT_NUM_GPUS_PER_NODE
    """
    launch = launch_of(text)
    assert texts(launch.variants[0]) == ["--model-path", "/models/a", "--tp", None]
    assert evidence_of(launch) == [
        ("pip", "sglang==0.5.18"),
        ("image", "lmsysorg/sglang:v0.5.17"),
        ("accelerator", "H100:8"),
    ]


def test_a_list_of_commands_is_one_script() -> None:
    text = """\
    type: service
    image: lmsysorg/sglang:v0.5.17
    env:
      - MODEL=/models/a
    commands:
      - export TP=4
      - |
        python3 -m sglang.launch_server --model-path $MODEL \\
          --tp $TP
    resources:
      gpu: H100:4
    """
    launch = launch_of(text)
    assert texts(launch.variants[0]) == ["--model-path", "/models/a", "--tp", "4"]
    assert evidence_of(launch) == [
        ("image", "lmsysorg/sglang:v0.5.17"),
        ("accelerator", "H100:4"),
    ]


def test_a_command_string_with_a_list_of_arguments() -> None:
    text = """\
    model:
      server:
        command: python3 -m sglang.launch_server
        args:
          - "--model-path=/m"
          - "--tp 8"
    """
    assert words_of(text) == ["--model-path=/m", "--tp", "8"]
    assert reading_of(text).faults == ()  # who knows how this tool joins them


def test_start_commands_of_platforms() -> None:
    text = """\
    base_image:
      image: lmsysorg/sglang:v0.5.16
    docker_server:
      start_command: sh -c "fetch && python3 -m sglang.launch_server --model-path /m --tp 8"
    resources:
      accelerator: H100:8
    """
    launch = launch_of(text)
    assert texts(launch.variants[0]) == FLAGS
    assert ("accelerator", "H100:8") in evidence_of(launch)


def test_images_in_two_keys() -> None:
    text = """\
    server:
      image:
        repository: lmsysorg/sglang
        tag: v0.5.20
      command: [sglang, serve, /m]
    """
    launch = launch_of(text)
    assert evidence_of(launch) == [("image", "lmsysorg/sglang:v0.5.20")]
    assert written(text, launch.evidence[0].span) == "v0.5.20"


def test_any_list_that_is_a_command_line() -> None:
    text = """\
    benchmark:
      server_argv: [python3, -m, sglang.launch_server, --tp, 8, --port, <port>]
      runs:
        - [sglang, serve, /m, --dp, 2]
    """
    found = launches_of(text)
    assert [texts(one.variants[0]) for one in found] == [
        ["--tp", "8", "--port", None],
        ["/m", "--dp", "2"],
    ]


def test_a_config_map_with_a_script() -> None:
    text = """\
    apiVersion: v1
    kind: ConfigMap
    data:
      start.sh: |
        #!/bin/bash
        TP=8
        exec python3 -m sglang.launch_server --model-path /m --tp "$TP"
      README.md: |
        Run `python3 -m sglang.launch_server --tp 1` first.
    """
    assert words_of(text) == FLAGS


@pytest.mark.parametrize(
    "text",
    [
        "description: python3 -m sglang.launch_server --model-path /m --tp 8",
        "notes:\n  - python3 -m sglang.launch_server --model-path /m --tp 8",
        "value: use python3 -m sglang.launch_server with --tp 8 for this.",
        "value: python3 -m sglang.launch_server fails to start",
        "value: 'The server, python3 -m sglang.launch_server --tp 8, is started'",
        "run: echo python3 -m sglang.launch_server --tp 8",
        "run: |\n  # python3 -m sglang.launch_server --tp 8\n  true",
        "run: sglang serve /m --num-gpus 4 --ring-degree 2",
        "run: python3 -m sglang_router.launch_router --worker-urls http://a",
        "run: trtllm-serve /models/sglang --tp_size 8",
        "metrics: [sglang:num_running_reqs, sglang.launch_server]",
        "- sglang.launch_server",
        "sglang.launch_server",
        "",
        "null",
        "---\n---\n",
    ],
)
def test_silence(text: str) -> None:
    reading = reading_of(text)
    assert reading.launches == ()
    assert reading.faults == ()


def test_a_comment_may_stand_above_the_key_or_the_mapping() -> None:
    text = """\
jobs:
  - name: serve
    run: |
      sglang serve /m \\
        --tp 8
  - name: other
    command: [sh, -c]
    args: [sglang serve /m]
"""
    script, container = launches_of(text)
    lines = [written(text, span).split("\n")[0] for span in (script.extent, *script.holders)]
    assert lines == ["sglang serve /m \\", "run: |", "name: serve"]
    lines = [written(text, span).split("\n")[0] for span in (container.extent, *container.holders)]
    assert lines == ["sglang serve /m", "command: [sh, -c]", "name: other"]
