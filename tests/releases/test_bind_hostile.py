"""Words, keywords and tails of any kind: binding ends, and its spans lie in the host."""

from hypothesis import given, settings
from hypothesis import strategies as st

from sglang_lint.launches import Keyword, Tail, Variant, Word
from sglang_lint.launches.entry_points import ENGINE, LAUNCH_SERVER, MODULES, SERVE
from sglang_lint.releases.bind import bind, understands
from sglang_lint.releases.table import known_releases, release_table
from sglang_lint.text import MappedText, Span
from sglang_lint.values import Known, Unknown, one_of

SIZE = 200
_entry_points = st.sampled_from([LAUNCH_SERVER, SERVE, ENGINE, *MODULES.values()])
_spellings = [s for option in release_table("0.5.18").options for s in option.strings]
_names = st.sampled_from(
    [*_spellings, "--tp", "--cp-size", "--router-policy", "--model-type", "-h"]
)
_texts = st.one_of(
    _names,
    st.builds("{}={}".format, _names, st.text(max_size=5)),
    st.builds(str.__getitem__, _names, st.builds(slice, st.integers(0, 12))),
    st.text(max_size=8),
    st.text("-=0123456789.{} \t\n", max_size=8),
)
_scalars = st.one_of(_texts, st.integers(), st.none(), st.booleans(), st.floats(allow_nan=False))
_values = st.one_of(
    _scalars.map(Known),
    st.lists(_scalars, min_size=1, max_size=4).map(one_of),
    st.just(Unknown("$X")),
)
_spans = st.tuples(st.integers(0, SIZE), st.integers(0, SIZE)).map(lambda p: Span(min(p), max(p)))


@st.composite
def _words(draw):
    value, span = draw(_values), draw(_spans)
    known = str(value.value) if isinstance(value, Known) else draw(_texts)
    if draw(st.integers(0, 3)) == 0:
        known = known[: draw(st.integers(0, 5))]
    starts = [min(span.start + i, span.end) for i in range(len(known))]
    ends = [min(start + 1, span.end) for start in starts]
    return Word(value, span, MappedText(known, starts, ends, span.start), draw(st.booleans()))


_keywords = st.builds(
    Keyword,
    st.one_of(st.text(max_size=6), _names.map(lambda name: name.lstrip("-").replace("-", "_"))),
    _spans,
    _values,
    _spans,
)
_variants = st.builds(
    Variant,
    words=st.lists(_words(), max_size=8).map(tuple),
    keywords=st.lists(_keywords, max_size=4).map(tuple),
    tails=st.lists(st.builds(Tail, st.just("$@"), _spans), max_size=2).map(tuple),
)


@given(_variants, _entry_points, st.sampled_from(known_releases()))
@settings(max_examples=500, deadline=None)
def test_nothing_breaks_it(variant, entry_point, version):
    table = release_table(version)
    binding = bind(variant, entry_point, table)
    for item in [*binding.arguments.values(), *binding.problems]:
        assert 0 <= item.option_span.start <= item.option_span.end <= SIZE
        assert 0 <= item.value_span.start <= item.value_span.end <= SIZE
        assert item.span.covers(item.option_span)
    assert all(name == argument.field for name, argument in binding.arguments.items())
    assert understands(variant, entry_point, table) is not binding.refused
    assert not variant.tails or binding.open
    assert not binding.refused or binding.problems
