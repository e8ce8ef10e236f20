"""What stands around a linted file and says what its launches are for."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from sglang_lint.engine import Settings
from sglang_lint.launches import Evidence, EvidenceKind, Related
from sglang_lint.project.files import shown_path
from sglang_lint.project.models import LocalModels
from sglang_lint.project.pins import Pins
from sglang_lint.releases.context import Stated
from sglang_lint.text import Span


class Surroundings:
    """The pins, local models and paths around the files of one run, each read once.

    Nothing is read above the top of a file's repository, nor above what was given to lint: a
    directory, or the working directory for a file below it.
    """

    def __init__(self, paths: Iterable[Path]) -> None:
        self._roots = {_root(path) for path in paths}
        self._pins = Pins()
        self._models = LocalModels()

    def added(self, settings: Settings, path: Path) -> Settings:
        """Settings with what stands around the file at a path, which need not exist."""
        own = path.parent.resolve()
        directories = self._upwards(own)
        given = settings.statements
        statements = replace(
            given,
            default_releases=[*self._pinned(directories), *given.default_releases],
            surroundings=[*given.surroundings, _path_evidence(own / path.name, directories[-1])],
            config_of_path=functools.partial(
                self._models.config, directory=own, top=directories[-1]
            ),
        )
        return replace(settings, statements=statements)

    def _upwards(self, own: Path) -> list[Path]:
        """The directories from a file's own one to the last that may be looked into."""
        above = (own, *own.parents)
        outermost = next((place for place in reversed(above) if place in self._roots), own)
        found = []
        for directory in above:
            found.append(directory)
            if directory == outermost or _is_repository(directory):
                break
        return found

    def _pinned(self, directories: list[Path]) -> list[Stated]:
        pin = self._pins.nearest(directories)
        if pin is None:
            return []
        place = shown_path(pin.path)
        related = Related(f"release {pin.release}", Span(0, 0), place, pin.start, pin.end)
        source = f"`{pin.text}` in {place}"
        return [Stated(pin.release, source, related, kind="the project's pins")]


def _root(path: Path) -> Path:
    if path.is_dir():
        return path.resolve()
    directory, here = path.parent.resolve(), Path.cwd()
    return here if directory.is_relative_to(here) else directory


def _path_evidence(path: Path, top: Path) -> Evidence:
    """The path below the repository, the working directory, or what was given to lint.

    Names further up are of a machine, not of a project.
    """
    repository = next((place for place in path.parents if _is_repository(place)), None)
    here = Path.cwd()
    base = repository or (here if path.is_relative_to(here) else top)
    return Evidence(EvidenceKind.PATH, path.relative_to(base).as_posix(), Span(0, 0))


def _is_repository(directory: Path) -> bool:
    return (directory / ".git").exists()
