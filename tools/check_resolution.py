"""Compare the resolution steps with what real releases make of random launches.

    python tools/check_resolution.py --oracle DIR [--releases 0.5.17,0.5.18]
        [--platforms cuda-sm100,...] [--launches 200] [--seed 1] [--save FILE]

Prints, for every field, how often the steps know its value on launches that the release accepts,
and the values that the release contradicts.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

from random_launches import Generator
from release_truth import load_oracle
from resolved_launches import ResolvedLaunch, Score, save_sample, score

from sglang_lint.matrix.rules import bundled_rules

RELEASES = ["0.5.15", "0.5.15.post1", *(f"0.5.{minor}" for minor in range(16, 24))]
PLATFORMS = [
    "cuda-sm80", "cuda-sm90", "cuda-sm100", "cuda-sm103", "cuda-sm110", "cuda-sm120",
    "hip-gfx942", "hip-gfx950", "cpu", "npu", "xpu",
]  # fmt: skip
KEPT_A_PLACE = 8


def accepted_launches(
    folder: Path, release: str, platform: str, launches: int, seed: int
) -> Iterator[ResolvedLaunch]:
    """Those of the random launches that the release accepts, with what it made of them."""
    generator = Generator(release, random.Random(f"{seed} {release} {platform}"))
    worker = load_oracle(folder).Worker(release, platform)
    try:
        for _ in range(launches):
            argv = generator.launch().argv
            answer = worker.ask({"argv": list(argv), "all_fields": True, "probe": False})
            models = answer.get("models") or {}
            if answer.get("verdict") == "accept" and not models.get("substitute"):
                yield ResolvedLaunch.of(release, platform, argv, answer["resolved"])
    finally:
        worker.close()


def report(scores: Mapping[str, Score], shown: int) -> bool:
    """Print the scores; whether no value is wrong."""
    for name, one in sorted(scores.items(), key=lambda item: -len(item[1].wrong)):
        total = one.known + one.narrowed + one.unknown
        print(
            f"{name:38} known {one.known / total:6.1%}  narrowed {one.narrowed / total:6.1%}"
            f"  wrong {len(one.wrong)}"
        )
        kinds = Counter(line.split(": ")[0] for line in one.wrong)
        for kind, count in kinds.most_common(shown):
            example = next(line for line in one.wrong if line.startswith(kind))
            print(f"    {count:5} x {example}")
    return not any(one.wrong for one in scores.values())


def main() -> int:
    """Exit status 0 where the releases contradict no value."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--oracle", type=Path, required=True)
    parser.add_argument("--releases", default=",".join(RELEASES))
    parser.add_argument("--platforms", default=",".join(PLATFORMS))
    parser.add_argument("--launches", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--shown", type=int, default=4)
    parser.add_argument("--save", type=Path, help="file for a sample of the accepted launches")
    options = parser.parse_args()
    rules = bundled_rules()
    scores: dict[str, Score] = {}
    found: list[ResolvedLaunch] = []
    for release in options.releases.split(","):
        for platform in options.platforms.split(","):
            before = len(found)
            for launch in accepted_launches(
                options.oracle, release, platform, options.launches, options.seed
            ):
                found.append(launch)
                for name, one in score(launch, rules).items():
                    scores.setdefault(name, Score()).add(one)
            print(f"{release} {platform}: {len(found) - before} accepted", file=sys.stderr)
    if options.save:
        save_sample(options.save, found, KEPT_A_PLACE, random.Random(options.seed))
    print(f"{len(found)} accepted launches")
    return 0 if report(scores, options.shown) else 1


if __name__ == "__main__":
    raise SystemExit(main())
