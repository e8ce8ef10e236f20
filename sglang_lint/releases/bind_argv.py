"""Binding of command line words, as the release's `argparse` parser does it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from sglang_lint.launches import EntryPoint, Origin, Related, Tail, Variant, Word
from sglang_lint.releases.binding import BoundArgument, Presence
from sglang_lint.releases.conversion import ConversionError, convert
from sglang_lint.releases.problems import Reporter
from sglang_lint.releases.serving import MODEL_OPTION, dispatched
from sglang_lint.releases.suggest import misspelled_field
from sglang_lint.releases.table import Option, ReleaseTable
from sglang_lint.releases.tokens import Reading, Token, read_words
from sglang_lint.text import Span
from sglang_lint.values import Known, Unknown, Value, join, one_of
from sglang_lint.values.value import candidates

_STORED = ("store", "custom")
_BOUNDS: dict[str | None, tuple[int, int | None]] = {
    None: (1, 1),
    "?": (0, 1),
    "*": (0, None),
    "+": (1, None),
}


@dataclass
class _Taken:
    """The values that an option takes from the words behind it, up to token `stop`.

    `uncertain`: more or other words than these may be its values. `missing`: fewer than it needs.
    """

    parts: list[tuple[Value, Word, Span]] = field(default_factory=list)
    stop: int = 0
    uncertain: bool = False
    missing: bool = False


@dataclass
class ArgvBinder:
    """Binds the words of one variant; read `arguments`, `problems` and `open` after `run`."""

    variant: Variant
    entry_point: EntryPoint
    table: ReleaseTable
    report: Reporter
    arguments: dict[str, BoundArgument] = field(default_factory=dict)
    open: bool = False
    _tokens: list[Token] = field(default_factory=list)

    def run(self) -> None:
        """Bind every word."""
        words, model = dispatched(self.variant.words, self.entry_point, self.table)
        if model is not None:
            self._model(model)
        self._tokens = read_words(words, self.table)
        index = 0
        while index < len(self._tokens):
            index = self._bind_at(index)

    def _bind_at(self, index: int) -> int:
        token = self._tokens[index]
        if token.name and token.name.startswith(self.entry_point.own_options or ("\0",)):
            return self._skip_foreign(index)
        if token.reading is Reading.OPTION and token.option is not None:
            return self._option(index, token, token.option)
        if token.reading in (Reading.UNKNOWN_OPTION, Reading.AMBIGUOUS):
            return self._refused_option(index, token)
        if token.reading is Reading.MAYBE:
            self._maybe(token)
            return index + 1
        if token.reading is Reading.OPAQUE:
            self.open = True
            return self._skip_values(index + 1)
        return self._stray(index)

    def _model(self, word: Word) -> None:
        option = self.table.exact(MODEL_OPTION)
        if option is not None:
            argument = BoundArgument(
                self.table.canonical(option.field),
                MODEL_OPTION,
                word.span,
                _as_text(word.value),
                word.span,
                word.origin,
                word.related,
            )
            self._store(argument)

    # Options

    def _option(self, index: int, token: Token, option: Option) -> int:
        if option.action == "help":
            self.report.stopped = True  # prints the help and exits, whatever else is written
            return len(self._tokens)
        taken = self._take(index, token, option)
        self.open = self.open or taken.uncertain
        end = taken.parts[-1][2] if taken.parts else None
        if taken.missing:
            self.report.missing_value(token, option)
            return taken.stop
        if option.nargs == 0 and token.attached is not None:
            self.report.value_of_flag(token, option)
            return taken.stop
        if option.action == "refused":
            self.report.refused(token, option, end)
            return taken.stop
        if option.deprecated:
            self.report.deprecated(token, option, end)
        value = self._value(token, option, taken)
        if value is not None:
            self._store(self._argument(token, option, value, taken))
        if any(word.splits for _, word, _ in taken.parts):
            return self._skip_values(taken.stop)  # the word may stand for more than the value
        return taken.stop

    def _argument(
        self,
        token: Token,
        option: Option,
        value: Value,
        taken: _Taken,
        presence: Presence = "given",
    ) -> BoundArgument:
        words = [token.word, *(word for _, word, _ in taken.parts if word is not token.word)]
        spans = [span for _, _, span in taken.parts]
        name = token.name_span
        return BoundArgument(
            self.table.canonical(option.field),
            token.name,
            name,
            value,
            spans[0].to(spans[-1]) if spans else Span(name.end, name.end),
            _origin(words),
            _related(words),
            presence,
        )

    def _take(self, index: int, token: Token, option: Option) -> _Taken:
        least, most = _bounds(option.nargs)
        if token.attached is not None:
            part = (token.attached, token.word, token.attached_span)
            return _Taken([part], index + 1, missing=least > 1)
        taken = _Taken(stop=index + 1)
        while taken.stop < len(self._tokens) and (most is None or len(taken.parts) < most):
            following = self._tokens[taken.stop]
            word = following.word
            if following.reading is Reading.VALUE:
                taken.parts.append((_as_text(word.value), word, word.span))
            elif following.reading in (Reading.OPAQUE, Reading.MAYBE):
                unclear = following.reading is Reading.MAYBE or word.literal.text.startswith("-")
                taken.uncertain = unclear or len(taken.parts) >= least or most is None
                if unclear or len(taken.parts) >= least:
                    break
                taken.parts.append((_unknown(word.value), word, word.span))
            else:
                break
            taken.stop += 1
        short = len(taken.parts) < least
        if short and not taken.uncertain and self._tail_after(taken.stop - 1):
            taken.uncertain = True
        taken.missing = short and not taken.uncertain
        return taken

    def _value(self, token: Token, option: Option, taken: _Taken) -> Value | None:
        """What the option stores; None for an action that stores nothing."""
        converted = [self._converted(token, option, value, span) for value, _, span in taken.parts]
        if option.action == "boolean_optional":
            return Known(not token.spelling.startswith("--no-"))
        if option.action in ("store_true", "store_false", "store_const"):
            return _constant(option)
        if option.action not in _STORED:
            return None if option.action == "ignored" else Unknown(f"action {option.action}")
        if taken.uncertain:
            return Unknown("words that are not known")
        if option.nargs in (None, "?"):
            return converted[0] if converted else Known(option.const)
        known = [value.value for value in converted if isinstance(value, Known)]
        return Known(tuple(known)) if len(known) == len(converted) else Unknown("a list")

    def _converted(self, token: Token, option: Option, value: Value, span: Span) -> Value:
        texts = candidates(value)
        if texts is None:
            return value
        good: list[Value] = []
        failure: str | None = None
        for text in texts:
            try:
                result = convert(option, str(text))
            except ConversionError as error:
                failure = error.expected
                continue
            if _is_chosen(option, result):
                good.append(result)
        if good:
            return good[0] if len(good) == 1 else join(good)
        written = str(texts[0])
        if failure is not None:
            self.report.invalid_value(token, option, written, span, failure)
            return Unknown("a value that the parser refuses")
        self.report.invalid_choice(token, option, written, span)
        return one_of(texts)

    # Words that are no option of the release

    def _refused_option(self, index: int, token: Token) -> int:
        if self.entry_point.other_options:
            return self._skip_foreign(index)
        stop = index + 1
        limit = 0 if token.attached is not None else self.report.values_taken(token)
        end: Span | None = None if token.attached is None else token.attached_span
        while stop < len(self._tokens) and (limit is None or stop - index <= limit):
            following = self._tokens[stop]
            if following.reading not in (Reading.VALUE, Reading.OPAQUE):
                break
            end = following.word.span
            stop += 1
        if token.reading is Reading.AMBIGUOUS:
            self.report.ambiguous(token, end)
        else:
            self.report.unknown_option(token, end)
            self._understood(token, index, stop)
        return stop

    def _understood(self, token: Token, index: int, stop: int) -> None:
        """Bind an option of no release that still says what is meant."""
        name = misspelled_field(token.name)
        if name is None or name not in self.table.by_canonical:
            return
        option = self.table.options_of[name][0]
        value, word, span = token.attached, token.word, token.attached_span
        if value is None:
            if stop == index + 1:
                return
            word = self._tokens[stop - 1].word
            value, span = _as_text(word.value), word.span
        results = [_quietly(option, str(text)) for text in candidates(value) or ()]
        typed = join(results) if results else Unknown("not known")
        self._store(self._argument(token, option, typed, _Taken([(typed, word, span)])))

    def _stray(self, index: int) -> int:
        stop = index + 1
        while stop < len(self._tokens) and self._tokens[stop].reading in (
            Reading.VALUE,
            Reading.SEPARATOR,
        ):
            stop += 1
        if not self.entry_point.other_options and not self._tail_before(index):
            self.report.stray([token.word for token in self._tokens[index:stop]])
        return stop

    def _skip_values(self, index: int) -> int:
        """Past the values of an option that is not the release's own, or may not be."""
        while index < len(self._tokens) and self._tokens[index].reading is Reading.VALUE:
            index += 1
        return index

    def _skip_foreign(self, index: int) -> int:
        """Past an option of another program and its values, one of which may not be known."""
        following = index + 1
        if (
            self._tokens[index].attached is None
            and self._has(following)
            and self._tokens[following].reading is Reading.OPAQUE
            and not self._tokens[following].word.literal.text
        ):
            following += 1
        return self._skip_values(following)

    def _maybe(self, token: Token) -> None:
        """A word that is one of several complete arguments, or none."""
        for choice in token.choices:
            if choice is None or choice.option is None:
                continue
            taken = _Taken()
            if choice.attached is not None:
                taken.parts.append((choice.attached, choice.word, choice.attached_span))
            unheard = Reporter(self.table, explain=False)
            quiet = ArgvBinder(self.variant, self.entry_point, self.table, unheard)
            value = quiet._value(choice, choice.option, taken)
            if value is not None:
                self._store(self._argument(choice, choice.option, value, taken, "maybe"))

    # Results

    def _store(self, argument: BoundArgument) -> None:
        previous = self.arguments.get(argument.field)
        if previous is not None and argument.presence == "maybe":
            values = join([previous.value, argument.value])
            self.arguments[argument.field] = replace(previous, value=values)
            return
        if previous is not None:
            self.report.repeated(argument, previous)
            argument = argument.after(previous)
        self.arguments[argument.field] = argument

    def _tail_after(self, index: int) -> bool:
        """Whether unseen words may stand right after a token."""
        start = self._tokens[index].word.span.end
        following = self._tokens[index + 1].word.span.start if self._has(index + 1) else None
        return any(_between(tail, start, following) for tail in self.variant.tails)

    def _tail_before(self, index: int) -> bool:
        end = self._tokens[index].word.span.start
        start = self._tokens[index - 1].word.span.end if index else 0
        return any(_between(tail, start, end) for tail in self.variant.tails)

    def _has(self, index: int) -> bool:
        return index < len(self._tokens)


