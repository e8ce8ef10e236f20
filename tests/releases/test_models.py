from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sglang_lint.releases import models
from sglang_lint.releases.models import find_model, kinds, model_from_config

NEWEST = "0.5.23"


@pytest.mark.parametrize(
    ("text", "architecture"),
    [
        ("deepseek-ai/DeepSeek-V3", "DeepseekV3ForCausalLM"),
        ("deepseek-ai/deepseek-v3-0324", "DeepseekV3ForCausalLM"),
        ("deepseek-ai/DeepSeek-V3.2-Exp", "DeepseekV32ForCausalLM"),
        ("deepseek-ai/DeepSeek-R1-Distill-Qwen-32B", "Qwen2ForCausalLM"),
        ("deepseek-ai/DeepSeek-R1-0528-Qwen3-8B", "Qwen3ForCausalLM"),
        ("deepseek-ai/DeepSeek-V4-Pro", "DeepseekV4ForCausalLM"),
        ("moonshotai/Kimi-K2-Instruct-0905", "DeepseekV3ForCausalLM"),
        ("moonshotai/Kimi-K2.5", "KimiK25ForConditionalGeneration"),
        ("nvidia/GLM-4.7-Flash-NVFP4", "Glm4MoeLiteForCausalLM"),
        ("zai-org/GLM-4.5-Air-FP8", "Glm4MoeForCausalLM"),
        ("Qwen/Qwen3-30B-A3B-Instruct-2507-FP8", "Qwen3MoeForCausalLM"),
        ("Qwen/Qwen3-8B-AWQ", "Qwen3ForCausalLM"),
        ("meta-llama/Meta-Llama-3.1-8B-Instruct", "LlamaForCausalLM"),
        ("MiMoV2FlashForCausalLM", "MiMoV2FlashForCausalLM"),
        (
            "/data/hub/models--Qwen--Qwen3-Next-80B-A3B-Instruct/snapshots/0a1b2c",
            "Qwen3NextForCausalLM",
        ),
        ("models--moonshotai--Kimi-K3", "KimiK3ForConditionalGeneration"),
    ],
)
def test_names_that_tell_the_architecture(text: str, architecture: str) -> None:
    model = find_model(text, NEWEST)
    assert model is not None
    assert model.architecture == architecture


@pytest.mark.parametrize(
    "text",
    [
        "",
        "kimi-k3",
        "/models/kimi-k3",
        "./deepseek-ai/DeepSeek-V3",
        "../deepseek-ai/DeepSeek-V3",
        "/mnt/deepseek-ai/DeepSeek-V3",
        "s3://bucket/DeepSeek-V3",
        "deepseek-ai/DeepSeek-V3/extra",
        "$ORG/DeepSeek-V3",
        # A reranker, drafts and a release that the numbers of its name do not tell.
        "Qwen/Qwen3-Reranker-8B",
        "lmsys/sglang-EAGLE3-Llama-3.1-8B",
        "lmsys/DeepSeek-V3-NextN",
        "deepseek-ai/DeepSeek-V4.1-Flash",
        "deepseek-ai/DeepSeek-OCR",
        "someone/My-DeepSeek-Finetune",
        "x/" + "y" * 10_000,
    ],
)
def test_names_that_tell_nothing(text: str) -> None:
    assert find_model(text, NEWEST) is None


def test_facts_of_an_entry_stand_over_those_of_its_architecture() -> None:
    model = find_model("XiaomiMiMo/MiMo-V2-Flash", NEWEST)
    assert model is not None
    assert model.facts["sinks"] is True
    assert model.facts["num_kv_heads"] == 4
    bare = find_model("MiMoV2FlashForCausalLM", NEWEST)
    assert bare is not None
    assert "sinks" not in bare.facts  # the configuration decides


def test_a_fact_may_change_with_the_release() -> None:
    hooks = {
        release: find_model("moonshotai/Kimi-K2.5", release)
        for release in ("0.5.15", "0.5.15.post1", "0.5.16", NEWEST)
    }
    assert [model is not None and model.facts["dcp_prefill_hook"] for model in hooks.values()] == [
        False,
        False,
        True,
        True,
    ]


def test_a_fact_may_be_known_for_some_releases_only() -> None:
    early = find_model("LongcatFlashForCausalLM", "0.5.15")
    late = find_model("LongcatFlashForCausalLM", NEWEST)
    assert early is not None
    assert late is not None
    assert early.facts["attention"] == "mla"
    assert "attention" not in late.facts


def test_a_configuration_gives_its_numbers() -> None:
    model = model_from_config(
        {
            "architectures": ["Qwen3_5MoeForConditionalGeneration"],
            "text_config": {
                "num_attention_heads": 32,
                "num_key_value_heads": 2,
                "head_dim": 256,
                "num_hidden_layers": 60,
            },
            "quantization_config": {"quant_method": "modelopt", "quant_algo": "NVFP4"},
        },
        NEWEST,
    )
    assert model is not None
    assert model.architecture == "Qwen3_5MoeForConditionalGeneration"
    facts = model.facts
    assert (facts["num_attention_heads"], facts["num_kv_heads"], facts["head_dim"]) == (32, 2, 256)
    assert facts["quantization"] == "modelopt_fp4"
    assert facts["hybrid"] == "gdn"
    assert facts["index_topk"] is None


