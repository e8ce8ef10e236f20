"""`sglang-lint rule`: what a rule says, where it was seen, and what to do."""

from __future__ import annotations

import argparse
from collections.abc import Iterable

from sglang_lint.cli import EXIT_CLEAN, MisuseError
from sglang_lint.commands.judging import checked_names
from sglang_lint.matrix.rules import Case, Rule, bundled_rules


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.add_argument("name", nargs="?", metavar="CODE|NAME")
    parser.add_argument("--all", action="store_true", help="every rule")


def run(arguments: argparse.Namespace) -> int:
    """Print the rules asked for; raises MisuseError for one that there is not."""
    rules = bundled_rules()
    if arguments.all:
        chosen = sorted(rules.rules, key=lambda rule: (rule.code, rule.name))
        for rule in chosen:
            print(f"{rule.code}  {rule.name}: {rule.summary}")
        return EXIT_CLEAN
    if arguments.name is None:
        raise MisuseError("name a rule, or say `--all`")
    (name,) = checked_names(arguments.name, rules)
    found = [rule for rule in rules.rules if name == rule.name or rule.code.startswith(name)]
    print("\n\n".join("\n".join(describe(rule)) for rule in found))
    return EXIT_CLEAN


def describe(rule: Rule) -> Iterable[str]:
    """A rule in lines of text."""
    yield f"{rule.code} {rule.name}"
    yield f"  {rule.summary}"
    for case in rule.cases:
        yield ""
        yield f"  releases: {case.releases.text or 'all'}"
        yield f"  {case.severity}{f', {case.consequence}' if case.consequence else ''}"
        if case.when is not None:
            yield f"  when: {' '.join(case.when.split())}"
        yield f"  says: {case.message}"
        yield from _ways(case)
        for item in case.evidence:
            yield f"  seen in {item.release}: {item.file}, {item.symbol} ({item.by})"
    for kind, lines in (("bad", rule.examples.bad), ("good", rule.examples.good)):
        for line in lines:
            yield f"  {kind}: {line}"
    if rule.verified_on:
        yield f"  verified on: {', '.join(rule.verified_on)}"


def _ways(case: Case) -> Iterable[str]:
    for way in case.instead:
        changes = [f"{name} = {value}" for name, value in way.set.items()]
        changes.extend(f"without {name}" for name in way.unset)
        safety = "safe" if way.safe else "unsafe"
        where = f" in {way.releases.text}" if way.releases.text else ""
        yield f"  instead: {way.title or ', '.join(changes)} ({safety}{where})"
