"""The exact SGLang release that a project's own files pin."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sglang_lint.project.files import bounded_text
from sglang_lint.project.pin_files import DOCKERFILES, Requirement, reader_of
from sglang_lint.releases.images import release_of_image, release_of_requirement
from sglang_lint.text import Document, Position

# Far above every real lock file.
MAX_BYTES = 8 * 1024 * 1024
_MAX_FILES = 50


@dataclass(frozen=True, slots=True)
class Pin:
    """A release, with the words that pin it and their place."""

    release: str
    text: str
    path: Path
    start: Position
    end: Position
    is_from_dockerfile: bool = False


class Pins:
    """Finds the pin for a file; each directory is read once."""

    def __init__(self) -> None:
        self._known: dict[Path, list[Pin]] = {}

    def nearest(self, directories: Sequence[Path]) -> Pin | None:
        """The pin in the first directory that has one, the file's own directory first.

        A directory that pins two releases says nothing, and what is above it does not speak for
        it. A Dockerfile speaks for its own directory only.
        """
        for number, directory in enumerate(directories):
            pins = [pin for pin in self._in(directory) if number == 0 or not pin.is_from_dockerfile]
            if pins:
                return pins[0] if len({pin.release for pin in pins}) == 1 else None
        return None

    def _in(self, directory: Path) -> list[Pin]:
        if directory not in self._known:
            self._known[directory] = [
                pin for path in _files(directory) for pin in _pins_of(path, directory)
            ]
        return self._known[directory]


def _files(directory: Path) -> list[Path]:
    try:
        with os.scandir(directory) as entries:
            names = [entry.name for entry in entries if reader_of(entry.name) is not None]
    except OSError:
        return []
    return [directory / name for name in sorted(names)[:_MAX_FILES]]


def _pins_of(path: Path, directory: Path) -> list[Pin]:
    reader = reader_of(path.name)
    text = bounded_text(path, directory, MAX_BYTES) if reader is not None else None
    if reader is None or text is None or "sglang" not in text.lower():
        return []
    document = Document(str(path), text)
    pins = (_pin(document, path, found) for found in reader(text))
    return [pin for pin in pins if pin is not None]


def _pin(document: Document, path: Path, found: Requirement) -> Pin | None:
    release = release_of_image(found.text) if found.is_image else release_of_requirement(found.text)
    if release is None:
        return None
    return Pin(
        release,
        found.text,
        path,
        document.position(found.start),
        document.position(found.end),
        path.name in DOCKERFILES,
    )
