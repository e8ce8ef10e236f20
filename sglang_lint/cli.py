"""The command line: parses arguments and hands over to one module for each command."""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from collections.abc import Sequence

from sglang_lint import __version__

EXIT_CLEAN = 0
EXIT_FINDINGS = 1
EXIT_MISUSE = 2
EXIT_INTERNAL_FAULT = 3

# Each command is a module with `add_arguments(parser)` and `run(arguments) -> int`.
_COMMANDS = {
    "check": "find SGLang launches and say what is wrong with them",
    "upgrade": "say what changes for every launch with another SGLang release",
    "launches": "print every launch found, with its arguments, values and places",
    "rule": "explain a rule, by name or code",
    "matrix": "print which combinations a release refuses, crashes on, changes or gets wrong",
    "releases": "list the known SGLang releases, show what one accepts",
    "server": "serve diagnostics to an editor over LSP on standard input and output",
}


class MisuseError(Exception):
    """Arguments or configuration that cannot be followed; the message says why."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit status."""
    words = list(sys.argv[1:] if argv is None else argv)
    parser = _parser(words)
    arguments = parser.parse_args(words)
    if arguments.command is None:
        parser.print_help()
        return EXIT_MISUSE
    command = importlib.import_module(f"sglang_lint.commands.{arguments.command}")
    try:
        status: int = command.run(arguments)
    except MisuseError as error:
        print(f"sglang-lint: {error}", file=sys.stderr)
        return EXIT_MISUSE
    except BrokenPipeError:
        # The reader has gone (`| head`); nothing is left to say, not even at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return EXIT_CLEAN
    return status


def _parser(words: Sequence[str]) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="sglang-lint",
        description="Says, before a GPU node is booked, which SGLang launches will fail and why.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"sglang-lint {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    for name, summary in _COMMANDS.items():
        command = commands.add_parser(name, help=summary, description=summary, allow_abbrev=False)
        # Only the command that is asked for is loaded.
        if name in words:
            importlib.import_module(f"sglang_lint.commands.{name}").add_arguments(command)
    return parser
