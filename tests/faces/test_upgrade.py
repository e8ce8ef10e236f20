"""`sglang-lint upgrade`: what another release changes for the launches of a project."""

import json
from pathlib import Path
from typing import Any

import pytest

from sglang_lint.cli import EXIT_CLEAN, EXIT_FINDINGS, EXIT_MISUSE, main

IMAGE = "lmsysorg/sglang:v0.5.18"
LAUNCH = "python3 -m sglang.launch_server --model-path meta-llama/Llama-3.1-8B-Instruct"
GRAPHS = " --cuda-graph-max-bs 64 --nsa-decode-backend flashmla_kv"
DCP = (
    "python3 -m sglang.launch_server --model-path deepseek-ai/DeepSeek-V3 --tp 8"
    " --dcp-size 2 --attention-backend trtllm_mla"
)


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def script(tree: Path, *lines: str, name: str = "run.sh") -> None:
    (tree / name).write_text("".join(f"{line}\n" for line in lines))


def upgrade(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, Any]:
    status = main(["upgrade", "--format", "json", *words])
    return status, json.loads(capsys.readouterr().out)


def subjects(report: Any, kind: str) -> dict[str, int]:
    return {
        entry["subject"]: entry["count"] for entry in report["changes"] if entry["kind"] == kind
    }


