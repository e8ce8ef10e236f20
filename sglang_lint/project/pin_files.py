"""The requirements in each kind of file that a Python project pins its packages in.

A file that is broken holds none: its own tools tell what is wrong with it.
"""

from __future__ import annotations

import ast
import configparser
import json
import re
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatch
from typing import Any

from sglang_lint.launches import EvidenceKind
from sglang_lint.text import MappedText

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


@dataclass(frozen=True, slots=True)
class Requirement:
    """A requirement (`sglang[all]==0.5.18`) or an image, with its offsets in the file."""

    text: str
    start: int
    end: int
    is_image: bool = False


Reader = Callable[[str], Iterable[Requirement]]

_COMMENT = re.compile(r"(?:^|\s)#.*")
# Markers, hashes and the sign that the line goes on.
_REST = re.compile(r"\s*;.*|\s+(?:--|\\).*")
_LINE = re.compile(r"[^\r\n]+")
_LOCKED = re.compile(
    r"""^name\ =\ ["']sglang["']\r?\nversion\ =\ ["'](?P<version>[^"'\r\n]+)["']""",
    re.MULTILINE | re.VERBOSE,
)
_POETRY_KEY = re.compile(r"^[ \t]*sglang[ \t]*=.*", re.MULTILINE)
_PIPFILE_KEY = re.compile(r'"sglang"[ \t]*:')
# Poetry takes a bare version for that version alone.
_BARE = re.compile(r"\s*(?:==\s*)?(\d[\w.]*)\s*")
DOCKERFILES = ("Dockerfile", "Containerfile")
# What these are parsed with is slow, or recurses in C.
_MAX_SMALL = 256 * 1024
_MAX_REQUIREMENT = 500


def reader_of(name: str) -> Reader | None:
    """How the requirements of a file with this name are read, None where it holds none."""
    return next((reader for pattern, reader in _READERS if fnmatch(name, pattern)), None)


def _requirements_txt(text: str) -> Iterator[Requirement]:
    for line in _LINE.finditer(text):
        requirement = _bare(_COMMENT.sub("", line[0]))
        if "sglang" in requirement.lower():
            start = line.start() + len(requirement) - len(requirement.lstrip())
            yield Requirement(requirement.strip(), start, line.start() + len(requirement.rstrip()))


def _lock(text: str) -> Iterator[Requirement]:
    """uv.lock and poetry.lock: written by tools, in one form, and too long for a TOML parser."""
    for match in _LOCKED.finditer(text):
        yield Requirement(f"sglang=={match['version']}", match.start(), match.end())


def _pyproject(text: str) -> Iterator[Requirement]:
    if len(text) > _MAX_SMALL:
        return
    try:
        data = tomllib.loads(text)
    except (ValueError, RecursionError):
        return
    project, poetry = _table(data, "project"), _table(data, "tool", "poetry")
    groups = (
        project.get("dependencies"),
        *_table(project, "optional-dependencies").values(),
        *_table(data, "dependency-groups").values(),
    )
    for group in groups:
        for requirement in group if isinstance(group, list) else ():
            yield from _written(requirement, text)
    tables = [_table(poetry, "dependencies"), _table(poetry, "dev-dependencies")]
    tables += [_table(group, "dependencies") for group in _table(poetry, "group").values()]
    for table in tables:
        version = table.get("sglang")
        version = version.get("version") if isinstance(version, dict) else version
        bare = _BARE.fullmatch(version) if isinstance(version, str) else None
        if bare:
            yield Requirement(f"sglang=={bare[1]}", *_place(_POETRY_KEY, text))


def _pipfile_lock(text: str) -> Iterator[Requirement]:
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return
    for section in ("default", "develop"):
        version = _table(data, section, "sglang").get("version")
        if isinstance(version, str):
            yield Requirement(f"sglang{version}", *_place(_PIPFILE_KEY, text))


def _setup_cfg(text: str) -> Iterator[Requirement]:
    if len(text) > _MAX_SMALL:
        return
    parser = configparser.ConfigParser(interpolation=None, strict=False)
    try:
        parser.read_string(text)
    except configparser.Error:
        return
    values = [parser.get("options", "install_requires", fallback="")]
    if parser.has_section("options.extras_require"):
        values += [value for _, value in parser.items("options.extras_require")]
    for value in values:
        for line in value.splitlines():
            yield from _written(_COMMENT.sub("", line).strip(), text)


def _setup_py(text: str) -> Iterator[Requirement]:
    """Every string that is a requirement, wherever the script uses it; nothing is run."""
    if len(text) > _MAX_SMALL:
        return
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for node in ast.walk(tree):
        value = node.value if isinstance(node, ast.Constant) else None
        if isinstance(value, str) and value.startswith("sglang"):
            yield from _written(value, text)


def _environment_yml(text: str) -> Iterator[Requirement]:
    """The requirements under `pip:` of a conda environment."""
    if len(text) > _MAX_SMALL:
        return
    import yaml

    from sglang_lint.readers.yaml.nodes import items

    try:
        # Nodes have places, and building none of their values follows no alias.
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except (yaml.YAMLError, RecursionError, ValueError):
        return
    for dependencies in _values(root, "dependencies"):
        for pip in (pip for one in items(dependencies) for pip in _values(one, "pip")):
            for node in items(pip):
                if isinstance(node, yaml.ScalarNode):
                    start, end = node.start_mark.index, node.end_mark.index
                    yield Requirement(_bare(node.value), start, end)


def _values(node: Any, key: str) -> Iterator[Any]:
    """The values under a key, of a YAML node that is a mapping."""
    if node is not None and node.id == "mapping":
        for name, value in node.value:
            if name.value == key:
                yield value


def _dockerfile(text: str) -> Iterator[Requirement]:
    """What the last stage is built from, and what it installs over that."""
    if len(text) > _MAX_SMALL:
        return
    from sglang_lint.readers.dockerfile.instructions import Parsed
    from sglang_lint.readers.dockerfile.stages import stages_of

    stages = stages_of(Parsed(MappedText.region(text)))
    for evidence in stages[-1].evidence()[:1] if stages else ():
        is_image = evidence.kind is EvidenceKind.IMAGE
        yield Requirement(evidence.text, evidence.span.start, evidence.span.end, is_image)


def _table(data: Any, *keys: str) -> dict[str, Any]:
    """The table under some keys, empty where there is none."""
    for key in keys:
        data = data.get(key) if isinstance(data, dict) else None
    return data if isinstance(data, dict) else {}


def _written(requirement: Any, text: str) -> Iterator[Requirement]:
    """A requirement with the first place in a file's text where it stands."""
    if isinstance(requirement, str) and "sglang" in requirement.lower():
        start = max(text.find(requirement), 0)
        yield Requirement(_bare(requirement), start, start + len(requirement))


def _bare(requirement: str) -> str:
    """A requirement without what follows its version; no real one is longer than the limit."""
    return _REST.sub("", requirement[:_MAX_REQUIREMENT])


def _place(key: re.Pattern[str], text: str) -> tuple[int, int]:
    match = key.search(text)
    return match.span() if match else (0, 0)


_READERS: tuple[tuple[str, Reader], ...] = (
    ("requirements*.txt", _requirements_txt),
    ("pyproject.toml", _pyproject),
    ("setup.cfg", _setup_cfg),
    ("setup.py", _setup_py),
    ("environment.yml", _environment_yml),
    ("environment.yaml", _environment_yml),
    ("uv.lock", _lock),
    ("poetry.lock", _lock),
    ("Pipfile.lock", _pipfile_lock),
    *((name, _dockerfile) for name in DOCKERFILES),
)
