"""What the words of a command become on one path through the script."""

from __future__ import annotations

import enum
import re
from collections.abc import Hashable, Sequence
from dataclasses import replace

from sglang_lint.launches import Origin, Related
from sglang_lint.readers.shell import arithmetic, braces, operators
from sglang_lint.readers.shell.bindings import Bound
from sglang_lint.readers.shell.contents import Content, Contents
from sglang_lint.readers.shell.facts import Facts, integer
from sglang_lint.readers.shell.formulas import Path, Select, UndecidedError
from sglang_lint.readers.shell.patterns import pattern_of
from sglang_lint.readers.shell.pieces import (
    Chars,
    Field,
    Fields,
    Gap,
    Piece,
    Subject,
    as_string,
    moved,
    text_of,
    with_quoting,
)
from sglang_lint.readers.shell.reasoning import Operand, Reasoner, facts_of
from sglang_lint.readers.shell.session import (
    MAX_EXPANSION_DEPTH,
    MAX_STEPS_OF_A_WORD,
    MAX_WORDS,
    Session,
)
from sglang_lint.readers.shell.splitting import split
from sglang_lint.readers.shell.syntax import (
    POSITIONAL,
    Arithmetic,
    Carried,
    Literal,
    Opaque,
    Parameter,
    Part,
    Word,
)
from sglang_lint.text import MappedText, Span

_PLAIN = re.compile(r"[^*?{ \t\n]+")
# A condition may hang on a branch that is not decided; looking into that branch's condition, and
# so on, would take more time than any script has steps.
_MAX_LEVEL = 1
_SHELL_ITSELF = frozenset("?$!-0")


class Mode(enum.Enum):
    """What a word is expanded for.

    A VALUE keeps long text where it was written; in words of a COMMAND a quoted variable is an
    argument that stands at the variable.
    """

    VALUE = "value"
    COMMAND = "command"


class TooLargeError(Exception):
    """One word takes more work than its own share."""


