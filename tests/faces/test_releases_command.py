"""`sglang-lint releases extract`, and linting for what it extracted."""

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from sglang_lint.cli import EXIT_CLEAN, EXIT_FINDINGS, EXIT_MISUSE, main
from sglang_lint.releases import table, versions

SERVER_ARGS = """
import argparse
import dataclasses
import os


@dataclasses.dataclass
class ServerArgs:
    model_path: str
    tp_size: int = 1
    attention_backend: str = None
    fork_speed: str = "slow"

    @staticmethod
    def add_cli_args(parser):
        parser.add_argument("--model-path", type=str, required=True)
        parser.add_argument("--tp-size", "--tp", type=int, default=ServerArgs.tp_size)
        parser.add_argument("--attention-backend", type=str, choices=["fork_mla", "trtllm_mla"])
        parser.add_argument("--fork-speed", type=str, choices=["slow", "fast"], default="slow")
        parser.add_argument("--fork-home", type=str, default=os.environ["HOME"])
        parser.add_argument("--dcp-size", type=int, default=1)
"""
LAUNCH = "python3 -m sglang.launch_server --model-path deepseek-ai/DeepSeek-V3 --tp 8"


@pytest.fixture(autouse=True)
def _forget(monkeypatch: pytest.MonkeyPatch) -> None:
    """Added releases belong to one run."""
    monkeypatch.setattr(table, "_added", {})
    monkeypatch.setattr(versions, "_stands_for", {})


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    package = tmp_path / "fork" / "python" / "sglang"
    (package / "srt").mkdir(parents=True)
    (package / "srt" / "server_args.py").write_text(SERVER_ARGS)
    (package / "version.py").write_text('__version__ = "0.5.18+acme.3"\n')
    return tmp_path / "fork"


