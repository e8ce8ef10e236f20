"""The command line as a user meets it: output, exit statuses, misuse."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from sglang_lint.cli import EXIT_CLEAN, EXIT_FINDINGS, EXIT_INTERNAL_FAULT, EXIT_MISUSE, main

BROKEN = (
    "python3 -m sglang.launch_server --model-path deepseek-ai/DeepSeek-V3 --tp 8 \\\n"
    "  --dcp-size 2 --attention-backend trtllm_mla\n"
)
RIGHT = BROKEN.replace("trtllm_mla", "cutedsl_mla")


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "broken.sh").write_text(BROKEN)
    (tmp_path / "right.sh").write_text(RIGHT)
    return tmp_path


def check(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    status = main(["check", *words])
    return status, capsys.readouterr().out


def check_json(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, dict[str, object]]:
    status, output = check(capsys, "--format", "json", *words)
    return status, json.loads(output)


def test_findings_give_one_and_none_gives_zero(
    tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, output = check(capsys, "--sglang-version", "0.5.18", "--platform", "cuda-sm100", ".")
    assert status == EXIT_FINDINGS
    assert "broken.sh:2:3: error SGL101 trtllm-mla-decode-context-parallel" in output
    assert "right.sh" not in output
    status, output = check(
        capsys, "--sglang-version", "0.5.18", "--platform", "cuda-sm100", "right.sh"
    )
    assert status == EXIT_CLEAN
    assert "0 errors, 0 warnings in 1 launch (1 file)" in output


def test_the_text_shows_source_release_consequence_and_way_out(
    tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, output = check(capsys, "--sglang-version", "0.5.18", "broken.sh")
    assert "2 |   --dcp-size 2 --attention-backend trtllm_mla" in output
    assert "  |   ^^^^^^^^^^^^\n" in output
    assert "judged for: SGLang 0.5.18 (the command line)" in output
    assert "consequence: dies while it serves" in output
    assert "instead: set `--decode-attention-backend cutedsl_mla`" in output


def test_without_a_release_the_range_is_named(
    tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, report = check_json(capsys, "broken.sh")
    assert status == EXIT_FINDINGS
    (finding,) = report["diagnostics"]
    assert finding["rule"] == "trtllm-mla-decode-context-parallel"
    assert (finding["severity"], finding["certainty"]) == ("warning", "possible")
    assert finding["condition"] == "in 0.5.15 to 0.5.18"


def test_json_has_the_contract_s_keys(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, report = check_json(capsys, "--sglang-version", "0.5.18", "broken.sh")
    assert set(report) == {"schema", "version", "counts", "diagnostics"}
    finding = report["diagnostics"][0]
    assert set(finding) == set(
        """
        rule code severity certainty consequence message path start end launch condition release
        platform model related fixes fingerprint url
        """.split()
    )
    assert finding["start"] == {"line": 2, "column": 3}
    assert finding["end"] == {"line": 2, "column": 15}
    assert finding["release"] == {"versions": ["0.5.18"], "source": "the command line"}
    assert report["counts"]["launches"] == 1


def test_severities_shown_and_failed_on_are_two_things(
    tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("--sglang-version", "0.5.18", "broken.sh")
    assert check(capsys, "--fail-on", "never", *words)[0] == EXIT_CLEAN
    status, output = check(capsys, "--min-severity", "error", *words)
    assert status == EXIT_FINDINGS
    assert "1 error, 0 warnings" in output
    status, report = check_json(capsys, "--min-severity", "error", "broken.sh")
    assert (status, report["diagnostics"]) == (EXIT_FINDINGS, [])
    assert report["counts"]["hidden"] == 1


def test_select_and_ignore_by_name_code_and_prefix(
    tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("--sglang-version", "0.5.18", "broken.sh")
    for chosen in ("SGL1", "SGL101", "trtllm-mla-decode-context-parallel"):
        assert check(capsys, "--select", chosen, *words)[0] == EXIT_FINDINGS
        assert check(capsys, "--ignore", chosen, *words)[0] == EXIT_CLEAN
    assert check(capsys, "--select", "SGL5", *words)[0] == EXIT_CLEAN


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (["nowhere"], "there is no `nowhere`"),
        (["--select", "SGL9999"], "there is no rule `SGL9999`"),
        (["--select", "trtllm-mla-decode"], "did you mean `trtllm-mla-decode-context-parallel`?"),
        (["--platform", "cuda-sm99"], "did you mean `cuda-sm90`?"),
        (["--sglang-version", "newest"], "not an SGLang version"),
        (["--model", "/nowhere/at/all"], "no known model id or architecture"),
        (["-"], "needs `--stdin-filename NAME`"),
    ],
)
def test_misuse_is_explained_with_status_two(
    tree: Path, capsys: pytest.CaptureFixture[str], words: list[str], hint: str
) -> None:
    assert main(["check", *words]) == EXIT_MISUSE
    assert hint in capsys.readouterr().err


def test_an_unknown_release_is_said_and_judged_by_the_nearest(
    tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, report = check_json(capsys, "--sglang-version", "0.5.18.post7", "broken.sh")
    found = {item["code"]: item for item in report["diagnostics"]}
    assert "0.5.18.post7 is not a release that sglang-lint knows" in found["SGL003"]["message"]
    assert "judged as 0.5.18" in found["SGL003"]["message"]
    assert found["SGL101"]["severity"] == "error"


def test_a_newer_release_is_judged_at_most_with_warnings(
    tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tree / "typo.sh").write_text("sglang serve --model-path x --tpsize 8\n")
    _, report = check_json(capsys, "--sglang-version", "9.9.9", "typo.sh")
    assert {item["severity"] for item in report["diagnostics"]} == {"warning"}
    assert {item["code"] for item in report["diagnostics"]} == {"SGL003", "SGL501"}


def test_what_cannot_be_read_is_said_and_the_rest_is_linted(
    tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tree / "a.yaml").write_bytes(b"# sglang\nname: \xff\n")
    (tree / "b.py").write_text("import sglang\nsglang.Engine(\n")
    (tree / "c.yaml").write_text("sglang: [1, 2\nb: }\n")
    (tree / "d.py").write_text("")
    (tree / "e.yaml").write_text("{{- if .Values.sglang }}\na: b\n{{- end }}\n")
    _, report = check_json(capsys, "--sglang-version", "0.5.18", ".")
    places = {(item["path"], item["code"], item["start"]["line"]) for item in report["diagnostics"]}
    assert {("a.yaml", "SGL001", 2), ("b.py", "SGL001", 2)} <= places
    assert ("c.yaml", "SGL001") in {place[:2] for place in places}
    assert not {"d.py", "e.yaml"} & {place[0] for place in places}
    assert ("broken.sh", "SGL101", 2) in places


def test_an_internal_fault_is_a_finding_with_status_three(
    tree: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from sglang_lint.readers.shell import reader

    def fail(source: object, path: str) -> object:
        raise ZeroDivisionError(path)

    monkeypatch.setattr(reader, "read", fail)
    (tree / "right.yaml").write_text("a: sglang\n")
    status, report = check_json(capsys, ".")
    assert status == EXIT_INTERNAL_FAULT
    assert {item["code"] for item in report["diagnostics"]} == {"SGL000"}
    assert report["counts"]["files"] == 3


def test_standard_input_is_linted_by_its_name(tree: Path) -> None:
    command = [sys.executable, "-m", "sglang_lint", "check", "-", "--stdin-filename", "x.sh"]
    run = subprocess.run(
        [*command, "--format", "concise", "--sglang-version", "0.5.18"],
        input=BROKEN,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == EXIT_FINDINGS
    assert run.stdout.startswith("x.sh:2:3: SGL101 [trtllm-mla-decode-context-parallel] error: ")


def test_a_configuration_is_read_and_checked(
    tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    configuration = tree / "pyproject.toml"
    configuration.write_text('[tool.sglang-lint]\nsglang-version = "0.5.18"\n')
    _, report = check_json(capsys, "broken.sh")
    assert report["diagnostics"][0]["release"]["source"] == "the configuration"
    configuration.write_text('[tool.sglang-lint]\nsglang-versoin = "0.5.18"\n')
    assert main(["check", "broken.sh"]) == EXIT_MISUSE
    assert "did you mean `sglang-version`?" in capsys.readouterr().err


def test_no_control_character_reaches_the_terminal(
    tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tree / "bell\x1b.sh").write_text("sglang serve --model-path x --\x1b[31mred 8\n")
    _, output = check(capsys, ".")
    assert "\x1b" not in output


def test_launches_lists_arguments_with_places(
    tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["launches", "--format", "json", "broken.sh"]) == EXIT_CLEAN
    (launch,) = json.loads(capsys.readouterr().out)
    assert launch["entry_point"] == "sglang.launch_server"
    (variant,) = launch["variants"]
    assert variant["arguments"]["dcp_size"] == {
        "presence": "given",
        "value": 2,
        "origin": "written",
        "option": "--dcp-size",
        "start": {"line": 2, "column": 3},
        "end": {"line": 2, "column": 15},
    }


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["rule", "SGL101"], "trtllm-mla-decode-context-parallel"),
        (["rule", "--all"], "SGL301  dcp-size-divides-tp-size"),
        (["matrix", "--sglang-version", "0.5.18"], "trtllm-mla-decode-context-parallel"),
        (["releases", "list"], "0.5.23"),
        (["releases", "show", "0.5.23"], "--dcp-size, --decode-context-parallel-size"),
    ],
)
def test_the_commands_that_explain(
    words: list[str], expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == EXIT_CLEAN
    assert expected in capsys.readouterr().out


def test_releases_show_is_json_with_the_contract_s_keys(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["releases", "show", "0.5.18", "--format", "json"]) == EXIT_CLEAN
    shown = json.loads(capsys.readouterr().out)
    assert set(shown) == {"version", "options", "fields"}
    option = next(item for item in shown["options"] if "--dcp-size" in item["options"])
    assert set(option) == {"options", "field", "nargs", "type", "choices", "action", "default"}
    assert (option["field"], option["type"], option["default"]) == ("dcp_size", "int", 1)


def test_starting_is_cheap() -> None:
    code = (
        "import sys; from sglang_lint.cli import main\n"
        "try: main(['--version'])\n"
        "except SystemExit: pass\n"
        "heavy = {'libcst', 'yaml', 'tree_sitter', 'rich', 'pygls', 'packaging'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.splitlines()[-1] == "[]"
