"""Brace expansion: `{a,b}` and `{1..4}`, which bash does before it looks at any variable."""

from __future__ import annotations

import re
from itertools import groupby, pairwise

from sglang_lint.readers.shell.syntax import Literal, Parameter, Part, Word
from sglang_lint.text import MappedText

MAX_WORDS = 256
MAX_BRACES = 64
_MAX_DEPTH = 12
_SEQUENCE = re.compile(r"(-?[0-9]{1,6})\.\.(-?[0-9]{1,6})(?:\.\.(-?[0-9]{1,6}))?")
_NAME_CHARACTER = re.compile(r"[A-Za-z0-9_]")
_LETTERS = re.compile(r"([A-Za-z])\.\.([A-Za-z])")


class TooManyError(Exception):
    """The braces stand for more words than anybody would pass, or for others than they seem."""


def expand(word: Word) -> list[Word]:
    """The words that its braces make of it, in order; mostly itself. Raises TooManyError."""
    if not any(
        isinstance(part, Literal) and not part.quoted and "{" in part.text.text
        for part in word.parts
    ):
        return [word]
    atoms = _atoms(word)
    if sum(_character(atom) == "{" for atom in atoms) > MAX_BRACES:
        raise TooManyError
    expanded = _expand(atoms, 0)
    if len(expanded) == 1 and len(expanded[0]) == len(atoms):
        return [word]
    if any(_changes_name(before, after) for atoms in expanded for before, after in pairwise(atoms)):
        raise TooManyError
    return [Word(_parts(atoms), word.span) for atoms in expanded]


def _changes_name(before: Part, after: Part) -> bool:
    """`$A{b,c}` is `$Ab $Ac`: the braces come before the variables."""
    return (
        isinstance(before, Parameter)
        and not before.operator
        and before.index is None
        and _NAME_CHARACTER.fullmatch(_character(after)) is not None
    )


def _atoms(word: Word) -> list[Part]:
    """The parts, unquoted text as one part for each character."""
    atoms: list[Part] = []
    for part in word.parts:
        if isinstance(part, Literal) and not part.quoted:
            atoms.extend(
                Literal(part.text.slice(index, index + 1), False, part.like)
                for index in range(len(part.text))
            )
        else:
            atoms.append(part)
    return atoms


def _parts(atoms: list[Part]) -> tuple[Part, ...]:
    parts: list[Part] = []
    for key, run in groupby(atoms, key=_kind):
        members = list(run)
        if key is None:
            parts.extend(members)
            continue
        texts = [atom.text for atom in members if isinstance(atom, Literal)]
        first = members[0]
        like = first.like if isinstance(first, Literal) else None
        parts.append(Literal(MappedText.join(texts), False, like))
    return tuple(parts)


def _kind(atom: Part) -> int | None:
    return id(atom.like) if isinstance(atom, Literal) and not atom.quoted else None


def _character(atom: Part) -> str:
    return atom.text.text if isinstance(atom, Literal) and not atom.quoted else ""


def _expand(atoms: list[Part], depth: int) -> list[list[Part]]:
    if depth > _MAX_DEPTH:
        raise TooManyError
    for start, atom in enumerate(atoms):
        if _character(atom) != "{":
            continue
        end, commas = _closing(atoms, start)
        if end is None:
            continue
        choices = _choices(atoms, start, end, commas, depth)
        if choices is None:
            continue
        rests = _expand(atoms[end + 1 :], depth + 1)
        if len(choices) * len(rests) > MAX_WORDS:
            raise TooManyError
        return [atoms[:start] + choice + rest for choice in choices for rest in rests]
    return [atoms]


def _closing(atoms: list[Part], start: int) -> tuple[int | None, list[int]]:
    depth = 0
    commas: list[int] = []
    for index in range(start, len(atoms)):
        character = _character(atoms[index])
        if character == "{":
            depth += 1
        elif character == "}":
            depth -= 1
            if depth == 0:
                return index, commas
        elif character == "," and depth == 1:
            commas.append(index)
    return None, commas


def _choices(
    atoms: list[Part], start: int, end: int, commas: list[int], depth: int
) -> list[list[Part]] | None:
    if not commas:
        return _sequence(atoms[start : end + 1])
    bounds = [start, *commas, end]
    choices: list[list[Part]] = []
    for left, right in pairwise(bounds):
        choices.extend(_expand(atoms[left + 1 : right], depth + 1))
        if len(choices) > MAX_WORDS:
            raise TooManyError
    return choices


def _sequence(braced: list[Part]) -> list[list[Part]] | None:
    if not all(_character(atom) for atom in braced):
        return None
    inside = "".join(_character(atom) for atom in braced[1:-1])
    match = _SEQUENCE.fullmatch(inside)
    letters = _LETTERS.fullmatch(inside)
    if match is not None:
        first, last = int(match[1]), int(match[2])
        padded = any(re.match("-?0[0-9]", match[group]) for group in (1, 2))
        width = max(len(match[1]), len(match[2])) if padded else 0
        values = _steps(first, last, int(match[3] or 1))
        return [_placed(braced, f"{value:0{width}d}") for value in values]
    if letters is not None:
        codes = _steps(ord(letters[1]), ord(letters[2]), 1)
        return [_placed(braced, chr(code)) for code in codes]
    return None


def _steps(first: int, last: int, step: int) -> range:
    step = abs(step) or 1
    if abs(last - first) // step >= MAX_WORDS:
        raise TooManyError
    return range(first, last + 1, step) if first <= last else range(first, last - 1, -step)


def _placed(braced: list[Part], text: str) -> list[Part]:
    first, last = braced[0], braced[-1]
    if not isinstance(first, Literal) or not isinstance(last, Literal):
        return []
    start, end = first.text.starts[0], last.text.ends[0]
    return [
        Literal(MappedText(character, [start], [end], start), False, first.like)
        for character in text
    ]
