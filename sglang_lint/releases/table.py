"""What one release's parser accepts: its options, its fields and their defaults."""

from __future__ import annotations

import json
import re
from bisect import bisect_left, bisect_right
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib.resources import files
from typing import Any, TypeAlias

from sglang_lint.releases.versions import name_version, parse_version
from sglang_lint.values import Known, Unknown, Value

# The default of an option that sets nothing when it is not written (argparse's own marker).
SUPPRESS = "==SUPPRESS=="


@dataclass(frozen=True, slots=True)
class Option:
    """One option of a release's parser.

    `strings` are its spellings, `field` the name that it sets in that release. `action` is one of
    `store`, `store_true`, `store_false`, `store_const`, `boolean_optional`, `append`,
    `lora_paths`, `help`, `config`, `ignored` (taken, with a warning and no effect) and `refused`
    (taken only to stop the launch). `nargs` is None for one value, 0 for none, else as in
    argparse. `type` is the name of the converting function. `computed` names attributes that the
    source computes at run time: where it holds `choices`, any value may be one.
    """

    strings: tuple[str, ...]
    field: str
    action: str
    nargs: int | str | None = None
    type: str | None = None
    choices: tuple[Hashable, ...] | None = None
    default: Hashable = None
    const: Hashable = None
    required: bool = False
    hidden: bool = False
    deprecated: bool = False
    replacement: str | None = None
    computed: tuple[str, ...] = ()

    @property
    def takes_value(self) -> bool:
        """Whether it can take a value at all."""
        return self.nargs != 0


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a release's ServerArgs; `canonical` is its newest name over all releases."""

    name: str
    canonical: str
    type: str
    default: Hashable = None
    required: bool = False
    computed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Exact:
    """The word is this spelling of an option; `value` is what follows `=`."""

    option: Option
    string: str
    value: str | None = None


@dataclass(frozen=True, slots=True)
class Prefix:
    """The word abbreviates this spelling of an option, and no other."""

    option: Option
    string: str
    value: str | None = None


@dataclass(frozen=True, slots=True)
class Ambiguous:
    """The word abbreviates several spellings, which the parser refuses."""

    candidates: tuple[str, ...]
    value: str | None = None


Match: TypeAlias = Exact | Prefix | Ambiguous


@dataclass(frozen=True)
class ReleaseTable:
    """The parser and the record of one release.

    `options` and `fields` are sorted by name. `parsed_defaults` are those that the parser leaves in
    a field where they are not the field's own, `renames` maps field names of any release to
    their newest, which this package calls canonical. `positional_model` says whether
    `sglang serve` takes the model as its first word, `serve_options` which options it takes out
    before the parser sees them.
    """

    version: str
    options: tuple[Option, ...]
    fields: tuple[Field, ...]
    parsed_defaults: Mapping[str, Value] = field(default_factory=dict, repr=False)
    positional_model: bool = False
    has_serve: bool = False
    serve_options: tuple[str, ...] = ()
    renames: Mapping[str, str] = field(default_factory=dict, repr=False)

    @cached_property
    def by_string(self) -> dict[str, Option]:
        """The option of each spelling."""
        return {string: option for option in self.options for string in option.strings}

    @cached_property
    def strings(self) -> list[str]:
        """Every spelling, sorted."""
        return sorted(self.by_string)

    @cached_property
    def by_name(self) -> dict[str, Field]:
        """Fields by the name that this release gives them."""
        return {entry.name: entry for entry in self.fields}

    @cached_property
    def by_canonical(self) -> dict[str, Field]:
        """Fields by their newest name; two old fields that became one share it."""
        found: dict[str, Field] = {}
        for entry in self.fields:
            if entry.canonical not in found or entry.name == entry.canonical:
                found[entry.canonical] = entry
        return found

    @cached_property
    def defaults(self) -> dict[str, Value]:
        """What the parser leaves in a field that is not written, by canonical name."""
        return {**self.field_defaults, **self.parsed_defaults}

    @cached_property
    def field_defaults(self) -> dict[str, Value]:
        """What the record itself has in a field that no keyword sets, by canonical name."""
        return {name: _default(entry) for name, entry in self.by_canonical.items()}

    @cached_property
    def options_of(self) -> dict[str, tuple[Option, ...]]:
        """The options that set each field, by canonical name; the undeprecated first."""
        found: dict[str, list[Option]] = {}
        for option in self.options:
            found.setdefault(self.canonical(option.field), []).append(option)
        return {
            name: tuple(sorted(options, key=lambda option: option.deprecated))
            for name, options in found.items()
        }

    def canonical(self, name: str) -> str:
        """The newest name of a field or destination that some release calls `name`."""
        return self.renames.get(name, name)

    def exact(self, option: str) -> Option | None:
        """The option with this very spelling."""
        return self.by_string.get(option)

    def match(self, word: str) -> Match | None:
        """How the parser reads a word as an option: exactly, by unique prefix, or not at all."""
        option = self.by_string.get(word)
        if option is not None:
            return Exact(option, word)
        name, equals, rest = word.partition("=")
        value = rest if equals else None
        option = self.by_string.get(name)
        if option is not None and equals:
            return Exact(option, name, value)
        if not name.startswith("--"):
            # The only short option is -h: the parser reads `-hx` as `-h x`.
            option = self.by_string.get(name[:2]) if len(name) > 1 else None
            return None if option is None else Exact(option, name[:2], name[2:])
        candidates = self.starting_with(name)
        if len(candidates) > 1:
            return Ambiguous(candidates, value)
        if candidates:
            return Prefix(self.by_string[candidates[0]], candidates[0], value)
        return None

    def starting_with(self, prefix: str) -> tuple[str, ...]:
        """Every spelling that begins with a text."""
        first = bisect_left(self.strings, prefix)
        last = bisect_right(self.strings, prefix + "\U0010ffff")
        return tuple(self.strings[first:last])