def _between(tail: Tail, start: int, end: int | None) -> bool:
    # Words that come from elsewhere in the file have no order with the tail.
    if end is not None and end < start:
        return True
    return start <= tail.span.start and (end is None or tail.span.start < end)


def _bounds(nargs: int | str | None) -> tuple[int, int | None]:
    """The least and the most values that an option takes."""
    return (nargs, nargs) if isinstance(nargs, int) else _BOUNDS.get(nargs, (0, None))


def _constant(option: Option) -> Value:
    if option.action == "store_const":
        if "const" in option.computed:
            return Unknown("a constant computed at run time")
        return Known(option.const)
    return Known(option.action == "store_true")


def _is_chosen(option: Option, value: Value) -> bool:
    if option.choices is None or "choices" in option.computed or not isinstance(value, Known):
        return True
    return any(
        value.value == choice and isinstance(value.value, bool) == isinstance(choice, bool)
        for choice in option.choices
    )


def _quietly(option: Option, text: str) -> Value:
    try:
        return convert(option, text)
    except ConversionError:
        return Unknown("not a value of its type")


def _as_text(value: Value) -> Value:
    """A word's value as the started program gets it: text."""
    if isinstance(value, Known) and isinstance(value.value, str):
        return value
    texts = candidates(value)
    return value if texts is None else one_of(str(text) for text in texts)


def _unknown(value: Value) -> Value:
    return value if isinstance(value, Unknown) else Unknown("one of several words")


def _origin(words: Sequence[Word]) -> Origin:
    return next(
        (w.origin for w in reversed(words) if w.origin is not Origin.WRITTEN), Origin.WRITTEN
    )


def _related(words: Sequence[Word]) -> tuple[Related, ...]:
    return tuple(dict.fromkeys(related for word in words for related in word.related))
