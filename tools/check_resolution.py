"""Compare the resolution steps with what real releases make of random launches.

    python tools/check_resolution.py --oracle DIR [--releases 0.5.17,0.5.18]
        [--platforms cuda-sm100,...] [--launches 200] [--seed 1]

Prints, for every field, how often the steps know its value on launches that the release accepts,
and the values that the release contradicts.
"""

from __future__ import annotations

import argparse
import random
import shlex
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from random_launches import Generator
from release_truth import load_oracle

from sglang_lint.launches import Variant, Word
from sglang_lint.launches.entry_points import LAUNCH_SERVER
from sglang_lint.matrix.rules import RuleSet, bundled_rules
from sglang_lint.matrix.world import Subject, World
from sglang_lint.releases.bind import bind
from sglang_lint.releases.models import ModelFacts, find_model
from sglang_lint.releases.platforms import find_platform
from sglang_lint.releases.table import release_table
from sglang_lint.text import MappedText, Span
from sglang_lint.values import Known, OneOf, Value

RELEASES = ["0.5.15", "0.5.15.post1", *(f"0.5.{minor}" for minor in range(16, 24))]
PLATFORMS = [
    "cuda-sm80", "cuda-sm90", "cuda-sm100", "cuda-sm103", "cuda-sm110", "cuda-sm120",
    "hip-gfx942", "hip-gfx950", "cpu", "npu", "xpu",
]  # fmt: skip
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


def world_of(
    argv: Sequence[str], release: str, platform: str, rules: RuleSet, model: ModelFacts | None
) -> World:
    """A wholly known launch of a release on a platform with a model."""
    text = " ".join(argv)
    words, start = [], 0
    for word in argv:
        span = Span(start, start + len(word))
        words.append(Word(Known(word), span, MappedText.region(text, span.start, span.end)))
        start += len(word) + 1
    table = release_table(release)
    binding = bind(Variant(words=tuple(words)), LAUNCH_SERVER, table)
    subject = Subject(release, table, binding, table.defaults, frozenset(), {}, True, rules)
    return World(subject, find_platform(platform), model)


def compare(
    world: World, resolved: Mapping[str, Any], scores: dict[str, Score], place: str
) -> None:
    """Score every field that the release has against the value that it resolved."""
    scope = world.scope(LAST_STEP)
    table = world.subject.table
    truth = {table.canonical(name): value for name, value in resolved.items()}
    for name in FIELDS:
        if name not in table.by_canonical or name not in truth:
            continue
        score = scores.setdefault(name, Score())
        value, true = scope.field(name), _plain(truth[name])
        match value:
            case Known():
                score.known += 1
            case OneOf():
                score.narrowed += 1
            case _:
                score.unknown += 1
        if not _allows(value, true):
            score.wrong.append(f"{value} but {true!r}: {place}")


def _allows(value: Value, true: Hashable) -> bool:
    match value:
        case Known(one):
            return one == true
        case OneOf(many):
            return true in many
        case _:
            return True


def _plain(value: Any) -> Hashable:
    return tuple(_plain(item) for item in value) if isinstance(value, list) else value


def check(
    folder: Path, release: str, platform: str, launches: int, seed: int
) -> tuple[dict[str, Score], int]:
    """Scores by field for one release on one platform, and how many launches were accepted."""
    scores: dict[str, Score] = {}
    accepted = 0
    rules = bundled_rules()
    generator = Generator(release, random.Random(f"{seed} {release} {platform}"))
    worker = load_oracle(folder).Worker(release, platform)
    for _ in range(launches):
        argv = generator.launch().argv
        answer = worker.ask({"argv": list(argv), "all_fields": True, "probe": False})
        models = answer.get("models") or {}
        if answer.get("verdict") != "accept" or models.get("substitute"):
            continue
        accepted += 1
        model = find_model(argv[argv.index("--model-path") + 1], release)
        world = world_of(argv, release, platform, rules, model)
        compare(world, answer["resolved"], scores, f"{release} {platform} {shlex.join(argv)}")
    worker.close()
    return scores, accepted


def report(scores: Mapping[str, Score], shown: int) -> bool:
    """Print the scores; whether no value is wrong."""
    for name, score in sorted(scores.items(), key=lambda item: -len(item[1].wrong)):
        total = score.known + score.narrowed + score.unknown
        print(
            f"{name:38} known {score.known / total:6.1%}  narrowed {score.narrowed / total:6.1%}"
            f"  wrong {len(score.wrong)}"
        )
        kinds = Counter(line.split(": ")[0] for line in score.wrong)
        for kind, count in kinds.most_common(shown):
            example = next(line for line in score.wrong if line.startswith(kind))
            print(f"    {count:5} x {example}")
    return not any(score.wrong for score in scores.values())


def main() -> int:
    """Exit status 0 where the releases contradict no value."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--oracle", type=Path, required=True)
    parser.add_argument("--releases", default=",".join(RELEASES))
    parser.add_argument("--platforms", default=",".join(PLATFORMS))
    parser.add_argument("--launches", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--shown", type=int, default=4)
    options = parser.parse_args()
    scores: dict[str, Score] = {}
    accepted = 0
    for release in options.releases.split(","):
        for platform in options.platforms.split(","):
            found, count = check(options.oracle, release, platform, options.launches, options.seed)
            accepted += count
            for name, score in found.items():
                scores.setdefault(name, Score()).add(score)
    print(f"{accepted} accepted launches")
    return 0 if report(scores, options.shown) else 1


if __name__ == "__main__":
    raise SystemExit(main())
