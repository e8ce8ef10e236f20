"""Certainty over worlds, with rules made for the purpose."""

import shutil
from pathlib import Path

import pytest

from sglang_lint.engine import Diagnostic, Settings, analyse
from sglang_lint.matrix.compiler import RuleFileError, compile_rules
from sglang_lint.matrix.rules import build_rule_set
from sglang_lint.releases.context import Stated, Statements
from sglang_lint.text import Document

RULES = Path(__file__).parents[2] / "rules"
EVIDENCE = "evidence: [{release: 0.5.18, file: x.py, symbol: f, by: guard}]"
LAUNCH = "python3 -m sglang.launch_server --model-path x --page-size 16"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for folder in ("arguments", "files", "host"):
        shutil.copytree(RULES / folder, tmp_path / folder)
    (tmp_path / "own").mkdir()
    (tmp_path / "resolution").mkdir()
    return tmp_path


def rule(when: str, name: str = "own", extra: str = "") -> str:
    return (
        f"- name: {name}\n  code: SGL901\n  summary: s\n  releases: '>=0.5.15'\n  when: {when}\n"
        f"  consequence: refused\n  severity: error\n  message: '`{{page_size}}` on {{release}}'\n"
        f"  primary: [page_size]\n  {EVIDENCE}\n{extra}"
    )


def found(
    root: Path, rules: str, text: str = LAUNCH, *, least: str = "info", **stated: str
) -> list[Diagnostic]:
    (root / "own" / "rules.yaml").write_text(rules)

    def statement(name: str) -> list[Stated]:
        return [Stated(stated[name], "the test")] if name in stated else []

    settings = Settings(
        Statements(statement("release"), (), statement("platform"), (), statement("model")),
        build_rule_set(compile_rules(root)),
        least=least,
    )
    diagnostics = analyse(Document("x.sh", text + "\n"), settings).diagnostics
    return [item for item in diagnostics if item.code == "SGL901"]


def test_true_in_every_world_is_definite(root: Path) -> None:
    (item,) = found(root, rule("page_size == 16"))
    assert (item.severity, item.certainty, item.condition) == ("error", "definite", None)
    assert item.message == "`16` on 0.5.23"


def test_true_on_some_releases_is_a_warning_that_names_them(root: Path) -> None:
    one = rule("page_size == 16").replace(">=0.5.15", ">=0.5.16,<0.5.19")
    (item,) = found(root, one)
    assert (item.severity, item.condition) == ("warning", "in 0.5.16 to 0.5.18")


def test_true_on_some_platforms_is_a_remark_that_names_them(root: Path) -> None:
    (item,) = found(root, rule("page_size == 16 and platform.sm == 90"), release="0.5.18")
    assert (item.severity, item.condition) == ("info", "if this runs on Hopper (sm90)")
    (item,) = found(
        root, rule("page_size == 16 and platform.sm == 90"), release="0.5.18", platform="cuda-sm90"
    )
    assert (item.severity, item.certainty) == ("error", "definite")
    assert found(root, rule("page_size == 16 and platform.sm == 90"), platform="npu") == []


def test_an_axis_of_few_members_is_worth_a_warning(root: Path) -> None:
    (item,) = found(
        root, rule("page_size == 16 and platform.gfx == 'gfx950'"), release="0.5.18", platform="hip"
    )
    assert (item.severity, item.condition) == ("warning", "if this runs on hip-gfx950")


def test_the_same_on_every_remaining_platform_is_definite(root: Path) -> None:
    (item,) = found(
        root,
        rule("page_size == 16 and (platform.family == 'cuda' or platform.family != 'cuda')"),
        release="0.5.18",
    )
    assert item.certainty == "definite"