def test_dropped_and_ambiguous_spellings_break(
    tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script(tree, f"docker run {IMAGE} {LAUNCH}{GRAPHS}", f"docker run {IMAGE} {LAUNCH}{GRAPHS}")
    status, report = upgrade(capsys, "--to", "0.5.20")
    assert status == EXIT_FINDINGS
    assert subjects(report, "refused") == {"--cuda-graph-max-bs": 2, "--nsa-decode-backend": 2}
    (graphs,) = (c for c in report["changes"] if c["subject"] == "--cuda-graph-max-bs")
    assert graphs["code"] == "SGL505" and graphs["from"] == ["0.5.18"]
    column = len(f"docker run {IMAGE} {LAUNCH} ") + 1
    assert graphs["places"] == [
        {"path": "run.sh", "line": line, "column": column} for line in (1, 2)
    ]
    assert report["counts"]["breaking"] == 2
    assert [launch["breaks"] for launch in report["launches"]] == [True, True]


def test_the_text_counts_and_places(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script(tree, *[f"{LAUNCH}{GRAPHS}"] * 12)
    assert main(["upgrade", "--from", "0.5.18", "--to", "0.5.20"]) == EXIT_FINDINGS
    output = capsys.readouterr().out
    assert "--cuda-graph-max-bs [SGL505]: 12 places, from 0.5.18" in output
    column = len(LAUNCH) + 2
    assert f"run.sh:10:{column}\n      ... 2 more" in output
    assert "12 of 12 launches would break in SGLang 0.5.20 (1 file)" in output
    assert "12 from 0.5.18, as stated" in output


def test_what_is_broken_already_is_no_change(
    tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script(tree, f"{LAUNCH}{GRAPHS} --no-such-option 1")
    status, report = upgrade(capsys, "--from", "0.5.20", "--to", "0.5.21")
    assert status == EXIT_CLEAN
    assert subjects(report, "refused") == {}


def test_an_error_that_ends_is_newly_possible_and_comes_back(
    tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script(tree, DCP)
    words = ("--platform", "cuda-sm100")
    status, report = upgrade(capsys, "--from", "0.5.18", "--to", "0.5.20", *words)
    assert status == EXIT_CLEAN
    assert subjects(report, "possible") == {"trtllm-mla-decode-context-parallel": 1}
    status, report = upgrade(capsys, "--from", "0.5.20", "--to", "0.5.18", *words)
    assert status == EXIT_FINDINGS
    (change,) = (c for c in report["changes"] if c["kind"] == "refused")
    assert change["subject"] == "trtllm-mla-decode-context-parallel"
    assert change["consequence"] == "crash"


def test_an_option_of_a_later_release_becomes_possible(
    tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script(tree, f"{LAUNCH} --c128-page-size 64")
    status, report = upgrade(capsys, "--from", "0.5.17", "--to", "0.5.18")
    assert status == EXIT_CLEAN
    assert subjects(report, "possible") == {"--c128-page-size": 1}
    status, report = upgrade(capsys, "--from", "0.5.18", "--to", "0.5.17")
    assert status == EXIT_FINDINGS
    assert subjects(report, "refused") == {"--c128-page-size": 1}


def test_a_field_that_a_release_does_not_have_has_no_value_to_change(
    tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script(tree, LAUNCH)
    _, report = upgrade(capsys, "--from", "0.5.16", "--to", "0.5.17")
    assert "--dcp-comm-backend" not in subjects(report, "changed")


def test_a_value_that_the_release_resolves_otherwise_changes(
    tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script(tree, DCP.replace("trtllm_mla", "cutedsl_mla"))
    _, report = upgrade(capsys, "--from", "0.5.18", "--to", "0.5.20", "--platform", "cuda-sm100")
    changed = [c for c in report["changes"] if c["subject"] == "--dcp-comm-backend"]
    assert [c["values"] for c in changed] == [{"before": "ag_rs", "after": "fi_a2a"}]


def test_a_default_that_nobody_overrides_changes(
    tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script(tree, LAUNCH, f"{LAUNCH} --encoder-transfer-backend zmq_to_scheduler")
    status, report = upgrade(capsys, "--from", "0.5.15", "--to", "0.5.20")
    assert status == EXIT_CLEAN
    (change,) = (c for c in report["changes"] if c["subject"] == "--encoder-transfer-backend")
    assert change["kind"] == "changed"
    assert change["values"] == {"before": "zmq_to_scheduler", "after": "auto"}
    assert [place["line"] for place in change["places"]] == [1]


def test_defaults_are_not_compared_where_arguments_are_unseen(
    tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script(tree, f'{LAUNCH} "$@"')
    _, report = upgrade(capsys, "--from", "0.5.15", "--to", "0.5.20")
    assert report["launches"][0]["open"]
    assert subjects(report, "changed") == {}


def test_deprecation_is_said_and_breaks_nothing(
    tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script(tree, f"{LAUNCH} --grpc-mode")
    status, report = upgrade(capsys, "--from", "0.5.15", "--to", "0.5.16")
    assert (status, subjects(report, "deprecated")) == (EXIT_CLEAN, {"--grpc-mode": 1})
    _, report = upgrade(capsys, "--from", "0.5.16", "--to", "0.5.17")
    assert subjects(report, "deprecated") == {}


def test_without_a_release_the_newest_that_takes_the_options_is_taken(
    tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script(tree, f"{LAUNCH}{GRAPHS}")
    _, report = upgrade(capsys, "--to", "0.5.20")
    (launch,) = report["launches"]
    assert launch["from"] == {
        "version": "0.5.19",
        "source": "the options written",
        "stated": None,
    }
    assert main(["upgrade", "--to", "0.5.20"]) == EXIT_FINDINGS
    assert "the newest of 0.5.15 to 0.5.19, inferred" in capsys.readouterr().out


def test_from_goes_before_what_stands_beside_the_launch(
    tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script(tree, f"docker run {IMAGE} {LAUNCH}")
    _, report = upgrade(capsys, "--from", "0.5.16", "--to", "0.5.20")
    assert report["launches"][0]["from"]["version"] == "0.5.16"


def test_a_suppressed_finding_is_no_change(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script(tree, f"{LAUNCH}{GRAPHS}  # sglang-lint: ignore[SGL502,SGL505] mended on deployment")
    status, report = upgrade(capsys, "--from", "0.5.18", "--to", "0.5.20")
    assert (status, subjects(report, "refused")) == (EXIT_CLEAN, {})


@pytest.mark.parametrize("target", ["0.5.99", "nightly", "0.5.3"])
def test_a_target_without_rules_is_misuse(
    target: str, tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["upgrade", "--to", target]) == EXIT_MISUSE
    assert target in capsys.readouterr().err
