"""The Python sources of one SGLang release, wherever they lie."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path
from typing import Protocol

from sglang_lint.releases.versions import is_version

_SERVER_ARGS = "srt/server_args.py"
# Where the package lies below a repository, an unpacked wheel or itself.
_PACKAGE_PLACES = ("python/sglang", "sglang", ".")
_VERSION_LINE = re.compile(
    r"^(?:__version__|version)\s*(?::\s*str\s*)?=.*?[\"']([^\"']+)[\"']", re.MULTILINE
)
_MAX_SOURCE_BYTES = 8 << 20


class NotASourceTreeError(ValueError):
    """A path that holds no SGLang package."""


class _Files(Protocol):
    def read(self, path: str) -> bytes | None: ...


class _Directory:
    def __init__(self, root: Path) -> None:
        self._root = root

    def read(self, path: str) -> bytes | None:
        file = self._root / path
        if not file.is_file() or file.stat().st_size > _MAX_SOURCE_BYTES:
            return None
        return file.read_bytes()


class _Archive:
    def __init__(self, path: Path) -> None:
        self._archive = zipfile.ZipFile(path)
        self._sizes = {info.filename: info.file_size for info in self._archive.infolist()}

    def read(self, path: str) -> bytes | None:
        size = self._sizes.get(f"sglang/{path}")
        if size is None or size > _MAX_SOURCE_BYTES:
            return None
        return self._archive.read(f"sglang/{path}")


class SourceTree:
    """The package `sglang` of one release, read file by file."""

    def __init__(self, files: _Files, version: str | None) -> None:
        self._files = files
        self.version = version or self._declared_version()

    @classmethod
    def open(cls, path: Path) -> SourceTree:
        """A wheel, an unpacked wheel, a repository, or the package's own folder.

        Raises NotASourceTreeError where `srt/server_args.py` is not in it, OSError and
        zipfile.BadZipFile where it cannot be read.
        """
        if path.is_file() and path.suffix == ".whl":
            parts = path.name.split("-")
            named = parts[1] if len(parts) > 2 and is_version(parts[1]) else None
            tree = cls(_Archive(path), named)
        else:
            tree = cls(_Directory(_package_folder(path)), _version_beside(path))
        if tree.source("sglang.srt.server_args") is None:
            raise NotASourceTreeError(f"no sglang/{_SERVER_ARGS} in {path}")
        return tree

    def source(self, module: str) -> str | None:
        """The text of a module of the package by its dotted name, or None."""
        if module == "sglang":
            candidates = ["__init__.py"]
        elif module.startswith("sglang."):
            stem = module.removeprefix("sglang.").replace(".", "/")
            candidates = [f"{stem}.py", f"{stem}/__init__.py"]
        else:
            return None
        for candidate in candidates:
            data = self._files.read(candidate)
            if data is not None:
                return data.decode("utf-8", errors="replace")
        return None

    def is_package(self, module: str) -> bool:
        """Whether a module is a folder with an `__init__.py`."""
        stem = module.removeprefix("sglang").removeprefix(".").replace(".", "/")
        return self._files.read(f"{stem}/__init__.py" if stem else "__init__.py") is not None

    def _declared_version(self) -> str | None:
        for name in ("_version.py", "version.py"):
            data = self._files.read(name)
            match = _VERSION_LINE.search(data.decode("utf-8", errors="replace")) if data else None
            if match and is_version(match[1]):
                return match[1]
        return None


def _package_folder(path: Path) -> Path:
    for place in _PACKAGE_PLACES:
        if (path / place / _SERVER_ARGS).is_file():
            return path / place
    raise NotASourceTreeError(f"no sglang/{_SERVER_ARGS} in {path}")


def _version_beside(path: Path) -> str | None:
    for entry in sorted(path.glob("sglang-*.dist-info")):
        named = entry.name.removesuffix(".dist-info").split("-", 1)[1]
        if is_version(named):
            return named
    return None
