"""`sglang-lint releases`: what SGLang releases there are and what each accepts."""

from __future__ import annotations

import argparse
import json
from typing import Any

from sglang_lint.cli import EXIT_CLEAN, MisuseError
from sglang_lint.commands.judging import checked_version
from sglang_lint.releases.context import covered_releases
from sglang_lint.releases.table import Option, ReleaseTable, known_releases, nearest_release
from sglang_lint.releases.table import release_table as table_of
from sglang_lint.values import Known


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    actions.add_parser("list", help="every known release")
    show = actions.add_parser("show", help="the options and fields of one release")
    show.add_argument("version", metavar="V")
    show.add_argument("--format", choices=["text", "json"], default="text")


def run(arguments: argparse.Namespace) -> int:
    """Print the list or one release."""
    if arguments.action == "list":
        covered = covered_releases()
        for release in known_releases():
            print(release if release in covered else f"{release}  (options only)")
        return EXIT_CLEAN
    version = checked_version(arguments.version)
    if version not in known_releases():
        nearest = nearest_release(version)
        raise MisuseError(f"SGLang {version} is not known; the nearest known is {nearest}")
    table = table_of(version)
    print(json.dumps(_as_json(table), indent=1) if arguments.format == "json" else _text(table))
    return EXIT_CLEAN


def _as_json(table: ReleaseTable) -> dict[str, Any]:
    return {
        "version": table.version,
        "options": [
            {
                "options": list(option.strings),
                "field": option.field,
                "nargs": option.nargs,
                "type": option.type,
                "choices": None if option.choices is None else list(option.choices),
                "action": option.action,
                "default": option.default,
            }
            for option in table.options
        ],
        "fields": [
            {"name": field.name, "type": field.type, "default": field.default}
            for field in table.fields
        ],
    }


def _text(table: ReleaseTable) -> str:
    lines = [f"SGLang {table.version}: {len(table.options)} options"]
    lines.extend(_option_line(table, option) for option in table.options)
    return "\n".join(lines)


def _option_line(table: ReleaseTable, option: Option) -> str:
    parts = [", ".join(option.strings)]
    if option.choices is not None:
        parts.append("{" + ",".join(map(str, option.choices)) + "}")
    elif option.takes_value and option.type:
        parts.append(option.type)
    default = table.defaults.get(table.canonical(option.field))
    if isinstance(default, Known) and default.value not in (None, False):
        parts.append(f"(default: {default.value})")
    if option.deprecated:
        parts.append(
            f"(deprecated: use {option.replacement})" if option.replacement else "(deprecated)"
        )
    return "  " + "  ".join(parts)
