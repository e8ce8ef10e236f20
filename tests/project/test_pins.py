"""The release that a project's own files pin."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from sglang_lint.cli import main
from sglang_lint.project.pins import Pins

LAUNCH = "python3 -m sglang.launch_server --model-path x --typo\n"
SOURCES = {
    "requirements.txt": "torch\n# sglang==0.5.1\nsglang==0.5.18  # for the cluster\n",
    "requirements-serve.txt": "sglang[all,srt] == 0.5.18 ; sys_platform > 'a' \\\n  --hash=x:0\n",
    "requirements_gpu.txt": "sglang@git+https://github.com/sgl-project/sglang.git@v0.5.18#egg=x\n",
    "pyproject.toml": "[project]\nname = 'x'\ndependencies = [\n  'a>1',\n  'sglang==0.5.18',\n]\n",
    "setup.py": "import os\nX = [\n    'sglang[srt]==0.5.18',\n]\nY = '\\d'\n",
    "setup.cfg": "[options]\ninstall_requires =\n    torch\n    sglang[srt]==0.5.18\n",
    "environment.yml": "dependencies:\n- python=3.12\n- pip:\n  - sglang==0.5.18\n",
    "uv.lock": 'version = 1\n\n[[package]]\nname = "sglang"\nversion = "0.5.18"\n',
    "poetry.lock": '[[package]]\r\nname = "sglang"\r\nversion = "0.5.18"\r\n',
    "Pipfile.lock": '{"default": {\n  "sglang": {"version": "==0.5.18"}}}',
    "Dockerfile": "ARG V=v0.5.18\nFROM a AS b\nFROM lmsysorg/sglang:${V}-cu130\nRUN true\n",
}
LINES = {
    "requirements.txt": 3,
    "requirements-serve.txt": 1,
    "requirements_gpu.txt": 1,
    "pyproject.toml": 5,
    "setup.py": 3,
    "setup.cfg": 4,
    "environment.yml": 4,
    "uv.lock": 4,
    "poetry.lock": 2,
    "Pipfile.lock": 2,
    "Dockerfile": 3,
}


def pin_of(directory: Path) -> tuple[str, str, int] | None:
    pin = Pins().nearest([directory.resolve()])
    return pin and (pin.release, pin.path.name, pin.start.line)


@pytest.mark.parametrize("name", SOURCES)
def test_each_kind_of_file_pins_a_release_at_its_line(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(SOURCES[name].encode())
    assert pin_of(tmp_path) == ("0.5.18", name, LINES[name])


@pytest.mark.parametrize(
    ("text", "release"),
    [
        ("[project.optional-dependencies]\nserve = ['sglang[all]==0.5.16']\n", "0.5.16"),
        ("[dependency-groups]\ndev = [{include-group = 'x'}, 'sglang==0.5.16']\n", "0.5.16"),
        ("[tool.poetry.dependencies]\nsglang = '0.5.16'\n", "0.5.16"),
        ("[tool.poetry.dependencies]\nsglang = {version = '==0.5.16', extras = ['x']}\n", "0.5.16"),
        ("[tool.poetry.group.gpu.dependencies]\nsglang = '0.5.16'\n", "0.5.16"),
        ("[tool.poetry.dependencies]\nsglang = '^0.5.16'\n", None),
        ("[project]\ndependencies = ['sglang>=0.5.16']\n", None),
        ("[project]\ndependencies = ['my-sglang==0.5.16', 'sglang-router==0.2.0']\n", None),
        ("[project]\nname = 'sglang'\nversion = '0.5.16'\n", None),
        ("[project]\ndependencies = 'sglang==0.5.16'\n", None),
        ("project = 'sglang==0.5.16'\n", None),
    ],
)
def test_pyproject(text: str, release: str | None, tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(text)
    found = pin_of(tmp_path)
    assert (found and found[0]) == release


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("pyproject.toml", "[project\ndependencies = ['sglang==0.5.18']"),
        ("pyproject.toml", "sglang = " + "[" * 5000),
        ("Pipfile.lock", '{"default": {"sglang": {"version": "==0.5.18"}'),
        ("Pipfile.lock", '["sglang", ' + "[" * 100_000),
        ("Pipfile.lock", '{"default": ["sglang"], "develop": {"sglang": "==0.5.18"}}'),
        ("setup.py", "x = ['sglang==0.5.18'"),
        ("setup.py", "x = " + "(" * 5000 + "'sglang==0.5.18'"),
        ("setup.py", "# sglang==0.5.18\nx = 'needs sglang==0.5.18'\n"),
        ("setup.cfg", "install_requires = sglang==0.5.18\n"),
        ("environment.yml", "dependencies: [sglang==0.5.18\n"),
        ("environment.yml", "dependencies: " + "[" * 5000 + "sglang"),
        ("environment.yml", "dependencies: sglang==0.5.18\n"),
        ("environment.yml", "? [sglang]\n: {pip: [sglang==0.5.18]}\n"),
        ("environment.yml", "dependencies: &a\n- pip: *a\n- sglang\n"),
        ("Dockerfile", "RUN pip install sglang==0.5.18\n"),
        ("Dockerfile", "FROM\n# sglang\n"),
        ("Dockerfile", "FROM someone/sglang:v0.5.18\n"),
        ("requirements.txt", "\0sglang\n==0.5.18"),
        ("requirements.txt", "sglang==0.5.*\nsglang==${V}\nsglang\n"),
        ("other.txt", "sglang==0.5.18\n"),
    ],
)
def test_what_is_broken_or_pins_nothing_is_left_alone(name: str, text: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text)
    assert pin_of(tmp_path) is None


def test_what_is_no_text_or_too_large_or_no_file_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").write_bytes(b"sglang==0.5.18\n\xff")
    (tmp_path / "requirements-2.txt").write_text("sglang==0.5.18\n" + "#" * (8 * 1024 * 1024))
    (tmp_path / "requirements-3.txt").mkdir()
    os.mkfifo(tmp_path / "requirements-4.txt")
    assert pin_of(tmp_path) is None


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("requirements.txt", "sglang" + " " * 1_000_000 + "\n"),
        ("requirements.txt", "sglang;" * 200_000),
        ("pyproject.toml", "[project]\ndependencies = ['sglang" + " " * 200_000 + "']\n"),
        ("environment.yml", "dependencies:\n- pip:\n  - 'sglang" + " " * 200_000 + "x'\n"),
        ("setup.cfg", "[options]\ninstall_requires =\n  sglang" + " " * 200_000 + "x\n"),
        ("Pipfile.lock", '{"default": {"sglang": {"version": "' + " " * 200_000 + '"}}}'),
        ("uv.lock", 'name = "sglang"\n' * 200_000),
    ],
)
def test_long_texts_take_no_long_time(name: str, text: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text)
    start = time.process_time()
    assert pin_of(tmp_path) is None
    assert time.process_time() - start < 5


def test_a_link_that_leads_out_is_not_followed(tmp_path: Path) -> None:
    inside = tmp_path / "inside"
    inside.mkdir()
    (tmp_path / "outside.txt").write_text("sglang==0.5.18\n")
    (inside / "requirements.txt").symlink_to(tmp_path / "outside.txt")
    assert pin_of(inside) is None
    (inside / "requirements-real.txt").write_text("sglang==0.5.17\n")
    (inside / "requirements-2.txt").symlink_to("requirements-real.txt")
    assert pin_of(inside) == ("0.5.17", "requirements-2.txt", 1)


def test_two_different_pins_in_a_directory_say_nothing(tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    (tmp_path / "requirements.txt").write_text("sglang==0.5.18\n")
    directories = [inner.resolve(), tmp_path.resolve()]
    assert Pins().nearest(directories) is not None
    (inner / "requirements.txt").write_text("sglang==0.5.17\n")
    (inner / "uv.lock").write_text(SOURCES["uv.lock"])
    assert Pins().nearest(directories) is None
    (inner / "requirements.txt").write_text("sglang==0.5.18\n")
    pin = Pins().nearest(directories)
    assert pin is not None
    assert (pin.release, pin.path.parent.name) == ("0.5.18", "inner")


def test_a_dockerfile_speaks_for_its_own_directory(tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    (tmp_path / "Dockerfile").write_text(SOURCES["Dockerfile"])
    assert Pins().nearest([inner.resolve(), tmp_path.resolve()]) is None
    assert Pins().nearest([tmp_path.resolve(), inner.resolve()]) is not None


def findings(capsys: pytest.CaptureFixture[str], *words: str) -> list[dict[str, object]]:
    main(["check", "--format", "json", *words])
    found: list[dict[str, object]] = json.loads(capsys.readouterr().out)["diagnostics"]
    return [item for item in found if item["code"] == "SGL501"]


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "requirements.txt").write_text("torch\n  sglang==0.5.1\n")
    repository = tmp_path / "repository"
    (repository / "deploy").mkdir(parents=True)
    (repository / "requirements.txt").write_text("torch\n  sglang==0.5.18\n")
    (repository / "deploy" / "run.sh").write_text(LAUNCH)
    monkeypatch.chdir(repository)
    return repository


def test_a_pin_above_the_file_is_named_with_its_place(
    tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (finding,) = findings(capsys, ".")
    assert finding["release"] == {
        "versions": ["0.5.18"],
        "source": "`sglang==0.5.18` in requirements.txt",
    }
    assert finding["related"] == [
        {
            "message": "release 0.5.18",
            "path": "requirements.txt",
            "start": {"line": 2, "column": 3},
            "end": {"line": 2, "column": 17},
        }
    ]


def test_a_file_alone_or_from_standard_input_is_judged_as_within_its_project(
    tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (whole,) = findings(capsys, ".")
    assert findings(capsys, "deploy/run.sh") == [whole]
    command = [sys.executable, "-m", "sglang_lint", "check", "-", "--format", "json"]
    run = subprocess.run(
        [*command, "--stdin-filename", "deploy/run.sh"],
        input=LAUNCH,
        capture_output=True,
        text=True,
        check=False,
    )
    assert json.loads(run.stdout)["diagnostics"] == [whole]


def test_nothing_above_what_was_given_or_above_the_repository_is_read(
    tree: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (finding,) = findings(capsys, "deploy")
    assert len(finding["release"]["versions"]) > 1
    monkeypatch.chdir(tree.parent)
    (tree / "requirements.txt").unlink()
    (finding,) = findings(capsys, ".")
    assert finding["release"]["versions"] == ["0.5.1"]
    (tree / ".git").mkdir()
    (finding,) = findings(capsys, ".")
    assert len(finding["release"]["versions"]) > 1


@pytest.mark.parametrize(
    ("prefix", "words", "release"),
    [
        ("", ["--sglang-version", "0.5.20"], "0.5.20"),
        ("# sglang-lint: release=0.5.19\n", [], "0.5.19"),
        ("docker run lmsysorg/sglang:v0.5.17 ", [], "0.5.17"),
        ("pip install sglang==0.5.16\n", [], "0.5.16"),
        ("", [], "0.5.18"),
    ],
)
def test_a_pin_is_stronger_than_the_configuration_alone(
    prefix: str,
    words: list[str],
    release: str,
    tree: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tree / ".sglang-lint.toml").write_text('sglang-version = "0.5.15"\n')
    (tree / "deploy" / "run.sh").write_text(prefix + LAUNCH)
    (finding,) = findings(capsys, ".", *words)
    assert finding["release"]["versions"] == [release]


def test_pins_cost_no_heavy_import_without_their_files(tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").write_text("sglang==0.5.18\n")
    code = (
        "import sys, pathlib; from sglang_lint.project.pins import Pins\n"
        f"assert Pins().nearest([pathlib.Path({str(tmp_path.resolve())!r})])\n"
        "print(sorted({'libcst', 'yaml', 'tree_sitter'} & set(sys.modules)))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.splitlines()[-1] == "[]"


def test_a_branch_that_the_pinned_release_refuses_is_no_error(
    tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    branch = 'A="--tp 8"\nif [ -n "$NEW" ]; then A="$A --typo"; fi\n'
    command = LAUNCH.replace("--typo", "$A")
    (tree / "deploy" / "run.sh").write_text(branch + command)
    (finding,) = findings(capsys, ".")
    assert (finding["severity"], finding["condition"] is None) == ("warning", False)
    (finding,) = findings(capsys, ".", "--sglang-version", "0.5.18")
    assert (finding["severity"], finding["condition"] is None) == ("error", False)


def test_the_summary_counts_the_sources_of_releases_where_there_are_several(
    tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["check", "."])
    assert "release from" not in capsys.readouterr().out
    (tree / "deploy" / "a.sh").write_text("docker run lmsysorg/sglang:v0.5.17 " + LAUNCH)
    (tree / "deploy" / "b.sh").write_text("docker run lmsysorg/sglang:v0.5.16 " + LAUNCH)
    main(["check", "."])
    lines = capsys.readouterr().out.splitlines()
    assert "release from: an image beside the launch (2), the project's pins (1)" in lines


def test_a_pin_older_than_the_rules_is_said_once_and_not_as_an_error(
    tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tree / "requirements.txt").write_text("sglang==0.5.14\n")
    (tree / "deploy" / "run.sh").write_text(LAUNCH.replace("--typo", "--tp 8"))
    main(["check", "--format", "json", "--min-severity", "info", "."])
    (finding,) = json.loads(capsys.readouterr().out)["diagnostics"]
    assert (finding["code"], finding["severity"]) == ("SGL004", "info")
    assert finding["start"] == {"line": 1, "column": 12}
    assert finding["related"][0]["path"] == "requirements.txt"
    (tree / "requirements.txt").write_text("sglang==0.5.15\n")
    main(["check", "--format", "json", "--min-severity", "info", "."])
    assert json.loads(capsys.readouterr().out)["diagnostics"] == []
