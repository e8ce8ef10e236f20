"""The examples in the rule files: found where they are bad, and the same in every language."""

import shlex

import pytest

from sglang_lint.engine import Settings, analyse
from sglang_lint.matrix.rules import Rule, bundled_rules
from sglang_lint.releases.context import Stated, Statements
from sglang_lint.releases.table import known_releases
from sglang_lint.text import Document
from tests.rules.rendering import RENDERINGS, as_shell

RULES = [rule for rule in bundled_rules().conditions if rule.examples.bad or rule.examples.good]
LINES = [
    pytest.param(rule, line, id=f"{rule.name}-{kind}{number}")
    for rule in RULES
    for kind, lines in (("bad", rule.examples.bad), ("good", rule.examples.good))
    for number, line in enumerate(lines)
]


def settings_for(rule: Rule) -> Settings:
    examples = rule.examples

    def stated(value: str | None) -> list[Stated]:
        return [] if value is None else [Stated(value, "the example")]

    return Settings(
        Statements(
            releases=stated(release_of(rule)),
            platforms=stated(examples.platform),
            models=stated(examples.model),
        )
    )


def release_of(rule: Rule) -> str:
    return rule.examples.release or known_releases()[-1]


def rules_found(name: str, text: str, rule: Rule) -> set[str]:
    diagnostics = analyse(Document(name, text), settings_for(rule)).diagnostics
    conditions = {condition.name for condition in bundled_rules().conditions}
    return {diagnostic.rule for diagnostic in diagnostics} & conditions


def test_every_rule_has_a_bad_and_a_good_example() -> None:
    lacking = [
        rule.name
        for rule in bundled_rules().conditions
        if not (rule.examples.bad and rule.examples.good)
    ]
    assert lacking == []


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_bad_examples_are_found_and_good_ones_are_not(rule: Rule) -> None:
    release = release_of(rule)
    for line in rule.examples.bad:
        assert rule.name in rules_found(*as_shell(shlex.split(line), release), rule), line
    for line in rule.examples.good:
        assert rule.name not in rules_found(*as_shell(shlex.split(line), release), rule), line


@pytest.mark.parametrize(("rule", "line"), LINES)
def test_a_launch_gives_the_same_rules_in_every_language(rule: Rule, line: str) -> None:
    argv = shlex.split(line)
    found = {
        language: rules_found(*render(argv, release_of(rule)), rule)
        for language, render in RENDERINGS.items()
    }
    assert all(rules == found["shell"] for rules in found.values()), found
