"""The rule language: Python's expression syntax over a closed set of nodes, in three values.

Nothing is evaluated by Python itself: an expression is parsed with `ast` and translated node by
node into closures over a Scope. Rule files may come from strangers, so size and depth are bounded.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import product
from typing import Protocol, TypeAlias

from sglang_lint.values import Known, OneOf, Truth, Unknown, Value, join, one_of, truth_of
from sglang_lint.values.value import candidates

MAX_LENGTH = 4000
MAX_NODES = 400
MAX_DEPTH = 30
MAX_COMBINATIONS = 256

# A phase's backend is its own option's, else the common one's.
PHASE_BACKENDS = {
    "prefill_backend": ("prefill_attention_backend", "attention_backend"),
    "decode_backend": ("decode_attention_backend", "attention_backend"),
}
PLATFORM_ATTRIBUTES = frozenset(["name", "family", "sm", "gfx"])

TRUE = Known(True)
FALSE = Known(False)
_UNDECIDED = Unknown("a condition that is not known")
_AS_VALUE: dict[Truth, Value] = {Truth.TRUE: TRUE, Truth.FALSE: FALSE, Truth.UNKNOWN: _UNDECIDED}


class Scope(Protocol):
    """What an expression can read: one launch in one world at one step."""

    def field(self, name: str) -> Value:
        """A field as resolved by this step."""

    def typed(self, name: str) -> Value:
        """A field as the parser set it."""

    def given(self, name: str) -> Value:
        """Whether a field was written."""

    def fact(self, name: str) -> Value:
        """A fact of the model."""

    def platform(self, attribute: str) -> Value:
        """An attribute of the platform."""

    def environment(self, name: str) -> Value:
        """An environment variable, None where it is not set."""


Evaluator: TypeAlias = Callable[[Scope], Value]


class ExpressionError(ValueError):
    """An expression outside the language; the message says what and where."""


@dataclass(frozen=True)
class Expression:
    """A compiled expression with the names that it reads."""

    source: str
    evaluate: Evaluator
    fields: frozenset[str]
    typed: frozenset[str]
    given: frozenset[str]
    facts: frozenset[str]
    axes: frozenset[str]

    def truth(self, scope: Scope) -> Truth:
        """Its truth in a scope."""
        return truth_of(self.evaluate(scope))

    @property
    def all_fields(self) -> frozenset[str]:
        """Every field named in it, in whatever way."""
        return self.fields | self.typed | self.given


@dataclass
class _Names:
    fields: set[str] = field(default_factory=set)
    typed: set[str] = field(default_factory=set)
    given: set[str] = field(default_factory=set)
    facts: set[str] = field(default_factory=set)
    axes: set[str] = field(default_factory=set)


@lru_cache(maxsize=4096)
def compile_expression(source: str) -> Expression:
    """Parse and translate one expression.

    Raises ExpressionError for a syntax error, a node outside the language, or too large a text.
    """
    if len(source) > MAX_LENGTH:
        raise ExpressionError(f"longer than {MAX_LENGTH} characters")
    try:
        tree = ast.parse(source.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise ExpressionError(f"not an expression: {error}") from None
    if sum(1 for _ in ast.walk(tree)) > MAX_NODES:
        raise ExpressionError(f"more than {MAX_NODES} nodes")
    names = _Names()
    evaluate = _Translator(names).translate(tree, 0)
    return Expression(
        source,
        evaluate,
        frozenset(names.fields),
        frozenset(names.typed),
        frozenset(names.given),
        frozenset(names.facts),
        frozenset(names.axes),
    )


def conjuncts(source: str) -> list[str]:
    """The operands of an expression's outermost `and`, or the expression itself."""
    tree = ast.parse(source.strip(), mode="eval").body
    if isinstance(tree, ast.BoolOp) and isinstance(tree.op, ast.And):
        return [ast.unparse(operand) for operand in tree.values]
    return [source]


