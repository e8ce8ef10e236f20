"""The shipped data, and what is told from it over releases."""

import json
import subprocess
import sys
from importlib.resources import files

import pytest
from packaging.version import Version

from sglang_lint.releases.history import field_lifecycle, lifecycle, spellings_starting_with
from sglang_lint.releases.table import (
    Ambiguous,
    Exact,
    Prefix,
    known_releases,
    nearest_release,
    release_table,
    renames_data,
)
from sglang_lint.values import Known, Unknown

DATA = files("sglang_lint.releases").joinpath("data/options.json")


def test_releases_are_in_order():
    releases = known_releases()
    assert list(releases) == sorted(releases, key=Version)
    assert {"0.4.0", "0.5.0rc2", "0.5.15.post1", "0.5.23"} <= set(releases)


@pytest.mark.parametrize(
    ("text", "release"),
    [
        ("0.5.18", "0.5.18"),
        ("v0.5.18", "0.5.18"),
        ("0.5.18.post3", "0.5.18"),
        ("0.5.20.dev3+g123", "0.5.19"),
        ("99.0", known_releases()[-1]),
        ("0.1", known_releases()[0]),
    ],
)
def test_the_nearest_release(text, release):
    assert nearest_release(text) == release


def test_what_is_no_release():
    with pytest.raises(KeyError):
        release_table("0.5.99")
    with pytest.raises(ValueError, match="not a version"):
        nearest_release("latest")


def test_the_file_is_compact_sorted_and_says_everything_once():
    text = DATA.read_text(encoding="utf-8")
    assert len(text.encode()) < 1_000_000
    data = json.loads(text)
    for section in ("options", "fields", "serve"):
        keys = [(subject, attribute, first) for subject, attribute, _, first, _ in data[section]]
        assert keys == sorted(keys)
        seen = {}
        for subject, attribute, value, first, last in data[section]:
            end = len(data["releases"]) if last is None else last
            previous = seen.get((subject, attribute))
            assert previous is None or previous[1] < first
            touching = previous is not None and previous[1] + 1 == first
            assert not touching or previous[0] != value or type(previous[0]) is not type(value)
            seen[subject, attribute] = (value, end)


def test_loading_imports_nothing_heavy():
    code = (
        "import sys; from sglang_lint.releases.table import release_table;"
        "from sglang_lint.releases.bind import bind; release_table('0.5.18');"
        "heavy = {'packaging', 'yaml', 'libcst', 'difflib'}; print(*heavy & sys.modules.keys())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not done.stdout.strip()


@pytest.mark.parametrize("version", known_releases())
def test_every_release_has_a_whole_table(version):
    table = release_table(version)
    assert table.exact("--model-path").field == "model_path"
    assert table.exact("--tp-size").type == "int"
    assert table.canonical(table.exact("--tp-size").field) == "tp_size"
    assert table.by_canonical["tp_size"].default == 1
    assert table.defaults["tp_size"] == Known(1)
    for option in table.options:
        assert option.strings
        assert option.choices is None or option.choices
    assert not {table.canonical(name) for name in table.defaults} - set(table.defaults)


def test_matching_is_that_of_the_parser():
    table = release_table("0.5.18")
    exact = table.match("--model=x=y")
    assert isinstance(exact, Exact)
    assert (exact.string, exact.value) == ("--model", "x=y")
    prefix = table.match("--mem-frac=0.5")
    assert isinstance(prefix, Prefix)
    assert (prefix.string, prefix.value) == ("--mem-fraction-static", "0.5")
    ambiguous = table.match("--mode")
    assert isinstance(ambiguous, Ambiguous)
    assert "--model-path" in ambiguous.candidates
    assert table.match("--nothing") is None
    assert table.match("-x") is None
    assert table.match("-hx").option.action == "help"
    assert isinstance(release_table("0.5.23").match("--cuda-graph-max-bs"), Ambiguous)


def test_the_default_of_the_parser_and_of_the_record_may_differ():
    table = release_table("0.4.0")
    assert table.defaults["trust_remote_code"] == Known(False)
    assert table.field_defaults["trust_remote_code"] == Known(True)
    table = release_table("0.5.12")
    assert isinstance(table.field_defaults["pre_warm_nccl"], Unknown)  # it asks for the platform
    assert table.defaults["pre_warm_nccl"] == Known(False)


def test_renames_lead_to_the_newest_name():
    renames = renames_data()["fields"]
    names = {entry.name for release in known_releases() for entry in release_table(release).fields}
    dests = {o.field for release in known_releases() for o in release_table(release).options}
    for old, new in renames.items():
        assert new not in renames
        assert {old, new} <= names | dests
        # No release knows one field by both names.
        for release in known_releases():
            assert not {old, new} <= set(release_table(release).by_name), (old, new, release)
    for option, replacement in renames_data()["replaced"].items():
        assert lifecycle(option) is not None
        assert lifecycle(replacement) is not None
    for option, entry in renames_data()["misspelled"].items():
        assert lifecycle(option) is None
        assert entry["field"] in names
        assert all(lifecycle(meant) for meant, _ in entry["meant"])


def test_the_life_of_an_option():
    life = lifecycle("--cuda-graph-max-bs")
    assert (life.first, life.last) == ("0.4.0", "0.5.19")
    assert life.deprecated_since == "0.5.14"
    assert life.replaced_by == "--cuda-graph-max-bs-decode"
    assert life.last_before("0.5.23") == "0.5.19"
    assert life.last_before("0.5.10") == "0.5.9"
    assert life.first_after("0.5.23") is None
    gap = lifecycle("--disable-shared-experts-fusion")
    assert gap.ranges[0] == ("0.4.4.post4", "0.4.5.post1")
    assert gap.last_before("0.4.6") == "0.4.5.post1"
    assert gap.first_after("0.4.6") == "0.4.7"
    assert lifecycle("--nsa-prefill").replaced_by == "--dsa-prefill-backend"
    # What a release only takes to refuse it, it does not have.
    assert lifecycle("--enable-ep-moe").last == "0.5.2"
    assert lifecycle("--disable-flashinfer").replaced_by == "--attention-backend"
    assert lifecycle("--tp-size").last == known_releases()[-1]
    assert lifecycle("--cp-size") is None


def test_the_life_of_a_field():
    life = field_lifecycle("nsa_prefill_backend")
    assert (life.first, life.last, life.replaced_by) == (
        "0.5.4",
        "0.5.12.post1",
        "dsa_prefill_backend",
    )
    assert field_lifecycle("cp_size") is None


def test_spellings_by_their_beginning():
    assert "--nsa-prefill-backend" in spellings_starting_with("--nsa-pre")
    assert spellings_starting_with("--zzz") == ()
