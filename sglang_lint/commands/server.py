"""`sglang-lint server`: diagnostics for an editor over LSP."""

from __future__ import annotations

import argparse

from sglang_lint.cli import EXIT_CLEAN, MisuseError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command has no arguments of its own."""


def run(arguments: argparse.Namespace) -> int:
    """Serve on standard input and output until the client ends the session."""
    try:
        from sglang_lint.language_server.server import create_server
    except ModuleNotFoundError as error:
        raise MisuseError(
            f"the language server needs `{error.name}`: install sglang-lint[lsp]"
        ) from None
    create_server().start_io()
    return EXIT_CLEAN
