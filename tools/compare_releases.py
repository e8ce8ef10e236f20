"""Compare the option data with dumps of the real parsers, release by release.

A dump is a JSON file `VERSION.json` with `actions` (option_strings, dest, action, nargs, choices,
type, default, const, required, hidden) and `fields` (name, annotation, default). Differences that
the source cannot tell are listed with their reason in a data file; any other gives exit status 1.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sglang_lint.releases.extract.annotated import type_text
from sglang_lint.releases.table import ReleaseTable, known_releases, release_table
from sglang_lint.releases.versions import specifier
from sglang_lint.values import Known

EXPLAINED = Path(__file__).resolve().parent / "explained_differences.json"

# Built-in action classes; a class of the source's own is compared by its effect.
_KINDS = {
    "_HelpAction": "help",
    "_StoreAction": "store",
    "_StoreTrueAction": "store_true",
    "_StoreFalseAction": "store_false",
    "_StoreConstAction": "store_const",
    "_AppendAction": "append",
    "BooleanOptionalAction": "boolean_optional",
    "LoRAPathAction": "custom",
    "DeprecatedAliasStoreAction": "store",
    "DeprecatedStoreTrueAction": "store_true",
}
_EITHER = {
    "DeprecatedAction": {"ignored", "refused"},
    "DeprecatedStoreConstAction": {"store_const", "store_true"},
}
_ANNOTATED = re.compile(r"(?:typing\.)?Annotated\[")


def differences(version: str, dump: dict[str, Any]) -> Iterator[tuple[str, str, Any, Any]]:
    """What differs: the option or field, the attribute, the real value, ours."""
    table = release_table(version)
    yield from _option_differences(table, dump["actions"])
    yield from _field_differences(table, dump["fields"])
    yield from _default_differences(table, dump)
    real = bool(dump["facts"].get("serve_subcommand"))
    if real != table.has_serve:
        yield "sglang serve", "present", real, table.has_serve


def _option_differences(
    table: ReleaseTable, actions: list[dict[str, Any]]
) -> Iterator[tuple[str, str, Any, Any]]:
    real = {action["option_strings"][0]: action for action in actions}
    ours = {option.strings[0]: option for option in table.options}
    for name in sorted(real.keys() | ours.keys()):
        if name not in ours or name not in real:
            yield name, "present", name in real, name in ours
            continue
        action, option = real[name], ours[name]
        if option.action not in _kinds(action["action"]):
            yield name, "action", action["action"], option.action
        attributes = {
            "strings": (action["option_strings"], list(option.strings)),
            "field": (action["dest"], option.field),
            "nargs": (action["nargs"], option.nargs),
            "type": (action["type"], option.type),
            "choices": (_choices(action["choices"]), _choices(option.choices)),
            "default": (action["default"], _plain(option.default)),
            "required": (action["required"], option.required),
            "hidden": (action["hidden"], option.hidden),
        }
        if option.action == "store":
            attributes["const"] = (action["const"], _plain(option.const))
        for attribute, (theirs, mine) in attributes.items():
            if not _equal(theirs, mine):
                yield name, attribute, theirs, mine


def _field_differences(
    table: ReleaseTable, fields: list[dict[str, Any]]
) -> Iterator[tuple[str, str, Any, Any]]:
    real = {entry["name"]: entry for entry in fields}
    for name in sorted(real.keys() | table.by_name.keys()):
        if name not in real or name not in table.by_name:
            yield name, "present", name in real, name in table.by_name
            continue
        entry, ours = real[name], table.by_name[name]
        default = "==REQUIRED==" if ours.required else _plain(ours.default)
        if not _equal(entry["default"], default):
            yield name, "default", entry["default"], default
        theirs = _annotation(entry["annotation"])
        # Old dumps give a generic type by its bare name, an optional union as a union.
        bare = ours.type.removeprefix("Optional[") if theirs == "Union" else ours.type
        if theirs not in (ours.type, bare.split("[")[0]):
            yield name, "type", theirs, ours.type


def _default_differences(
    table: ReleaseTable, dump: dict[str, Any]
) -> Iterator[tuple[str, str, Any, Any]]:
    """What the parser leaves in a field: the first action of a name with a default sets it."""
    found: dict[str, Any] = {}
    for action in dump["actions"]:
        if action["default"] != "==SUPPRESS==":
            found.setdefault(table.canonical(action["dest"]), action["default"])
    for name, entry in table.by_canonical.items():
        ours = table.defaults[name]
        if (
            name in found
            and isinstance(ours, Known)
            and not _equal(found[name], _plain(ours.value))
        ):
            yield entry.name, "parsed default", found[name], _plain(ours.value)


def _kinds(action: str) -> set[str]:
    return _EITHER.get(action) or {_KINDS.get(action, action)}


def _choices(value: Any) -> Any:
    return None if value is None else sorted(map(repr, value))


def _plain(value: Any) -> Any:
    return [_plain(item) for item in value] if isinstance(value, tuple) else value


def _equal(left: Any, right: Any) -> bool:
    return type(left) is type(right) and left == right


def _annotation(text: str) -> str:
    """The type of a dumped annotation without its metadata, in our spelling."""
    if _ANNOTATED.match(text):
        text = _first_argument(text[_ANNOTATED.match(text).end() :])  # type: ignore[union-attr]
    try:
        return type_text(ast.parse(text, mode="eval").body)
    except SyntaxError:
        return text


def _first_argument(text: str) -> str:
    depth, quote = 0, ""
    for index, character in enumerate(text):
        if quote:
            quote = "" if character == quote else quote
        elif character in "'\"":
            quote = character
        elif character in "[(":
            depth += 1
        elif character in "])":
            depth -= 1
        elif character == "," and depth == 0:
            return text[:index]
    return text


def _reason(explained: list[dict[str, str]], version: str, name: str, attribute: str) -> str | None:
    for entry in explained:
        if (
            entry["subject"] == name
            and entry["attribute"] == attribute
            and version in specifier(entry["releases"])
        ):
            return entry["reason"]
    return None


def main() -> int:
    """Print the differences of each release."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("versions", nargs="*", metavar="VERSION")
    parser.add_argument("--flags", type=Path, required=True, help="folder of VERSION.json dumps")
    arguments = parser.parse_args()
    explained = json.loads(EXPLAINED.read_text(encoding="utf-8"))
    failures = compared = 0
    for version in arguments.versions or known_releases():
        path = arguments.flags / f"{version}.json"
        if not path.exists():
            print(f"{version}: no dump")
            failures += 1
            continue
        compared += 1
        dump = json.loads(path.read_text(encoding="utf-8"))
        for name, attribute, real, ours in differences(version, dump):
            reason = _reason(explained, version, name, attribute)
            failures += reason is None
            mark = f"explained: {reason}" if reason else "DIFFERENT"
            print(f"{version}: {name}: {attribute}: real {real!r}, data {ours!r}: {mark}")
    print(f"{compared} releases compared, {failures} unexplained differences")
    return 1 if failures else 0


if __name__ == "__main__":
    raise SystemExit(main())
