"""Which files there are below the paths that were given."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path

import pathspec

from sglang_lint.readers.registry import format_of

# Directories of other people's code and of tools' own state; an explicit path goes into them.
SKIPPED_DIRECTORIES = frozenset(
    """
    .git .hg .svn .venv venv env .tox .nox __pycache__ node_modules .mypy_cache .ruff_cache
    .pytest_cache .eggs site-packages
    """.split()
)
_SHEBANG_BYTES = 80


def discover(paths: Iterable[Path]) -> Iterator[Path]:
    """Every file to look at: a file as it is given, a directory's files that some reader reads.

    Directories are walked in the order of their names, without following links, and without what
    their `.gitignore` files exclude. Raises FileNotFoundError for a path that does not exist.
    """
    seen: set[Path] = set()
    for path in paths:
        if not path.exists():
            raise FileNotFoundError(path)
        found: Iterable[Path] = _walk(path, ()) if path.is_dir() else (path,)
        for file in found:
            if file not in seen:
                seen.add(file)
                yield file


_Ignore = tuple[Path, pathspec.GitIgnoreSpec]


def _walk(directory: Path, ignores: tuple[_Ignore, ...]) -> Iterator[Path]:
    pending = [(directory, ignores)]
    while pending:
        here, above = pending.pop()
        try:
            entries = sorted(os.scandir(here), key=lambda entry: entry.name)
        except OSError:
            continue
        here_ignores = (*above, *_gitignore(here, entries))
        directories = []
        for entry in entries:
            path = Path(entry.path)
            if entry.is_symlink() or _is_ignored(path, entry.is_dir(), here_ignores):
                continue
            if entry.is_dir():
                if entry.name not in SKIPPED_DIRECTORIES:
                    directories.append((path, here_ignores))
            elif entry.is_file() and _has_reader(path):
                yield path
        pending.extend(reversed(directories))


def _gitignore(directory: Path, entries: Iterable[os.DirEntry[str]]) -> Iterator[_Ignore]:
    for entry in entries:
        if entry.name == ".gitignore" and entry.is_file(follow_symlinks=False):
            try:
                lines = Path(entry.path).read_text(encoding="utf-8", errors="replace").splitlines()
                yield directory, pathspec.GitIgnoreSpec.from_lines(lines)
            except (OSError, ValueError):
                return


def _is_ignored(path: Path, is_directory: bool, ignores: tuple[_Ignore, ...]) -> bool:
    for base, spec in reversed(ignores):
        name = path.relative_to(base).as_posix() + ("/" if is_directory else "")
        verdict = spec.check_file(name).include
        if verdict is not None:
            return verdict
    return False


def _has_reader(path: Path) -> bool:
    if format_of(path.name) is not None:
        return True
    return not path.suffix and format_of(path.name, first_line_of(path)) is not None


def first_line_of(path: Path) -> str:
    """The beginning of a regular file's first line, empty where it cannot be read."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            return ""
        with path.open("rb") as file:
            return file.readline(_SHEBANG_BYTES).decode("utf-8", "replace")
    except OSError:
        return ""