def test_an_indexer_makes_sparse_attention() -> None:
    config = {"architectures": ["DeepseekV3ForCausalLM"], "num_attention_heads": 128}
    plain = model_from_config(config, NEWEST)
    sparse = model_from_config({**config, "index_topk": 2048}, NEWEST)
    assert plain is not None
    assert sparse is not None
    assert plain.facts["attention"] == "mla"
    assert sparse.facts["attention"] == "dsa"
    # An indexer of another kind of attention changes nothing.
    v4 = model_from_config({"architectures": ["DeepseekV4ForCausalLM"], "index_topk": 512}, NEWEST)
    assert v4 is not None
    assert v4.facts["attention"] == "dsv4"


def test_every_head_has_its_own_keys_unless_said_otherwise() -> None:
    model = model_from_config({"architectures": ["LlamaForCausalLM"], "num_attention_heads": 40})
    assert model is not None
    assert model.facts["num_kv_heads"] == 40


def test_layers_tell_windows_and_states() -> None:
    windows = model_from_config(
        {
            "architectures": ["Exaone4ForCausalLM"],
            "layer_types": ["sliding_attention", "full_attention"],
        }
    )
    states = model_from_config(
        {"architectures": ["GraniteMoeHybridForCausalLM"], "layer_types": ["mamba", "attention"]}
    )
    assert windows is not None
    assert windows.facts["sliding_window"] is True
    assert states is not None
    assert states.facts["hybrid"] == "mamba2"


def test_without_a_release_changed_facts_are_left_out() -> None:
    config = {"architectures": ["KimiK25ForConditionalGeneration"]}
    bare, newest = model_from_config(config), model_from_config(config, NEWEST)
    assert bare is not None
    assert newest is not None
    assert "dcp_prefill_hook" not in bare.facts
    assert newest.facts["dcp_prefill_hook"] is True
    assert bare.facts["attention"] == "mla"


def test_an_architecture_that_no_one_knows_has_the_facts_of_its_configuration_only() -> None:
    model = model_from_config({"architectures": ["SomethingNew"], "num_hidden_layers": 3}, NEWEST)
    assert model is not None
    assert "attention" not in model.facts
    assert model.facts["num_layers"] == 3


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=8),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(
                    [
                        "architectures",
                        "text_config",
                        "layer_types",
                        "quantization_config",
                        "index_topk",
                    ]
                )
                | st.text(max_size=8),
                inner,
                max_size=4,
            )
        ),
        max_leaves=12,
    ).filter(lambda value: isinstance(value, dict))
)
def test_no_configuration_breaks_it(config: dict[str, object]) -> None:
    model = model_from_config(config, NEWEST)
    if model is not None:
        assert isinstance(hash(model), int)
        assert all(isinstance(hash(value), int) for value in model.facts.values())


@given(st.text(max_size=60))
def test_no_name_breaks_it(text: str) -> None:
    find_model(text, NEWEST)


@pytest.mark.parametrize("release", ["0.5.15", "0.5.17", NEWEST])
def test_kinds_stand_for_a_model_that_is_not_known(release: str) -> None:
    found = kinds(release)
    assert 6 <= len(found) <= 12
    assert len({kind.name for kind in found}) == len(found)
    assert found[-1].architecture is None
    assert not found[-1].facts
    assert {kind.facts.get("attention") for kind in found} >= {"mla", "dsa", "dsv4", "mha"}
    assert len(set(found)) == len(found)


def test_a_kind_is_there_once_its_release_is() -> None:
    assert not any(kind.name == "Kimi-K3" for kind in kinds("0.5.16"))
    assert any(kind.name == "Kimi-K3" for kind in kinds("0.5.17"))


def _names_of(pattern: str) -> list[str]:
    """Ids that a pattern is meant for, with stand-ins for what it leaves open."""
    text = re.sub(r"\[(\d)-\d\]", r"\1", pattern)
    organisation, _, name = text.partition("/")
    organisation = organisation.replace("*", "someone")
    return [f"{organisation}/{name.replace('*', filler)}" for filler in ("", "0")]


@pytest.mark.parametrize(
    ("pattern", "architecture"),
    [
        (pattern, entry.get("architecture"))
        for entry in models._data()["models"]
        for pattern in entry["id"]
    ],
)
def test_no_pattern_hides_a_later_one(pattern: str, architecture: str | None) -> None:
    for name in _names_of(pattern):
        model = find_model(name, NEWEST)
        assert (model and model.architecture) == architecture, name


def test_the_table_holds_together() -> None:
    architectures = models._architectures()
    for entry in models._data()["models"]:
        if "architecture" in entry:
            assert entry["architecture"] in architectures
        heads, kv_heads = entry.get("num_attention_heads"), entry.get("num_kv_heads")
        if heads and kv_heads:
            assert heads % kv_heads == 0, entry["id"]
    json.dumps(models._data())  # what the build makes of it
