"""Launches in Kubernetes manifests of every kind."""

from __future__ import annotations

import textwrap

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

POD = """\
apiVersion: v1
kind: Pod
metadata: {name: llm}
spec:
  nodeSelector:
    nvidia.com/gpu.product: NVIDIA-H100-80GB-HBM3
  containers:
    - name: server
      image: lmsysorg/sglang:v0.5.18-cu129
"""


def pod(container: str) -> str:
    return POD + textwrap.indent(textwrap.dedent(container), " " * 6)


def test_command_list_with_every_flag() -> None:
    text = pod("""\
        command:
          - python3
          - -m
          - sglang.launch_server
          - --model-path
          - /models/qwen3
          - --tp-size
          - "8"
          - '--trust-remote-code'
        """)
    launch = launch_of(text)
    assert texts(launch.variants[0]) == [
        "--model-path",
        "/models/qwen3",
        "--tp-size",
        "8",
        "--trust-remote-code",
    ]
    assert written(text, launch.span) == "sglang.launch_server"
    assert written(text, launch.extent).startswith("command:\n")
    assert written(text, launch.extent).endswith("'--trust-remote-code'")
    spans = [written(text, word.span) for word in launch.variants[0].words]
    assert spans[2:] == ["--tp-size", '"8"', "'--trust-remote-code'"]
    assert evidence_of(launch) == [
        ("image", "lmsysorg/sglang:v0.5.18-cu129"),
        ("accelerator", "NVIDIA-H100-80GB-HBM3"),
    ]
    assert launch.variants[0].tails == ()


def test_arguments_may_stand_before_the_command() -> None:
    text = pod("""\
        args: [--model-path, /models/a, --dp, '2']
        env: [{name: SGLANG_X, value: "1"}, {name: SECRET, valueFrom: {secretKeyRef: {name: s}}}]
        command: [sglang, serve]
        """)
    launch = launch_of(text)
    assert launch.entry_point.name == "sglang serve"
    assert texts(launch.variants[0]) == ["--model-path", "/models/a", "--dp", "2"]
    assert written(text, launch.span) == "sglang, serve"
    assert written(text, launch.extent).startswith("args:")
    assert written(text, launch.extent).endswith("[sglang, serve]")
    values = {setting.name: setting.value for setting in launch.environment}
    assert values["SGLANG_X"] == Known("1")
    assert isinstance(values["SECRET"], Unknown)


def test_kubernetes_variables_come_from_the_container() -> None:
    text = pod("""\
        command: [python3, -m, sglang.launch_server]
        args:
          - --tp-size=$(TP)
          - --model-path
          - $(MODEL_PATH)
          - --served-model-name
          - $$(NAME)-$(TP)
        env:
          - name: TP
            value: "4"
        """)
    words = variant_of(text).words
    assert [word.text for word in words] == [
        "--tp-size=4",
        "--model-path",
        None,
        "--served-model-name",
        "$(NAME)-4",
    ]
    assert words[0].origin is Origin.ENVIRONMENT
    assert written(text, words[0].related[0].span).startswith("TP")
    assert written(text, words[0].literal.span(10)) == "$(TP)"
    assert not words[2].splits


@pytest.mark.parametrize(
    "container",
    [
        """\
        command: [sh, -c]
        args:
          - |
            export SGLANG_X=1
            exec python3 -m sglang.launch_server \\
              --model-path /m --tp 8 \\
              --port 30000
        """,
        """\
        command: ["/bin/bash", "-lc"]
        args: ["python3 -m sglang.launch_server --model-path /m --tp 8 --port 30000"]
        """,
        """\
        command:
          - /bin/sh
          - -c
          - >-
            cd /work &&
            python3 -m sglang.launch_server
            --model-path /m
            --tp 8
            --port 30000
        """,
        """\
        args: ["-c", 'python3 -m sglang.launch_server --model-path /m --tp "8" --port 30000']
        command: [bash]
        """,
    ],
)
def test_scripts_for_a_shell(container: str) -> None:
    text = pod(container)
    launch = launch_of(text)
    assert texts(launch.variants[0]) == ["--model-path", "/m", "--tp", "8", "--port", "30000"]
    assert written(text, launch.span) == "sglang.launch_server"
    assert ("image", "lmsysorg/sglang:v0.5.18-cu129") in evidence_of(launch)


