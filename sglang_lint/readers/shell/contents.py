"""What a variable holds on one path: as a string, and as the elements of an array."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

from sglang_lint.launches import Origin
from sglang_lint.launches import Word as LaunchWord
from sglang_lint.readers.shell.bindings import (
    Appended,
    Arguments,
    Binding,
    Bound,
    Element,
    Given,
    Grown,
    Hidden,
    Items,
    Optional,
    Removed,
    Scalar,
    Selected,
    Shifted,
    place_of,
)
from sglang_lint.readers.shell.pieces import Chars, Field, Fields, Gap, Piece, Subject, moved
from sglang_lint.readers.shell.session import MAX_EXPANSION_DEPTH
from sglang_lint.readers.shell.syntax import POSITIONAL
from sglang_lint.text import MappedText, Span
from sglang_lint.values import Known, Unknown

_T = TypeVar("_T")

if TYPE_CHECKING:
    from sglang_lint.readers.shell.expansion import Expander


@dataclass(frozen=True)
class Content:
    """The characters of a string, and where the variable was set if it was in one place.

    `subject` is the outside value that this is, `removed` says that the variable is not set.
    """

    pieces: tuple[Piece, ...]
    place: Span | None = None
    removed: bool = False
    subject: Subject | None = None


class Contents:
    """Looks into bindings for an Expander."""

    def __init__(self, expander: Expander) -> None:
        self._expander = expander
        self._depth = 0
        self._strings: dict[tuple[Binding | None, Span], Content] = {}
        self._elements: dict[tuple[Binding | None, Span], list[Field]] = {}

    def string(self, binding: Binding | None, name: str, token: Span) -> Content:
        """The value of `$NAME` written at `token`."""
        found = self._strings.get((binding, token))
        if found is None:
            found = self._strings[binding, token] = self._string(binding, name, token)
        return found

    def elements(self, binding: Binding | None, name: str, token: Span) -> list[Field]:
        """The words of `"${NAME[@]}"` written at `token`."""
        found = self._elements.get((binding, token))
        if found is None:
            found = self._elements[binding, token] = self._found_elements(binding, name, token)
        return list(found)

    def _string(self, binding: Binding | None, name: str, token: Span) -> Content:
        appended: list[Bound] = []
        place = place_of(binding)
        while isinstance(binding, Appended | Selected):
            if isinstance(binding, Appended):
                appended.append(binding.value)
                binding = binding.before
                continue
            index = self._expander.choose(binding.select)
            if index is None:
                return Content(self._merged_string(binding, name, token, appended))
            binding = binding.arms[index]
            place = place or place_of(binding)
        base = self._plain_string(binding, name, token)
        pieces = list(base.pieces)
        for value in reversed(appended):
            pieces.extend(self._expander.value(value))
        if not appended:
            return replace(base, place=place or base.place)
        return Content(tuple(pieces), place or base.place)

    def _found_elements(self, binding: Binding | None, name: str, token: Span) -> list[Field]:
        after: list[Sequence[Bound]] = []
        extended = False
        while True:
            if isinstance(binding, Items):
                after.append(binding.values)
                extended = extended or binding.extends
                if not binding.extends:
                    found: list[Field] = []
                    break
                binding = binding.before
            elif isinstance(binding, Selected):
                index = self._expander.choose(binding.select)
                if index is None:
                    found = self._merged_elements(binding, name, token)
                    break
                binding = binding.arms[index]
            elif binding is None and extended and not self._expander.session.sources:
                # An array cannot come from the environment.
                found = []
                break
            else:
                found = self._plain_elements(binding, name, token)
                break
        for values in reversed(after):
            found.extend(self._expander.fields(values))
        return found

    def element(self, binding: Binding | None, name: str, index: int, token: Span) -> Content:
        """`${NAME[index]}`, or `$3` of the arguments (index 2)."""
        if not isinstance(binding, Items | Arguments | Shifted | Selected) and name != POSITIONAL:
            if index == 0:
                return self.string(binding, name, token)
            return Content((self._many(token),))
        fields = self.elements(binding, name, token)
        for position, field in enumerate(fields):
            if any(isinstance(piece, Gap) and piece.many for piece in field.pieces):
                if name != POSITIONAL:
                    return Content((Gap("an element of an array", token, True, many=True),))
                subject = Subject(("argument", binding, index))
                gap = Gap("an argument of the script", token, True, subject=subject)
                return Content((self._expander.standing_in(gap),), subject=subject)
            if position == index:
                return Content(field.pieces, field.place)
        return Content((), removed=True)

    def _many(self, token: Span, why: str = "branches differ") -> Gap:
        return Gap(why, token, False, many=True)

    def _merged_elements(self, binding: Selected, name: str, token: Span) -> list[Field]:
        many = Field((self._many(token),), token)
        if self._depth >= MAX_EXPANSION_DEPTH:
            return [many]
        self._depth += 1
        try:
            return merged([self.elements(arm, name, token) for arm in binding.arms], many)
        finally:
            self._depth -= 1

    def _merged_string(
        self, binding: Selected, name: str, token: Span, appended: list[Bound]
    ) -> tuple[Piece, ...]:
        if self._depth >= MAX_EXPANSION_DEPTH:
            return (self._many(token),)
        self._depth += 1
        try:
            arms = [list(self.string(arm, name, token).pieces) for arm in binding.arms]
        finally:
            self._depth -= 1
        pieces = merged(arms, self._many(token))
        for value in reversed(appended):
            pieces.extend(self._expander.value(value))
        return tuple(pieces)

    def _plain_string(self, binding: Binding | None, name: str, token: Span) -> Content:
        expander = self._expander
        if binding is None:
            subject = Subject(("variable", name))
            gap = Gap(f"`{name}` is not set here", token, True, subject=subject)
            return Content((expander.standing_in(gap),), subject=subject)
        if isinstance(binding, Scalar):
            return Content(tuple(expander.value(binding.value)), binding.place)
        if isinstance(binding, Items | Arguments | Shifted):
            return self.element(binding, name, 0, token)
        if isinstance(binding, Removed):
            return Content((), removed=True)
        if isinstance(binding, Element):
            return Content(binding.field.pieces, binding.field.place)
        if isinstance(binding, Given):
            return Content((_given(binding, name, token),))
        if isinstance(binding, Optional):
            before = self.string(binding.before, name, token)
            key = ("option", binding)
            pieces = expander.default(before.pieces, key, Origin.OPTION_DEFAULT, token, True)
            return Content(tuple(pieces), before.place)
        if isinstance(binding, Grown):
            before = self.string(binding.before, name, token)
            return Content((*before.pieces, self._many(token, "added in a loop")), before.place)
        why = binding.why if isinstance(binding, Hidden) else "not known"
        subject = Subject(("hidden", binding))
        gap = Gap(why, token, True, subject=subject)
        return Content((expander.standing_in(gap),), subject=subject)

    def _plain_elements(self, binding: Binding | None, name: str, token: Span) -> list[Field]:
        if isinstance(binding, Removed):
            return []
        if isinstance(binding, Scalar | Appended | Given | Element):
            return [Field(_flat(self.string(binding, name, token).pieces))]
        if isinstance(binding, Arguments):
            return [_argument(word) for word in binding.words]
        if isinstance(binding, Shifted):
            before = self.elements(binding.before, name, token)
            seen = before[: binding.count]
            if any(isinstance(p, Gap) and p.many for field in seen for p in field.pieces):
                return [Field((self._many(token, "arguments of the script"),))]
            return before[binding.count :]
        if isinstance(binding, Grown):
            before = self.elements(binding.before, name, token)
            return [*before, Field((self._many(token, "added in a loop"),))]
        why = binding.why if isinstance(binding, Hidden | Optional) else f"`{name}` is not set here"
        if name == POSITIONAL and binding is None:
            why = "arguments of the script"
        return [Field((self._many(token, why),))]


def merged(arms: Sequence[list[_T]], differing: _T) -> list[_T]:
    """What all arms begin and end with, and `differing` for what lies between."""
    shortest = min(len(arm) for arm in arms)
    first = arms[0]
    begin = 0
    while begin < shortest and all(arm[begin] == first[begin] for arm in arms):
        begin += 1
    if all(len(arm) == begin for arm in arms):
        return first
    end = 0
    while end < shortest - begin and all(arm[-1 - end] == first[-1 - end] for arm in arms):
        end += 1
    return [*first[:begin], differing, *first[len(first) - end :]]


def _given(binding: Given, name: str, token: Span) -> Chars | Gap:
    value = binding.value
    if isinstance(value, Known):
        text = MappedText.region(str(value.value))
        return Chars(moved(text, token), True, Origin.ENVIRONMENT)
    why = value.why if isinstance(value, Unknown) and value.why else f"`{name}` has several values"
    return Gap(why, token, True, subject=Subject(("given", binding)))


def _argument(word: LaunchWord) -> Field:
    if word.text is not None:
        return Field((Chars(word.literal, True, word.origin, word.related),), word.span)
    why = word.value.why if isinstance(word.value, Unknown) else "several values"
    gap = Gap(why, word.span, True, many=word.splits)
    return Field((Chars(word.literal, True), gap) if len(word.literal) else (gap,), word.span)


def _flat(pieces: Sequence[Piece]) -> tuple[Chars | Gap, ...]:
    found: list[Chars | Gap] = []
    for piece in pieces:
        if isinstance(piece, Fields):
            for field in piece.fields:
                found.extend(field.pieces)
        else:
            found.append(piece)
    return tuple(found)
