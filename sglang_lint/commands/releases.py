"""`sglang-lint releases`: what SGLang releases there are, what each accepts, and those of forks."""

from __future__ import annotations

import argparse
import json
import sys
import zipfile
from pathlib import Path
from typing import Any

from sglang_lint.cli import EXIT_CLEAN, MisuseError
from sglang_lint.commands.judging import checked_version
from sglang_lint.releases.context import covered_releases
from sglang_lint.releases.extract.encode import encode, facts_of
from sglang_lint.releases.extract.references import UnresolvedError
from sglang_lint.releases.extract.release import extract_release
from sglang_lint.releases.extract.tree import NotASourceTreeError, SourceTree
from sglang_lint.releases.table import Option, ReleaseTable, known_releases, nearest_release
from sglang_lint.releases.table import release_table as table_of
from sglang_lint.releases.versions import is_version
from sglang_lint.values import Known


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    actions.add_parser("list", help="every known release")
    show = actions.add_parser("show", help="the options and fields of one release")
    show.add_argument("version", metavar="V")
    show.add_argument("--format", choices=["text", "json"], default="text")
    extract = actions.add_parser("extract", help="the option table of a source tree, as JSON")
    extract.add_argument(
        "source",
        metavar="SRC",
        help="a checkout, a wheel, an unpacked one, or an installed package's folder",
    )
    extract.add_argument("--name", help="what to call it (its version)")
    extract.add_argument("-o", "--output", metavar="FILE", help="write to a file")


def run(arguments: argparse.Namespace) -> int:
    """Print the list or one release."""
    if arguments.action == "list":
        covered = covered_releases()
        for release in known_releases():
            print(release if release in covered else f"{release}  (options only)")
        return EXIT_CLEAN
    if arguments.action == "extract":
        return _extract(arguments)
    version = checked_version(arguments.version)
    if version not in known_releases():
        nearest = nearest_release(version)
        raise MisuseError(f"SGLang {version} is not known; the nearest known is {nearest}")
    table = table_of(version)
    print(json.dumps(_as_json(table), indent=1) if arguments.format == "json" else _text(table))
    return EXIT_CLEAN


def _extract(arguments: argparse.Namespace) -> int:
    data = _extracted(Path(arguments.source), arguments.name)
    text = json.dumps(data, indent=1) + "\n"
    if arguments.output is None:
        sys.stdout.write(text)
    else:
        try:
            Path(arguments.output).write_text(text, encoding="utf-8")
        except OSError as error:
            raise MisuseError(f"{arguments.output}: {error.strerror}") from None
    unresolved = len(data["unresolved"])
    print(
        f"SGLang {data['name']}, judged by the rules of {nearest_release(data['version'])}: "
        f"{unresolved} {'thing' if unresolved == 1 else 'things'} not resolved",
        file=sys.stderr,
    )
    return EXIT_CLEAN


def _extracted(source: Path, name: str | None) -> dict[str, Any]:
    """The data of one release as configuration's `release-data` takes it."""
    try:
        version = SourceTree.open(source).version
        if version is None:
            version = name if name is not None and is_version(name) else None
        if version is None and name is None:
            raise MisuseError(f"{source} does not say its version: give it with `--name`")
        # What has a name alone is taken for the newest.
        extracted = extract_release(source, version or known_releases()[-1])
    except (OSError, zipfile.BadZipFile, NotASourceTreeError, UnresolvedError) as error:
        raise MisuseError(str(error)) from None
    called = name or extracted.version
    if called in known_releases():
        raise MisuseError(f"{called} is a known release: give this one another name with `--name`")
    facts: dict[str, Any] = json.loads(encode({extracted.version: facts_of(extracted)}))
    head = {"name": called, "version": extracted.version}
    return {**head, "unresolved": list(extracted.unresolved), **facts}


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