class _Translator:
    def __init__(self, names: _Names) -> None:
        self._names = names
        self._handlers: dict[type[ast.expr], Callable[..., Evaluator]] = {
            ast.BoolOp: self._bool_op,
            ast.UnaryOp: self._unary,
            ast.Compare: self._compare,
            ast.BinOp: self._binary,
            ast.IfExp: self._conditional,
            ast.Call: self._call,
            ast.Name: self._name,
            ast.Attribute: self._attribute,
            ast.Constant: self._constant,
            ast.List: self._sequence,
            ast.Tuple: self._sequence,
        }

    def translate(self, node: ast.expr, depth: int) -> Evaluator:
        if depth > MAX_DEPTH:
            raise ExpressionError(f"nested more than {MAX_DEPTH} deep")
        handler = self._handlers.get(type(node))
        if handler is None:
            raise ExpressionError(f"`{ast.unparse(node)}` is not part of the rule language")
        return handler(node, depth + 1)

    def _bool_op(self, node: ast.BoolOp, depth: int) -> Evaluator:
        operands = [self.translate(operand, depth) for operand in node.values]
        decisive = Truth.FALSE if isinstance(node.op, ast.And) else Truth.TRUE
        otherwise = FALSE if decisive is Truth.TRUE else TRUE

        def evaluate(scope: Scope) -> Value:
            result: Value = otherwise
            for operand in operands:
                truth = truth_of(operand(scope))
                if truth is decisive:
                    return _AS_VALUE[truth]
                if truth is Truth.UNKNOWN:
                    result = _UNDECIDED
            return result

        return evaluate

    def _unary(self, node: ast.UnaryOp, depth: int) -> Evaluator:
        operand = self.translate(node.operand, depth)
        if isinstance(node.op, ast.Not):
            return lambda scope: _lift(operator.not_, operand(scope))
        if isinstance(node.op, ast.USub):
            return lambda scope: _lift(_arithmetic(lambda a: -a), operand(scope))
        raise ExpressionError(f"`{ast.unparse(node)}` is not part of the rule language")

    def _compare(self, node: ast.Compare, depth: int) -> Evaluator:
        if len(node.ops) != 1:
            left = node.left
            pairs = []
            for operation, right in zip(node.ops, node.comparators, strict=True):
                pairs.append(ast.Compare(left, [operation], [right]))
                left = right
            return self._bool_op(ast.BoolOp(ast.And(), list(pairs)), depth)
        function = _COMPARISONS.get(type(node.ops[0]))
        if function is None:
            raise ExpressionError(f"`{ast.unparse(node)}` is not part of the rule language")
        left_side = self.translate(node.left, depth)
        right_side = self.translate(node.comparators[0], depth)
        return lambda scope: _lift(function, left_side(scope), right_side(scope))

    def _binary(self, node: ast.BinOp, depth: int) -> Evaluator:
        function = _ARITHMETIC.get(type(node.op))
        if function is None:
            raise ExpressionError(f"`{ast.unparse(node)}` is not part of the rule language")
        left, right = self.translate(node.left, depth), self.translate(node.right, depth)
        return lambda scope: _lift(function, left(scope), right(scope))

    def _conditional(self, node: ast.IfExp, depth: int) -> Evaluator:
        test = self.translate(node.test, depth)
        body, orelse = self.translate(node.body, depth), self.translate(node.orelse, depth)

        def evaluate(scope: Scope) -> Value:
            truth = truth_of(test(scope))
            if truth is Truth.TRUE:
                return body(scope)
            if truth is Truth.FALSE:
                return orelse(scope)
            return join([body(scope), orelse(scope)])

        return evaluate

    def _call(self, node: ast.Call, depth: int) -> Evaluator:
        if not isinstance(node.func, ast.Name) or node.keywords:
            raise ExpressionError(f"`{ast.unparse(node)}` is not part of the rule language")
        name = node.func.id
        if name == "given":
            if len(node.args) != 1 or not isinstance(node.args[0], ast.Name):
                raise ExpressionError("`given` takes the name of one field")
            target = node.args[0].id
            self._names.given.add(target)
            return lambda scope: scope.given(target)
        if name == "unknown" and not node.args:
            return lambda scope: _UNDECIDED
        function = _FUNCTIONS.get(name)
        if function is None:
            raise ExpressionError(f"there is no function `{name}`")
        arguments = [self.translate(argument, depth) for argument in node.args]
        return lambda scope: _lift(function, *(argument(scope) for argument in arguments))

    def _name(self, node: ast.Name, depth: int) -> Evaluator:
        name = node.id
        if name in PHASE_BACKENDS:
            own, common = PHASE_BACKENDS[name]
            self._names.fields.update((own, common))

            def evaluate(scope: Scope) -> Value:
                phase = scope.field(own)
                options = candidates(phase)
                if options is not None and None not in options:
                    return phase
                if phase == Known(None):
                    return scope.field(common)
                if options is None:
                    return phase
                rest = one_of(option for option in options if option is not None)
                return join([rest, scope.field(common)])

            return evaluate
        self._names.fields.add(name)
        return lambda scope: scope.field(name)

    def _attribute(self, node: ast.Attribute, depth: int) -> Evaluator:
        if not isinstance(node.value, ast.Name):
            raise ExpressionError(f"`{ast.unparse(node)}` is not part of the rule language")
        attribute = node.attr
        match node.value.id:
            case "typed":
                self._names.typed.add(attribute)
                return lambda scope: scope.typed(attribute)
            case "model":
                self._names.facts.add(attribute)
                self._names.axes.add("model")
                return lambda scope: scope.fact(attribute)
            case "platform" if attribute in PLATFORM_ATTRIBUTES:
                self._names.axes.add("platform")
                return lambda scope: scope.platform(attribute)
            case "env":
                return lambda scope: scope.environment(attribute)
        raise ExpressionError(f"`{ast.unparse(node)}` is not part of the rule language")

    def _constant(self, node: ast.Constant, depth: int) -> Evaluator:
        if not isinstance(node.value, (str, int, float, bool, type(None))):
            raise ExpressionError(f"`{ast.unparse(node)}` is not part of the rule language")
        value = Known(node.value)
        return lambda scope: value

    def _sequence(self, node: ast.List | ast.Tuple, depth: int) -> Evaluator:
        items = [self.translate(item, depth) for item in node.elts]
        if all(isinstance(item, ast.Constant) for item in node.elts):
            literal = _lift(lambda *values: tuple(values), *(item(_NOTHING) for item in items))
            return lambda scope: literal
        return lambda scope: _lift(lambda *values: tuple(values), *(item(scope) for item in items))


