"""The flake8 plugin: for a Python file, exactly what `sglang-lint check` finds in it.

flake8 loads this module in every run, so nothing heavy is imported before a file names SGLang.
"""

from __future__ import annotations

import argparse
import ast
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from sglang_lint import __version__

if TYPE_CHECKING:
    from flake8.options.manager import OptionManager

_NAMES = ("sglang", "SGLang", "SGLANG")


class Plugin:
    """One run over one file, as flake8 calls it."""

    name: ClassVar[str] = "sglang-lint"
    version: ClassVar[str] = __version__
    options: ClassVar[argparse.Namespace] = argparse.Namespace()

    def __init__(self, tree: ast.AST, lines: Sequence[str], filename: str) -> None:
        self._text = "".join(lines)
        self._filename = filename

    @classmethod
    def add_options(cls, manager: OptionManager) -> None:
        """Register the plugin's options with flake8."""
        for option, words in (
            ("--sglang-version", "the SGLang release to judge launches for"),
            ("--sglang-platform", "the platform to judge launches for"),
            ("--sglang-model", "the model to judge launches for"),
        ):
            manager.add_option(option, parse_from_config=True, default="", help=words)
        manager.add_option(
            "--sglang-min-severity",
            parse_from_config=True,
            default="warning",
            choices=["error", "warning", "info"],
            help="the least severity that is reported",
        )

    @classmethod
    def parse_options(cls, options: argparse.Namespace) -> None:
        """Keep what flake8 parsed."""
        cls.options = options

    def run(self) -> Iterator[tuple[int, int, str, type[Any]]]:
        """Each finding as line, 0-based column, text, plugin class."""
        if not any(name in self._text for name in _NAMES):
            return
        from sglang_lint.flake8_findings import findings

        for diagnostic, text in findings(self._text, self._filename, self.options):
            yield diagnostic.start.line, diagnostic.start.column - 1, text, type(self)
