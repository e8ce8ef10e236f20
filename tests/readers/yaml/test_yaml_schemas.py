"""Configurations whose keys are server arguments."""

from __future__ import annotations

import textwrap

import pytest
from yaml_reading import evidence_of, launch_of, launches_of, variant_of, written

from sglang_lint.launches import Launch, Origin
from sglang_lint.values import Known


def keywords_of(text: str) -> dict[str, object]:
    """Name to value; the text "unknown" for what is not known."""
    return {
        keyword.name: keyword.value.value if isinstance(keyword.value, Known) else "unknown"
        for keyword in variant_of(text).keywords
    }


def options_of(launch: Launch) -> dict[str, list[str | None]]:
    """Option to its values, of a schema whose keys become a command line."""
    (variant,) = launch.variants
    assert not variant.keywords
    found: dict[str, list[str | None]] = {}
    values: list[str | None] = []
    for word in variant.words:
        assert word.origin is Origin.SCHEMA
        if word.text is not None and word.text.startswith("--"):
            values = found[word.text] = []
        else:
            values.append(word.text)
    return found


RECIPE = """\
name: recipe
model:
  path: dsr1
  container: lmsysorg/sglang:v0.5.8-cu130
resources:
  gpu_type: gb300
  prefill_nodes: 2
backend:
  prefill_environment:
    SGLANG_X: "1"
  decode_environment:
    SGLANG_Y: "2"
  sglang_config:
    prefill:
      model-path: /ignored
      tp-size: 8
      mem_fraction_static: 0.75
      trust-remote-code: true
      disable-radix-cache: false
      context-length: null
      cuda-graph-bs: [1, 2, 4]
      attention-backend: "{backend}"
    decode:
      disaggregation-mode: decode
      tp-size: "16"
"""


def test_recipe_of_prefill_and_decode() -> None:
    prefill, decode = launches_of(RECIPE)
    assert written(RECIPE, prefill.span) == "sglang_config"
    assert written(RECIPE, prefill.extent).endswith('attention-backend: "{backend}"')
    assert options_of(prefill) == {
        "--disaggregation-mode": ["prefill"],
        "--tp-size": ["8"],
        "--mem-fraction-static": ["0.75"],
        "--trust-remote-code": [],
        "--cuda-graph-bs": ["1", "2", "4"],
        "--attention-backend": [None],
    }
    (variant,) = prefill.variants
    assert len(variant.tails) == 1
    assert "model_path" in (variant.tails[0].fields or ())
    places = [written(RECIPE, word.span) for word in variant.words]
    assert places[2:6] == ["tp-size", "8", "mem_fraction_static", "0.75"]
    assert evidence_of(prefill) == [
        ("image", "lmsysorg/sglang:v0.5.8-cu130"),
        ("accelerator", "gb300"),
    ]
    assert [setting.name for setting in prefill.environment] == ["SGLANG_X"]
    assert [setting.name for setting in decode.environment] == ["SGLANG_Y"]
    assert options_of(decode) == {"--disaggregation-mode": ["decode"], "--tp-size": ["16"]}


def test_a_recipe_of_another_kind_that_looks_the_same() -> None:
    assert launches_of(RECIPE + "runtime:\n  attention_backend: aiter\n") == ()
    assert launches_of(RECIPE.replace("model:", "other:")) == ()


def test_overlays_are_merged_over_their_base() -> None:
    text = (
        "base:\n"
        + textwrap.indent(RECIPE, "  ")
        + textwrap.dedent("""\
        override_small:
          resources: {gpu_type: b200}
          backend:
            sglang_config:
              decode:
                tp-size: 4
                enable-metrics: true
        zip_override_sweep:
          backend:
            sglang_config:
              decode:
                dp-size: [1, 2]
                ep-size: 2
        """)
    )
    found = launches_of(text)
    assert len(found) == 4
    assert options_of(found[2]) == {
        "--disaggregation-mode": ["decode"],
        "--tp-size": ["4"],
        "--enable-metrics": [],
    }
    assert evidence_of(found[2])[1] == ("accelerator", "b200")
    assert options_of(found[3]) == {
        "--disaggregation-mode": ["decode"],
        "--tp-size": ["16"],
        "--dp-size": [None],
        "--ep-size": ["2"],
    }
    assert evidence_of(found[3])[1] == ("accelerator", "gb300")


