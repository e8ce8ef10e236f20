"""`${X:-...}`, `${X:+...}`, `${X%...}` and their like."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sglang_lint.readers.shell import transforms
from sglang_lint.readers.shell.bindings import Bound, is_array
from sglang_lint.readers.shell.contents import Content
from sglang_lint.readers.shell.patterns import pattern_of
from sglang_lint.readers.shell.pieces import Chars, Field, Fields, Gap, Piece, Subject, text_of
from sglang_lint.readers.shell.reasoning import is_set
from sglang_lint.readers.shell.syntax import Parameter, Word

if TYPE_CHECKING:
    from sglang_lint.readers.shell.expansion import Expander

# Every shell sets these: a default for one of them is never used.
_ALWAYS_SET = frozenset(
    "HOME PWD OLDPWD PATH USER HOSTNAME SHELL UID EUID PPID RANDOM SECONDS LINENO".split()
)
_OUTSIDE = ("variable", "argument")


@dataclass(frozen=True)
class Applied:
    """Either a word of the operator's own, or the variable's content as the operator left it.

    `default_of` is the outside value that the own word stands in for.
    """

    content: Content = field(default_factory=lambda: Content(()))
    own: Word | None = None
    default_of: Hashable = None


def apply(expander: Expander, part: Parameter, bound: Bound, content: Content) -> Applied:
    """What the operator makes of the variable's content."""
    operator = part.operator
    if operator in (":-", "-", ":=", "="):
        return _default(expander, part, content)
    if operator in (":+", "+"):
        return _alternative(expander, part, content)
    if operator in (":?", "?"):
        return Applied(content)
    pieces = _transformed(expander, part, bound, content.pieces)
    if pieces is None:
        why = f"`{part.name}` is changed by an expansion"
        texts = [piece.text.text for piece in content.pieces if isinstance(piece, Chars)]
        blanks = any(character.isspace() for text in texts for character in text)
        if part.index in ("@", "*"):
            several = Field((Gap(why, part.span, part.quoted, many=True),))
            return Applied(Content((Fields((several,), part.quoted),)))
        many = blanks and not part.quoted
        return Applied(Content((Gap(why, part.span, part.quoted, many=many),)))
    return Applied(Content(tuple(pieces), content.place))


def _presence(expander: Expander, part: Parameter, content: Content) -> bool | None:
    """Whether the variable counts as set for the operator."""
    colon = part.operator.startswith(":")
    if content.removed:
        return False
    pieces = content.pieces
    for piece in pieces:
        if isinstance(piece, Fields):
            gaps = [p for field in piece.fields for p in field.pieces if isinstance(p, Gap)]
            if any(gap.many for gap in gaps) and len(piece.fields) == len(gaps):
                return None
            return bool(piece.fields)
    text = text_of(pieces)
    if text:
        return True
    if not colon and content.subject is None:
        return True  # the script set it, to whatever
    if text is not None and colon:
        return False
    if any(isinstance(piece, Chars) and len(piece.text) for piece in pieces):
        return True
    if part.name in _ALWAYS_SET:
        return True
    subject = _subject(content)
    nonempty = None if subject is None else is_set(subject, expander.path)
    # Without the colon, what is empty may still be set.
    return True if nonempty else nonempty if colon else None


def _subject(content: Content) -> Subject | None:
    """The outside value that the variable holds, if it holds nothing else."""
    gaps = [piece for piece in content.pieces if isinstance(piece, Gap)]
    return content.subject or (gaps[0].subject if gaps else None)


def _default(expander: Expander, part: Parameter, content: Content) -> Applied:
    present = _presence(expander, part, content)
    if present:
        return Applied(content)
    if present is False:
        return Applied(own=part.argument)
    if any(isinstance(piece, Fields) for piece in content.pieces):
        return Applied(content)
    subject = _subject(content)
    key = subject.key if subject is not None else None
    # What the script sets itself, to something unknown, is most likely not empty.
    if isinstance(key, tuple) and key[0] in _OUTSIDE:
        return Applied(own=part.argument, default_of=key)
    return Applied(content)


def _alternative(expander: Expander, part: Parameter, content: Content) -> Applied:
    present = _presence(expander, part, content)
    if present is False:
        return Applied(Content(()))
    if present:
        return Applied(own=part.argument)
    why = f"`{part.name}` may be set"
    unknown = Applied(Content((Gap(why, part.span, part.quoted, many=not part.quoted),)))
    subject = _subject(content)
    if subject is None:
        return unknown
    colon = part.operator == ":+"
    way = expander.choose(expander.session.presence(subject, part.name, colon))
    if way is None:
        return unknown
    return Applied(own=part.argument) if way == 0 else Applied(Content(()))


def _transformed(
    expander: Expander, part: Parameter, bound: Bound, pieces: Sequence[Piece]
) -> Sequence[Piece] | None:
    flat = [piece for piece in pieces if isinstance(piece, Chars | Gap)]
    chars = [piece for piece in flat if isinstance(piece, Chars)]
    if part.argument is None:
        return None
    operator = part.operator
    if len(flat) < len(pieces):
        # `${X[@]:1}` of what is no array is a part of its text.
        array = part.name in "@*" or is_array(bound.captured.get(part.name))
        return _sliced(part, pieces) if array else None
    if operator in ("/", "//"):
        pattern = pattern_of(expander.value(Bound(part.argument, bound.captured)))
        replacement: list[Piece] = []
        if part.replacement is not None:
            replacement = expander.value(Bound(part.replacement, bound.captured))
        if pattern is None or text_of(replacement) is None:
            return None
        new = [piece for piece in replacement if isinstance(piece, Chars)]
        return transforms.substituted(flat, operator, pattern, new)
    if len(chars) < len(flat):
        return None
    if operator[0] in "#%":
        pattern = pattern_of(expander.value(Bound(part.argument, bound.captured)))
        return None if pattern is None else transforms.trimmed(chars, operator, pattern)
    if operator[0] in "^,":
        return None if part.argument.parts else transforms.recased(chars, operator)
    bounds = part.argument.literal
    if operator == ":" and bounds is not None:
        return transforms.substring(chars, bounds)
    return None


def _sliced(part: Parameter, pieces: Sequence[Piece]) -> Sequence[Piece] | None:
    """`${A[@]:offset:length}` of an array whose length is known."""
    bounds = part.argument.literal if part.argument is not None else None
    whole = pieces[0]
    if part.operator != ":" or bounds is None or not isinstance(whole, Fields):
        return None
    if any(isinstance(p, Gap) and p.many for one in whole.fields for p in one.pieces):
        return None
    # The arguments of a script are counted from one; what is at zero is its name.
    offset = int(part.name in "@*")
    found = transforms.bounds_of(bounds, len(whole.fields) + offset)
    if found is None or found[0] < offset:
        return None
    chosen = whole.fields[found[0] - offset : found[1] - offset]
    return [Fields(chosen, part.quoted)]
