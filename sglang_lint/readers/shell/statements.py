"""Walks a script as bash runs it, on all ways at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import tree_sitter

from sglang_lint.readers.shell import conditions, loops, setting
from sglang_lint.readers.shell.branches import Way, branch
from sglang_lint.readers.shell.formulas import Always, Formula, Matched, Negated, joined
from sglang_lint.readers.shell.session import MAX_STATEMENT_DEPTH, Session
from sglang_lint.readers.shell.simple import SimpleCommands
from sglang_lint.readers.shell.sink import Sink
from sglang_lint.readers.shell.skipping import BrokenError
from sglang_lint.readers.shell.state import Function, Script, State
from sglang_lint.readers.shell.syntax import Word

SIMPLE = frozenset(
    """
    command variable_assignment variable_assignments declaration_command unset_command
    test_command
    """.split()
)
COMPOUND = frozenset(
    """
    redirected_statement list pipeline negated_command subshell compound_statement if_statement
    case_statement for_statement c_style_for_statement while_statement function_definition ERROR
    """.split()
)
STATEMENTS = SIMPLE | COMPOUND
# What an unfinished word or command leaves in an error node.
_LEFTOVERS = frozenset(
    """
    word string raw_string ansi_c_string concatenation simple_expansion expansion command_name
    variable_name number
    """.split()
)
_KEYWORDS = frozenset(
    "if then else elif fi for while until do done case esac function select { }".split()
)
_MAX_REPAIRS = 12
_MAX_WORDING = 200


class Interpreter:
    """Runs statements; `covered` is how far into the text the last simple command reached."""

    def __init__(self, session: Session, sink: Sink) -> None:
        self.session = session
        self.sink = sink
        self.covered = 0
        self.called: set[Function] = set()
        self.defined: dict[Function, State] = {}
        self.simple = SimpleCommands(self)
        self._depth = 0

    def script(self, script: Script, state: State) -> Formula:
        """A whole text."""
        covered, self.covered = self.covered, 0
        status = self.block(script, script.root.children, state)
        self.covered = covered
        return status

    def block(self, script: Script, nodes: Sequence[tree_sitter.Node], state: State) -> Formula:
        """Statements one after the other; the status is the last one's."""
        status: Formula = Always(True)
        covered = 0
        current = state
        for index, node in enumerate(nodes):
            if node.type not in STATEMENTS or script.end(node) <= covered:
                continue
            if script.start(node) < covered:
                self._repair(script, covered, script.end(node), state)
                continue
            self.covered = 0
            background = index + 1 < len(nodes) and nodes[index + 1].type == "&"
            if current.left is not None:
                # What follows is not reached, yet people want to know what it would start.
                current = current.copy()
            status = self.statement(script, node, current.copy() if background else current)
            covered = max(covered, self.covered)
        self.covered = covered
        return status

    def statement(self, script: Script, node: tree_sitter.Node, state: State) -> Formula:
        """One statement; what stands too deep is not looked into."""
        if self._depth >= MAX_STATEMENT_DEPTH:
            state.scope.hide(setting.names_set(script, [node], state), "set too deeply")
            return conditions.named(script.text(node)[:200], state)
        self._depth += 1
        try:
            return self._statement(script, node, state)
        finally:
            self._depth -= 1

    def call(self, function: Function, state: State) -> Formula:
        """The body of a function, its arguments being set already."""
        self.called.add(function)
        covered = self.covered
        status = self.statement(function.script, function.body, state)
        self.covered = covered
        return status

    def repair(self, script: Script, start: int, end: int, state: State) -> None:
        """Text behind a command that the grammar took for a part of it."""
        if script.lexer.text[start:end].strip(" \t\r\n;&|)") and script.repairs < _MAX_REPAIRS:
            self._repair(script, start, end, state)

    def _repair(self, script: Script, start: int, end: int, state: State) -> None:
        if script.repairs >= _MAX_REPAIRS:
            return
        part = script.part(start, end)
        self.block(part, part.root.children, state)
        self.covered = max(self.covered, end)

    def _statement(self, script: Script, node: tree_sitter.Node, state: State) -> Formula:
        kind = node.type
        if kind in SIMPLE:
            return self._simple(script, node, state)
        if kind == "redirected_statement":
            return self._redirected(script, node, state)
        if kind == "list":
            return self._list(script, node, state)
        if kind == "pipeline":
            return self._pipeline(script, node, state)
        if kind == "negated_command":
            inner = [child for child in node.children if child.type in STATEMENTS]
            return Negated(self.block(script, inner, state))
        if kind == "subshell":
            return self.block(script, node.children, state.copy())
        if kind == "compound_statement":
            return self._group(script, node, state)
        if kind == "if_statement":
            return self._if(script, node, state)
        if kind == "case_statement":
            return self._case(script, node, state)
        if kind == "function_definition":
            return self._function(script, node, state)
        if kind == "ERROR":
            return self._error(script, node, state)
        return loops.run(self, script, node, state)

    def _simple(self, script: Script, node: tree_sitter.Node, state: State) -> Formula:
        start, end = script.start(node), script.end(node)
        if node.type == "test_command" and script.lexer.text.startswith("[[", start):
            try:
                return conditions.bracketed(script.lexer, start, end, state)
            except BrokenError:
                return conditions.named(script.text(node), state)
        return self.simple.run(script, start, end, state, node)

    def _redirected(self, script: Script, node: tree_sitter.Node, state: State) -> Formula:
        body = node.child_by_field_name("body")
        heredocs = [child for child in node.children if child.type == "heredoc_redirect"]
        if body is None or body.type in SIMPLE:
            status = self.simple.run(script, script.start(node), script.end(node), state, node)
        else:
            status = self.statement(script, body, state)
        inner = [
            child for heredoc in heredocs for child in heredoc.children if child.type in STATEMENTS
        ]
        if inner:
            self.block(script, inner, state)
        self.covered = max(self.covered, script.end(node))
        return status

    def _list(self, script: Script, node: tree_sitter.Node, state: State) -> Formula:
        chain: list[tuple[str, tree_sitter.Node]] = []
        current = node
        while current.type == "list" and len(current.children) >= 3:
            chain.append((current.children[1].type, current.children[2]))
            current = current.children[0]
        status = self.statement(script, current, state)
        begin = script.start(node)
        for operator, right in reversed(chain):
            text = script.lexer.text[begin : min(script.start(right), begin + _MAX_WORDING)]
            wording = conditions.label(text.rstrip(" \t\r\n&|\\"))
            status = self._then(script, right, state, (status, operator == "&&", wording))
        return status

    def _then(
        self,
        script: Script,
        node: tree_sitter.Node,
        state: State,
        left: tuple[Formula, bool, str],
    ) -> Formula:
        status, both, wording = left
        second: list[Formula] = []

        def run(inner: State) -> None:
            second.append(self.statement(script, node, inner))

        labels = (wording, f"not {wording}") if both else (f"not {wording}", wording)
        ways = (
            Way(labels[0], ((status, both),), run),
            Way(labels[1], ((status, not both),)),
        )
        branch(self.session, state, ways)
        return joined(status, second[0] if second else Always(not both), both)

    def _pipeline(self, script: Script, node: tree_sitter.Node, state: State) -> Formula:
        covered = 0
        for child in node.children:
            if child.type in STATEMENTS:
                self.covered = 0
                self.statement(script, child, state.copy())
                covered = max(covered, self.covered)
        self.covered = covered
        return conditions.named(script.text(node), state)

    def _group(self, script: Script, node: tree_sitter.Node, state: State) -> Formula:
        text = script.text(node)
        if not text.startswith("(("):
            return self.block(script, node.children, state)
        formula = conditions.arithmetic(text, state)
        state.scope.hide(setting.counted(text), "counted")
        return formula

    def _if(self, script: Script, node: tree_sitter.Node, state: State) -> Formula:
        clauses = _clauses(node)
        self._clause(script, clauses, state)
        return conditions.named(script.text(node)[:200], state)

    def _clause(
        self,
        script: Script,
        clauses: Sequence[tuple[list[tree_sitter.Node], list[tree_sitter.Node]]],
        state: State,
    ) -> None:
        """The first of the clauses, with the others where its condition does not hold."""
        ways: list[Way] = []
        earlier: tuple[tuple[Formula, bool], ...] = ()
        negated: list[str] = []
        for tests, body in clauses:
            if tests:
                text = script.lexer.text[script.start(tests[0]) : script.end(tests[-1])]
                wording = conditions.label(text)
                formula = self.block(script, tests, state)
                held: tuple[tuple[Formula, bool], ...] = (*earlier, (formula, True))
            else:
                wording, formula, held = " and ".join(negated), Always(True), earlier
            ways.append(Way(wording, held, self._runner(script, body)))
            earlier = (*earlier, (formula, False))
            negated.append(f"not {wording}")
            if not tests:
                break
        else:
            ways.append(Way(" and ".join(negated), earlier))
        branch(self.session, state, ways)

    def _runner(
        self, script: Script, body: Sequence[tree_sitter.Node]
    ) -> Callable[[State], object]:
        return lambda state: self.block(script, body, state)

    def _case(self, script: Script, node: tree_sitter.Node, state: State) -> Formula:
        value = node.child_by_field_name("value")
        items = [child for child in node.children if child.type == "case_item"]
        subject = None if value is None else self._word(script, value)
        ways: list[Way] = []
        earlier: tuple[tuple[Formula, bool], ...] = ()
        for item in items:
            formula, wording = self._case_item(script, item, subject, state)
            label = conditions.label(f"case {script.text(value) if value else ''} in {wording})")
            body = [child for child in item.children if child.type in STATEMENTS]
            ways.append(Way(label, (*earlier, (formula, True)), self._runner(script, body)))
            earlier = (*earlier, (formula, False))
        ways.append(Way("no case matches", earlier))
        branch(self.session, state, ways)
        return conditions.named(script.text(node)[:200], state)

    def _case_item(
        self, script: Script, item: tree_sitter.Node, subject: Word | None, state: State
    ) -> tuple[Formula, str]:
        formula: Formula | None = None
        spelled = []
        for pattern in item.children_by_field_name("value"):
            spelled.append(script.text(pattern))
            word = self._word(script, pattern)
            if word is None or subject is None:
                one: Formula = conditions.named(f"case {script.text(item)[:200]}", state)
            else:
                left, right = state.scope.bind(subject), state.scope.bind(word)
                values = tuple(sorted(left.captured.items(), key=lambda kv: kv[0]))
                one = Matched(left, right, ("case", script.text(pattern), values))
            formula = one if formula is None else joined(formula, one, False)
        return formula or Always(False), "|".join(spelled)

    def _word(self, script: Script, node: tree_sitter.Node) -> Word | None:
        start, end = script.start(node), script.end(node)
        try:
            word, stop = script.lexer.word(start, end, " \t\n")
        except BrokenError:
            return None
        return word if stop == end else None

    def _function(self, script: Script, node: tree_sitter.Node, state: State) -> Formula:
        name = node.child_by_field_name("name")
        body = node.child_by_field_name("body")
        if name is not None and body is not None:
            function = Function(script.text(name), script, body)
            state.functions[function.name] = function
            self.defined[function] = state
        return Always(True)

    def _error(self, script: Script, node: tree_sitter.Node, state: State) -> Formula:
        """What the grammar could not place: its statements are run, its order is not trusted."""
        covered = 0
        unsure = any(child.type in _KEYWORDS for child in node.children)
        for child in node.children:
            if script.start(child) < covered:
                continue
            self.covered = 0
            if child.type in STATEMENTS:
                self.statement(script, child, state)
            elif child.type in _LEFTOVERS:
                self.simple.run(script, script.start(child), script.end(child), state, child)
            covered = max(covered, self.covered, script.end(child))
        if unsure:
            state.scope.hide(setting.names_set(script, [node], state), "set in an unfinished block")
        self.covered = covered
        return conditions.named(script.text(node)[:200], state)


def _clauses(
    node: tree_sitter.Node,
) -> list[tuple[list[tree_sitter.Node], list[tree_sitter.Node]]]:
    """Conditions and body of each clause; `else` has no conditions."""
    found = [_clause_of(node)]
    found += [_clause_of(child) for child in node.children if child.type == "elif_clause"]
    for child in node.children:
        if child.type == "else_clause":
            found.append(([], [inner for inner in child.children if inner.type in STATEMENTS]))
    return found


def _clause_of(node: tree_sitter.Node) -> tuple[list[tree_sitter.Node], list[tree_sitter.Node]]:
    tests: list[tree_sitter.Node] = []
    body: list[tree_sitter.Node] = []
    current = tests
    for child in node.children:
        if child.type == "then":
            current = body
        elif child.type in STATEMENTS or child.type == "&":
            current.append(child)
    return tests, body
