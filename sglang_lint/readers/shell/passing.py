"""What a started program gets of a script's variables, and what its wrappers add."""

from __future__ import annotations

from sglang_lint.launches import Setting
from sglang_lint.readers.shell import wrappers
from sglang_lint.readers.shell.assigning import binding_of
from sglang_lint.readers.shell.bindings import (
    Binding,
    Bound,
    Element,
    Hidden,
    Scope,
    Selected,
    place_of,
)
from sglang_lint.readers.shell.expansion import Expander
from sglang_lint.readers.shell.formulas import Path
from sglang_lint.readers.shell.pieces import Chars, Field, Gap, text_of
from sglang_lint.readers.shell.session import Session
from sglang_lint.readers.shell.state import State
from sglang_lint.readers.shell.syntax import POSITIONAL, Command
from sglang_lint.readers.shell.transforms import sliced
from sglang_lint.readers.shell.words import to_word
from sglang_lint.text import Span
from sglang_lint.values import Known, Unknown, Value


class Run:
    """One way in which the words of a command come out, each with the word it came from."""

    def __init__(self, pairs: list[tuple[Field, Bound]], path: Path) -> None:
        self.fields = [field for field, _ in pairs]
        self.bounds = [bound for _, bound in pairs]
        self.words = [to_word(field) for field in self.fields]
        self.path = path


def inner_state(command: Command, state: State, run: Run, first: int) -> State:
    """The state of the program whose first word is `run.words[first]`."""
    scope = Scope()
    isolated = wrappers.isolates(run.words[:first])
    for name, binding in state.scope.variables.items():
        exported = name in state.scope.exported and not isolated
        if name != POSITIONAL:
            scope.variables[name] = binding if exported else Hidden("not passed on")
        if exported:
            scope.exported.add(name)
    if not isolated:
        for assignment in command.assignments:
            scope.variables[assignment.name] = binding_of(assignment, state.scope)
            scope.exported.add(assignment.name)
    for index, name, begin in wrappers.settings(run.words, first):
        value = _behind(run.fields[index], begin, run.words[index].span)
        scope.variables[name] = Element(value)
        scope.exported.add(name)
    image = wrappers.image(run.words, first)
    images = state.images if image is None else (image,)
    return State(scope, run.path, images=images)


def environment(session: Session, state: State) -> list[Setting]:
    """The exported variables with their values, as far as these are known."""
    expander = Expander(session, state.path, merging=True)
    found = []
    for name in sorted(state.scope.exported):
        binding = state.scope.variables.get(name)
        place = _place(binding)
        if place is None:
            continue
        text = text_of(expander.contents.string(binding, name, place).pieces)
        value: Value = Known(text) if text is not None else Unknown("known at run time only")
        found.append(Setting(name, value, place))
    return found


def _place(binding: Binding | None) -> Span | None:
    if isinstance(binding, Selected):
        places = [place for arm in binding.arms if (place := _place_of_arm(arm)) is not None]
        return places[0] if places else None
    return place_of(binding)


def _place_of_arm(binding: Binding | None) -> Span | None:
    return None if isinstance(binding, Selected) else place_of(binding)


def _behind(field: Field, begin: int, span: Span) -> Field:
    """The value in a `NAME=value` word."""
    pieces: list[Chars | Gap] = []
    for piece in field.pieces:
        if isinstance(piece, Gap):
            pieces.append(piece)
            begin = 0
            continue
        length = len(piece.text)
        if begin < length:
            pieces.extend(sliced([piece], begin, length))
        begin = max(begin - length, 0)
    return Field(tuple(pieces), span)
