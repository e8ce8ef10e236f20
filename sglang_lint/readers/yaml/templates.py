"""Helm, Jinja and CI template tags in a text that is read before they are rendered.

A tag is covered with a filler of its own length, so that every place stays where it is: a tag
inside a line becomes HIDDEN characters, which make the value they stand in unknown; a tag with a
line to itself becomes blanks, and what it guards or inserts is remembered by place.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from sglang_lint.readers.shell.pieces import UNSEEN

# No YAML or JSON reader gives this character a meaning, and the shell reader takes it for text
# that is not seen, so that a value made from a tag is known by it however it came about.
HIDDEN = UNSEEN

_OPENING = re.compile(r"\$?\{\{|\{%|(?<!\$)\{#|<%")
_CLOSING = {"{{": "}}", "{%": "%}", "{#": "#}", "<%": "%>"}
_ESCAPED = re.compile(r"\{\{-?\s*`[^`]*`\s*-?\}\}")
_MAX_TAG_LINES = 20
# Further blanks around a tag than these, or further tags in a line, are not looked at.
_MAX_BLANKS = 200
_MAX_TAGS_IN_BRANCH = 40
_BRANCH = frozenset(["if", "with", "unless"])
_LOOP = frozenset(["range", "for", "block", "define", "macro", "filter", "call"])
_OTHER_ARM = frozenset(["else", "elif", "elsif"])
_SILENT = frozenset(["set", "include_only", "import", "from", "extends", "do", "break", "continue"])
_KEYWORD = re.compile(r"[A-Za-z_]+")
_NOT_NEWLINE = re.compile(r"[^\r\n]")


@dataclass(frozen=True, slots=True)
class Arm:
    """The lines that one arm of a branch or the body of a loop holds, by offsets.

    `branch` numbers the branch that the arm belongs to, `order` the arm inside it; `complete`
    says whether the branch has an `else`, so that one of its arms is always taken.
    """

    branch: int
    order: int
    start: int
    end: int
    header: str
    loop: bool
    complete: bool


@dataclass(frozen=True, slots=True)
class Masked:
    """A text without its template tags, and what the tags say about it."""

    text: str
    tags: tuple[tuple[int, int], ...] = ()
    arms: tuple[Arm, ...] = ()
    inserts: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class _Tag:
    start: int
    end: int
    keyword: str

    @property
    def control(self) -> bool:
        return self.opens or self.closes or self.keyword in _OTHER_ARM

    @property
    def opens(self) -> bool:
        return self.keyword in _BRANCH or self.keyword in _LOOP

    @property
    def closes(self) -> bool:
        return self.keyword.startswith("end")


def mask(text: str) -> Masked:
    """Cover every template tag of a text, keeping all its offsets and lines."""
    clean = text.replace(HIDDEN, "\ufffd")
    tags = list(_tags(clean))
    if not tags:
        return Masked(clean)
    characters = list(clean)
    own_line: list[_Tag] = []
    for first, last in _merged(clean, tags):
        start, end = tags[first].start, tags[last].end
        alone = _alone(clean, start, end)
        if alone and first == last:
            own_line.append(tags[first])
        filler = " " if alone else HIDDEN
        characters[start:end] = _NOT_NEWLINE.sub(filler, clean[start:end])
        if alone and _continues(characters, start):
            _continue_lines(characters, clean, start, end)
    arms, inserts = _structure(clean, own_line)
    covered = tuple((tag.start, tag.end) for tag in tags)
    return Masked("".join(characters), covered, arms, inserts)


def _tags(text: str) -> Iterator[_Tag]:
    position = 0
    missing: set[str] = set()
    while opening := _OPENING.search(text, position):
        position = opening.end()
        kind = opening[0].lstrip("$")
        escaped = _ESCAPED.match(text, opening.start())
        if escaped:
            yield _Tag(opening.start(), escaped.end(), "")
            position = escaped.end()
            continue
        if kind in missing:
            continue
        closing = text.find(_CLOSING[kind], opening.end())
        if closing < 0:
            missing.add(kind)
        elif text.count("\n", opening.start(), closing) <= _MAX_TAG_LINES:
            end = closing + len(_CLOSING[kind])
            inside = text[opening.end() : closing].lstrip("-+~ \t\r\n")
            keyword = _KEYWORD.match(inside)
            yield _Tag(opening.start(), end, _word(kind, inside, keyword))
            position = end


def _word(kind: str, inside: str, keyword: re.Match[str] | None) -> str:
    comment = kind == "{#" or inside.startswith("/*")
    if comment or (inside.startswith("$") and re.match(r"\$\w*\s*:?=", inside)):
        return "set"
    return keyword[0] if keyword else ""


def _merged(text: str, tags: list[_Tag]) -> Iterator[tuple[int, int]]:
    """Runs of tags to cover as one: a branch that opens and ends within a line hides all of it."""
    index = 0
    while index < len(tags):
        last = index
        if tags[index].opens:
            depth = 0
            line_end = _line_end(text, tags[index].end)
            for other in range(index, min(index + _MAX_TAGS_IN_BRANCH, len(tags))):
                if tags[other].start >= line_end:
                    break
                depth += tags[other].opens - tags[other].closes
                if depth == 0:
                    last = other
                    break
        yield index, last
        index = last + 1


def _line_end(text: str, position: int) -> int:
    end = text.find("\n", position)
    return len(text) if end < 0 else end


def _alone(text: str, start: int, end: int) -> bool:
    """Whether a tag has its lines to itself."""
    before = text[max(start - _MAX_BLANKS, 0) : start].rstrip(" \t")
    after = text[end : end + _MAX_BLANKS].lstrip(" \t\r")
    begins = before.endswith("\n") or (not before and start <= _MAX_BLANKS)
    return begins and (not after or after[0] == "\n")


def _continues(characters: list[str], start: int) -> bool:
    """Whether the line before ends in a backslash: the rendered command goes on behind the tag."""
    while start and characters[start - 1] in " \t":
        start -= 1
    before = "".join(characters[max(start - 3, 0) : start])
    return before.removesuffix("\n").removesuffix("\r").endswith("\\")


def _continue_lines(characters: list[str], text: str, start: int, end: int) -> None:
    """End each line of a tag in a backslash, so that the command goes on as it will."""
    while start <= end:
        line_end = _line_end(text, start)
        last = line_end - 1 - (text[line_end - 1] == "\r")
        if last >= start:
            characters[last] = "\\"
        start = line_end + 1


def _structure(text: str, tags: list[_Tag]) -> tuple[tuple[Arm, ...], tuple[tuple[int, int], ...]]:
    arms: list[Arm] = []
    inserts: list[tuple[int, int]] = []
    open_branches: list[tuple[int, list[_Tag]]] = []
    branches = 0
    for tag in tags:
        if tag.opens:
            open_branches.append((branches, [tag]))
            branches += 1
        elif tag.keyword in _OTHER_ARM and open_branches:
            open_branches[-1][1].append(tag)
        elif tag.closes and open_branches:
            branch, parts = open_branches.pop()
            arms.extend(_arms(text, branch, [*parts, tag]))
        elif not tag.control and tag.keyword not in _SILENT:
            inserts.append((tag.start, tag.end))
    return tuple(arms), tuple(inserts)


def _arms(text: str, branch: int, tags: list[_Tag]) -> Iterator[Arm]:
    complete = any(re.fullmatch(r"\{.-?\s*else\s*-?.\}", text[t.start : t.end]) for t in tags)
    for order, (tag, following) in enumerate(pairwise(tags)):
        header = " ".join(text[tag.start : tag.end].split())
        loop = tags[0].keyword in _LOOP
        yield Arm(branch, order, tag.end, following.start, header, loop, complete)
