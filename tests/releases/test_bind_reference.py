"""Random command lines: bound as a real argparse parser with the same options binds them."""

import json
from functools import cache

import pytest
from argparse_reference import (
    JSON_TYPES,
    HelpPrinted,
    RefusalError,
    reference_parser,
    word_of,
    words_of,
)
from hypothesis import HealthCheck, assume, given, reject, settings
from hypothesis import strategies as st

from sglang_lint.launches import Variant, Word
from sglang_lint.launches.entry_points import LAUNCH_SERVER
from sglang_lint.releases.bind import bind, understands
from sglang_lint.releases.table import SUPPRESS, known_releases, release_table
from sglang_lint.text import MappedText
from sglang_lint.values import Known, OneOf, Unknown

RELEASES = ["0.4.0", "0.5.3", "0.5.9", "0.5.13", *known_releases()[-10:]]
_parser = cache(lambda version: reference_parser(release_table(version)))

_numbers = st.one_of(
    st.integers(-3, 99).map(str),
    st.sampled_from(["0.5", "-.5", "-1.5", "1e3", "-1e3", "1k", "2Ki", "1.5Ki", " 7", "1_000", ""]),
)
_texts = st.sampled_from(
    ["a", "a/b", "a b", "-a b", "None", "{}", "[1]", '{"decode": {}}', "{", "=", "a=b", "-", "é"]
)
_stray_dashes = st.sampled_from(
    ["--", "-x", "-1x", "--no-such-option", "--no-such=1", "-tp", "---"]
)


@st.composite
def _values_for(draw, option):
    if option.choices and draw(st.integers(0, 4)):
        return str(draw(st.sampled_from(option.choices)))
    return draw(st.one_of(_numbers, _texts))


@st.composite
def _arguments(draw, table):
    """The words of one option with values that may fit, in one of the ways to write them."""
    option = draw(st.sampled_from([o for o in table.options if o.action != "help"]))
    name = draw(st.sampled_from(option.strings))
    if draw(st.integers(0, 3)) == 0:
        name = name[: draw(st.integers(3, len(name)))]
    count = {None: 1, "?": draw(st.integers(0, 1)), "+": 2, "*": draw(st.integers(0, 2)), 0: 0}
    values = [draw(_values_for(option)) for _ in range(count[option.nargs])]
    if draw(st.integers(0, 9)) == 0:
        values = [draw(_values_for(option)) for _ in range(draw(st.integers(0, 3)))]
    if len(values) == 1 and draw(st.booleans()):
        return [f"{name}={values[0]}"]
    return [name, *values]


@st.composite
def _command_lines(draw):
    version = draw(st.sampled_from(RELEASES))
    table = release_table(version)
    parts = draw(st.lists(_arguments(table), max_size=4))
    if draw(st.integers(0, 5)) == 0:
        parts.insert(draw(st.integers(0, len(parts))), [draw(st.one_of(_stray_dashes, _texts))])
    return version, ["--model-path", "m", *(word for part in parts for word in part)]


def _parsed(version, argv):
    """The namespace, or None where the parser refuses; a line that asks for help is no example."""
    try:
        return _parser(version).parse_args(argv)
    except HelpPrinted:
        reject()
    except RefusalError:
        return None


@given(_command_lines())
@settings(max_examples=400, deadline=None, suppress_health_check=list(HealthCheck))
def test_what_the_parser_refuses_is_a_problem_and_nothing_else(case):
    version, argv = case
    assume(not any(word.endswith("=--") for word in argv))
    table = release_table(version)
    variant = Variant(words=words_of(argv))
    binding = bind(variant, LAUNCH_SERVER, table)
    namespace = _parsed(version, argv)
    assert (namespace is not None) is (not binding.refused), binding.problems
    assert understands(variant, LAUNCH_SERVER, table) is (namespace is not None)
    assert not binding.open
    if namespace is not None:
        _assert_same_values(table, binding, namespace)


def _assert_same_values(table, binding, namespace):
    converters = {option.field: option.type for option in table.options if option.type}
    for name, value in vars(namespace).items():
        canonical = table.canonical(name)
        argument = binding.arguments.get(canonical)
        ours = table.defaults.get(canonical) if argument is None else argument.value
        if ours is None or value == SUPPRESS:
            continue
        assert isinstance(ours, Known)
        theirs = tuple(value) if isinstance(value, list) else value
        if argument is not None and converters.get(name) in JSON_TYPES:
            theirs, ours = value, Known(json.loads(ours.value))
        assert ours.value == theirs
        assert type(ours.value) is type(theirs)


