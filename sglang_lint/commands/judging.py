"""The options and settings that all judging commands share."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path

from sglang_lint.cli import MisuseError
from sglang_lint.engine import Settings
from sglang_lint.matrix.rules import RuleSet, bundled_rules
from sglang_lint.project.configuration import (
    Configuration,
    ConfigurationError,
    NearestConfigurations,
    load_configuration,
)
from sglang_lint.releases.context import Stated, Statements
from sglang_lint.releases.models import ModelFacts, find_model, model_from_config
from sglang_lint.releases.platforms import PLATFORM_NAMES, find_platform
from sglang_lint.releases.table import is_known, known_releases
from sglang_lint.releases.versions import is_version

SEVERITIES = ("error", "warning", "info")


def add_judging_arguments(
    parser: argparse.ArgumentParser,
    version_option: str = "--sglang-version",
    version_help: str = "the SGLang release to judge for",
) -> None:
    """What a launch is judged for, and where the configuration is."""
    parser.add_argument(version_option, dest="sglang_version", metavar="V", help=version_help)
    parser.add_argument(
        "--platform", metavar="P", help="cuda, cuda-sm90, hip-gfx950, npu, cpu, ..."
    )
    parser.add_argument(
        "--model", metavar="M", help="hub id, directory with a config.json, or architecture"
    )
    parser.add_argument("--config", metavar="FILE", help="this configuration and no other")


def add_path_arguments(parser: argparse.ArgumentParser) -> None:
    """What is read."""
    parser.add_argument("paths", nargs="*", metavar="PATH", help="files and directories (.)")


def paths_of(arguments: argparse.Namespace) -> list[Path]:
    """The paths given, the current directory without any; raises MisuseError for a missing one."""
    paths = [Path(path) for path in arguments.paths or ["."]]
    for path in paths:
        if not path.exists():
            raise MisuseError(f"there is no `{path}`")
    return paths


class Configurations:
    """Finds the configuration of a path: the nearest above it, or the one named by `--config`."""

    def __init__(self, named: Configuration | None = None) -> None:
        self._named = named
        self._nearest = NearestConfigurations()

    def __call__(self, path: Path) -> Configuration:
        """The configuration of a path; raises MisuseError for a wrong one."""
        if self._named is not None:
            return self._named
        try:
            return self._nearest(path)
        except ConfigurationError as error:
            raise MisuseError(str(error)) from None


def configurations_of(arguments: argparse.Namespace) -> Configurations:
    """What `--config` says; raises MisuseError."""
    if arguments.config is None:
        return Configurations()
    try:
        return Configurations(load_configuration(Path(arguments.config)))
    except ConfigurationError as error:
        raise MisuseError(str(error)) from None


def settings_of(
    version: str | None,
    platform: str | None,
    model: str | None,
    *,
    select: str | None = None,
    ignore: str | None = None,
    least: str = "warning",
) -> Settings:
    """Settings from the words of a command line; raises MisuseError for what nobody knows."""
    rules = bundled_rules()
    source = "the command line"
    model_text, facts = _model(model) if model is not None else (None, {})
    return Settings(
        Statements(
            releases=[Stated(checked_version(version), source)] if version else (),
            platforms=[Stated(checked_platform(platform), source)] if platform else (),
            models=[Stated(model_text, source)] if model_text else (),
            model_facts=facts,
        ),
        rules=rules,
        select=checked_names(select, rules),
        ignore=checked_names(ignore, rules),
        least=least,
    )


def checked_version(text: str) -> str:
    """A version without a leading `v`; raises MisuseError for a text that is none."""
    version = text if is_known(text) else text.removeprefix("v")
    if not is_version(version):
        raise MisuseError(
            f"`{text}` is not an SGLang version; the newest known is {known_releases()[-1]}"
        )
    return version


def checked_platform(text: str) -> str:
    """A platform's name; raises MisuseError with the nearest name."""
    if find_platform(text) is None:
        raise MisuseError(f"there is no platform `{text}`{_hint(text, PLATFORM_NAMES)}")
    return text


def checked_names(text: str | None, rules: RuleSet) -> tuple[str, ...]:
    """Rule names, codes and beginnings of codes from a comma list; raises MisuseError."""
    names = tuple(name.strip() for name in (text or "").split(",") if name.strip())
    for name in names:
        if name not in rules.by_name and not any(code.startswith(name) for code in rules.codes()):
            known = sorted({*rules.by_name, *rules.codes()})
            raise MisuseError(f"there is no rule `{name}`{_hint(name, known)}")
    return names


def _model(text: str) -> tuple[str, dict[str, ModelFacts]]:
    directory = Path(text)
    if (directory / "config.json").is_file():
        try:
            config = json.loads((directory / "config.json").read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError) as error:
            raise MisuseError(f"{directory / 'config.json'}: {error}") from None
        facts = model_from_config(config) if isinstance(config, dict) else None
        if facts is None:
            raise MisuseError(f"{directory / 'config.json'} names no architecture")
        return text, {text: facts}
    if find_model(text, known_releases()[-1]) is None:
        raise MisuseError(
            f"`{text}` is no known model id or architecture and no directory with a config.json"
        )
    return text, {}


def _hint(text: str, names: Iterable[str]) -> str:
    known = list(names)
    longer = [name for name in known if name.startswith(text)]
    close = longer[:1] or get_close_matches(text, known, 1, 0.5)
    return f", did you mean `{close[0]}`?" if close else ""
