"""What the place of a file tells: its path, a local model, the name a model is served under."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sglang_lint.cli import main
from sglang_lint.project.models import LocalModels

DEEPSEEK = {"architectures": ["DeepseekV3ForCausalLM"], "num_attention_heads": 128}
BROKEN = "python3 -m sglang.launch_server --tp 8 --dcp-size 2 --attention-backend trtllm_mla "


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    project = tmp_path / "project"
    project.mkdir()
    monkeypatch.chdir(project)
    return project


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def launch_in(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    main(["launches", "--format", "json", *words])
    (launch,) = json.loads(capsys.readouterr().out)
    found: dict[str, Any] = launch
    return found


@pytest.mark.parametrize(
    ("path", "before", "platform", "source"),
    [
        ("recipes/GB300/dsr1.sh", "", "cuda-sm103", "the file's path"),
        ("dsr1_fp4_b200.sh", "", "cuda-sm100", "the file's path"),
        ("b200/x.sh", "docker run lmsysorg/sglang:latest ", "cuda-sm100", "the file's path"),
        ("b200/x.sh", "docker run lmsysorg/sglang:v0.5.18-rocm720 ", "hip", None),
        ("b200/x.sh", "docker run lmsysorg/sglang:v0.5.18-cu129-h200 ", "cuda-sm90", None),
        ("b200/x.sh", "# sglang-lint: platform=cuda-sm90\n", "cuda-sm90", "a comment in the file"),
        ("h100_or_mi300x.sh", "", None, None),
        ("x.sh", "# runs well on B200\n", None, None),
    ],
)
def test_a_path_tells_the_platform_where_nothing_in_the_file_does(
    path: str,
    before: str,
    platform: str | None,
    source: str | None,
    tree: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    write(tree / path, before + BROKEN + "--model-path x\n")
    found = launch_in(capsys, ".")["platform"]
    assert (found and found["name"]) == platform
    assert source is None or found["source"] == source


def test_a_path_is_stronger_than_the_configuration_and_weaker_than_the_command_line(
    tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tree / ".sglang-lint.toml", 'platform = "cuda-sm90"\n')
    write(tree / "b200.sh", BROKEN)
    assert launch_in(capsys, ".")["platform"]["name"] == "cuda-sm100"
    assert launch_in(capsys, ".", "--platform", "cuda-sm80")["platform"]["name"] == "cuda-sm80"


def test_directories_above_the_project_name_no_platform(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = write(tmp_path / "b200" / "project" / "deploy" / "x.sh", BROKEN)
    monkeypatch.chdir(tmp_path / "b200" / "project")
    assert launch_in(capsys, str(file))["platform"] is None
    (tmp_path / "b200" / ".git").mkdir()
    assert launch_in(capsys, str(file))["platform"] is None
    monkeypatch.chdir(tmp_path)
    (tmp_path / "b200" / ".git").rmdir()
    assert launch_in(capsys, str(file))["platform"]["name"] == "cuda-sm100"


@pytest.mark.parametrize("written", ["./models/x", "../models/x", "models/x", "{top}/models/x/"])
def test_a_local_model_s_configuration_tells_the_model(
    written: str, tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tree / "models" / "x" / "config.json", json.dumps(DEEPSEEK))
    path = written.format(top=tree.resolve())
    write(tree / "deploy" / "x.sh", BROKEN + f"--model-path {path}\n")
    assert launch_in(capsys, ".")["model"] == {
        "name": path,
        "source": "the launch, and the config.json of its model",
    }
    words = ["--sglang-version", "0.5.18", "--platform", "cuda-sm100", "--format", "json"]
    main(["check", *words, "."])
    (finding,) = json.loads(capsys.readouterr().out)["diagnostics"]
    assert (finding["code"], finding["severity"]) == ("SGL101", "error")
    write(tree / "models" / "x" / "config.json", '{"architectures": ["LlamaForCausalLM"]}')
    main(["check", *words, "."])
    found = json.loads(capsys.readouterr().out)["diagnostics"]
    assert "trtllm-mla-decode-context-parallel" not in {item["rule"] for item in found}


def test_no_model_outside_is_read(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    outside = write(tree.parent / "outside" / "config.json", json.dumps(DEEPSEEK)).parent
    (tree / "link").symlink_to(outside)
    write(tree / "copy" / "x", "")
    (tree / "copy" / "config.json").symlink_to(outside / "config.json")
    for path in ("../outside", str(outside), "./link", "./copy"):
        write(tree / "x.sh", BROKEN + f"--model-path {path}\n")
        assert launch_in(capsys, ".")["model"] is None
    inside = write(tree / "inside" / "config.json", json.dumps(DEEPSEEK)).parent
    (tree / "link").unlink()
    (tree / "link").symlink_to(inside)
    write(tree / "x.sh", BROKEN + "--model-path ./link\n")
    assert launch_in(capsys, ".")["model"] is not None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{",
        "[" * 100_000,
        '{"architectures": "x"}',
        '{"architectures": [1]}',
        json.dumps({**DEEPSEEK, "filler": "x" * (1024 * 1024)}),
    ],
)
def test_a_broken_or_huge_configuration_tells_nothing(
    text: str, tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tree / "m" / "config.json", text)
    write(tree / "x.sh", BROKEN + "--model-path ./m\n")
    assert launch_in(capsys, ".")["model"] is None


def test_a_path_that_may_mean_two_models_means_none(tmp_path: Path) -> None:
    top = tmp_path.resolve()
    own = top / "own"
    write(top / "m" / "config.json", json.dumps(DEEPSEEK))
    assert LocalModels().config("m", own, top) == DEEPSEEK
    write(own / "m" / "config.json", '{"architectures": ["LlamaForCausalLM"]}')
    assert LocalModels().config("m", own, top) is None
    for text in ("", "\0", "$MODEL", "s3://m", "m" * 10_000, "~/m", "m/config.json"):
        assert LocalModels().config(text, own, top) is None


SERVED = "--served-model-name deepseek-ai/DeepSeek-V3 "


@pytest.mark.parametrize(
    ("words", "model"),
    [
        ("--model-path /model/ " + SERVED, "deepseek-ai/DeepSeek-V3"),
        ("--model-path dsr1 " + SERVED, "deepseek-ai/DeepSeek-V3"),
        ("--model-path $MODEL " + SERVED, "deepseek-ai/DeepSeek-V3"),
        (SERVED, "deepseek-ai/DeepSeek-V3"),
        ("--model-path Qwen/Qwen3-8B " + SERVED, "Qwen/Qwen3-8B"),
        ("--model-path someone/finetune " + SERVED, None),
        ("--model-path /model --served-model-name DeepSeek-V3", None),
        ("--model-path /model --served-model-name DeepseekV3ForCausalLM", None),
        ("--model-path /model --served-model-name someone/finetune", None),
        ("--model-path /model --served-model-name $NAME", None),
    ],
)
def test_the_served_name_tells_the_model_of_an_alias(
    words: str, model: str | None, tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tree / "x.sh", BROKEN + words + "\n")
    found = launch_in(capsys, ".")["model"]
    assert (found and found["name"]) == model


def test_the_served_name_tells_no_checkpoint(tmp_path: Path) -> None:
    from sglang_lint.engine import Settings, analyse
    from sglang_lint.text import Document

    def facts(words: str) -> dict[str, Any]:
        (launch,) = analyse(Document("x.sh", BROKEN + words), Settings()).launches
        model = launch.judged.model_of("0.5.18")
        assert model is not None
        return dict(model.facts)

    by_path = facts("--model-path deepseek-ai/DeepSeek-V3")
    by_name = facts("--model-path /model " + SERVED)
    assert by_path["quantization"] == "fp8"
    assert "quantization" not in by_name
    assert by_name["attention"] == by_path["attention"]
