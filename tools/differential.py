"""Compare sglang-lint with real releases on random launches.

    python tools/differential.py --oracle DIR [--releases 0.5.17,0.5.18] [--platforms cuda-sm100]
        [--launches 200] [--examples] [--seed 1] [--guards FILE] [--save FILE]

With --examples the launches are the examples of the guards' rules, in every release.

Prints the precision of definite findings, the recall of each guard (macro average over those met at
least five times), the findings that a release contradicts, and the minimal pairs: a refusal shrunk
to its fewest options and changed in one until the release accepts it, on which the tool has to
change its mind as well.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from guards import GUARDS, Guard, answered, decided, guard_that_spoke, read_guards
from random_launches import Generator, RandomLaunch, rules_named
from release_truth import Oracle, Truth
from verdict_file import Verdict, save_sample

from sglang_lint.engine import Diagnostic, judge_argv
from sglang_lint.releases.table import release_table

RELEASES = [f"0.5.{minor}" for minor in range(15, 24)]
PLATFORMS = ["cuda-sm90", "cuda-sm100", "cuda-sm120", "hip-gfx950", "npu", "xpu", "cpu"]
MAX_PROCESSES = 2
ENOUGH = 5
WORST = 10
PAIRS_A_GUARD = 1
MAX_CHANGES = 24


@dataclass(frozen=True)
class Met:
    """One refusal of a guard, and whether a rule answered it."""

    guard: str
    hit: bool
    verdict: Verdict


@dataclass(frozen=True)
class Pair:
    """A smallest refused launch and an accepted one that differs in one option."""

    guard: str
    refused: tuple[str, ...]
    accepted: tuple[str, ...]
    changed_its_mind: bool
    release: str
    platform: str


@dataclass
class Result:
    """What one release on one platform brought."""

    judged: int = 0
    confirmed: int = 0
    contradicted: list[tuple[Verdict, str]] = field(default_factory=list)
    met: list[Met] = field(default_factory=list)
    unguarded: Counter[str] = field(default_factory=Counter)
    pairs: list[Pair] = field(default_factory=list)
    verdicts: list[Verdict] = field(default_factory=list)

    def add(self, other: Result) -> None:
        """Take in another result."""
        self.judged += other.judged
        self.confirmed += other.confirmed
        self.contradicted += other.contradicted
        self.met += other.met
        self.unguarded += other.unguarded
        self.pairs += other.pairs
        self.verdicts += other.verdicts


@dataclass(frozen=True)
class Task:
    """One release on one platform, with how many launches to try."""

    oracle: Path
    release: str
    platform: str
    launches: int
    examples: bool
    seed: int
    guards: Path


class Comparison:
    """Runs the launches of one task."""

    def __init__(self, task: Task, oracle: Oracle) -> None:
        self._task = task
        self._oracle = oracle
        self._chance = random.Random(f"{task.seed} {task.release} {task.platform}")
        self._generator = Generator(task.release, self._chance)
        self._guards = [g for g in read_guards(task.guards) if task.release in g.releases]
        self._times: Counter[str] = Counter({guard.name: 0 for guard in self._guards})
        self._aimed: Counter[str] = Counter({guard.name: 0 for guard in self._guards})
        self.result = Result()

    def run(self) -> Result:
        """Try the examples, or launches of which half are aimed at the guards met least."""
        if self._task.examples:
            names = dict.fromkeys(name for guard in self._guards for name in guard.rules)
            for rule in rules_named(names):
                if rule.examples.platform in (None, self._task.platform):
                    for line in (*rule.examples.bad, *rule.examples.good):
                        self._try(self._generator.example(line))
            return self.result
        for number in range(self._task.launches):
            self._try(self._next(aim=number % 2 == 1))
        return self.result

    def _next(self, *, aim: bool) -> RandomLaunch:
        if not aim or not self._guards:
            return self._generator.launch()
        guard = min(
            self._guards, key=lambda one: (self._times[one.name] >= ENOUGH, self._aimed[one.name])
        )
        self._aimed[guard.name] += 1
        rules = rules_named(guard.rules)
        return self._generator.aimed_at(rules) if rules else self._generator.launch()

    def _try(self, launch: RandomLaunch) -> None:
        truth = self._oracle.ask(launch.argv)
        if truth is None:
            return
        findings = self._judge(launch)
        verdict = self._verdict(launch, truth)
        self.result.judged += 1
        self.result.verdicts.append(verdict)
        said = decided(findings)
        if truth.refused:
            self.result.confirmed += len(said)
            self._meet(launch, truth, findings, verdict)
        else:
            self.result.contradicted += [(verdict, finding.rule) for finding in said]

    def _meet(
        self,
        launch: RandomLaunch,
        truth: Truth,
        findings: Sequence[Diagnostic],
        verdict: Verdict,
    ) -> None:
        guard = guard_that_spoke(self._guards, self._task.release, truth.function, truth.message)
        if guard is None:
            self.result.unguarded[f"{truth.function}"] += 1
            return
        self.result.met.append(Met(guard.name, answered(guard, findings), verdict))
        self._times[guard.name] += 1
        if self._times[guard.name] <= PAIRS_A_GUARD:
            self.result.pairs += self._pair(launch, guard)

    def _pair(self, launch: RandomLaunch, guard: Guard) -> Iterator[Pair]:
        smallest = self._shrunk(launch, guard)
        for count, other in enumerate(self._changed(smallest)):
            if count >= MAX_CHANGES:
                return
            truth = self._oracle.ask(other.argv)
            if truth is not None and not truth.refused:
                mind = bool(decided(self._judge(smallest))) and not decided(self._judge(other))
                yield Pair(
                    guard.name,
                    smallest.argv,
                    other.argv,
                    mind,
                    self._task.release,
                    self._task.platform,
                )
                return

    def _shrunk(self, launch: RandomLaunch, guard: Guard) -> RandomLaunch:
        index = len(launch.units) - 1
        while index > 0:  # the model stays
            smaller = launch.without(index)
            truth = self._oracle.ask(smaller.argv)
            if truth is not None and guard.spoke(self._task.release, truth.function, truth.message):
                launch = smaller
            index -= 1
        return launch

    def _changed(self, launch: RandomLaunch) -> Iterator[RandomLaunch]:
        for index in range(1, len(launch.units)):
            yield launch.without(index)
        for index in range(1, len(launch.units)):
            for unit in self._generator.other_values(launch.units[index]):
                yield launch.with_unit(index, unit)

    def _judge(self, launch: RandomLaunch) -> list[Diagnostic]:
        return judge_argv(
            launch.argv,
            release=self._task.release,
            platform=self._task.platform,
            environment={},
            least="error",
        )

    def _verdict(self, launch: RandomLaunch, truth: Truth) -> Verdict:
        guard = guard_that_spoke(self._guards, self._task.release, truth.function, truth.message)
        return Verdict(
            self._task.release,
            self._task.platform,
            launch.argv,
            truth.outcome,
            truth.function,
            None if guard is None else guard.name,
        )


def run_task(task: Task) -> Result:
    """One release on one platform, in a process of its own."""
    with Oracle(task.oracle, task.release, task.platform) as oracle:
        return Comparison(task, oracle).run()


def report(result: Result) -> Iterator[str]:
    """The lines that say how the comparison came out."""
    said = result.confirmed + len(result.contradicted)
    precision = result.confirmed / said if said else 1.0
    yield f"launches judged: {result.judged}"
    yield f"definite findings: {said}, contradicted: {len(result.contradicted)}"
    yield f"precision: {precision:.4f}"
    yield from _recall(result.met)
    agreed = sum(pair.changed_its_mind for pair in result.pairs)
    yield f"minimal pairs: {len(result.pairs)}, the tool changes its mind on {agreed}"
    for pair in result.pairs:
        if not pair.changed_its_mind:
            yield f"  unmoved {pair.release} {pair.platform} {pair.guard}"
            yield f"    refused:  {' '.join(pair.refused)}"
            yield f"    accepted: {' '.join(pair.accepted)}"
    for verdict, rule in result.contradicted:
        place = f"{verdict.release} {verdict.platform}"
        yield f"  contradicted {rule} {place}: {' '.join(verdict.argv)}"
    others = ", ".join(f"{name} {times}" for name, times in result.unguarded.most_common(25))
    yield f"refusals that no listed guard stands for: {others or 'none'}"


def _recall(met: Iterable[Met]) -> Iterator[str]:
    times: Counter[str] = Counter()
    hits: Counter[str] = Counter()
    missed: dict[str, Met] = {}
    for one in met:
        times[one.guard] += 1
        hits[one.guard] += one.hit
        if not one.hit:
            missed.setdefault(one.guard, one)
    rates = {name: hits[name] / count for name, count in times.items() if count >= ENOUGH}
    macro = sum(rates.values()) / len(rates) if rates else 1.0
    yield f"guards met {ENOUGH} times or more: {len(rates)}, macro recall: {macro:.4f}"
    rare = sorted(name for name, count in times.items() if count < ENOUGH)
    if rare:
        yield f"guards met less often: {', '.join(rare)}"
    for name, rate in sorted(rates.items(), key=lambda item: (item[1], item[0]))[:WORST]:
        line = f"  {rate:.3f} of {times[name]:4} {name}"
        if name in missed:
            verdict = missed[name].verdict
            line += f"\n        {verdict.release} {verdict.platform}: {' '.join(verdict.argv)}"
        yield line


def main() -> None:
    """Parse the command line and run."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--oracle", type=Path, required=True)
    parser.add_argument("--releases", default=",".join(RELEASES))
    parser.add_argument("--platforms", default=",".join(PLATFORMS))
    parser.add_argument("--launches", type=int, default=200)
    parser.add_argument("--examples", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--guards", type=Path, default=GUARDS)
    parser.add_argument("--save", type=Path)
    options = parser.parse_args()
    tasks = [
        Task(
            options.oracle,
            release,
            platform,
            options.launches,
            options.examples,
            options.seed,
            options.guards,
        )
        for release in options.releases.split(",")
        for platform in options.platforms.split(",")
        if release_table(release)
    ]
    print(f"seed {options.seed}, {options.launches} launches for each of {len(tasks)} tasks")
    total = Result()
    with ProcessPoolExecutor(max_workers=MAX_PROCESSES) as pool:
        for task, result in zip(tasks, pool.map(run_task, tasks), strict=True):
            print(f"{task.release} {task.platform}: {result.judged} judged", file=sys.stderr)
            total.add(result)
    print("\n".join(report(total)))
    if options.save:
        save_sample(options.save, total.verdicts, random.Random(options.seed))


if __name__ == "__main__":
    main()
