"""Comments that speak to the linter."""

import pytest

from sglang_lint.engine import Settings, analyse
from sglang_lint.releases.context import Stated, Statements
from sglang_lint.text import Document

COMMAND = "python3 -m sglang.launch_server --model-path x --tp 8"
SETTINGS = Settings(Statements(releases=[Stated("0.5.18", "the test")]))


def rules_in(text: str, name: str = "x.sh", settings: Settings = SETTINGS) -> list[str]:
    return [diagnostic.code for diagnostic in analyse(Document(name, text), settings).diagnostics]


@pytest.mark.parametrize(
    "comment",
    [
        "ignore[SGL501] needed here",
        "ignore[unknown-option]",
        "ignore[SGL5]",
        "ignore[SGL1, SGL501]",
    ],
)
def test_a_comment_at_the_line_s_end_silences_that_line(comment: str) -> None:
    assert rules_in(f"{COMMAND} --typo\n") == ["SGL501"]
    assert rules_in(f"{COMMAND} --typo  # sglang-lint: {comment}\n") == []


@pytest.mark.parametrize("comment", ["ignore[SGL1]", "ignore[other-rule]", "ignore[]", "ignore"])
def test_another_rule_s_name_silences_nothing(comment: str) -> None:
    assert rules_in(f"{COMMAND} --typo  # sglang-lint: {comment}\n") == ["SGL501"]


def test_a_comment_of_its_own_line_reaches_over_the_whole_command() -> None:
    text = f"# sglang-lint: ignore[SGL501]\n{COMMAND} \\\n  --typo \\\n  --another-typo\n"
    assert rules_in(text) == []
    assert rules_in(text + f"{COMMAND} --typo\n") == ["SGL501"]


def test_a_comment_above_a_yaml_list_reaches_over_it() -> None:
    text = (
        "kind: Pod\napiVersion: v1\nspec:\n  containers:\n    - name: x\n"
        "      # sglang-lint: ignore[SGL501]\n"
        "      command: [python3, -m, sglang.launch_server]\n"
        "      args:\n        - --model-path=x\n        - --typo\n"
    )
    assert rules_in(text, "pod.yaml") == []
    assert rules_in(text.replace("SGL501", "SGL1"), "pod.yaml") == ["SGL501"]


def test_ignore_file() -> None:
    assert rules_in(f"# sglang-lint: ignore-file\n{COMMAND} --typo\n") == []


def test_noqa_counts_in_python_only() -> None:
    python = 'import sglang\nsglang.Engine(model_path="x", typo=1)  # noqa: SGL510\n'
    assert rules_in(python, "x.py") == []
    assert rules_in(python.replace(": SGL510", ""), "x.py") == []
    assert rules_in(python.replace("SGL510", "E501"), "x.py") == ["SGL510"]
    assert rules_in(f"{COMMAND} --typo  # noqa: SGL501\n") == ["SGL501"]


def test_an_inline_release_is_the_nearest_above_the_launch() -> None:
    text = (
        "# sglang-lint: release=0.5.18\n" + COMMAND + " --dsa-prefill-backend trtllm\n"
        "# sglang-lint: release=0.5.20\n" + COMMAND + " --nsa-prefill-backend trtllm\n"
    )
    found = analyse(Document("x.sh", text), Settings()).diagnostics
    assert [(d.code, d.judged and d.judged.versions) for d in found] == [
        ("SGL502", ("0.5.20",)),
    ]
    first = found[0].judged
    assert first is not None
    assert first.source == "a comment in the file"
