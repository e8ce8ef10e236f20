"""Shell in, launches out: a script file, or shell text that stands in another language."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from sglang_lint.launches import Reading, Word
from sglang_lint.readers.shell.bindings import Bound, Given, Scope, arguments_of
from sglang_lint.readers.shell.expansion import Expander
from sglang_lint.readers.shell.formulas import Path
from sglang_lint.readers.shell.lexer import BLANKS, Lexer
from sglang_lint.readers.shell.pieces import Assembled
from sglang_lint.readers.shell.session import MAX_SCRIPT_DEPTH, MAX_WORDS, ExhaustedError, Session
from sglang_lint.readers.shell.sink import Sink
from sglang_lint.readers.shell.skipping import BrokenError
from sglang_lint.readers.shell.state import Function, Script, State
from sglang_lint.readers.shell.statements import Interpreter
from sglang_lint.readers.shell.syntax import POSITIONAL
from sglang_lint.readers.shell.words import to_word
from sglang_lint.text import MappedText
from sglang_lint.values import Value

# A script longer than this was not written to be read.
MAX_LENGTH = 1_000_000
_SOURCES = re.compile(r"(?m)^\s*(?:source|\.)\s")


def read(source: MappedText, path: str) -> Reading:
    """The launches and faults of a script file."""
    return read_script(source)


def read_script(
    source: MappedText,
    *,
    variables: Mapping[str, Value] | None = None,
    parameters: Sequence[Word] | None = None,
    depth: int = 0,
) -> Reading:
    """The launches and faults of a shell text; all spans are those of the text's host.

    `variables` are set by the surroundings (a container's environment). `parameters` are $0, $1
    and so on where the surroundings pass them, None where nobody knows. `depth` counts the
    scripts around this one.
    """
    if depth > MAX_SCRIPT_DEPTH or len(source) > MAX_LENGTH:
        return Reading()
    session = Session(sources=bool(_SOURCES.search(source.text)))
    sink = Sink()
    interpreter = Interpreter(session, sink)
    state = State(_scope(variables, parameters))
    try:
        interpreter.script(Script.of(Assembled(source), depth), state)
        _uncalled(interpreter)
    except ExhaustedError:
        sink.exhausted()
    return sink.reading()


def words_of(source: MappedText, variables: Mapping[str, Value] | None = None) -> list[Word]:
    """One simple command as a POSIX shell cuts it into words.

    Nothing in it is run, no file name is expanded, and an operator such as `&&` is a word: what
    takes such a string (the `command` of a compose service) knows quotes and parameters only.
    A text whose quotes do not end has no words.
    """
    if len(source) > MAX_LENGTH:
        return []
    lexer = Lexer(Assembled(source), plain=True)
    scope = _scope(variables, None)
    expander = Expander(Session(), Path(), merging=True)
    position, limit = 0, len(source)
    bounds: list[Bound] = []
    try:
        while len(bounds) < MAX_WORDS:
            position = lexer.blanks(position, limit)
            if position < limit and source.text[position] == "\n":
                position += 1
                continue
            if position >= limit:
                break
            word, position = lexer.word(position, limit, BLANKS)
            bounds.append(scope.bind(word))
        return [to_word(field) for field in expander.fields(bounds)]
    except (BrokenError, ExhaustedError):
        return []


def _scope(variables: Mapping[str, Value] | None, parameters: Sequence[Word] | None) -> Scope:
    scope = Scope()
    for name, value in (variables or {}).items():
        scope.variables[name] = Given(value)
        scope.exported.add(name)
    if parameters is not None:
        scope.variables[POSITIONAL] = arguments_of(parameters)
    return scope


def _uncalled(interpreter: Interpreter) -> None:
    """Functions that something outside the script calls, or a word that nobody knows."""
    done: set[Function] = set()
    while True:
        waiting = [
            function
            for function in interpreter.defined
            if function not in interpreter.called and function not in done
        ]
        if not waiting:
            return
        for function in waiting:
            done.add(function)
            state = interpreter.defined[function].copy()
            state.scope.variables.pop(POSITIONAL, None)
            state.saved = {}
            state.calls = (function,)
            interpreter.call(function, state)
