"""What is known of the models that are served: by hub id, by architecture, by configuration."""

from __future__ import annotations

import json
import re
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from fnmatch import translate
from functools import cache
from importlib.resources import files
from typing import Any

from sglang_lint.releases.versions import specifier

# Longer texts name no model; they only cost time.
MAX_NAME = 300

_HUB_ID = re.compile(r"[\w.-]+/[\w.-]+")
_CACHED = re.compile(r"(?:^|/)models--([\w.]+(?:-[\w.]+)*)--([\w.-]+?)(?:/|$)")
_ABSENT = object()


@dataclass(frozen=True)
class ModelFacts:
    """A model as far as it is known; a fact that is not in `facts` is not known.

    `name` is what was asked for, or the words for a kind of model. `architecture` is the class
    that the checkpoint names, None where it is not known. A fact with the value None is one that
    the model is known not to have.
    """

    name: str
    architecture: str | None
    facts: Mapping[str, Hashable] = field(hash=False, default_factory=dict)


@dataclass(frozen=True)
class _Entry:
    patterns: re.Pattern[str]
    architecture: str | None
    facts: Mapping[str, Any]


def find_model(text: str, release: str) -> ModelFacts | None:
    """The model of a hub id, a path in a hub cache or an architecture's name, as a release sees it.

    None for anything else, a local path first of all, and for an id that the table does not hold.
    """
    text = text.strip()
    if len(text) > MAX_NAME:
        return None
    if text in _architectures():
        return ModelFacts(text, text, _in_release(_architectures()[text], release))
    cached = _CACHED.search(text)
    name = f"{cached[1]}/{cached[2]}" if cached else text
    if not is_hub_id(name):
        return None
    for entry in _models():
        if entry.patterns.match(name.lower()):
            if entry.architecture is None:
                return None
            facts = {**_architectures()[entry.architecture], **entry.facts}
            return ModelFacts(name, entry.architecture, _in_release(facts, release))
    return None


def is_hub_id(text: str) -> bool:
    """Whether a text has the form of a hub id, `organization/name`, and not that of a path."""
    return _HUB_ID.fullmatch(text) is not None and not text.startswith(".")


def model_from_config(config: Mapping[str, Any], release: str | None = None) -> ModelFacts | None:
    """The model of a parsed config.json, None where it names no architecture.

    Without a release, facts of the architecture that changed over the releases are left out.
    """
    architecture = _first_text(config.get("architectures"))
    if architecture is None:
        return None
    known = _architectures().get(architecture, {})
    facts = {**_in_release(known, release), **_facts_of_config(config)}
    if facts.get("index_topk") is not None and facts.get("attention", "mla") == "mla":
        # An indexer makes a DeepSeek-like model one with sparse attention.
        facts["attention"] = "dsa"
    return ModelFacts(architecture, architecture, facts)


@cache
def kinds(release: str) -> tuple[ModelFacts, ...]:
    """A few kinds of model that stand for "the model is not known"; the last has no facts."""
    found = []
    for kind in _data()["kinds"]:
        if release not in specifier(kind.get("releases", "")):
            continue
        architecture = kind.get("architecture")
        facts = _architectures()[architecture] if architecture else kind.get("facts", {})
        found.append(ModelFacts(kind["name"], architecture, _in_release(facts, release)))
    return tuple(found)