class Expander:
    """Evaluates words on one path.

    Raises UndecidedError where the value depends on a branch that the path does not decide; one
    that is `merging` keeps what the arms have in common and remembers the branch in `met`.
    """

    def __init__(
        self, session: Session, path: Path, merging: bool = False, depth: int = 0, level: int = 0
    ) -> None:
        self.session = session
        self.path = path
        self.merging = merging
        self.met: dict[Select, None] = {}
        self.contents = Contents(self)
        self.reasoner = Reasoner(self._operand_at)
        self._depth = depth
        self._level = level
        self._steps = 0
        self._values: dict[Bound, list[Piece]] = {}

    def fields(self, bounds: Sequence[Bound]) -> list[Field]:
        """The words that the written words become, in order."""
        return [field for field, _ in self.sourced_fields(bounds)]

    def sourced_fields(self, bounds: Sequence[Bound]) -> list[tuple[Field, Bound]]:
        """The words, each with the written word that it came out of."""
        found: list[tuple[Field, Bound]] = []
        for bound in bounds:
            if not self._depth:
                self._steps = 0
            try:
                fields = self._fields_of(bound)
            except (TooLargeError, braces.TooManyError):
                gap = Gap("too many words", bound.word.span, False, many=True)
                fields = [Field((gap,), bound.word.span)]
            self.session.spend(len(fields))
            found.extend((field, bound) for field in fields)
            if len(found) > MAX_WORDS:
                gap = Gap("too many words", bound.word.span, False, many=True)
                return [*found[:MAX_WORDS], (Field((gap,), bound.word.span), bound)]
        return found

    def value(self, bound: Bound) -> list[Piece]:
        """The word as the value of an assignment, which is never split."""
        found = self._values.get(bound)
        if found is not None:
            self._spend(len(found))
        elif self._depth:
            found = self._values[bound] = self._word(bound, bound.word, Mode.VALUE)
        else:
            self._steps = 0
            try:
                found = self._word(bound, bound.word, Mode.VALUE)
            except TooLargeError:
                found = [Gap("too much text", bound.word.span, False, many=True)]
            self._values[bound] = found
        return found

    def operand(self, bound: Bound) -> Operand:
        """The word as one side of a comparison."""
        pieces = self._word(bound, bound.word, Mode.COMMAND)
        pattern = pattern_of(pieces)
        solid = [piece for piece in pieces if not isinstance(piece, Chars) or len(piece.text)]
        text = text_of(pieces)
        soft = any(_is_default(piece) for piece in solid)
        if text is not None and not soft:
            return Operand(text, None, pattern)
        if len(solid) == 1 and isinstance(solid[0], Chars | Gap):
            return Operand(None, solid[0].subject, pattern)
        return Operand(None, None, pattern)

    def choose(self, select: Select) -> int | None:
        """The arm that the path takes; None, where the arms are to be merged."""
        if self._level >= _MAX_LEVEL and select not in self.path.decisions:
            raise UndecidedError(select)
        ways = self.reasoner.ways(select, self.path)
        if len(ways) <= 1:
            return ways[0] if ways else 0
        if self.merging:
            self.met[select] = None
            return None
        raise UndecidedError(select)

    def standing_in(self, gap: Gap) -> Chars | Gap:
        """The text that the path knows an unknown value to be, else the gap itself."""
        if gap.subject is None:
            return gap
        equal = facts_of(gap.subject, self.path).equal
        if equal is None:
            return gap
        return Chars(moved(MappedText.region(equal), gap.span), gap.quoted)

    def default(
        self, pieces: Sequence[Piece], key: Hashable, origin: Origin, token: Span, quoted: bool
    ) -> list[Piece]:
        """A default for an outside value, as far as the path admits it.

        An empty default says that the value is there to be set from outside.
        """
        text = text_of(pieces)
        if text is None:
            return list(pieces)
        if not text:
            gap = Gap("empty unless set", token, quoted, many=not quoted, subject=Subject(key))
            return [self.standing_in(gap)]
        subject = Subject(key, text)
        facts: Facts = facts_of(subject, self.path)
        if facts.equal is not None and facts.equal != text:
            return [Chars(moved(MappedText.region(facts.equal), token), quoted)]
        if not facts.admits(text):
            return [Gap("not the default here", token, quoted, subject=subject)]
        settled = facts.equal == text
        return [
            replace(
                piece,
                origin=Origin.WRITTEN if settled else origin,
                subject=None if settled else subject,
            )
            if isinstance(piece, Chars)
            else piece
            for piece in pieces
        ]

    def _operand_at(self, bound: Bound, path: Path) -> Operand:
        inner = Expander(self.session, path, depth=self._depth, level=self._level + 1)
        try:
            return inner.operand(bound)
        except (TooLargeError, braces.TooManyError):
            return Operand()

    def _spend(self, steps: int) -> None:
        self._steps += steps
        self.session.spend(steps)
        if self._steps > MAX_STEPS_OF_A_WORD:
            raise TooLargeError

    def _fields_of(self, bound: Bound) -> list[Field]:
        parts = bound.word.parts
        only = parts[0] if len(parts) == 1 else None
        if (
            isinstance(only, Literal)
            and only.like is None
            and (only.quoted or _PLAIN.fullmatch(only.text.text))
        ):
            # Most words are nothing but themselves.
            return [Field((Chars(only.text, only.quoted),), bound.word.span)]
        found: list[Field] = []
        for word in braces.expand(bound.word):
            found.extend(split(self._word(bound, word, Mode.COMMAND), word.span))
        return found

    def _word(self, bound: Bound, word: Word, mode: Mode) -> list[Piece]:
        if self._depth >= MAX_EXPANSION_DEPTH:
            return [Gap("nested too deeply", word.span, False, many=True)]
        self._depth += 1
        try:
            found: list[Piece] = []
            for index, part in enumerate(word.parts):
                alone = _alone(word.parts, index)
                found.extend(self._part(part, bound, mode, alone))
            self._spend(1 + sum(_weight(piece) for piece in found))
            return found
        finally:
            self._depth -= 1

    def _part(self, part: Part, bound: Bound, mode: Mode, alone: bool) -> list[Piece]:
        if isinstance(part, Literal):
            if part.like is None:
                return [Chars(part.text, part.quoted)]
            return [replace(part.like, text=part.text, quoted=part.quoted, token=None)]
        if isinstance(part, Carried):
            return [replace(part.gap, quoted=part.quoted, many=part.gap.many or not part.quoted)]
        if isinstance(part, Opaque):
            subject = Subject(("run", bound, part))
            gap = Gap(part.why, part.span, part.quoted, subject=subject)
            return [self.standing_in(gap)]
        if isinstance(part, Arithmetic):
            return [self._arithmetic(part, bound)]
        return self._parameter(part, bound, mode, alone)

    def _parameter(self, part: Parameter, bound: Bound, mode: Mode, alone: bool) -> list[Piece]:
        if part.name in _SHELL_ITSELF:
            return [Gap("known to the running shell only", part.span, part.quoted)]
        content = self._content(part, bound)
        if part.operator:
            applied = operators.apply(self, part, bound, content)
            if applied.own is not None:
                inner = Bound(applied.own, bound.captured)
                pieces = self._word(inner, applied.own, mode)
                if applied.default_of is not None:
                    origin = Origin.VARIABLE_DEFAULT
                    key = applied.default_of
                    return self.default(pieces, key, origin, part.span, part.quoted)
                empty = MappedText("", (), (), part.span.start)
                return pieces or ([Chars(empty, True)] if part.quoted else [])
            content = applied.content
        return self._brought(content, part, mode, alone)

    def _content(self, part: Parameter, bound: Bound) -> Content:
        binding = bound.captured.get(part.variable)
        if part.name == "#" or part.length:
            return self._length(part, bound)
        if part.index in ("@", "*"):
            name = POSITIONAL if part.name in "@*" else part.name
            fields = self.contents.elements(binding, name, part.span)
            return Content((Fields(tuple(fields), part.quoted),))
        if part.variable == POSITIONAL:
            return self.contents.element(binding, POSITIONAL, int(part.name) - 1, part.span)
        if part.index is not None:
            index = integer(part.index)
            if index is None or index < 0:
                gap = Gap("an element that only a run can tell", part.span, part.quoted)
                return Content((gap,))
            return self.contents.element(binding, part.name, index, part.span)
        return self.contents.string(binding, part.name, part.span)

    def _length(self, part: Parameter, bound: Bound) -> Content:
        binding = bound.captured.get(part.variable)
        count: int | None = None
        if part.name == "#" or part.index in ("@", "*"):
            name = part.name if part.index else POSITIONAL
            fields = self.contents.elements(binding, name, part.span)
            if not any(_is_many(piece) for field in fields for piece in field.pieces):
                count = len(fields)
        elif part.index is None and part.variable != POSITIONAL:
            pieces = self.contents.string(binding, part.name, part.span).pieces
            text = text_of(pieces)
            if text is not None and not any(_is_default(piece) for piece in pieces):
                count = len(text)
        if count is None:
            return Content((Gap("a length", part.span, part.quoted),))
        return Content((Chars(moved(MappedText.region(str(count)), part.span), part.quoted),))

    def _brought(self, content: Content, part: Parameter, mode: Mode, alone: bool) -> list[Piece]:
        pieces = list(content.pieces)
        if mode is Mode.VALUE or (part.index == "*" and part.quoted):
            pieces = _joined(pieces, part.span)
        elif pieces and isinstance(pieces[0], Fields):
            fields = tuple(_passed(field, part.span) for field in pieces[0].fields)
            return [Fields(fields, part.quoted)]
        flat = [piece for piece in pieces if not isinstance(piece, Fields)]
        if part.quoted and not flat:
            return [Chars(MappedText("", (), (), part.span.start), True)]
        if mode is Mode.COMMAND:
            flat = [as_string(piece, part.quoted) for piece in flat]
        if _keeps_places(flat, part, mode, alone):
            return [replace(with_quoting(piece, part.quoted), token=part.span) for piece in flat]
        related = (Related(f"`{part.name}` is set here", content.place),) if content.place else ()
        return [self._inlined(piece, part, related) for piece in flat]

    def _inlined(
        self, piece: Chars | Gap, part: Parameter, related: tuple[Related, ...]
    ) -> Chars | Gap:
        if isinstance(piece, Gap):
            return replace(piece, span=part.span, quoted=part.quoted, token=None)
        return replace(
            piece,
            text=moved(piece.text, part.span),
            quoted=part.quoted,
            related=(*related, *(entry for entry in piece.related if entry not in related)),
            token=None,
        )

    def _arithmetic(self, part: Arithmetic, bound: Bound) -> Chars | Gap:
        related: list[Related] = []
        soft: list[Origin] = []

        def value(name: str) -> int:
            content = self.contents.string(bound.captured.get(name), name, part.span)
            text = text_of(content.pieces)
            number = integer(text) if text is not None else None
            if number is None:
                raise arithmetic.NotKnownError
            soft.extend(
                piece.origin
                for piece in content.pieces
                if isinstance(piece, Chars) and piece.origin is not Origin.WRITTEN
            )
            if content.place is not None:
                related.append(Related(f"`{name}` is set here", content.place))
            return number

        try:
            result = str(arithmetic.evaluate(part.expression, value))
        except arithmetic.NotKnownError:
            subject = Subject(("run", bound, part))
            return self.standing_in(Gap("arithmetic", part.span, part.quoted, subject=subject))
        origin = soft[0] if soft else Origin.WRITTEN
        text = moved(MappedText.region(result), part.span)
        return Chars(text, part.quoted, origin, tuple(dict.fromkeys(related)))


