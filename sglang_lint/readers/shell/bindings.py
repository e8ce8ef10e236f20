"""What a script's variables hold, kept unevaluated until a launch asks for it.

A value is a graph: an assignment remembers its word and what the variables in that word held,
an `if` leaves a Selected that remembers what each arm left behind. So branches that no launch
depends on cost nothing, and those that it depends on are told apart only there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from sglang_lint.launches import Word as LaunchWord
from sglang_lint.readers.shell.pieces import Field
from sglang_lint.readers.shell.syntax import Word
from sglang_lint.text import Span
from sglang_lint.values import Value

if TYPE_CHECKING:
    from sglang_lint.readers.shell.formulas import Select


@dataclass(frozen=True, eq=False)
class Bound:
    """A word with what its variables held where it was written."""

    word: Word
    captured: Mapping[str, Binding | None]


@dataclass(frozen=True, eq=False)
class Scalar:
    """`X=value`."""

    value: Bound
    place: Span


@dataclass(frozen=True, eq=False)
class Appended:
    """`X+=value`, and `X="$X value"`."""

    before: Binding | None
    value: Bound
    place: Span


@dataclass(frozen=True, eq=False)
class Items:
    """`X=(...)`, `X+=(...)` with `before`, and `set -- ...`."""

    values: tuple[Bound, ...]
    place: Span
    before: Binding | None = None
    extends: bool = False


@dataclass(frozen=True, eq=False)
class Selected:
    """What each arm of a branch leaves behind."""

    select: Select
    arms: tuple[Binding | None, ...]


@dataclass(frozen=True, eq=False)
class Hidden:
    """A value that only a run can tell."""

    why: str


@dataclass(frozen=True, eq=False)
class Optional:
    """A value that an option of the script may replace: what it held before is its default."""

    before: Binding | None
    why: str


@dataclass(frozen=True, eq=False)
class Grown:
    """A value to which a loop adds, nobody knows how often."""

    before: Binding | None


@dataclass(frozen=True, eq=False)
class Given:
    """A variable that the surroundings set (a container's environment)."""

    value: Value


@dataclass(frozen=True, eq=False)
class Arguments:
    """Words that the surroundings pass as $1, $2, ..."""

    words: tuple[LaunchWord, ...]


@dataclass(frozen=True, eq=False)
class Shifted:
    """Arguments after `shift`."""

    before: Binding | None
    count: int


@dataclass(frozen=True, eq=False)
class Element:
    """A word that was expanded already: an item that a loop goes over, `env X=...`."""

    field: Field


@dataclass(frozen=True, eq=False)
class Removed:
    """A variable that is certainly not set."""


_MAX_LOOKS = 1000

Binding: TypeAlias = (
    Scalar
    | Appended
    | Items
    | Selected
    | Hidden
    | Optional
    | Grown
    | Given
    | Arguments
    | Shifted
    | Element
    | Removed
)


def place_of(binding: Binding | None) -> Span | None:
    """Where a variable was set last, if that is one place in the script."""
    if isinstance(binding, Element):
        return binding.field.place
    return binding.place if isinstance(binding, Scalar | Appended | Items) else None


def is_array(binding: Binding | None) -> bool:
    """Whether it is an array on some way."""
    pending = [binding]
    for _ in range(_MAX_LOOKS):
        if not pending:
            return False
        current = pending.pop()
        if isinstance(current, Items):
            return True
        if isinstance(current, Selected):
            pending.extend(current.arms)
        elif isinstance(current, Optional | Grown):
            pending.append(current.before)
    return True


def arguments_of(words: Sequence[LaunchWord]) -> Binding:
    """$1 and so on, of words whose first is $0."""
    if words and words[0].splits:
        return Hidden("arguments behind one that may be many")
    return Arguments(tuple(words[1:]))


@dataclass
class Scope:
    """The variables at one point of a script; what is missing comes from outside."""

    variables: dict[str, Binding] = field(default_factory=dict)
    exported: set[str] = field(default_factory=set)

    def copy(self) -> Scope:
        """For an arm or a subshell."""
        return Scope(dict(self.variables), set(self.exported))

    def bind(self, word: Word) -> Bound:
        """The word with what its variables hold now."""
        return Bound(word, {name: self.variables.get(name) for name in word.names})

    def hide(self, names: Iterable[str], why: str) -> None:
        """Forget what these variables hold."""
        for name in names:
            self.variables[name] = Hidden(why)