@cache
def known_releases() -> tuple[str, ...]:
    """Every release that the data holds, oldest first."""
    return tuple(_data()["releases"])


def nearest_release(text: str) -> str:
    """The newest known release that is not newer than a version, else the oldest known.

    Raises ValueError where the text is no version.
    """
    version = parse_version(text)
    older = [release for release in known_releases() if parse_version(release) <= version]
    return older[-1] if older else known_releases()[0]


def release_table(version: str) -> ReleaseTable:
    """The table of a known release or an added one; raises KeyError for another."""
    added = _added.get(version)
    return _known_table(version) if added is None else added.table


@dataclass(frozen=True)
class _Added:
    table: ReleaseTable
    base: str


_added: dict[str, _Added] = {}
_NAME = re.compile(r"[A-Za-z0-9][\w.+-]*")


def add_release(name: str, version: str, data: Mapping[str, Any]) -> None:
    """Add the table of a fork or a build to this run, in the form of the data file, one release.

    Rules take it for the newest known release that its version is not below. Raises ValueError for
    a name that is taken or no single word, a version that is none, and data of another form.
    """
    if not _NAME.fullmatch(name) or name in known_releases():
        raise ValueError(f"`{name}` is a known release or no name for another one")
    base = nearest_release(version)
    try:
        table = _table(name, data, 0)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ValueError(f"not an option table ({type(error).__name__}: {error})") from None
    added = _Added(table, base)
    if _added.setdefault(name, added) != added:
        raise ValueError(f"two different releases are called `{name}`")
    name_version(name, parse_version(base))


def is_known(release: str) -> bool:
    """Whether a release has a table: one of the data, or an added one."""
    return release in _added or release in known_releases()


def is_added(release: str) -> bool:
    """Whether a release is one that was added to this run."""
    return release in _added


def base_release(release: str) -> str:
    """The known release that an added one counts as; any other is itself."""
    return _added[release].base if release in _added else release


@cache
def _known_table(version: str) -> ReleaseTable:
    try:
        index = known_releases().index(version)
    except ValueError:
        raise KeyError(version) from None
    return _table(version, _data(), index)


def _table(version: str, data: Mapping[str, Any], index: int) -> ReleaseTable:
    renames: dict[str, str] = renames_data()["fields"]
    options = tuple(
        _option(name, facts) for name, facts in sorted(_facts_at(data["options"], index).items())
    )
    field_facts = sorted(_facts_at(data["fields"], index).items())
    fields = tuple(_field(name, facts, renames) for name, facts in field_facts)
    serve = _facts_at(data["serve"], index).get("serve")
    parsed = {
        renames.get(name, name): Known(_hashable(facts["parsed"]))
        for name, facts in field_facts
        if "parsed" in facts
    }
    return ReleaseTable(
        version=version,
        options=options,
        fields=fields,
        parsed_defaults=parsed,
        has_serve=serve is not None,
        positional_model=bool(serve and serve["positional_model"]),
        serve_options=_hashable(serve["options"]) if serve else (),
        renames=renames,
    )


@cache
def _data() -> dict[str, Any]:
    text = files("sglang_lint.releases").joinpath("data/options.json").read_text(encoding="utf-8")
    loaded: dict[str, Any] = json.loads(text)
    return loaded


@cache
def renames_data() -> dict[str, Any]:
    """The names that changed over the releases, as `data/renames.json` has them."""
    text = files("sglang_lint.releases").joinpath("data/renames.json").read_text(encoding="utf-8")
    loaded: dict[str, Any] = json.loads(text)
    return loaded


def all_facts(section: str) -> list[list[Any]]:
    """Every fact about `options` or `fields`: subject, attribute, value, first, last release.

    `first` and `last` are indices into `known_releases()`, `last` None where it still holds.
    """
    facts: list[list[Any]] = _data()[section]
    return facts


def _facts_at(facts: Iterable[list[Any]], index: int) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for subject, attribute, value, first, last in facts:
        if first <= index and (last is None or index <= last):
            found.setdefault(subject, {})[attribute] = value
    return found


def _option(name: str, facts: dict[str, Any]) -> Option:
    choices = facts.get("choices")
    action: str = facts["action"]
    return Option(
        (name, *facts.get("also", ())),
        facts.get("field") or name.lstrip("-").replace("-", "_"),
        action,
        facts.get("nargs", 0 if action in FLAG_ACTIONS else None),
        facts.get("type"),
        None if choices is None else _hashable(choices),
        _hashable(facts.get("default", False if action == "store_true" else None)),
        _hashable(facts.get("const")),
        facts.get("required", False),
        facts.get("hidden", False),
        facts.get("deprecated", False),
        facts.get("replacement"),
        tuple(facts.get("computed", ())),
    )


# Actions that take no value unless the data says otherwise.
FLAG_ACTIONS = frozenset(
    ["store_true", "store_false", "store_const", "boolean_optional", "help", "ignored", "refused"]
)


def _field(name: str, facts: dict[str, Any], renames: Mapping[str, str]) -> Field:
    return Field(
        name,
        renames.get(name, name),
        facts["type"],
        _hashable(facts.get("default")),
        facts.get("required", False),
        tuple(facts.get("computed", ())),
    )


def _default(entry: Field) -> Value:
    if "default" in entry.computed:
        return Unknown("a default computed at run time")
    return Known(entry.default)


def _hashable(value: Any) -> Any:
    return tuple(_hashable(item) for item in value) if isinstance(value, list) else value
