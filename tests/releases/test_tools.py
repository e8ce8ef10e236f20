"""The tools that keep the option data: compared with what real parsers say, and regenerated."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from sglang_lint.releases.table import release_table

ROOT = Path(__file__).resolve().parents[2]
VERSION = "0.5.18"
_ACTIONS = {
    "store": "_StoreAction",
    "store_true": "_StoreTrueAction",
    "store_const": "DeprecatedStoreConstAction",
    "boolean_optional": "BooleanOptionalAction",
    "help": "_HelpAction",
    "custom": "LoRAPathAction",
    "ignored": "DeprecatedAction",
    "refused": "DeprecatedAction",
}


def run(tool, *arguments):
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        [sys.executable, ROOT / "tools" / tool, *arguments],
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )


def listed(value):
    return [listed(item) for item in value] if isinstance(value, tuple) else value


@pytest.fixture
def dump():
    """What a real parser with exactly the options of the data would be dumped as."""
    table = release_table(VERSION)
    actions = [
        {
            "option_strings": list(option.strings),
            "dest": option.field,
            "action": _ACTIONS[option.action],
            "nargs": option.nargs,
            "choices": listed(option.choices),
            "type": option.type,
            "default": listed(option.default),
            "const": listed(option.const),
            "required": option.required,
            "hidden": option.hidden,
        }
        for option in table.options
    ]
    fields = [
        {
            "name": entry.name,
            "annotation": entry.type,
            "default": "==REQUIRED==" if entry.required else listed(entry.default),
        }
        for entry in table.fields
    ]
    return {"actions": actions, "fields": fields, "facts": {"serve_subcommand": True}}


def compared(dump, folder):
    (folder / f"{VERSION}.json").write_text(json.dumps(dump))
    return run("compare_releases.py", VERSION, "--flags", folder)


def test_the_same_parser_has_no_difference(dump, tmp_path):
    done = compared(dump, tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 releases compared, 0 unexplained" in done.stdout


@pytest.mark.parametrize(
    ("attribute", "value"),
    [
        ("option_strings", ["--tp-size", "--other"]),
        ("dest", "other"),
        ("action", "_StoreTrueAction"),
        ("nargs", "+"),
        ("choices", [1, 2]),
        ("type", "float"),
        ("default", 1.0),
        ("required", True),
        ("hidden", True),
    ],
)
def test_any_difference_of_an_option_is_found(dump, tmp_path, attribute, value):
    action = next(a for a in dump["actions"] if a["option_strings"][0] == "--tp-size")
    action[attribute] = value
    done = compared(dump, tmp_path)
    assert done.returncode == 1
    assert "--tp-size" in done.stdout


def test_missing_and_changed_fields_are_found(dump, tmp_path):
    dump["actions"] = [a for a in dump["actions"] if a["option_strings"][0] != "--port"]
    dump["fields"] = [entry for entry in dump["fields"] if entry["name"] != "host"]
    next(entry for entry in dump["fields"] if entry["name"] == "port")["default"] = 1
    done = compared(dump, tmp_path)
    assert done.returncode == 1
    lines = [line for line in done.stdout.splitlines() if line.endswith("DIFFERENT")]
    assert [line.split(": ")[1:3] for line in lines] == [
        ["--port", "present"],
        ["host", "present"],
        ["port", "default"],
    ]


def test_a_release_without_a_dump_is_no_success(tmp_path):
    assert run("compare_releases.py", VERSION, "--flags", tmp_path).returncode == 1


SOURCE = """
import dataclasses

@dataclasses.dataclass
class ServerArgs:
    size: int = {size}

    @staticmethod
    def add_cli_args(parser):
        parser.add_argument("--size", type=int, default=ServerArgs.size)
"""


def source_tree(folder, version, size):
    package = folder / version / "sglang"
    (package / "srt").mkdir(parents=True)
    (package / "version.py").write_text(f'__version__ = "{version}"')
    (package / "srt/server_args.py").write_text(SOURCE.format(size=size))
    return package.parent


def test_a_new_release_needs_only_its_own_source(tmp_path):
    output = tmp_path / "options.json"
    trees = [source_tree(tmp_path, version, 1) for version in ("0.9.0", "0.9.2")]
    assert run("update_releases.py", *trees, "-o", output).returncode == 0
    between = source_tree(tmp_path, "0.9.1", 2)
    assert run("update_releases.py", between, "-o", output).returncode == 0
    data = json.loads(output.read_text())
    assert data["releases"] == ["0.9.0", "0.9.1", "0.9.2"]
    defaults = [fact for fact in data["options"] if fact[:2] == ["--size", "default"]]
    assert defaults == [
        ["--size", "default", 1, 0, 0],
        ["--size", "default", 2, 1, 1],
        ["--size", "default", 1, 2, None],
    ]
    done = run("update_releases.py", tmp_path, "-o", output)
    assert done.returncode == 1
    assert json.loads(output.read_text()) == data
