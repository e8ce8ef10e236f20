"""The data file of all releases: one fact a line, with the range of releases it holds in."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from sglang_lint.releases.extract.release import Extracted
from sglang_lint.releases.table import FLAG_ACTIONS, Field, Option
from sglang_lint.releases.versions import parse_version

SCHEMA = 1
SECTIONS = ("options", "fields", "serve")

# subject, attribute -> value, as plain JSON
Facts = dict[tuple[str, str], Any]
ReleaseFacts = dict[str, Facts]


def facts_of(extracted: Extracted) -> ReleaseFacts:
    """What a release says, by section, each attribute that is not implied on its own."""
    serve: Facts = {}
    if extracted.has_serve:
        serve["serve", "positional_model"] = extracted.positional_model
        serve["serve", "options"] = extracted.serve_options
    return {
        "options": {
            (option.strings[0], attribute): value
            for option in extracted.options
            for attribute, value in _option_facts(option).items()
        },
        "fields": {
            (entry.name, attribute): value
            for entry in extracted.fields
            for attribute, value in _field_facts(entry, extracted.parsed).items()
        },
        "serve": serve,
    }


def _option_facts(option: Option) -> dict[str, Any]:
    facts: dict[str, Any] = {"action": option.action}
    derived = option.strings[0].lstrip("-").replace("-", "_")
    implied = {
        "also": (),
        "field": derived,
        "nargs": 0 if option.action in FLAG_ACTIONS else None,
        "default": False if option.action == "store_true" else None,
        "required": False,
        "hidden": False,
        "deprecated": False,
        "computed": (),
    }
    stated = {
        "also": option.strings[1:],
        **{
            name: getattr(option, name)
            for name in Option.__dataclass_fields__
            if name not in ("strings", "action")
        },
    }
    for name, value in stated.items():
        default = implied.get(name)
        if value != default or type(value) is not type(default):
            facts[name] = value
    return facts


def _field_facts(entry: Field, parsed: Mapping[str, object]) -> dict[str, Any]:
    facts: dict[str, Any] = {"type": entry.type}
    if entry.required:
        facts["required"] = True
    elif entry.default is not None:
        facts["default"] = entry.default
    if entry.computed:
        facts["computed"] = entry.computed
    if entry.name in parsed:
        facts["parsed"] = parsed[entry.name]
    return facts


def decode(data: Mapping[str, Any]) -> dict[str, ReleaseFacts]:
    """The facts of each release in a data file."""
    releases: list[str] = data["releases"]
    found: dict[str, ReleaseFacts] = {
        release: {section: {} for section in SECTIONS} for release in releases
    }
    for section in SECTIONS:
        for subject, attribute, value, first, last in data[section]:
            for release in releases[first : len(releases) if last is None else last + 1]:
                found[release][section][subject, attribute] = value
    return found


def encode(releases: Mapping[str, ReleaseFacts]) -> str:
    """The text of the data file; the same facts give the same text in whatever order they come."""
    order = sorted(releases, key=parse_version)
    lines = [f'"schema":{SCHEMA}', f'"releases":{_dump(order)}']
    for section in SECTIONS:
        rows = sorted(_rows([releases[release][section] for release in order]))
        body = ",\n".join(text for _, text in rows)
        lines.append(f'"{section}":[\n{body}\n]')
    return "{" + ",\n".join(lines) + "}\n"


def _rows(releases: list[Facts]) -> Iterable[tuple[tuple[str, str, int], str]]:
    runs: dict[tuple[str, str, str], list[int]] = {}
    for index, facts in enumerate(releases):
        for (subject, attribute), value in facts.items():
            runs.setdefault((subject, attribute, _dump(value)), []).append(index)
    newest = len(releases) - 1
    for (subject, attribute, value), indices in runs.items():
        for first, last in _ranges(indices):
            end = "null" if last == newest else str(last)
            text = f"[{_dump(subject)},{_dump(attribute)},{value},{first},{end}]"
            yield (subject, attribute, first), text


def _ranges(indices: list[int]) -> Iterable[tuple[int, int]]:
    first = last = indices[0]
    for index in indices[1:]:
        if index != last + 1:
            yield first, last
            first = index
        last = index
    yield first, last


def _dump(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)