def _facts_of_config(config: Mapping[str, Any]) -> dict[str, Hashable]:
    text = next(
        (
            config[key]
            for key in ("text_config", "language_config", "llm_config", "thinker_config")
            if isinstance(config.get(key), Mapping)
        ),
        config,
    )

    def read(*keys: str) -> Any:
        for source in (text, config):
            for key in keys:
                if key in source:
                    return source[key]
        return _ABSENT

    facts: dict[str, Hashable] = {}
    for fact, keys in _CONFIG_KEYS.items():
        value = read(*keys)
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            facts[fact] = value
    facts["index_topk"] = facts.get("index_topk")
    if "num_attention_heads" in facts and read("multi_query") is _ABSENT:
        facts.setdefault("num_kv_heads", facts["num_attention_heads"])
    kinds_of_layers = read("layer_types")
    if isinstance(kinds_of_layers, list):
        facts["sliding_window"] = "sliding_attention" in kinds_of_layers
        if "mamba" in kinds_of_layers:
            facts["hybrid"] = "mamba2"
            facts["mamba_radix_cache"] = True
    sinks = [read(key) for key in _SINK_KEYS]
    if any(isinstance(flag, bool) for flag in sinks):
        facts["sinks"] = any(flag is True for flag in sinks)
    quantization = _quantization(read("quantization_config"))
    if quantization is not _ABSENT:
        facts["quantization"] = quantization
    return facts


_CONFIG_KEYS = {
    "num_attention_heads": ("num_attention_heads",),
    "num_kv_heads": ("n_head_kv", "num_kv_heads", "num_key_value_heads", "multi_query_group_num"),
    "head_dim": ("head_dim",),
    "num_layers": ("num_hidden_layers",),
    "index_topk": ("index_topk",),
    "index_kpool": ("index_kpool",),
}
_SINK_KEYS = ("add_swa_attention_sink_bias", "add_full_attention_sink_bias", "learnable_sink")
# What ModelOpt calls a scheme, and the name that SGLang loads it under.
_MODELOPT = {
    "FP8": "modelopt_fp8",
    "NVFP4": "modelopt_fp4",
    "MIXED_PRECISION": "modelopt_mixed",
}


def _quantization(section: Any) -> Any:
    if section is _ABSENT:
        # A hf_quant_config.json beside the configuration may still name one.
        return _ABSENT
    if not isinstance(section, Mapping):
        return None if section is None else _ABSENT
    method = section.get("quant_method")
    if not isinstance(method, str):
        return _ABSENT
    if method.startswith("modelopt"):
        algorithm = section.get("quant_algo")
        return _MODELOPT.get(str(algorithm).upper(), _ABSENT)
    return method


def _first_text(value: Any) -> str | None:
    if isinstance(value, list) and value and isinstance(value[0], str):
        return value[0]
    return None


def _in_release(facts: Mapping[str, Any], release: str | None) -> dict[str, Hashable]:
    found: dict[str, Hashable] = {}
    for name, value in facts.items():
        if not isinstance(value, list):
            found[name] = value
        elif release is not None:
            for case in value:
                if release in specifier(case.get("releases", "")):
                    found[name] = case["value"]
                    break
    return found


@cache
def _data() -> dict[str, Any]:
    folder = files("sglang_lint.releases").joinpath("data")
    compiled = folder.joinpath("models.json")
    if compiled.is_file():
        loaded: dict[str, Any] = json.loads(compiled.read_text(encoding="utf-8"))
        return loaded
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    source = folder.joinpath("models.yaml").read_text(encoding="utf-8")
    data: dict[str, Any] = yaml.load(source, Loader=loader)
    return data


@cache
def _architectures() -> dict[str, dict[str, Any]]:
    data = _data()
    found = {name: dict(data["defaults"]) for name in data["plain_architectures"]}
    for name in data["windowless_architectures"]:
        found[name] = {**data["defaults"], "sliding_window": False}
    for name, own in data["architectures"].items():
        unknown = own.get("unknown", ())
        merged = {**data["defaults"], **own}
        found[name] = {
            key: value for key, value in merged.items() if key != "unknown" and key not in unknown
        }
    return found


@cache
def _models() -> tuple[_Entry, ...]:
    return tuple(
        _Entry(
            _any_of(entry["id"]),
            entry.get("architecture"),
            {key: value for key, value in entry.items() if key not in ("id", "architecture")},
        )
        for entry in _data()["models"]
    )


def _any_of(patterns: Iterable[str]) -> re.Pattern[str]:
    return re.compile("|".join(translate(pattern.lower()) for pattern in patterns))