@given(_command_lines())
@settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
def test_spans_lie_in_the_line_and_cover_what_they_name(case):
    version, argv = case
    line = " ".join(argv)
    binding = bind(Variant(words=words_of(argv)), LAUNCH_SERVER, release_table(version))
    for item in [*binding.arguments.values(), *binding.problems]:
        assert 0 <= item.span.start <= item.span.end <= len(line)
        assert item.span.covers(item.option_span)
        written = line[item.option_span.start : item.option_span.end]
        assert written == item.option
        assert item.span.covers(item.value_span)
        value = getattr(item, "value", None)
        if isinstance(value, str) and getattr(item, "kind", "") != "unexpected-word":
            assert line[item.value_span.start : item.value_span.end] == value


def _hidden(words, keep, splits):
    """One word for several known ones, of which the first `keep` characters are known."""
    first, last = words[0], words[-1]
    literal = first.literal.slice(0, min(keep, len(first.literal)))
    return Word(Unknown("$X"), first.span.to(last.span), literal, splits=splits)


@st.composite
def _obscured(draw, argv, longest=3):
    """Words that stand for those of `argv`, some of them hidden, at most `longest` behind one."""
    known = list(words_of(argv))
    words = []
    while known:
        how = draw(st.integers(0, 7))
        if how == 0:
            words.append(_hidden([known.pop(0)], draw(st.sampled_from([0, 0, 3, 99])), False))
        elif how == 1:
            count = draw(st.integers(1, min(longest, len(known))))
            words.append(_hidden(known[:count], 0, True))
            del known[:count]
        elif how == 2:
            place = known[0].span.start
            empty = MappedText("", (), (), place)
            words.append(Word(Unknown("$X"), word_of("$X", place).span, empty, splits=True))
        elif how == 3:
            word = known.pop(0)
            other = draw(st.sampled_from(["x", "", "8", "--tp-size=2", "--nothing"]))
            splits = draw(st.booleans())
            if other == word.text or " " in (word.text or "") or not word.text:
                words.append(word)
                continue
            values = draw(st.permutations([word.text, other]))
            literal = word.literal.slice(0, 0)
            words.append(Word(OneOf(tuple(values)), word.span, literal, splits=splits))
        else:
            words.append(known.pop(0))
    return tuple(words)


@given(_command_lines(), st.data())
@settings(max_examples=400, deadline=None, suppress_health_check=list(HealthCheck))
def test_what_may_be_accepted_is_no_problem(case, data):
    """Whatever is hidden of a command line that is accepted, nothing is refused for certain."""
    version, argv = case
    assume(_parsed(version, argv) is not None)
    words = data.draw(_obscured(argv))
    binding = bind(Variant(words=words), LAUNCH_SERVER, release_table(version))
    assert not binding.refused, (words, binding.problems)


@given(_command_lines(), st.data())
@settings(max_examples=250, deadline=None, suppress_health_check=list(HealthCheck))
def test_a_launch_with_unseen_options_is_open(case, data):
    version, argv = case
    assume(_parsed(version, argv) is not None)
    table = release_table(version)
    binding = bind(Variant(words=data.draw(_obscured(argv, 1))), LAUNCH_SERVER, table)
    written = bind(Variant(words=words_of(argv)), LAUNCH_SERVER, table)
    assert binding.open or written.arguments.keys() <= binding.arguments.keys()


@given(_command_lines(), st.data())
@settings(max_examples=250, deadline=None, suppress_health_check=list(HealthCheck))
def test_what_is_known_is_so_whatever_the_hidden_values_are(case, data):
    """Values are hidden, options are not: every value that is bound is the parser's own."""
    version, argv = case
    namespace = _parsed(version, argv)
    assume(namespace is not None)
    table = release_table(version)
    words = list(words_of(argv))
    for index, text in enumerate(argv):
        if index and not text.startswith("--") and data.draw(st.booleans()):
            words[index] = _hidden([words[index]], data.draw(st.sampled_from([0, 1])), False)
    binding = bind(Variant(words=tuple(words)), LAUNCH_SERVER, table)
    assert not binding.refused, binding.problems
    values = {table.canonical(name): value for name, value in vars(namespace).items()}
    converters = {option.field: option.type for option in table.options if option.type}
    json_fields = {table.canonical(name) for name, t in converters.items() if t in JSON_TYPES}
    for name, argument in binding.arguments.items():
        if isinstance(argument.value, Known) and name not in json_fields:
            real = values[name]
            assert argument.value.value == (tuple(real) if isinstance(real, list) else real)


@pytest.mark.parametrize("version", RELEASES)
def test_every_spelling_is_an_option(version):
    table = release_table(version)
    parser = _parser(version)
    for option in table.options:
        for string in option.strings:
            assert table.exact(string) is option
            if option.action != "help":
                assert parser._option_string_actions[string].dest == option.field
