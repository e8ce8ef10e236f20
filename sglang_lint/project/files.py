"""Reading files as documents, and telling what keeps one from being read."""

from __future__ import annotations

import stat
from dataclasses import dataclass
from pathlib import Path

from sglang_lint.readers.registry import bytes_may_hold_launch
from sglang_lint.text import Document

# Far above every real launch file; what is larger is data.
MAX_BYTES = 16 * 1024 * 1024
_BYTE_ORDER_MARK = "\ufeff"


@dataclass(frozen=True)
class Unreadable:
    """A file that is not linted, with the reason and, in bytes that decode, the place."""

    document: Document
    reason: str
    offset: int = 0


def read_document(path: Path, shown_as: str) -> Document | Unreadable | None:
    """The document of a file; None where the file cannot hold a launch.

    Only regular files are opened, so that no pipe or device blocks the run.
    """
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            return Unreadable(Document(shown_as, ""), "is not a regular file")
        if status.st_size > MAX_BYTES:
            limit = f"is larger than {MAX_BYTES // 2**20} MiB and is not read"
            return Unreadable(Document(shown_as, ""), limit)
        data = path.read_bytes()
    except OSError as error:
        reason = error.strerror or type(error).__name__
        return Unreadable(Document(shown_as, ""), f"cannot be read: {reason}")
    return document_of(data, shown_as) if bytes_may_hold_launch(data) else None


def bounded_text(path: Path, within: Path, limit: int) -> str | None:
    """The text of a regular file of at most `limit` bytes that lies in the directory `within`.

    Links are followed first, so that none leads out of it. None for every other file, and for
    one that cannot be read or is not UTF-8.
    """
    try:
        real = path.resolve(strict=True)
        if not real.is_relative_to(within) or not stat.S_ISREG(real.stat().st_mode):
            return None
        with real.open("rb") as file:
            data = file.read(limit + 1)
        return None if len(data) > limit else data.decode("utf-8").removeprefix(_BYTE_ORDER_MARK)
    except (OSError, ValueError, RuntimeError):  # RuntimeError: a loop of links
        return None


def shown_path(path: Path) -> str:
    """The path as messages show it: relative to the working directory where it lies below it."""
    try:
        return (
            path.resolve().relative_to(Path.cwd()).as_posix()
            if path.is_absolute()
            else path.as_posix()
        )
    except ValueError:
        return path.as_posix()


def document_of(data: bytes, shown_as: str) -> Document | Unreadable:
    """The document of a file's bytes, which must be UTF-8 (a byte order mark is dropped)."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8")
        reason = f"is not UTF-8: byte 0x{data[error.start]:02x} at offset {error.start}"
        return Unreadable(Document(shown_as, before), reason, len(before))
    return Document(shown_as, text.removeprefix(_BYTE_ORDER_MARK))
