"""`sglang-lint check --explain PATH:LINE`: what decides one launch."""

from pathlib import Path

import pytest

from sglang_lint.cli import EXIT_CLEAN, EXIT_MISUSE, main
from sglang_lint.reports import explanation

LAUNCH = "python3 -m sglang.launch_server --tp 8 --model-path "
SEEK = "deepseek-ai/DeepSeek-V3"


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def explain(
    tree: Path, capsys: pytest.CaptureFixture[str], text: str, line: int, *words: str
) -> list[str]:
    (tree / "run.sh").write_text(text)
    assert main(["check", "--explain", f"run.sh:{line}", *words]) == EXIT_CLEAN
    return capsys.readouterr().out.splitlines()


def test_release_platform_and_model_come_with_their_sources(
    tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = f"# sglang-lint: platform=cuda-sm100\n{LAUNCH}{SEEK}\n"
    lines = explain(tree, capsys, text, 2, "--sglang-version", "0.5.18")
    assert lines[0] == "run.sh:2:12: sglang.launch_server"
    assert lines[1:4] == [
        "  release   0.5.18 (the command line)",
        "  platform  cuda-sm100 (a comment in the file)",
        f"  model     {SEEK} (the launch)",
    ]


def test_last_values_name_what_set_them(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = f"{LAUNCH}{SEEK} --attention-backend trtllm_mla\n"
    words = ("--sglang-version", "0.5.18", "--platform", "cuda-sm100")
    lines = explain(tree, capsys, text, 1, *words)
    assert f"    SGLang 0.5.18, cuda-sm100, {SEEK}:" in lines
    assert "      decode_backend = trtllm_mla  (written)" in lines
    assert "      kv_cache_dtype = auto  (default)" in lines
    assert "      page_size = 64  (mla-backend-page-constraints)" in lines


def test_worlds_with_other_values_are_told_apart(
    tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = f"{LAUNCH}{SEEK} --attention-backend flashinfer\n"
    lines = explain(tree, capsys, text, 1, "--sglang-version", "0.5.20")
    values = [line.split()[2] for line in lines if line.startswith("      decode_backend")]
    assert values[0] == "flashinfer" and set(values) == {"flashinfer", "ascend"}
    at_npu = next(i for i, line in enumerate(lines) if line.startswith("    SGLang 0.5.20, npu,"))
    assert "decode_backend = ascend" in lines[at_npu + 2]


def test_true_rules_say_where_they_stand(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = f"{LAUNCH}{SEEK} --attention-backend trtllm_mla \\\n  --dcp-size 2\n"
    words = ("--sglang-version", "0.5.18", "--platform", "cuda-sm100")
    lines = explain(tree, capsys, text, 2, *words)
    at = lines.index("    error SGL101 trtllm-mla-decode-context-parallel (definite)")
    assert "its first decode step" in lines[at + 1]
    assert lines[at + 2].startswith("      at decode: decode_backend == ")
    quiet = explain(tree, capsys, text.replace("trtllm_mla", "cutedsl_mla"), 1, *words)
    assert not any("trtllm-mla-decode-context-parallel" in line for line in quiet)


def test_an_open_error_rule_names_the_value_that_decides(
    tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = f'{LAUNCH}{SEEK} --attention-backend trtllm_mla --dcp-size "$N"\n'
    words = ("--sglang-version", "0.5.18", "--platform", "cuda-sm100")
    lines = explain(tree, capsys, text, 1, *words)
    assert "  error rules not decided in 0.5.18:" in lines
    (line,) = (line for line in lines if "trtllm-mla-decode-context-parallel" in line)
    assert "depends on" in line and "`dcp_size`" in line
    known = explain(tree, capsys, text.replace('"$N"', "1"), 1, *words)
    assert not any("trtllm-mla-decode-context-parallel" in line for line in known)


def test_each_branch_is_explained(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = (
        'if [ "$X" = 1 ]; then B=fa3; else B=flashinfer; fi\n'
        f"{LAUNCH}{SEEK} --attention-backend $B\n"
    )
    words = ("--sglang-version", "0.5.18", "--platform", "cuda-sm90")
    lines = explain(tree, capsys, text, 2, *words)
    assert [line for line in lines if line.startswith("when ")] == [
        'when [ "$X" = 1 ]:',
        'when not [ "$X" = 1 ]:',
    ]
    values = [line.split()[2] for line in lines if line.startswith("      decode_backend")]
    assert values == ["fa3", "flashinfer"]


def test_every_list_is_bounded_and_says_so(
    tree: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(explanation, "MAX_OUTCOMES", 3)
    monkeypatch.setattr(explanation, "MAX_OPEN", 2)
    text = f'{LAUNCH}"$MODEL" --dcp-size 2 "$@"\n'
    lines = explain(tree, capsys, text, 1, "--sglang-version", "0.5.20")
    assert sum("decode_backend =" in line for line in lines) == 3
    assert any("outcomes left out" in line for line in lines)
    assert sum("depends on" in line for line in lines) == 2
    assert any("rules left out" in line for line in lines)


@pytest.mark.parametrize(
    "words",
    [
        ["run.sh"],
        ["run.sh:one"],
        ["run.sh:1"],
        ["gone.sh:2"],
        ["run.sh:2", "run.sh"],
        ["run.sh:2", "--format", "json"],
    ],
)
def test_no_launch_there_is_misuse(
    words: list[str], tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tree / "run.sh").write_text(f"echo nothing here\n{LAUNCH}{SEEK}\n")
    assert main(["check", "--explain", *words]) == EXIT_MISUSE
    assert capsys.readouterr().err.startswith("sglang-lint: ")