def test_a_script_sees_the_containers_variables() -> None:
    text = pod("""\
        command: [sh, -c]
        args: ['python3 -m sglang.launch_server --model-path $MODEL --tp $(TP) --nnodes $(NODES)']
        env:
          - {name: MODEL, value: /models/a}
          - {name: TP, value: "4"}
          - {name: NODES, valueFrom: {fieldRef: {fieldPath: x}}}
        """)
    launch = launch_of(text)
    assert texts(launch.variants[0])[:5] == ["--model-path", "/models/a", "--tp", "4", "--nnodes"]
    assert launch.variants[0].words[5].text is None
    assert [setting.name for setting in launch.environment] == ["MODEL", "TP", "NODES"]


def test_several_documents_and_roles() -> None:
    text = """\
    apiVersion: leaderworkerset.x-k8s.io/v1
    kind: LeaderWorkerSet
    spec:
      leaderWorkerTemplate:
        leaderTemplate:
          spec:
            containers:
              - image: lmsysorg/sglang:v0.5.20
                command: [python3, -m, sglang.launch_server, --node-rank, "0"]
        workerTemplate:
          spec:
            containers:
              - image: lmsysorg/sglang:v0.5.21
                command: [python3, -m, sglang.launch_server, --node-rank, "1"]
    ---
    apiVersion: v1
    kind: Service
    spec: {ports: [{port: 80}]}
    ---
    apiVersion: batch/v1
    kind: Job
    spec:
      template:
        spec:
          containers:
            - command: [python3, -m, sglang.bench_one_batch, --tp, "2"]
              image: registry:5000/lmsysorg/sglang:v0.5.22
    """
    found = launches_of(text)
    assert [one.entry_point.name for one in found] == [
        "sglang.launch_server",
        "sglang.launch_server",
        "sglang.bench_one_batch",
    ]
    assert [one.evidence[0].text for one in found] == [
        "lmsysorg/sglang:v0.5.20",
        "lmsysorg/sglang:v0.5.21",
        "registry:5000/lmsysorg/sglang:v0.5.22",
    ]


def test_operators_add_arguments() -> None:
    text = """\
    apiVersion: nvidia.com/v1alpha1
    kind: DynamoGraphDeployment
    spec:
      services:
        decode:
          resources: {limits: {gpu: "8"}}
          extraPodSpec:
            mainContainer:
              image: nvcr.io/nvidia/ai-dynamo/sglang-runtime:1.3.1
              command: [python3, -m, dynamo.sglang]
              args:
                - --model-path
                - Qwen/Qwen3-8B
                - --disaggregation-mode
                - decode
    """
    launch = launch_of(text)
    (tail,) = launch.variants[0].tails
    assert written(text, tail.span) == "DynamoGraphDeployment"
    assert launch.entry_point.name == "dynamo.sglang"


def test_a_number_is_no_string() -> None:
    text = pod("""\
        command: [python3, -m, sglang.launch_server]
        args: [--tp-size, 2, --enable-metrics, true, --port, "30000", --mem-fraction-static, 0.8]
        """)
    reading = reading_of(text)
    assert [fault.check for fault in reading.faults] == ["yaml-item-not-a-string"] * 3
    assert [written(text, fault.span) for fault in reading.faults] == ["2", "true", "0.8"]
    words = [word.text for word in reading.launches[0].variants[0].words]
    assert words == [
        "--tp-size",
        "2",
        "--enable-metrics",
        "true",
        "--port",
        "30000",
        "--mem-fraction-static",
        "0.8",
    ]


def test_an_item_that_yaml_reads_as_a_mapping() -> None:
    text = pod("""\
        command: [python3, -m, sglang.launch_server]
        args:
          - --served-model-name: qwen
          - --tp=2
        """)
    reading = reading_of(text)
    (fault,) = reading.faults
    assert fault.check == "yaml-item-not-a-string"
    assert written(text, fault.span) == "--served-model-name: qwen"
    assert [word.text for word in reading.launches[0].variants[0].words] == [None, "--tp=2"]


