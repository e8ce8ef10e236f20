"""Which reader reads which file; a new format is a new package here and nothing else."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import PurePath

from sglang_lint import readers
from sglang_lint.launches import Reading
from sglang_lint.text import MappedText


@dataclass(frozen=True, slots=True)
class Format:
    """How files of a host language are known, and the function that reads them.

    `read` is `module:function`, imported only when a file of this format holds a launch:
    readers are light to list and heavy to load.
    """

    name: str
    read: str
    extensions: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()
    name_prefixes: tuple[str, ...] = ()
    shebangs: tuple[str, ...] = ()

    def load(self) -> Callable[[MappedText, str], Reading]:
        """The function that turns a text, with the path it is known by, into a reading."""
        module, function = self.read.split(":")
        reader: Callable[[MappedText, str], Reading] = getattr(
            importlib.import_module(module), function
        )
        return reader


@cache
def formats() -> tuple[Format, ...]:
    """Every format there is: each reader package declares its own as FORMAT."""
    found = []
    for module in pkgutil.iter_modules(readers.__path__):
        if module.ispkg:
            package = importlib.import_module(f"{readers.__name__}.{module.name}")
            found.append(package.FORMAT)
    return tuple(found)


def format_of(path: str, first_line: str = "") -> Format | None:
    """The format of a file, by its name, its extension, or its interpreter line."""
    name = PurePath(path).name
    extension = PurePath(path).suffix.lower()
    for candidate in formats():
        if (
            name in candidate.names
            or extension in candidate.extensions
            or name.startswith(candidate.name_prefixes or ("\0",))
        ):
            return candidate
    if first_line.startswith("#!"):
        for candidate in formats():
            if any(shebang in first_line for shebang in candidate.shebangs):
                return candidate
    return None


_NAMES = ("sglang", "SGLang", "SGLANG")
_BYTES = tuple(name.encode() for name in _NAMES)


def may_hold_launch(text: str) -> bool:
    """Whether a text is worth parsing: every launch names SGLang somewhere."""
    return any(name in text for name in _NAMES)


def bytes_may_hold_launch(data: bytes) -> bool:
    """The same of a file's bytes, before they are decoded."""
    return any(name in data for name in _BYTES)
