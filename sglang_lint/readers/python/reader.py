"""Reading a Python file."""

from __future__ import annotations

import ast
import re
import warnings

import libcst as cst

from sglang_lint.launches import Fault, Reading
from sglang_lint.readers.python import argv_launches, keyword_launches
from sglang_lint.readers.python.analysis import read_module
from sglang_lint.readers.python.attributes import ENVIRON
from sglang_lint.readers.python.drafts import Drafts
from sglang_lint.readers.python.expressions import evaluate
from sglang_lint.readers.python.positions import Lines, Places
from sglang_lint.readers.python.run import Run, TooMuchError
from sglang_lint.readers.python.sieve import WORDS, Sifted, sift
from sglang_lint.readers.python.state import Numbers, Scope, State
from sglang_lint.readers.python.statements import execute
from sglang_lint.readers.python.things import Box, Kind
from sglang_lint.text import MappedText, Span

SYNTAX = "python-syntax"
TOO_DEEP = "too-deep"

# libcst takes a second for about this much.
MAX_SIFTED = 400_000
# Files that only a newer Python knows are given to libcst as they are, if they are harmless.
_MAX_NEWER = 200_000
_MAX_BRACKETS = 40
_MAX_LINE_TOKENS = 2_000

_SURROGATE = re.compile("[\ud800-\udfff]")
_TOKEN = re.compile(r"\w+|[^\w\s]")


def read(source: MappedText, path: str) -> Reading:
    """The launches, hook facts and faults of a Python file; never raises for what is in it."""
    if WORDS.search(source.text) is None or "sglang" not in source.text.lower():
        return Reading()
    text = _SURROGATE.sub("\N{REPLACEMENT CHARACTER}", source.text)
    source = source.replaced(text)
    if text.startswith("\N{ZERO WIDTH NO-BREAK SPACE}"):
        source = source.slice(1)
    nul = source.text.find("\0")
    if nul >= 0:
        fault = Fault(SYNTAX, "the file holds a NUL character", source.span(nul, nul + 1))
        return Reading(faults=(fault,))
    try:
        tree = _parsed(source.text)
    except SyntaxError as error:
        return _read_newer(source, error)
    except (RecursionError, MemoryError):
        return Reading(faults=(_too_deep(source.span(0, 0)),))
    return _read_tree(source, tree)


def _parsed(text: str) -> ast.Module:
    with warnings.catch_warnings():
        # Odd escapes are for other linters.
        warnings.simplefilter("ignore")
        return ast.parse(text)


def _start(source: MappedText, lines: Lines, line: int) -> Span:
    """The first character of a line."""
    start = lines.start(line)
    return source.span(start, min(start + 1, len(source)))


def _too_deep(span: Span) -> Fault:
    return Fault(TOO_DEEP, "the code is nested too deeply to be read", span)


def _read_tree(source: MappedText, tree: ast.Module) -> Reading:
    lines = Lines(source.text)
    written = lines.all(source.text)
    sifted = sift(tree, written)
    faults = [_too_deep(_start(source, lines, statement.lineno)) for statement in sifted.deep]
    if not sifted.lines:
        return Reading(faults=tuple(faults))
    kept = "".join(written[line - 1] for line in sifted.lines)
    if len(kept) > MAX_SIFTED:
        message = "there is more code around launches than is read"
        fault = Fault(TOO_DEEP, message, _start(source, lines, sifted.lines[0]))
        return Reading(faults=(*faults, fault))
    module = _module(kept)
    if module is None:
        return Reading(faults=tuple(faults))
    offsets = [lines.start(line) for line in sifted.lines]
    # The last line of a file may be empty, and libcst may see one more.
    offsets.append(len(source.text))
    return _read_module(source, module, offsets, sifted, faults)


def _module(text: str) -> cst.Module | None:
    try:
        return cst.parse_module(text)
    except (cst.ParserSyntaxError, cst.CSTValidationError):
        return None


def _read_newer(source: MappedText, error: SyntaxError) -> Reading:
    """A file that this Python does not take: a newer one may, and libcst knows those."""
    lines = Lines(source.text)
    if _is_harmless(source.text):
        module = _module(source.text)
        if module is not None:
            offsets = [*lines.starts, len(source.text)]
            everything = Sifted(list(range(1, len(lines.starts) + 1)))
            return _read_module(source, module, offsets, everything, [])
    line = min(max(error.lineno or 1, 1), len(lines.starts))
    start = lines.start(line) + max((error.offset or 1) - 1, 0)
    start = min(start, max(len(source.text) - 1, 0))
    fault = Fault(SYNTAX, f"no Python 3: {error.msg}", source.span(start, start + 1))
    return Reading(faults=(fault,))


def _is_harmless(text: str) -> bool:
    """Whether a parser that recurses can be given a text that `ast` has not vouched for."""
    if len(text) > _MAX_NEWER:
        return False
    depth = deepest_bracket = 0
    for char in text:
        if char in "([{":
            depth += 1
            deepest_bracket = max(deepest_bracket, depth)
        elif char in ")]}":
            depth = max(depth - 1, 0)
    longest = max((len(_TOKEN.findall(line)) for line in re.split(r"\n\s*\n", text)), default=0)
    return deepest_bracket <= _MAX_BRACKETS and longest <= _MAX_LINE_TOKENS


def _read_module(
    source: MappedText,
    module: cst.Module,
    offsets: list[int],
    sifted: Sifted,
    faults: list[Fault],
) -> Reading:
    drafts = Drafts()
    for fault in faults:
        drafts.add_fault(fault)
    numbers = Numbers()
    run = Run(Places(source, module, offsets), drafts, numbers, evaluate, execute)
    state = State(Scope(shared=sifted.shared), numbers)
    state.heap[ENVIRON.box] = Box(Kind.ENVIRON)
    try:
        read_module(run, state, module)
        argv_launches.report_waiting(run)
        keyword_launches.report_begun(run)
    except TooMuchError:
        message = "the file takes more work to follow than is done"
        drafts.add_fault(Fault(TOO_DEEP, message, source.span(0, 1)))
    return Reading(
        drafts.launches(run.evidence),
        drafts.faults(),
        tuple(run.overrides),
        tuple(run.hook_calls),
    )
