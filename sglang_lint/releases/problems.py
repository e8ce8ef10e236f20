"""Putting together what a release's parser refuses or warns of."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from sglang_lint.launches import Keyword, Word
from sglang_lint.releases.binding import BindingProblem, BoundArgument, ProblemKind, Suggestion
from sglang_lint.releases.history import (
    Lifecycle,
    field_lifecycle,
    lifecycle,
    spellings_starting_with,
)
from sglang_lint.releases.suggest import (
    replacement_field,
    replacement_of,
    suggest_choice,
    suggest_fields,
    suggest_options,
)
from sglang_lint.releases.table import Option, ReleaseTable, release_table
from sglang_lint.releases.tokens import Token
from sglang_lint.text import Span
from sglang_lint.values import Known

# Problems with costly suggestions past this number come without them.
MAX_SUGGESTED = 20
# A shorter beginning of a name says too little to be taken for an abbreviation.
MIN_ABBREVIATION = 6


class Reporter:
    """Collects problems; `stopped` is set by an option that ends the program at once.

    With `explain` false nothing is looked up that only explains.
    """

    def __init__(self, table: ReleaseTable, *, explain: bool = True) -> None:
        self.table = table
        self.problems: list[BindingProblem] = []
        self.stopped = False
        self._explain = explain
        self._suggested = 0

    def missing_value(self, token: Token, option: Option) -> None:
        """An option without the values that it needs."""
        self._option_problem("missing-value", token, option, None, expected=_expected(option))

    def value_of_flag(self, token: Token, option: Option) -> None:
        """`--flag=value` where the option takes none."""
        value = token.attached.value if isinstance(token.attached, Known) else None
        self._option_problem(
            "invalid-value",
            token,
            option,
            token.attached_span,
            value=None if value is None else str(value),
            expected="no value",
        )

    def invalid_value(
        self, token: Token, option: Option, value: str, span: Span, expected: str
    ) -> None:
        """A value that the option's type refuses."""
        self._option_problem("invalid-value", token, option, span, value=value, expected=expected)

    def invalid_choice(self, token: Token, option: Option, value: str, span: Span) -> None:
        """A value that is none of the option's choices."""
        choices = option.choices or ()
        self._option_problem(
            "invalid-choice",
            token,
            option,
            span,
            value=value,
            choices=choices,
            suggestions=suggest_choice(value, choices) if self._may_suggest() else (),
        )

    def refused(self, token: Token, option: Option, end: Span | None) -> None:
        """An option that the release takes only to stop at it."""
        life = lifecycle(option.strings[0]) if self._explain else None
        self._option_problem(
            "removed-option",
            token,
            option,
            end,
            suggestions=self._replacement(option),
            release=life.last_before(self.table.version) if life and life.ranges else None,
        )

    def deprecated(self, token: Token, option: Option, end: Span | None) -> None:
        """An option that the release warns of."""
        life = lifecycle(token.spelling) if self._explain else None
        self._option_problem(
            "deprecated-option",
            token,
            option,
            end,
            suggestions=self._replacement(option),
            release=life.deprecated_since if life else None,
        )

    def ambiguous(self, token: Token, end: Span | None) -> None:
        """An abbreviation of several options."""
        life = lifecycle(token.name) if self._explain else None
        self._add(
            "ambiguous-option",
            token,
            end,
            suggestions=replacement_of(token.name, self.table.version) if life else (),
            release=life.last_before(self.table.version) if life else None,
            candidates=token.candidates,
        )

    def unknown_option(self, token: Token, end: Span | None) -> None:
        """An option that the release does not have."""
        life = self._other_life(token.name) if self._explain else None
        if life is None:
            suggestions = (
                suggest_options(token.name, self.table.version) if self._may_suggest() else ()
            )
            self._add("unknown-option", token, end, suggestions=suggestions)
            return
        last = life.last_before(self.table.version)
        suggestions = replacement_of(life.name, self.table.version)
        if last is not None:
            self._add("removed-option", token, end, suggestions=suggestions, release=last)
        else:
            first = life.first_after(self.table.version)
            self._add("future-option", token, end, suggestions=suggestions, release=first)

    def values_taken(self, token: Token) -> int | None:
        """How many words behind an unknown option belong to it; None for all."""
        life = lifecycle(token.name)
        if life is None:
            return 1
        known = life.last_before(self.table.version) or life.first_after(self.table.version)
        option = release_table(known or life.last).exact(token.name)
        if option is None or option.nargs in (None, "?"):
            return 1
        return option.nargs if isinstance(option.nargs, int) else None

    def stray(self, words: Sequence[Word]) -> None:
        """Words that belong to no option."""
        span = words[0].span.to(words[-1].span)
        texts = [word.text for word in words]
        known = None if None in texts else " ".join(text for text in texts if text is not None)
        self.problems.append(
            BindingProblem(
                "unexpected-word",
                span,
                texts[0] or words[0].literal.text,
                words[0].span,
                span,
                value=known,
            )
        )

    def repeated(self, argument: BoundArgument, previous: BoundArgument) -> None:
        """An option that overrides another value for the same field."""
        if (
            previous.presence == "given"
            and isinstance(argument.value, Known)
            and isinstance(previous.value, Known)
            and not _same(argument.value.value, previous.value.value)
        ):
            self.problems.append(
                BindingProblem(
                    "repeated-option",
                    argument.span,
                    argument.option,
                    argument.option_span,
                    argument.value_span,
                    field=argument.field,
                    previous=previous,
                )
            )

    def unknown_keyword(self, keyword: Keyword) -> None:
        """A keyword that the release's ServerArgs does not take."""
        life = field_lifecycle(keyword.name) if self._explain else None
        kind: ProblemKind = "unknown-keyword"
        release = None
        suggestions: tuple[Suggestion, ...] = ()
        if life is not None:
            release = life.last_before(self.table.version)
            kind = "future-keyword" if release is None else "removed-keyword"
            release = release or life.first_after(self.table.version)
            suggestions = replacement_field(keyword.name, self.table.version)
        elif self._may_suggest():
            suggestions = suggest_fields(keyword.name, self.table.version)
        canonical = self.table.canonical(keyword.name)
        self.problems.append(
            BindingProblem(
                kind,
                keyword.span,
                keyword.name,
                keyword.name_span,
                keyword.value_span,
                field=canonical if canonical in self.table.by_canonical else None,
                suggestions=suggestions,
                release=release,
            )
        )

    def _other_life(self, name: str) -> Lifecycle | None:
        """The life of an option of another release that the name spells or abbreviates."""
        life = lifecycle(name)
        if life is not None or not name.startswith("--") or len(name) < MIN_ABBREVIATION:
            return life
        lives = [life for s in spellings_starting_with(name) if (life := lifecycle(s))]
        return next((life for life in lives if life.last_before(self.table.version)), None) or (
            lives[0] if lives else None
        )

    def _may_suggest(self) -> bool:
        self._suggested += 1
        return self._explain and self._suggested <= MAX_SUGGESTED

    def _replacement(self, option: Option) -> tuple[Suggestion, ...]:
        if not self._explain:
            return ()
        if option.replacement is not None:
            return (Suggestion(option.replacement),)
        return replacement_of(option.strings[0], self.table.version)

    def _option_problem(
        self,
        kind: ProblemKind,
        token: Token,
        option: Option,
        end: Span | None,
        *,
        value: str | None = None,
        suggestions: tuple[Suggestion, ...] = (),
        release: str | None = None,
        choices: tuple[Hashable, ...] = (),
        expected: str | None = None,
    ) -> None:
        name = token.name_span
        value_span = end or Span(name.end, name.end)
        self.problems.append(
            BindingProblem(
                kind,
                name.to(value_span),
                token.name,
                name,
                value_span,
                field=self.table.canonical(option.field),
                value=value,
                suggestions=suggestions,
                release=release,
                choices=choices,
                expected=expected,
            )
        )

    def _add(
        self,
        kind: ProblemKind,
        token: Token,
        end: Span | None,
        *,
        suggestions: tuple[Suggestion, ...] = (),
        release: str | None = None,
        candidates: tuple[str, ...] = (),
    ) -> None:
        name = token.name_span
        value_span = end or Span(name.end, name.end)
        self.problems.append(
            BindingProblem(
                kind,
                name.to(value_span),
                token.name,
                name,
                value_span,
                suggestions=suggestions,
                release=release,
                candidates=candidates,
            )
        )


def _expected(option: Option) -> str:
    if isinstance(option.nargs, int):
        return f"{option.nargs} values"
    return "at least one value" if option.nargs == "+" else "one value"


def _same(left: object, right: object) -> bool:
    return type(left) is type(right) and left == right
