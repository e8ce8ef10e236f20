"""Write docs/rules.md, the reference of all rules, from the rule files; `--check` compares."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from pathlib import Path

from sglang_lint.matrix.rules import Case, Rule, bundled_rules

PAGE = Path(__file__).parents[1] / "docs" / "rules.md"
CONSEQUENCES = {
    "refused": "refused while the arguments resolve",
    "init": "fails when the workers start",
    "crash": "dies while it serves",
    "overridden": "runs with something else than what was asked for",
    "wrong": "runs and answers wrongly",
    None: "advice",
}


def render() -> str:
    """The whole page."""
    rules = sorted(bundled_rules().rules, key=lambda rule: (rule.code, rule.name))
    lines = [
        "# Rules",
        "",
        "Made from the rule files by `python tools/render_rules.py`; change those, not this page.",
    ]
    for rule in rules:
        lines.extend(_rule(rule))
    return "\n".join(lines) + "\n"


def _rule(rule: Rule) -> Iterable[str]:
    yield from ("", f"## {rule.name}", "", f"`{rule.code}`: {rule.summary}.")
    for case in rule.cases:
        yield from _case(case)
    for title, lines in (("Found", rule.examples.bad), ("Not found", rule.examples.good)):
        if lines:
            yield from ("", f"{title}{_judged(rule)}:", "", "```sh", *lines, "```")


def _case(case: Case) -> Iterable[str]:
    releases = f"`{case.releases.text}`" if case.releases.text else "all"
    yield from ("", f"- Releases: {releases}")
    yield f"- {case.severity.capitalize()}: {CONSEQUENCES[case.consequence]}"
    if case.when is not None:
        yield f"- When: `{' '.join(case.when.split())}`"
    if case.message != "{detail}":
        yield f"- Message: {case.message}"
    for item in case.evidence:
        place = " ".join(part for part in (item.file, item.symbol) if part)
        yield f"- Evidence ({item.by}, {item.release}): {place}"


def _judged(rule: Rule) -> str:
    parts = [part for part in (rule.examples.release, rule.examples.platform) if part]
    return f" (judged for {', '.join(parts)})" if parts else ""


def main() -> int:
    """Write the page, or say that it is not what the rules say."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    page = render()
    if parser.parse_args().check:
        return 0 if PAGE.read_text(encoding="utf-8") == page else 1
    PAGE.write_text(page, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
