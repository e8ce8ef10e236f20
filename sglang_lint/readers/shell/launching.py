"""Programs of a script: whether they start SGLang, themselves or through another shell."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sglang_lint.launches import Evidence, Launch
from sglang_lint.launches.command import Found, NestedScript, find_launch
from sglang_lint.readers.shell import assigning, passing, wrappers
from sglang_lint.readers.shell.bindings import Bound, arguments_of
from sglang_lint.readers.shell.expansion import Expander
from sglang_lint.readers.shell.faults import faults_of
from sglang_lint.readers.shell.outcomes import outcomes
from sglang_lint.readers.shell.passing import Run
from sglang_lint.readers.shell.pieces import Chars, Fields, Gap, Piece
from sglang_lint.readers.shell.reach import may_name, may_start
from sglang_lint.readers.shell.session import MAX_SCRIPT_DEPTH
from sglang_lint.readers.shell.state import Script, State
from sglang_lint.readers.shell.syntax import POSITIONAL, Command
from sglang_lint.readers.shell.words import to_script
from sglang_lint.text import MappedText, Span

if TYPE_CHECKING:
    from sglang_lint.readers.shell.statements import Interpreter


class Launching:
    """Looks at the commands that an Interpreter runs."""

    def __init__(self, interpreter: Interpreter) -> None:
        self._interpreter = interpreter
        self._session = interpreter.session
        # Images of containers that the script started, for a later `docker exec`.
        self._containers: dict[Evidence, None] = {}

    def program(self, script: Script, command: Command, state: State) -> None:
        """A command that is no builtin and no function."""
        bounds = assigning.bound_words(command, state)
        if not may_name(bounds):
            return
        if may_start(bounds):
            for path, pairs in outcomes(
                self._session, state.path, lambda expander: expander.sourced_fields(bounds)
            ):
                self._session.produced(len(pairs))
                self._run(script, command, state, Run(pairs, path))
        else:
            expander = Expander(self._session, state.path, merging=True)
            self._evidence(Run(expander.sourced_fields(bounds), state.path))

    def evaluated(self, script: Script, command: Command, state: State) -> None:
        """`eval ...`: the words together are a script that runs here."""
        bounds = assigning.bound_words(command, state)[1:]

        def evaluate(expander: Expander) -> list[Piece]:
            pieces: list[Piece] = []
            for bound in bounds:
                pieces += [_blank(bound.word.span), *expander.value(bound)]
            return pieces

        ways = outcomes(self._session, state.path, evaluate)
        if len(ways) == 1:
            self.nested(script, flat(ways[0][1]), state, command.span)
            return
        before = dict(state.scope.variables)
        for path, pieces in ways:
            inner = state.copy()
            inner.path = path
            self.nested(script, flat(pieces), inner, command.span)
            after = inner.scope.variables
            state.scope.hide(
                [name for name in after if after[name] is not before.get(name)], "set by `eval`"
            )

    def fed(self, script: Script, command: Command, state: State, fed: Sequence[Piece]) -> None:
        """A command that runs the text on its standard input."""
        expander = Expander(self._session, state.path, merging=True)
        run = Run(expander.sourced_fields(assigning.bound_words(command, state)), state.path)
        inner = passing.inner_state(command, state, run, len(run.words))
        self.nested(script, flat(fed), inner, command.span)

    def written(self, script: Script, command: Command, text: Sequence[Piece]) -> None:
        """A command that writes a script, which somebody runs later and somewhere."""
        self.nested(script, flat(text), State(), command.span)

    def nested(self, script: Script, pieces: list[Chars | Gap], state: State, span: Span) -> None:
        """A script that a command makes of its words."""
        if script.depth >= MAX_SCRIPT_DEPTH:
            return
        text = to_script(pieces, span.start)
        if text.text.text.strip():
            self._interpreter.script(Script.of(text, script.depth + 1), state)

    def _run(self, script: Script, command: Command, state: State, run: Run) -> None:
        if wrappers.only_tells(run.words):
            return
        scripts = wrappers.scripts(run.words)
        found = None if scripts else find_launch(run.words)
        if isinstance(found, Found):
            self._record(script, command, state, run, found)
            return
        self._evidence(run)
        if isinstance(found, NestedScript):
            place = next(i for i, word in enumerate(run.words) if word is found.word)
            inner = passing.inner_state(command, state, run, place)
            inner.scope.variables[POSITIONAL] = arguments_of(found.arguments)
            self.nested(script, self._pieces(run, place), inner, command.span)
            return
        for places in scripts:
            inner = passing.inner_state(command, state, run, places[0])
            pieces: list[Chars | Gap] = []
            for place in places:
                pieces += [_blank(run.words[place].span), *self._pieces(run, place)]
            self.nested(script, pieces, inner, command.span)

    def _evidence(self, run: Run) -> None:
        """What a command that is no launch tells of launches elsewhere in the script."""
        for requirement in wrappers.requirements(run.words):
            self._interpreter.sink.requirements[requirement] = None
        image = wrappers.image(run.words, len(run.words))
        if image is not None:
            self._containers[image] = None

    def _record(
        self, script: Script, command: Command, state: State, run: Run, found: Found
    ) -> None:
        inner = passing.inner_state(command, state, run, found.first)
        images = inner.images
        if not images and wrappers.enters_container(run.words[: found.first]):
            images = tuple(self._containers)
        environment = tuple(passing.environment(self._session, inner))
        extent = _extent(command, run, found)
        launch = Launch(found.entry_point, found.span, extent, (), images, environment)
        sink = self._interpreter.sink
        sink.launch(launch, command.span, found.arguments, run.path)
        if sink.wants_faults and command.span.covers(found.span):
            for fault in faults_of(script.lexer, command, len(script.lexer.text)):
                sink.fault(fault)

    def _pieces(self, run: Run, place: int) -> list[Chars | Gap]:
        """The word as text of a script, its characters where they were written."""
        bound: Bound = run.bounds[place]
        if run.bounds.count(bound) == 1:
            expander = Expander(self._session, run.path, merging=True)
            return flat(expander.value(bound))
        return list(run.fields[place].pieces)


def flat(pieces: Sequence[Piece]) -> list[Chars | Gap]:
    """The pieces without the bounds between elements."""
    found: list[Chars | Gap] = []
    for piece in pieces:
        if isinstance(piece, Fields):
            for field in piece.fields:
                found.extend(field.pieces)
        else:
            found.append(piece)
    return found


def _blank(span: Span) -> Chars:
    return Chars(MappedText(" ", [span.start], [span.start], span.start), True)


def _extent(command: Command, run: Run, found: Found) -> Span:
    """The command, or what was written elsewhere and is only passed on by it."""
    if command.span.covers(found.span):
        return command.span
    token = run.fields[found.first].token
    extent = found.span
    for field, word in zip(run.fields, run.words, strict=True):
        if field.token == token:
            extent = extent.to(word.span)
    return extent
