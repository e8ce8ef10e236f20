"""The rule language: what it takes, what it refuses, what it makes of the unknown."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sglang_lint.matrix.expression import (
    MAX_NODES,
    ExpressionError,
    compile_expression,
    conjuncts,
)
from sglang_lint.values import Known, OneOf, Truth, Unknown, Value


@dataclass
class Fields:
    """A scope of plain fields; what is not there is unknown."""

    values: Mapping[str, Value] = field(default_factory=dict)

    def field(self, name: str) -> Value:
        return self.values.get(name, Unknown())

    typed = given = fact = platform = environment = field


def value(source: str, **fields: object) -> Value:
    known = {
        name: item if isinstance(item, (OneOf, Unknown)) else Known(item)  # type: ignore[arg-type]
        for name, item in fields.items()
    }
    return compile_expression(source).evaluate(Fields(known))


def truth(source: str, **fields: object) -> Truth:
    known = {
        name: item if isinstance(item, (OneOf, Unknown)) else Known(item)  # type: ignore[arg-type]
        for name, item in fields.items()
    }
    return compile_expression(source).truth(Fields(known))


@pytest.mark.parametrize(
    "source",
    [
        "__import__('os')",
        "a.b.c",
        "a[0]",
        "lambda: 1",
        "[x for x in y]",
        "open('x')",
        "a if",
        "given(1)",
        "given(a, b)",
        "platform.secret",
        "self.x",
        "a ** 9",
        "f'{a}'",
        "{1: 2}",
        "b'x' == a",
        "(a := 1)",
        "min(a, key=b)",
    ],
)
def test_what_is_outside_the_language_is_refused(source: str) -> None:
    with pytest.raises(ExpressionError):
        compile_expression(source)


def test_size_and_depth_are_bounded() -> None:
    with pytest.raises(ExpressionError, match="nodes"):
        compile_expression(" + ".join(["a"] * MAX_NODES))
    with pytest.raises(ExpressionError):
        compile_expression("not " * 60 + "a")
    with pytest.raises(ExpressionError):
        compile_expression("(" * 3000 + "a" + ")" * 3000)


def test_false_and_anything_is_false() -> None:
    assert truth("a > 1 and b", a=1) is Truth.FALSE
    assert truth("b and a > 1", a=1) is Truth.FALSE
    assert truth("a > 1 and b", a=2) is Truth.UNKNOWN
    assert truth("a > 1 or b", a=2) is Truth.TRUE


def test_a_few_candidates_decide_where_they_agree() -> None:
    assert truth("a % 2 == 0", a=OneOf((2, 4))) is Truth.TRUE
    assert truth("a % 2 == 0", a=OneOf((2, 3))) is Truth.UNKNOWN
    assert truth("a in ['x', 'y']", a=OneOf(("x", "y"))) is Truth.TRUE


def test_none_is_never_greater_and_in_nothing() -> None:
    assert truth("a > 1", a=None) is Truth.FALSE
    assert truth("a < 1", a=None) is Truth.FALSE
    assert value("a + 1", a=None) == Known(None)
    assert value("8 % a", a=0) == Known(None)
    assert truth("1 in a", a=None) is Truth.FALSE


def test_a_phase_backend_falls_back_to_the_common_one() -> None:
    assert value("decode_backend", decode_attention_backend=None, attention_backend="x") == Known(
        "x"
    )
    assert value("decode_backend", decode_attention_backend="y", attention_backend="x") == Known(
        "y"
    )
    maybe = value(
        "decode_backend", decode_attention_backend=OneOf((None, "y")), attention_backend="x"
    )
    assert maybe == OneOf(("y", "x"))
    assert isinstance(value("decode_backend", attention_backend="x"), Unknown)


def test_a_conditional_with_an_unknown_test_may_be_either() -> None:
    assert value("1 if a else 2") == OneOf((1, 2))
    assert value("1 if a else 1") == Known(1)


def test_chained_comparisons() -> None:
    assert truth("1 < a < 3", a=2) is Truth.TRUE
    assert truth("1 < a < 3", a=3) is Truth.FALSE


def test_an_expression_tells_what_it_reads() -> None:
    expression = compile_expression("decode_backend == 'x' and typed.a and given(b) and model.c")
    assert expression.fields == {"decode_attention_backend", "attention_backend"}
    assert (expression.typed, expression.given, expression.facts) == ({"a"}, {"b"}, {"c"})
    assert conjuncts("a and (b or c)") == ["a", "b or c"]


_LITERALS = st.sampled_from(["1", "2", "None", "'x'", "True", "a", "b"])
_SOURCES = st.recursive(
    _LITERALS,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["and", "or", "==", "<", "in", "+", "%"]), inner).map(
            lambda parts: f"({parts[0]} {parts[1]} {parts[2]})"
        ),
        inner.map(lambda part: f"(not {part})"),
    ),
    max_leaves=8,
)


@given(_SOURCES, st.sampled_from([0, 1, None, "x"]), st.sampled_from([0, 1, None, "x"]))
def test_knowing_more_never_changes_a_decided_value(source: str, a: object, b: object) -> None:
    """Kleene's logic is monotone: what is decided with `b` unknown stays so once it is known."""
    before, after = truth(source, a=a), truth(source, a=a, b=b)
    assert before is Truth.UNKNOWN or before is after


@given(st.text(max_size=60))
def test_any_text_is_compiled_or_refused(source: str) -> None:
    with suppress(ExpressionError):
        compile_expression(source)