class _Nothing:
    """The scope of a literal, which reads none."""

    def field(self, name: str) -> Value:
        return _UNDECIDED

    typed = given = fact = platform = environment = field


_NOTHING = _Nothing()


def _lift(function: Callable[..., Hashable], *operands: Value) -> Value:
    """Apply a function to every combination of the values that the operands may have."""
    if len(operands) == 2:  # by far the most frequent
        left, right = operands
        if type(left) is Known and type(right) is Known:
            return Known(function(left.value, right.value))
        if type(left) is Unknown:
            return left
    if all(isinstance(operand, Known) for operand in operands):
        return Known(
            function(*(operand.value for operand in operands if isinstance(operand, Known)))
        )
    sets: list[Sequence[Hashable]] = []
    total = 1
    for operand in operands:
        if not isinstance(operand, (Known, OneOf)):
            return operand
        options = (operand.value,) if isinstance(operand, Known) else operand.values
        total *= len(options)
        sets.append(options)
    if total > MAX_COMBINATIONS:
        return _UNDECIDED
    return one_of(function(*combination) for combination in product(*sets))


def _ordered(compare: Callable[..., bool]) -> Callable[[object, object], bool]:
    def function(left: object, right: object) -> bool:
        if isinstance(left, (int, float)) and isinstance(right, (int, float)):
            return compare(left, right)
        if isinstance(left, str) and isinstance(right, str):
            return compare(left, right)
        return False

    return function


def _contains(left: object, right: object) -> bool:
    if isinstance(right, str):
        return isinstance(left, str) and left in right
    return isinstance(right, tuple) and left in right


def _arithmetic(compute: Callable[..., int | float]) -> Callable[..., Hashable]:
    def function(*operands: object) -> Hashable:
        if not all(isinstance(operand, (int, float)) for operand in operands):
            return None
        try:
            return compute(*operands)
        except (ZeroDivisionError, OverflowError):
            return None

    return function


def _extreme(choose: Callable[..., int | float]) -> Callable[..., Hashable]:
    def function(*operands: object) -> Hashable:
        numbers = [operand for operand in operands if isinstance(operand, (int, float))]
        return choose(numbers) if len(numbers) == len(operands) and numbers else None

    return function


def _length(value: object) -> int | None:
    return len(value) if isinstance(value, (str, tuple)) else None


def _lower(value: object) -> str | None:
    return value.lower() if isinstance(value, str) else None


def _startswith(value: object, prefix: object) -> bool:
    return isinstance(value, str) and isinstance(prefix, str) and value.startswith(prefix)


_COMPARISONS: dict[type[ast.cmpop], Callable[..., Hashable]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: _ordered(operator.lt),
    ast.LtE: _ordered(operator.le),
    ast.Gt: _ordered(operator.gt),
    ast.GtE: _ordered(operator.ge),
    ast.In: _contains,
    ast.NotIn: lambda left, right: not _contains(left, right),
    ast.Is: operator.eq,
    ast.IsNot: operator.ne,
}
_ARITHMETIC: dict[type[ast.operator], Callable[..., Hashable]] = {
    ast.Add: _arithmetic(operator.add),
    ast.Sub: _arithmetic(operator.sub),
    ast.Mult: _arithmetic(operator.mul),
    ast.FloorDiv: _arithmetic(operator.floordiv),
    ast.Mod: _arithmetic(operator.mod),
}
_FUNCTIONS: dict[str, Callable[..., Hashable]] = {
    "len": _length,
    "min": _extreme(min),
    "max": _extreme(max),
    "lower": _lower,
    "startswith": _startswith,
}