def test_verl() -> None:
    text = """\
    actor_rollout_ref:
      rollout:
        name: sglang
        tensor_model_parallel_size: 2
        data_parallel_size: 4
        gpu_memory_utilization: 0.6
        engine_kwargs:
          vllm: {swap_space: 1}
          sglang:
            attention_backend: flashinfer
            page_size: ${oc.env:PAGE}
            disable_radix_cache: false
            context_length: null
    """
    assert keywords_of(text) == {
        "tp_size": 8,
        "dp_size": 4,
        "mem_fraction_static": 0.6,
        "attention_backend": "flashinfer",
        "page_size": "unknown",
        "disable_radix_cache": False,
        "context_length": None,
    }
    launch = launch_of(text)
    assert written(text, launch.span) == "sglang"
    tp = launch.variants[0].keywords[0]
    assert written(text, tp.value_span) == "2"
    assert launches_of(text.replace("name: sglang", "name: vllm")) == ()


def test_areal() -> None:
    text = """\
    rollout:
      backend: "sglang:d4p1t2"
    sglang:
      model_path: ${actor.path}
      disable_cuda_graph: false
      max_running_requests: null
      attention_backend: fa3
      enable_multithread_load: true
      context_length: 32768
    """
    assert options_of(launch_of(text)) == {
        "--tp-size": ["2"],
        "--model-path": [None],
        "--attention-backend": ["fa3"],
        "--context-length": ["32768"],
    }
    assert launches_of(text.replace("sglang:d4p1t2", "vllm:d4")) == ()
    older = text.replace(
        'rollout:\n      backend: "sglang:d4p1t2"', "allocation_mode: sglang.d4t2+d8"
    )
    assert "--tp-size" not in options_of(launch_of(older))


def test_roll() -> None:
    text = """\
    actor_infer:
      strategy_args:
        strategy_name: sglang
        strategy_config:
          mem_fraction_static: 0.7
          tensor_parallel_size: 2
          pipeline_parallel_size: 1
    reference:
      strategy_args:
        strategy_name: megatron_infer
        strategy_config:
          tensor_parallel_size: 2
    """
    assert keywords_of(text) == {"mem_fraction_static": 0.7, "tp_size": 2}


def test_specforge() -> None:
    text = """\
    model:
      target_model_path: deepseek-ai/DeepSeek-V3
      sglang_attention_backend: trtllm_mla
      sglang_disable_radix_cache: false
      sglang_page_size: 64
    training: {epochs: 1}
    """
    launch = launch_of(text)
    assert options_of(launch) == {"--attention-backend": ["trtllm_mla"], "--page-size": ["64"]}
    assert written(text, launch.variants[0].words[2].span) == "sglang_page_size"


def test_server_groups() -> None:
    text = """\
    sglang:
      - name: default
        server_groups:
          - worker_type: prefill
            overrides: {disable_radix_cache: true, tp_size: 4}
          - worker_type: decode
            overrides: {page_size: 64}
    """
    found = launches_of(text)
    names = [[keyword.name for keyword in one.variants[0].keywords] for one in found]
    assert names == [["disable_radix_cache", "tp_size"], ["page_size"]]


@pytest.mark.parametrize(
    "text",
    [
        "sglang:\n  attention_backend: fa3\n",
        "sglang:\n  version: 0.5.18\nvllm:\n  version: 0.9\n",
        "model:\n  name: sglang\n",
        "backend:\n  sglang_config:\n    prefill: null\nresources: {}\n",
        "backend:\n  sglang_config: text\nresources: {}\n",
        "rollout:\n  engine_kwargs:\n    sglang: {}\n",
        "rollout:\n  engine_kwargs:\n    sglang: [a]\n",
    ],
)
def test_what_is_no_such_schema(text: str) -> None:
    assert launches_of(text) == ()
