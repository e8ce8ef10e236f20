"""The configuration of models whose local path a launch names."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sglang_lint.project.files import bounded_text
from sglang_lint.releases.models import MAX_NAME

# Far above every real config.json.
MAX_BYTES = 1024 * 1024
_NO_PATH = ("://", "\0", "$")


class LocalModels:
    """Reads the config.json of local models, each once."""

    def __init__(self) -> None:
        self._known: dict[Path, Mapping[str, Any] | None] = {}

    def config(self, text: str, directory: Path, top: Path) -> Mapping[str, Any] | None:
        """The parsed config.json of the model at a path written in a file of `directory`.

        A relative path is looked for beside the file and in `top`; where both are models, neither
        is taken. Nothing outside `top` is opened.
        """
        if not text or len(text) > MAX_NAME or any(sign in text for sign in _NO_PATH):
            return None
        places = dict.fromkeys((directory / text / "config.json", top / text / "config.json"))
        found = [config for place in places if (config := self._read(place, top)) is not None]
        return found[0] if len(found) == 1 else None

    def _read(self, path: Path, top: Path) -> Mapping[str, Any] | None:
        if path not in self._known:
            self._known[path] = _parsed(bounded_text(path, top, MAX_BYTES))
        return self._known[path]


def _parsed(text: str | None) -> Mapping[str, Any] | None:
    try:
        config = json.loads(text) if text is not None else None
    except (ValueError, RecursionError):
        return None
    return config if isinstance(config, dict) else None
