"""Maps from embedded texts to their hosts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sglang_lint.text import Document, MappedText, Position, Span


def test_a_region_knows_its_place() -> None:
    mapped = MappedText.region("abc def", 4, 7)
    assert (mapped.text, mapped.span(), mapped.span(1, 2)) == ("def", Span(4, 7), Span(5, 6))


def test_maps_compose_through_two_hosts() -> None:
    host = "key: 'it''s --tp 8'"
    # The YAML scalar: the doubled quote is one character written as two.
    starts = [6, 7, 8, *range(10, 18)]
    ends = [7, 8, 10, *range(11, 19)]
    scalar = MappedText("it's --tp 8", starts, ends, 6)
    word = MappedText.region(scalar.text, 5, 9)
    place = scalar.within(word).span()
    assert host[place.start : place.end] == "--tp"


def test_an_escape_is_not_verbatim() -> None:
    mapped = MappedText("a'b", [0, 1, 3], [1, 3, 4])
    assert not mapped.is_verbatim(0, 3)
    assert mapped.is_verbatim(0, 1)
    assert mapped.is_verbatim(2, 3)


def test_an_empty_slice_has_a_place() -> None:
    mapped = MappedText.region("abcdef", 2, 4)
    assert mapped.slice(2, 2).span() == Span(4, 4)
    assert MappedText.region("abc", 2, 2).span() == Span(2, 2)


def test_a_mask_keeps_the_length() -> None:
    with pytest.raises(ValueError, match="length"):
        MappedText.region("abc").replaced("ab")


@given(st.text(alphabet="ab\r\n😀é"), st.data())
def test_positions_and_offsets_are_inverse(text: str, data: st.DataObject) -> None:
    document = Document("x", text)
    offset = data.draw(st.integers(0, len(text)))
    position = document.position(offset)
    assert document.offset(position) == offset
    assert 1 <= position.line <= len(document.line_starts)


def test_lines_end_at_every_line_break() -> None:
    document = Document("x", "a\r\nb\rc\nd")
    assert [document.line(n) for n in (1, 2, 3, 4)] == ["a", "b", "c", "d"]
    assert document.position(3) == Position(2, 1)