def test_a_world_that_is_refused_anyway_does_not_count_against_a_rule(root: Path) -> None:
    resolution = (
        "- step: npu\n  releases: '>=0.5.15'\n  assign:\n"
        "    - when: platform.family == 'npu'\n      set: {attention_backend: ascend}\n"
    )
    (root / "resolution" / "steps.yaml").write_text(resolution)
    about = rule("attention_backend == 'triton' and page_size == 16", "about")
    refusal = rule("platform.family == 'npu' and page_size == 16", "refusal")
    text = LAUNCH + " --attention-backend triton"
    alone = {item.rule: item.certainty for item in found(root, about, text, release="0.5.18")}
    assert alone == {"about": "possible"}
    both = {
        item.rule: item.certainty for item in found(root, about + refusal, text, release="0.5.18")
    }
    assert both == {"about": "definite", "refusal": "possible"}


def test_an_open_tail_leaves_it_possible_and_is_shown(root: Path) -> None:
    rules = rule("page_size == 16 and speculative_algorithm is None")
    (item,) = found(root, rules, LAUNCH + ' "$@"', release="0.5.18")
    assert (item.severity, item.certainty) == ("warning", "possible")
    assert any("may change it" in place.message for place in item.related)


def test_an_absence_is_not_claimed_of_an_open_launch(root: Path) -> None:
    rules = rule("page_size == 16 and not given(dtype)", extra="  missing: [dtype]\n")
    assert len(found(root, rules, LAUNCH, release="0.5.18")) == 1
    assert found(root, rules, LAUNCH + ' "$@"', release="0.5.18") == []


def test_a_default_that_a_step_fills_in_is_unknown_on_an_open_launch(root: Path) -> None:
    (root / "resolution" / "steps.yaml").write_text(
        "- step: fill\n  releases: '>=0.5.15'\n  assign:\n"
        "    - when: attention_backend is None\n      set: {attention_backend: triton}\n"
    )
    rules = rule("page_size == 16 and attention_backend == 'triton'")
    assert len(found(root, rules, LAUNCH, release="0.5.18")) == 1
    assert found(root, rules, LAUNCH + ' "$@"', release="0.5.18") == []


def test_a_rule_sees_the_values_of_its_own_step(root: Path) -> None:
    (root / "resolution" / "steps.yaml").write_text(
        "- step: first\n  releases: '>=0.5.15'\n"
        "- step: second\n  releases: '>=0.5.15'\n  assign:\n"
        "    - when: page_size == 16\n      compute: {page_size: page_size * 4}\n"
    )
    for at, value in (("parse", 16), ("resolve:first", 16), ("resolve:second", 64), ("init", 64)):
        rules = rule(f"page_size == {value} and typed.page_size == 16", extra=f"  at: {at}\n")
        assert len(found(root, rules, release="0.5.18")) == 1, at


def test_one_finding_hides_what_it_explains(root: Path) -> None:
    cause = rule("page_size == 16", "cause", "  hides: [effect]\n")
    effect = rule("page_size > 1", "effect")
    assert [item.rule for item in found(root, cause + effect)] == ["cause"]
    some = cause.replace(">=0.5.15", ">=0.5.20")
    assert {item.rule for item in found(root, some + effect)} == {"cause", "effect"}


def test_what_is_below_the_least_severity_is_not_given(root: Path) -> None:
    rules = rule("page_size == 16 and platform.sm == 90")
    assert found(root, rules, least="warning") == []


@pytest.mark.parametrize(
    ("broken", "reason"),
    [
        (rule("page_size ="), "not an expression"),
        (rule("page_sise == 16"), "0.5.15 has no field page_sise"),
        (rule("page_size == 16").replace("guard", "hearsay"), "guard, report or reading"),
        (rule("page_size == 16").replace("guard", "reading"), "reading alone is a warning"),
        (rule("page_size == 16").replace(EVIDENCE, "evidence: []"), "without evidence"),
        (rule("page_size == 16", extra="  hidess: [x]\n"), "no such key: hidess"),
        (rule("page_size == 16") * 2, "two rules are called `own`"),
        (rule("page_size == 16").replace(">=0.5.15", "newer"), "not a version range"),
    ],
)
def test_a_rule_file_that_says_too_little_or_too_much_is_refused(
    root: Path, broken: str, reason: str
) -> None:
    (root / "own" / "rules.yaml").write_text(broken)
    with pytest.raises(RuleFileError, match=reason):
        compile_rules(root)
