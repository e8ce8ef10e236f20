"""The plugin in real flake8 runs: what `check` finds in Python files, and nothing else."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from sglang_lint.cli import main

LAUNCH = '''"""A launcher."""
from sglang.srt.server_args import ServerArgs

ARGS = ServerArgs(
    model_path="deepseek-ai/DeepSeek-V3",
    tp_size=8,
    dcp_size=2,
    attention_backend="trtllm_mla",
)
'''


def flake8(directory: Path, *words: str) -> list[str]:
    run = subprocess.run(
        [sys.executable, "-m", "flake8", "--select=SGL", *words],
        cwd=directory,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.stderr == ""
    return run.stdout.splitlines()


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "launch.py").write_text(LAUNCH)
    (tmp_path / "launch.sh").write_text("sglang serve --model-path x --no-such-option\n")
    return tmp_path


def test_flake8_gives_what_check_gives(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--format", "json", "--sglang-version", "0.5.18", "launch.py"]) == 1
    expected = [
        f"./launch.py:{item['start']['line']}:{item['start']['column']}: "
        f"{item['code']} {item['message']}"
        for item in json.loads(capsys.readouterr().out)["diagnostics"]
    ]
    assert len(expected) == 1
    assert flake8(tree, "--sglang-version", "0.5.18", ".") == expected


def test_noqa_and_configuration_files(tree: Path) -> None:
    (tree / "tox.ini").write_text("[flake8]\nsglang-version = 0.5.18\n")
    assert len(flake8(tree)) == 1
    (tree / "launch.py").write_text(LAUNCH.replace("dcp_size=2,", "dcp_size=2,  # noqa: SGL101"))
    assert flake8(tree) == []


def test_several_processes_give_the_same(tree: Path) -> None:
    (tree / "again.py").write_text(LAUNCH)
    one = flake8(tree, "--sglang-version", "0.5.18", "-j1")
    assert len(one) == 2
    assert sorted(flake8(tree, "--sglang-version", "0.5.18", "-j2")) == sorted(one)


def test_a_wrong_option_ends_the_run_with_a_reason(tree: Path) -> None:
    run = subprocess.run(
        [sys.executable, "-m", "flake8", "--select=SGL", "--sglang-platform", "cuda-sm99", "-j1"],
        cwd=tree,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "did you mean `cuda-sm90`?" in run.stdout + run.stderr
    assert run.returncode != 0


def test_nothing_heavy_is_loaded_for_files_without_a_launch() -> None:
    code = (
        "import sys, ast, sglang_lint.flake8_plugin as plugin\n"
        "assert list(plugin.Plugin(ast.parse('a = 1'), ['a = 1\\n'], 'a.py').run()) == []\n"
        "heavy = {'libcst', 'yaml', 'tree_sitter', 'rich', 'pygls', 'json'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
