"""The user's configuration: `[tool.sglang-lint]` in pyproject.toml, or .sglang-lint.toml."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from sglang_lint.releases.table import add_release

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

SEVERITIES = ("error", "warning", "info")
_DATA_SCHEMA = 1
_TEXT_KEYS = ("sglang-version", "platform", "model", "min-severity", "fail-on")
_LIST_KEYS = ("select", "ignore", "release-data")


class ConfigurationError(ValueError):
    """A configuration file that says something it cannot; the message names the file."""


@dataclass(frozen=True)
class Configuration:
    """What a configuration file says; None where it is silent."""

    path: Path | None = None
    sglang_version: str | None = None
    platform: str | None = None
    model: str | None = None
    min_severity: str | None = None
    fail_on: str | None = None
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()


class NearestConfigurations:
    """Finds the nearest configuration above a path; what was read once is remembered."""

    def __init__(self) -> None:
        self._found: dict[Path, Configuration] = {}

    def __call__(self, path: Path) -> Configuration:
        """The configuration for a file or directory, an empty one where there is none.

        Raises ConfigurationError for a file that is there and is wrong.
        """
        return self._nearest((path if path.is_dir() else path.parent).resolve())

    def _nearest(self, directory: Path) -> Configuration:
        if directory not in self._found:
            own = _configuration_in(directory)
            if own is None and directory.parent != directory:
                own = self._nearest(directory.parent)
            self._found[directory] = own or Configuration()
        return self._found[directory]


def _configuration_in(directory: Path) -> Configuration | None:
    own = directory / ".sglang-lint.toml"
    if own.is_file():
        return load_configuration(own)
    project = directory / "pyproject.toml"
    if project.is_file():
        table = _load(project).get("tool", {}).get("sglang-lint")
        if table is not None:
            return _configuration(project, table)
    return None


def load_configuration(path: Path) -> Configuration:
    """The configuration in one file; raises ConfigurationError."""
    data = _load(path)
    if path.name == "pyproject.toml":
        data = data.get("tool", {}).get("sglang-lint", {})
    return _configuration(path, data)


def _load(path: Path) -> dict[str, Any]:
    try:
        with path.open("rb") as file:
            return tomllib.load(file)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigurationError(f"{path}: {error}") from None


def _configuration(path: Path, table: Any) -> Configuration:
    if not isinstance(table, Mapping):
        raise ConfigurationError(f"{path}: `tool.sglang-lint` is a table")
    for key, value in table.items():
        _check(path, key, value)
    for name in table.get("release-data", ()):
        _add_release(path.parent / name)
    return Configuration(
        path,
        sglang_version=table.get("sglang-version"),
        platform=table.get("platform"),
        model=table.get("model"),
        min_severity=table.get("min-severity"),
        fail_on=table.get("fail-on"),
        select=tuple(table.get("select", ())),
        ignore=tuple(table.get("ignore", ())),
    )


def _add_release(path: Path) -> None:
    """Add what `releases extract` wrote to the releases of this run."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(data, Mapping) or data.get("schema") != _DATA_SCHEMA:
            raise ValueError("not written by `sglang-lint releases extract` of this version")
        add_release(str(data.get("name")), str(data.get("version")), data)
    except (OSError, ValueError, RecursionError) as error:
        raise ConfigurationError(f"{path}: {error}") from None


def _check(path: Path, key: str, value: Any) -> None:
    if key in _LIST_KEYS:
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise ConfigurationError(f"{path}: `{key}` is a list of strings")
    elif key in _TEXT_KEYS:
        if not isinstance(value, str):
            raise ConfigurationError(f"{path}: `{key}` is a string")
    else:
        close = get_close_matches(key, (*_TEXT_KEYS, *_LIST_KEYS), 1)
        hint = f", did you mean `{close[0]}`?" if close else ""
        raise ConfigurationError(f"{path}: there is no key `{key}`{hint}")
    allowed = {"min-severity": SEVERITIES, "fail-on": (*SEVERITIES, "never")}.get(key)
    if allowed is not None and value not in allowed:
        raise ConfigurationError(f"{path}: `{key}` is one of {', '.join(allowed)}")