def extract(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[Any, str]:
    assert main(["releases", "extract", *words]) == EXIT_CLEAN
    captured = capsys.readouterr()
    return json.loads(captured.out), captured.err


def configure(directory: Path, *paths: str) -> None:
    listed = ", ".join(f'"{path}"' for path in paths)
    (directory / ".sglang-lint.toml").write_text(f"release-data = [{listed}]\n")


def check(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, dict[str, str]]:
    status = main(["check", "--format", "json", *words])
    report = json.loads(capsys.readouterr().out)
    return status, {item["rule"]: item["message"] for item in report["diagnostics"]}


def test_a_checkout_gives_its_options_and_what_was_not_resolved(
    checkout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data, said = extract(capsys, "fork")
    assert (data["name"], data["version"]) == ("0.5.18+acme.3", "0.5.18+acme.3")
    assert ["--fork-speed", "choices", ["slow", "fast"], 0, None] in data["options"]
    assert len(data["unresolved"]) == 1 and "--fork-home" in data["unresolved"][0]
    assert "1 thing not resolved" in said and "rules of 0.5.18" in said


@pytest.mark.parametrize("shape", ["fork/python/sglang", "fork/python", "wheel"])
def test_every_shape_of_a_package_gives_the_same(
    shape: str, checkout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    whole, _ = extract(capsys, "fork", "--name", "acme")
    if shape == "wheel":
        shape = "sglang-0.5.18+acme.3-py3-none-any.whl"
        with zipfile.ZipFile(shape, "w") as archive:
            archive.writestr("sglang/srt/server_args.py", SERVER_ARGS)
    assert extract(capsys, shape, "--name", "acme")[0] == whole


def test_the_table_is_a_release_of_the_run(
    checkout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    extract_to_file = ["releases", "extract", "fork", "--name", "acme", "-o", "data.json"]
    assert main(extract_to_file) == EXIT_CLEAN
    capsys.readouterr()
    configure(checkout.parent, "data.json")
    script = checkout.parent / "run.sh"
    script.write_text(f"{LAUNCH} --fork-speed fast --attention-backend fork_mla\n")
    assert check(capsys, "--sglang-version", "acme", "run.sh") == (EXIT_CLEAN, {})
    script.write_text(f"# sglang-lint: release=acme\n{LAUNCH} --fork-speed faster --page-size 2\n")
    status, found = check(capsys, "run.sh")
    assert status == EXIT_FINDINGS
    assert set(found) == {"invalid-choice", "removed-option"}
    assert "SGLang acme" in found["removed-option"]
    assert "last in 0.5.18" in found["removed-option"]


def test_rules_are_those_of_the_release_below_and_warn(
    checkout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["releases", "extract", "fork", "--name", "acme", "-o", "data.json"])
    capsys.readouterr()
    configure(checkout.parent, "data.json")
    (checkout.parent / "run.sh").write_text(f"{LAUNCH} --dcp-size 2 --attention-backend trtllm_mla")
    words = ["--sglang-version", "acme", "--platform", "cuda-sm100", "--format", "json", "run.sh"]
    main(["check", *words])
    found = {item["rule"]: item for item in json.loads(capsys.readouterr().out)["diagnostics"]}
    finding = found["trtllm-mla-decode-context-parallel"]
    assert finding["severity"] == "warning" and finding["release"]["versions"] == ["acme"]


def test_a_launch_is_upgraded_to_a_fork(checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["releases", "extract", "fork", "--name", "acme", "-o", "data.json"])
    capsys.readouterr()
    configure(checkout.parent, "data.json")
    (checkout.parent / "run.sh").write_text(f"{LAUNCH} --page-size 64\n")
    words = ["--from", "0.5.18", "--to", "acme", "--format", "json", "run.sh"]
    assert main(["upgrade", *words]) == EXIT_FINDINGS
    changes = json.loads(capsys.readouterr().out)["changes"]
    assert [c["subject"] for c in changes if c["kind"] == "refused"] == ["--page-size"]


def test_a_tree_without_a_version_needs_a_name(
    checkout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (checkout / "python" / "sglang" / "version.py").unlink()
    assert main(["releases", "extract", "fork"]) == EXIT_MISUSE
    assert "--name" in capsys.readouterr().err
    assert extract(capsys, "fork", "--name", "0.5.17.dev4")[0]["version"] == "0.5.17.dev4"
    named, _ = extract(capsys, "fork", "--name", "acme")
    assert (named["name"], named["version"]) == ("acme", table.known_releases()[-1])


@pytest.mark.parametrize("words", [["nowhere"], ["run.sh"], ["fork", "--name", "0.5.18"]])
def test_what_is_no_tree_or_no_new_name_is_misuse(
    words: list[str], checkout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (checkout.parent / "run.sh").write_text("")
    assert main(["releases", "extract", *words]) == EXIT_MISUSE
    assert capsys.readouterr().err.startswith("sglang-lint: ")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        '{"schema": 2}',
        '{"schema": 1, "name": "a b", "version": "0.5.18"}',
        '{"schema": 1, "name": "0.5.18", "version": "0.5.18"}',
        '{"schema": 1, "name": "acme", "version": "new"}',
        '{"schema": 1, "name": "acme", "version": "0.5.18", "options": [1]}',
        '{"schema": 1, "name": "acme", "version": "0.5.18", "options": [["--a", "nargs", 1, 0, 0]],'
        ' "fields": [], "serve": []}',
        "[" * 100_000,
    ],
)
def test_data_of_another_form_is_misuse(
    text: str, checkout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (checkout.parent / "data.json").write_text(text)
    configure(checkout.parent, "data.json")
    (checkout.parent / "run.sh").write_text(LAUNCH)
    assert main(["check", "run.sh"]) == EXIT_MISUSE
    assert "data.json" in capsys.readouterr().err


def test_two_tables_of_one_name_are_misuse(
    checkout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data, _ = extract(capsys, "fork", "--name", "acme")
    (checkout.parent / "one.json").write_text(json.dumps(data))
    data["options"] = [row for row in data["options"] if row[0] != "--fork-speed"]
    (checkout.parent / "two.json").write_text(json.dumps(data))
    configure(checkout.parent, "one.json", "one.json")
    (checkout.parent / "run.sh").write_text(LAUNCH)
    assert check(capsys, "run.sh")[0] == EXIT_CLEAN
    configure(checkout.parent, "one.json", "two.json")
    assert main(["check", "run.sh"]) == EXIT_MISUSE
    assert "two different releases are called `acme`" in capsys.readouterr().err


def test_a_comment_with_a_name_that_nobody_knows_is_an_unknown_release(
    checkout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = f"# sglang-lint: release=acme\n{LAUNCH} --no-such-option 1\n"
    (checkout.parent / "run.sh").write_text(text)
    status, found = check(capsys, "run.sh")
    assert status == EXIT_FINDINGS
    assert set(found) == {"unknown-release", "unknown-option"}
