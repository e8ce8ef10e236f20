"""Version order and ranges, against the reference implementation."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from packaging.specifiers import SpecifierSet
from packaging.version import Version as Reference

from sglang_lint.releases.versions import is_version, parse_version, specifier

_release = st.lists(st.integers(0, 12), min_size=1, max_size=4).map(
    lambda numbers: ".".join(map(str, numbers))
)
_suffix = st.sampled_from(
    ["", "rc0", "rc2", "a1", "b2", ".post1", ".post12", ".dev3", "rc1.dev2", ".post1.dev1"]
)
_versions = st.builds(str.__add__, _release, _suffix)


@given(_versions, _versions)
def test_order_is_that_of_pep_440(left, right):
    ours, theirs = (parse_version(left), parse_version(right)), (Reference(left), Reference(right))
    assert (ours[0] < ours[1]) == (theirs[0] < theirs[1])
    assert (ours[0] == ours[1]) == (theirs[0] == theirs[1])
    assert (ours[0] >= ours[1]) == (theirs[0] >= theirs[1])


_finals = st.builds(str.__add__, _release, st.sampled_from(["", "rc2", ".post1"]))
_clauses = st.builds(str.__add__, st.sampled_from([">=", "<=", ">", "<", "==", "!="]), _finals)


@given(st.lists(_clauses, max_size=3).map(",".join), _finals)
@example("<0.5.0", "0.5.0rc2")
@example(">0.5.15", "0.5.15.post1")
@example(">0.5.15.post1", "0.5.15.post2")
@example(">0.5.15rc2", "0.5.15.post1")
@example("<0.5.15.post1", "0.5.15rc2")
@example("==0.5.*", "0.5.3.post1")
@example("!=0.5.*", "0.5")
@example("==0.5.0.*", "0.5")
@example(">=0.5.15,<0.5.19", "0.5.18")
def test_ranges_are_those_of_pep_440(text, version):
    assert (version in specifier(text)) == SpecifierSet(text).contains(version, prereleases=True)


@pytest.mark.parametrize("text", ["", "latest", "0.5.x", "1!0.5", "0.5.15-", "0" * 5000, "v"])
def test_what_is_no_version_is_refused(text):
    assert not is_version(text)
    with pytest.raises(ValueError, match="not a version"):
        parse_version(text)


@pytest.mark.parametrize("text", ["0.5.15", "~=0.5", "===0.5", ">=0.5.15 <0.5.19", ">=", "==x.*"])
def test_what_is_no_range_is_refused(text):
    with pytest.raises(ValueError, match="not a version"):
        specifier(text)


def test_a_leading_v_and_a_local_part_are_allowed():
    assert parse_version("v0.5.18+cu130") == parse_version("0.5.18")
