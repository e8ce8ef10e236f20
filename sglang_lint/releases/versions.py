"""Versions and version ranges as PEP 440 has them, without importing packaging.

SGLang releases are named `X.Y.Z`, `X.Y.ZrcN` or `X.Y.Z.postN`; development builds add `.devN` and
a local part. Epochs and the `~=` and `===` operators do not occur and are refused.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, total_ordering

_VERSION = re.compile(
    r"""\s*v?
    (?P<release>[0-9]+(?:\.[0-9]+)*)
    (?:[-_.]?(?P<pre>alpha|a|beta|b|preview|pre|c|rc)[-_.]?(?P<pre_number>[0-9]*))?
    (?:-(?P<bare_post>[0-9]+)|[-_.]?(?:post|rev|r)[-_.]?(?P<post>[0-9]*))?
    (?P<dev>[-_.]?dev[-_.]?(?P<dev_number>[0-9]*))?
    (?:\+[a-z0-9]+(?:[-_.][a-z0-9]+)*)?
    \s*""",
    re.VERBOSE | re.IGNORECASE,
)
_CLAUSE = re.compile(r"\s*(==|!=|<=|>=|<|>)\s*([^\s,]+)\s*")
_MAX_LENGTH = 100
_PRE_RANKS = {"a": 0, "alpha": 0, "b": 1, "beta": 1, "c": 2, "rc": 2, "pre": 2, "preview": 2}
_FINAL = (3, 0)
_BEFORE_PRE_RELEASES = (-1, 0)
_NOT_DEVELOPMENT = 1 << 62


@total_ordering
@dataclass(frozen=True, slots=True)
class Version:
    """A parsed version; versions order as PEP 440 orders them, without a local part.

    `pre` is the rank of a pre-release phase with its number, or a value past every phase;
    `post` is -1 where there is no post-release; `development` is past every number where the
    version is no development build.
    """

    release: tuple[int, ...]
    pre: tuple[int, int] = _FINAL
    post: int = -1
    development: int = _NOT_DEVELOPMENT

    @property
    def is_prerelease(self) -> bool:
        """Whether it comes before its own final release, or is a development build."""
        return self.pre < _FINAL or self.development != _NOT_DEVELOPMENT

    @property
    def base(self) -> Version:
        """The final release that this one comes before or after."""
        return Version(self.release)

    def _key(self) -> tuple[tuple[int, ...], tuple[int, int], int, int]:
        pre = self.pre
        # A development build of a final release comes before its pre-releases.
        if pre == _FINAL and self.post < 0 and self.development != _NOT_DEVELOPMENT:
            pre = _BEFORE_PRE_RELEASES
        return self.release, pre, self.post, self.development

    def __lt__(self, other: Version) -> bool:
        return self._key() < other._key()


_stands_for: dict[str, Version] = {}


def name_version(name: str, version: Version) -> None:
    """Let a name be read as a version from now on: what a fork calls itself orders with none."""
    _stands_for[name] = version


def parse_version(text: str) -> Version:
    """The version that a text names; a local part is dropped.

    Raises ValueError where the text is no version.
    """
    return _stands_for.get(text) or _parsed(text)


@cache
def _parsed(text: str) -> Version:
    match = _VERSION.fullmatch(text) if len(text) <= _MAX_LENGTH else None
    if match is None:
        raise ValueError(f"not a version: {text[:_MAX_LENGTH]!r}")
    numbers = [int(part) for part in match["release"].split(".")]
    while len(numbers) > 1 and numbers[-1] == 0:  # 0.5 and 0.5.0 are one version
        numbers.pop()
    pre, post, development = _FINAL, -1, _NOT_DEVELOPMENT
    if match["pre"]:
        pre = (_PRE_RANKS[match["pre"].lower()], int(match["pre_number"] or 0))
    if match["bare_post"] or match["post"] is not None:
        post = int(match["bare_post"] or match["post"] or 0)
    if match["dev"]:
        development = int(match["dev_number"] or 0)
    return Version(tuple(numbers), pre, post, development)


def is_version(text: str) -> bool:
    """Whether a text names a version."""
    try:
        parse_version(text)
    except ValueError:
        return False
    return True


@dataclass(frozen=True, slots=True)
class _Clause:
    compare: str
    version: Version
    prefix: tuple[int, ...] | None = None  # of `== 0.5.*`

    def holds(self, candidate: Version) -> bool:
        if self.prefix is not None:
            release = candidate.release + (0,) * (len(self.prefix) - len(candidate.release))
            return (release[: len(self.prefix)] == self.prefix) is (self.compare == "==")
        if not _COMPARE[self.compare](candidate, self.version):
            return False
        if self.compare == "<" and not self.version.is_prerelease:
            return candidate < replace(self.version, development=0)
        if self.compare == ">" and self.version.post < 0:
            own_post_release = (candidate.release, candidate.pre) == (
                self.version.release,
                self.version.pre,
            )
            return candidate.post < 0 or not own_post_release
        return True


_COMPARE: dict[str, Callable[[Version, Version], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<=": operator.le,
    ">=": operator.ge,
    "<": operator.lt,
    ">": operator.gt,
}


@dataclass(frozen=True, slots=True)
class Specifier:
    """A range of versions; an empty one holds all. Pre-releases are versions like any other."""

    text: str
    clauses: tuple[_Clause, ...]

    def __contains__(self, version: str | Version) -> bool:
        """Whether a version lies in the range; raises ValueError for a text that is none."""
        candidate = parse_version(version) if isinstance(version, str) else version
        return all(clause.holds(candidate) for clause in self.clauses)


@cache
def specifier(text: str) -> Specifier:
    """A range such as `>=0.5.15,<0.5.19`, also with `==`, `!=`, `==0.5.*`.

    Raises ValueError where the text is no such range.
    """
    clauses = tuple(_clause(part) for part in text.split(",")) if text.strip() else ()
    return Specifier(text, clauses)


def _clause(text: str) -> _Clause:
    match = _CLAUSE.fullmatch(text)
    if match is None:
        raise ValueError(f"not a version range: {text!r}")
    compare, version = match.groups()
    if compare in ("==", "!=") and version.endswith(".*"):
        numbers = version[:-2].removeprefix("v").split(".")
        if not all(number.isdecimal() for number in numbers):
            raise ValueError(f"not a version range: {text!r}")
        return _Clause(compare, parse_version(version[:-2]), tuple(map(int, numbers)))
    return _Clause(compare, parse_version(version))