def _alone(parts: Sequence[Part], index: int) -> bool:
    """Whether a part is a word of its own inside the text around it."""
    before = parts[index - 1] if index else None
    after = parts[index + 1] if index + 1 < len(parts) else None
    return _ends_blank(before, -1) and _ends_blank(after, 0)


def _ends_blank(part: Part | None, at: int) -> bool:
    if part is None:
        return True
    return isinstance(part, Literal) and part.text.text[at:][:1] in (" ", "\t", "\n", "")


def _keeps_places(pieces: Sequence[Chars | Gap], part: Parameter, mode: Mode, alone: bool) -> bool:
    if mode is Mode.COMMAND and part.quoted:
        return False
    texts = [piece.text.text for piece in pieces if isinstance(piece, Chars)]
    if any(blank in text for text in texts for blank in " \t\n"):
        return True
    first = texts[0].lstrip("-") if texts and isinstance(pieces[0], Chars) else ""
    return alone and bool(texts) and texts[0].startswith("-") and first[:1].isalpha()


def _joined(pieces: Sequence[Piece], token: Span) -> list[Piece]:
    found: list[Piece] = []
    for piece in pieces:
        if not isinstance(piece, Fields):
            found.append(piece)
            continue
        for index, field in enumerate(piece.fields):
            if index:
                found.append(Chars(moved(MappedText.region(" "), token), True))
            found.extend(field.pieces)
    return found


def _passed(field: Field, token: Span) -> Field:
    pieces = tuple(replace(piece, token=token) for piece in field.pieces)
    return Field(pieces, field.place, token)


def _weight(piece: Piece) -> int:
    if isinstance(piece, Chars):
        return 1 + len(piece.text) // 64
    return 1 + len(piece.fields) if isinstance(piece, Fields) else 1


def _is_many(piece: Chars | Gap) -> bool:
    return isinstance(piece, Gap) and piece.many


def _is_default(piece: Piece) -> bool:
    return isinstance(piece, Chars) and piece.origin in (
        Origin.VARIABLE_DEFAULT,
        Origin.OPTION_DEFAULT,
    )