def test_two_words_in_one_item() -> None:
    text = pod("""\
        command: [python3, -m, sglang.launch_server]
        args:
          - "--model-path /models/a"
          - --page-size 64
          - --served-model-name=my model
          - |
            --trust-remote-code
        """)
    reading = reading_of(text)
    assert [fault.check for fault in reading.faults] == ["yaml-two-words-in-one-item"] * 3
    assert "`--page-size 64` as one word" in reading.faults[1].message
    words = reading.launches[0].variants[0].words
    assert [word.text for word in words] == [
        "--model-path /models/a",
        "--page-size 64",
        "--served-model-name=my model",
        "--trust-remote-code\n",
    ]


@pytest.mark.parametrize(
    "container",
    [
        'command: ["python3 -m sglang.launch_server --model-path /m --tp 2"]',
        'command: [python3, "-m sglang.launch_server", --model-path, /m]',
        'command: ["sglang serve /m", "--tp=2"]',
    ],
)
def test_a_command_in_one_item_starts_nothing(container: str) -> None:
    reading = reading_of(pod(container))
    assert [fault.check for fault in reading.faults] == ["yaml-two-words-in-one-item"]
    assert reading.launches == ()


def test_a_script_that_an_entry_point_of_the_image_may_run() -> None:
    text = pod("args: ['python3 -m sglang.launch_server --model-path /m --tp 2']")
    reading = reading_of(text)
    assert reading.faults == ()
    assert texts(reading.launches[0].variants[0]) == ["--model-path", "/m", "--tp", "2"]


def test_arguments_alone_need_the_images_name() -> None:
    assert words_of(pod("args: [serve, /models/a, --tp, '2']")) == ["/models/a", "--tp", "2"]
    assert words_of(pod("args: [-m, sglang.launch_server, --tp, '2']")) == ["--tp", "2"]
    other = pod("args: [serve, /models/a, --tp, '2']").replace("lmsysorg/sglang", "vllm/vllm")
    assert launches_of(other) == ()
    assert launches_of(pod("args: [--model-path, /models/a, --tp, '2']")) == ()


def test_affinity_names_the_accelerator() -> None:
    text = """\
    apiVersion: v1
    kind: Pod
    spec:
      affinity:
        nodeAffinity:
          requiredDuringSchedulingIgnoredDuringExecution:
            nodeSelectorTerms:
              - matchExpressions:
                  - {key: zone, operator: Exists}
                  - {key: nvidia.com/gpu.product, operator: In, values: [NVIDIA-B200]}
      containers:
        - command: [sglang, serve, /m]
    """
    assert evidence_of(launch_of(text)) == [("accelerator", "NVIDIA-B200")]
    several = text.replace("[NVIDIA-B200]", "[NVIDIA-B200, NVIDIA-H200]")
    assert evidence_of(launch_of(several)) == []


def test_the_device_plugin_names_the_maker() -> None:
    text = pod("""\
        command: [sglang, serve, /m]
        resources: {limits: {amd.com/gpu: 8, memory: 1Gi}}
        """).replace("nvidia.com/gpu.product: NVIDIA-H100-80GB-HBM3", "zone: a")
    assert evidence_of(launch_of(text))[1:] == [("accelerator", "amd.com/gpu")]


@pytest.mark.parametrize(
    "container",
    [
        "command: [python3, -m, sglang_router.launch_router, --worker-urls, http://a]",
        "command: [trtllm-serve, /models/sglang, --tp_size, '8']",
        "command: [sglang, serve, /m, --num-gpus, '4', --ulysses-degree, '4']",
        "command: [echo, python3, -m, sglang.launch_server, --tp, '8']",
        "command: [echo, 'python3 -m sglang.launch_server --tp 8']",
        "command: [python3, -m, sgl_jax.launch_server, --tp_size, '8']",
        "command: [python3, -m, sglang.launch_server, --help]",
        "lifecycle: {preStop: {exec: {command: [pkill, -f, sglang.launch_server]}}}",
        "command: [sh, -c, 'pkill -f sglang.launch_server || true']",
        "command: null\nargs: null",
        "command: []\nargs: {a: sglang.launch_server}",
    ],
)
def test_what_starts_no_server(container: str) -> None:
    reading = reading_of(pod(container))
    assert reading.launches == ()
    assert reading.faults == ()
