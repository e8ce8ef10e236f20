"""What was probably meant by an option or a keyword that a release does not have."""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence
from functools import lru_cache

from sglang_lint.releases.binding import Suggestion
from sglang_lint.releases.history import field_lifecycle, lifecycle
from sglang_lint.releases.table import (
    Ambiguous,
    Exact,
    Prefix,
    ReleaseTable,
    release_table,
    renames_data,
)

# Longer names are compared exactly only, and so many chained replacements are followed.
MAX_LENGTH = 80
MAX_CHAIN = 5
_CUTOFF = 0.75
_PART = re.compile(r"--(?:(?!--).)+")
_OPTION_NAME = re.compile(r"-*[a-zA-Z0-9-]+")


def misspelled_field(option: str) -> str | None:
    """The field that an option of no release is understood to mean (`--cp-size`)."""
    entry = renames_data()["misspelled"].get(option)
    return None if entry is None else str(entry["field"])


@lru_cache(maxsize=4096)
def suggest_options(name: str, version: str) -> tuple[Suggestion, ...]:
    """Options of a release for one that it does not have, none where nothing is near."""
    table = release_table(version)
    entry = renames_data()["misspelled"].get(name)
    if entry is not None:
        return tuple(
            Suggestion(option, note) for option, note in entry["meant"] if table.exact(option)
        )
    glued = _glued(name, table)
    if glued:
        return (glued,)
    plain = "--" + name.lstrip("-").replace("_", "-").lower()
    match = table.match(plain)
    if isinstance(match, (Exact, Prefix)):
        return (Suggestion(match.string),)
    return _near(plain, table.strings)


def _glued(name: str, table: ReleaseTable) -> Suggestion | None:
    """Two options written without a space between them."""
    parts = _PART.findall(name)
    if len(name) > MAX_LENGTH * 2 or len(parts) < 2 or "".join(parts) != name:
        return None
    matches = [table.match(part) for part in parts]
    if any(match is None or isinstance(match, Ambiguous) for match in matches):
        return None
    return Suggestion(" ".join(parts), "options without a space between them")


@lru_cache(maxsize=4096)
def suggest_fields(name: str, version: str) -> tuple[Suggestion, ...]:
    """Fields of a release for a keyword that it does not have."""
    table = release_table(version)
    option = table.exact("--" + name.replace("_", "-").lower())
    if option is not None and option.field in table.by_name:
        return (Suggestion(option.field),)
    misspelled = renames_data()["misspelled"].get("--" + name.replace("_", "-"))
    if misspelled is not None:
        meant = [(table.exact(option), note) for option, note in misspelled["meant"]]
        return tuple(Suggestion(found.field, note) for found, note in meant if found)
    return _near(name, sorted(table.by_name))


@lru_cache(maxsize=4096)
def suggest_choice(value: str, choices: tuple[Hashable, ...]) -> tuple[Suggestion, ...]:
    """The choice nearest to a value that is none."""
    texts = [str(choice) for choice in choices if choice is not None]
    folded = _folded(value)
    same = [text for text in texts if _folded(text) == folded]
    return (Suggestion(same[0]),) if same else _near(value, texts)


def _folded(text: str) -> str:
    return text.replace("-", "").replace("_", "").lower()


def replacement_of(spelling: str, version: str) -> tuple[Suggestion, ...]:
    """What a release has in place of an option that another release had."""
    table = release_table(version)
    name: str | None = spelling
    for _ in range(MAX_CHAIN):
        life = lifecycle(name) if name else None
        name = life.replaced_by if life else None
        if name is None:
            break
        if _is_had(name, table):
            return (Suggestion(name),)
        name = re.split(r"[=<{ ]", name)[0]
    return _same_field(spelling, table)


def _is_had(text: str, table: ReleaseTable) -> bool:
    """Whether a replacement, perhaps with a value or a brace in it, is an option of a release."""
    match = _OPTION_NAME.match(text)
    if match is None:
        return False
    return bool(table.starting_with(match[0]) if "{" in text else table.exact(match[0].rstrip("-")))


def _same_field(spelling: str, table: ReleaseTable) -> tuple[Suggestion, ...]:
    life = lifecycle(spelling)
    if life is None:
        return ()
    nearest = life.last_before(table.version) or life.first_after(table.version) or life.last
    option = release_table(nearest).exact(spelling)
    if option is None:
        return ()
    options = table.options_of.get(table.canonical(option.field), ())
    names = [found.strings[0] for found in options if found.action == option.action]
    return tuple(Suggestion(name) for name in names[:1] if name != spelling)


def replacement_field(name: str, version: str) -> tuple[Suggestion, ...]:
    """What a release calls a field that another release knows by this name."""
    table = release_table(version)
    canonical = table.by_canonical.get(table.canonical(name))
    if canonical is not None:
        return (Suggestion(canonical.name),)
    life = field_lifecycle(name)
    for suggestion in replacement_of("--" + name.replace("_", "-"), version) if life else ():
        option = table.exact(re.split(r"[=<{ ]", suggestion.text)[0])
        if option is not None and option.field in table.by_name:
            return (Suggestion(option.field),)
    return ()


def _near(name: str, names: Sequence[str]) -> tuple[Suggestion, ...]:
    if len(name) > MAX_LENGTH:
        return ()
    # Costs a few milliseconds to import, and is needed only for what is already wrong.
    from difflib import get_close_matches

    return tuple(Suggestion(near) for near in get_close_matches(name, names, 1, _CUTOFF))
