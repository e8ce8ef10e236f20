"""Launches with the fields that a real release made of them, and the score of the steps on them."""

from __future__ import annotations

import json
import random
import shlex
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sglang_lint.launches import Variant, Word
from sglang_lint.launches.entry_points import LAUNCH_SERVER
from sglang_lint.matrix.rules import RuleSet
from sglang_lint.matrix.world import Subject, World
from sglang_lint.releases.bind import bind
from sglang_lint.releases.models import ModelFacts, find_model
from sglang_lint.releases.platforms import find_platform
from sglang_lint.releases.table import ReleaseTable, release_table
from sglang_lint.text import MappedText, Span
from sglang_lint.values import Known, OneOf, Value

FIELDS = """
    attention_backend prefill_attention_backend decode_attention_backend
    speculative_draft_attention_backend speculative_attention_mode speculative_algorithm
    speculative_num_steps speculative_eagle_topk speculative_num_draft_tokens kv_cache_dtype
    page_size dcp_size dcp_comm_backend dcp_replicate_q_proj attn_cp_size enable_prefill_cp
    cp_strategy
    enable_prefill_context_parallel enable_dsa_prefill_context_parallel prefill_cp_mode
    dsa_prefill_cp_mode moe_dp_size tp_size dp_size attn_dp_size ep_size pp_size moe_dense_tp_size
    moe_a2a_backend dsa_prefill_backend dsa_decode_backend disable_overlap_schedule
    disable_radix_cache chunked_prefill_size enable_hierarchical_cache hicache_io_backend
    hicache_mem_layout hicache_ratio enable_deterministic_inference enable_dp_attention
    enable_dp_lm_head disable_cuda_graph mamba_backend mamba_radix_cache_strategy mamba_ssm_dtype
    linear_attn_backend linear_attn_decode_backend linear_attn_prefill_backend
    linear_attn_verify_backend uses_mamba_radix_cache device sampling_backend max_running_requests
    enable_mixed_chunk quantization moe_runner_backend disaggregation_mode
    disaggregation_transfer_backend enable_symm_mem disable_custom_all_reduce
    enable_multi_layer_eagle
""".split()
LAST_STEP = "resolve:check-server-args"
MODEL_OPTION = "--model-path"


@dataclass(frozen=True)
class ResolvedLaunch:
    """A command line that a release accepts on a platform.

    `changed` holds those of `FIELDS` that end up other than the parser's default, by canonical
    name.
    """

    release: str
    platform: str
    argv: tuple[str, ...]
    changed: Mapping[str, Hashable]

    @classmethod
    def of(
        cls, release: str, platform: str, argv: Sequence[str], resolved: Mapping[str, Any]
    ) -> ResolvedLaunch:
        """The launch of a release's answer, which holds every field by the release's name."""
        table = release_table(release)
        truth = {table.canonical(name): _plain(value) for name, value in resolved.items()}
        changed = {
            name: truth[name]
            for name in known_fields(table)
            if name in truth and table.defaults.get(name, Known(None)) != Known(truth[name])
        }
        return cls(release, platform, tuple(argv), changed)

    @property
    def model(self) -> ModelFacts | None:
        """What the model table knows of the launch's model."""
        return find_model(self.argv[self.argv.index(MODEL_OPTION) + 1], self.release)

    def world(self, rules: RuleSet, model: ModelFacts | None) -> World:
        """The launch as the steps see it, with nothing left open but the model."""
        text = " ".join(self.argv)
        words, start = [], 0
        for word in self.argv:
            span = Span(start, start + len(word))
            words.append(Word(Known(word), span, MappedText.region(text, span.start, span.end)))
            start += len(word) + 1
        table = release_table(self.release)
        subject = Subject(
            self.release,
            table,
            bind(Variant(words=tuple(words)), LAUNCH_SERVER, table),
            by_keywords=False,
            defaults=table.defaults,
            unseen=frozenset(),
            environment={},
            environment_complete=True,
            rules=rules,
        )
        return World(subject, find_platform(self.platform), model)

    def __str__(self) -> str:
        return f"{self.release} {self.platform} {shlex.join(self.argv)}"


@dataclass
class Score:
    """How often a field's value was known, was one of a few, was not known, and was wrong."""

    known: int = 0
    narrowed: int = 0
    unknown: int = 0
    wrong: list[str] = field(default_factory=list)

    def add(self, other: Score) -> None:
        """Take in another score."""
        self.known += other.known
        self.narrowed += other.narrowed
        self.unknown += other.unknown
        self.wrong += other.wrong


def known_fields(table: ReleaseTable) -> list[str]:
    """Those of `FIELDS` that a release has."""
    return [name for name in FIELDS if name in table.by_canonical]


def score(launch: ResolvedLaunch, rules: RuleSet) -> dict[str, Score]:
    """What the steps make of each field, held against what the release made of it."""
    scores: dict[str, Score] = {}
    world = launch.world(rules, launch.model)
    scope = world.scope(LAST_STEP)
    for name in known_fields(world.subject.table):
        value = scope.field(name)
        one = scores[name] = Score(
            isinstance(value, Known),
            isinstance(value, OneOf),
            not isinstance(value, Known | OneOf),
        )
        true = launch.changed[name] if name in launch.changed else world.subject.default(name)
        if not _allows(value, true.value if isinstance(true, Known) else true):
            one.wrong.append(f"{value} but {true!r}: {launch}")
    return scores


def read_launches(path: Path) -> Iterator[ResolvedLaunch]:
    """The launches of a file."""
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            release, platform, argv, changed = json.loads(line)
            truth = {name: _plain(value) for name, value in changed.items()}
            yield ResolvedLaunch(release, platform, tuple(argv), truth)


def save_sample(
    path: Path, launches: Iterable[ResolvedLaunch], kept: int, chance: random.Random
) -> None:
    """Write so many launches of every release and platform, as lines of JSON."""
    places: dict[tuple[str, str], list[ResolvedLaunch]] = defaultdict(list)
    for launch in launches:
        places[launch.release, launch.platform].append(launch)
    lines = [
        json.dumps(
            [launch.release, launch.platform, launch.argv, launch.changed], separators=(",", ":")
        )
        for _, found in sorted(places.items())
        for launch in chance.sample(found, k=min(kept, len(found)))
    ]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _allows(value: Value, true: Hashable) -> bool:
    match value:
        case Known(one):
            return one == true
        case OneOf(many):
            return true in many
        case _:
            return True


def _plain(value: Any) -> Hashable:
    if isinstance(value, list):
        return tuple(_plain(item) for item in value)
    return json.dumps(value, sort_keys=True) if isinstance(value, dict) else value
