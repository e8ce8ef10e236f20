"""Binding of single launches: problems, spans, hidden words, keywords."""

import pytest
from argparse_reference import variant_of, word_of, words_of

from sglang_lint.launches import Keyword, Origin, Related, Tail, Variant, Word
from sglang_lint.launches.entry_points import ENGINE, LAUNCH_SERVER, MODULES, SERVE, SERVER_ARGS
from sglang_lint.releases.bind import bind, understands
from sglang_lint.releases.table import known_releases, release_table
from sglang_lint.text import MappedText, Span
from sglang_lint.values import Known, OneOf, Unknown

ROUTER = MODULES["sglang_router.launch_server"]
BENCH = MODULES["sglang.bench_one_batch"]


def bound(version, line, entry=LAUNCH_SERVER):
    return bind(variant_of(line), entry, release_table(version))


def values(binding):
    return {name: getattr(a.value, "value", a.value) for name, a in binding.arguments.items()}


def kinds(binding):
    return [problem.kind for problem in binding.problems]


def covered(line, binding):
    return [line[problem.span.start : problem.span.end] for problem in binding.problems]


def hidden(text, start, known=0, splits=False):
    literal = MappedText.region(" " * start + text, start, start + known)
    return Word(Unknown("$X"), Span(start, start + len(text)), literal, splits)


def line_of(*parts):
    """A variant of words given as text, or as (text, known beginning, splits) where hidden."""
    words, start = [], 0
    for part in parts:
        text = part if isinstance(part, str) else part[0]
        words.append(
            word_of(text, start) if isinstance(part, str) else hidden(text, start, *part[1:])
        )
        start += len(text) + 1
    return Variant(words=tuple(words))


def test_values_are_typed_as_the_parser_types_them():
    binding = bound(
        "0.5.18",
        "--model x --tp 8 --mem-fraction-static=0.8 --context-length 1k --trust-remote-code "
        '--cuda-graph-bs-decode 1 2 --json-model-override-args {"a":1} --no-dllm-fdfo',
    )
    assert not binding.problems
    assert values(binding) == {
        "model_path": "x",
        "tp_size": 8,
        "mem_fraction_static": 0.8,
        "context_length": 1000,
        "trust_remote_code": True,
        "cuda_graph_bs_decode": (1, 2),
        "json_model_override_args": '{"a":1}',
        "dllm_fdfo": False,
    }


def test_spans_run_from_the_option_to_its_value():
    line = "--tp-size=8 --trust-remote-code --cuda-graph-bs-decode 1 2"
    binding = bound("0.5.18", line)
    spans = {
        name: (
            line[a.option_span.start : a.option_span.end],
            line[a.value_span.start : a.value_span.end],
            line[a.span.start : a.span.end],
        )
        for name, a in binding.arguments.items()
    }
    assert spans == {
        "tp_size": ("--tp-size", "8", "--tp-size=8"),
        "trust_remote_code": ("--trust-remote-code", "", "--trust-remote-code"),
        "cuda_graph_bs_decode": ("--cuda-graph-bs-decode", "1 2", "--cuda-graph-bs-decode 1 2"),
    }


def test_quotes_around_an_attached_value_belong_to_the_value():
    host = "'--model-path=a b'"
    text = MappedText.region(host, 1, len(host) - 1)
    word = Word(Known(text.text), Span(0, len(host)), text)
    argument = bind(Variant(words=(word,)), LAUNCH_SERVER, release_table("0.5.18")).arguments[
        "model_path"
    ]
    assert argument.value == Known("a b")
    assert host[argument.option_span.start : argument.option_span.end] == "'--model-path"
    assert host[argument.value_span.start : argument.value_span.end] == "a b'"


@pytest.mark.parametrize(
    ("version", "line", "kind", "span", "suggested"),
    [
        ("0.5.18", "--reasoning_parser x", "unknown-option", None, ["--reasoning-parser"]),
        ("0.5.18", "-tp 8", "unknown-option", None, ["--tp-size"]),
        ("0.5.18", "--no-such-thing-at-all=1", "unknown-option", None, []),
        (
            "0.5.18",
            "--speculative-algoritm EAGLE",
            "unknown-option",
            None,
            ["--speculative-algorithm"],
        ),
        ("0.5.20", "--nsa-prefill-backend fa3", "removed-option", None, ["--dsa-prefill-backend"]),
        ("0.5.20", "--cuda-graph-bs 1 2 4", "ambiguous-option", None, ["--cuda-graph-bs-decode"]),
        ("0.5.22", "--piecewise-cuda-graph-compiler eager", "removed-option", None, []),
        ("0.5.9", "--enable-ep-moe", "removed-option", None, ["--ep-size"]),
        ("0.5.12", "--dsa-prefill-backend fa3", "future-option", None, ["--nsa-prefill-backend"]),
        ("0.5.18", "--attn-dp-size 4", "future-option", None, []),
        (
            "0.5.18",
            "--nsa-prefill-backend fa3",
            "deprecated-option",
            None,
            ["--dsa-prefill-backend"],
        ),
        (
            "0.5.23",
            "--enable-dp-attention",
            "deprecated-option",
            None,
            ["--attn-dp-size <dp-size>"],
        ),
        (
            "0.5.18",
            "--enable-expert-distribution-metrics",
            "removed-option",
            None,
            ["--expert-balancedness-report-mode"],
        ),
        ("0.5.18", "--mode x", "ambiguous-option", None, []),
        ("0.5.18", "--attention-backend fa-3", "invalid-choice", None, ["fa3"]),
        ("0.5.18", "--port eight", "invalid-value", None, []),
        ("0.5.18", "--trust-remote-code=1", "invalid-value", None, []),
        ("0.5.18", "--tp 8 --port", "missing-value", "--port", []),
        ("0.5.18", "--tp 8 9 10 --port 1", "unexpected-word", "9 10", []),
        ("0.5.18", "--tp 8 --", "unexpected-word", "--", []),
        ("0.5.18", "--tp 8 --tp-size 4", "repeated-option", "--tp-size 4", []),
    ],
)
def test_problems(version, line, kind, span, suggested):
    binding = bound(version, line)
    assert kinds(binding) == [kind]
    assert covered(line, binding) == [span or line]
    assert [item.text for item in binding.problems[0].suggestions] == suggested
    assert understands(variant_of(line), LAUNCH_SERVER, release_table(version)) is (
        kind in ("deprecated-option", "repeated-option")
    )


def test_what_a_problem_tells():
    removed = bound("0.5.20", "--nsa-prefill-backend fa3").problems[0]
    assert removed.release == "0.5.19"
    future = bound("0.5.18", "--attn-dp-size 4").problems[0]
    assert future.release == "0.5.22"
    choice = bound("0.5.18", "--load-format nonsense").problems[0]
    assert (choice.field, choice.value) == ("load_format", "nonsense")
    assert "safetensors" in choice.choices
    ambiguous = bound("0.5.23", "--cuda-graph-max-bs 64").problems[0]
    assert ambiguous.candidates == ("--cuda-graph-max-bs-decode", "--cuda-graph-max-bs-prefill")
    assert ambiguous.release == "0.5.19"
    value = bound("0.5.18", "--port eight").problems[0]
    assert (value.field, value.value, value.expected) == ("port", "eight", "int")


@pytest.mark.parametrize("version", known_releases()[-10:])
def test_abbreviations_are_legal_where_they_are_unique(version):
    binding = bound(version, "--disable-overlap --tp 8 --mem-frac 0.5")
    assert not binding.problems
    assert binding.arguments["disable_overlap_schedule"].option == "--disable-overlap"


def test_an_option_can_be_an_abbreviation_in_one_release_only():
    assert values(bound("0.5.18", "--cuda-graph-max-bs 8")) == {"cuda_graph_max_bs_decode": 8}
    assert kinds(bound("0.5.23", "--cuda-graph-max-bs 8")) == ["ambiguous-option"]


def test_deprecated_options_set_what_they_set_in_that_release():
    assert values(bound("0.5.18", "--nsa-prefill-backend fa3")) == {"dsa_prefill_backend": "fa3"}
    assert values(bound("0.5.9", "--nsa-prefill-backend fa3")) == {"dsa_prefill_backend": "fa3"}
    assert values(bound("0.5.23", "--enable-dp-attention")) == {"enable_dp_attention": True}
    assert values(bound("0.5.18", "--disable-piecewise-cuda-graph")) == {
        "cuda_graph_backend_prefill": "disabled"
    }
    assert values(bound("0.5.13", "--disable-piecewise-cuda-graph")) == {
        "disable_piecewise_cuda_graph": True
    }
    assert values(bound("0.5.23", "--monokernel-backend amd")) == {"enable_amd_monokernel": True}
    assert values(bound("0.5.18", "--prefill-round-robin-balance")) == {}


def test_glued_options_are_told_apart():
    line = "--keep-mm-feature-on-device--speculative-algorithm NGRAM"
    binding = bound("0.5.18", line)
    assert kinds(binding) == ["unknown-option"]
    assert covered(line, binding) == [line]
    assert binding.problems[0].suggestions[0].text == (
        "--keep-mm-feature-on-device --speculative-algorithm"
    )


def test_context_parallel_size_is_understood():
    line = "--tp 8 --cp-size 4"
    binding = bound("0.5.18", line)
    assert covered(line, binding) == ["--cp-size 4"]
    meant = [(item.text, item.note) for item in binding.problems[0].suggestions]
    assert meant == [
        ("--dcp-size", "decode context parallelism"),
        ("--attn-cp-size", "prefill context parallelism"),
    ]
    argument = binding.arguments["dcp_size"]
    assert (argument.value, argument.presence, argument.option) == (Known(4), "given", "--cp-size")
    assert "dcp_size" not in bound("0.5.9", line).arguments
    assert values(bound("0.5.18", "--cp-size=4"))["dcp_size"] == 4


def test_an_overridden_argument_is_remembered():
    binding = bound("0.5.18", "--tp 8 --tp 4 --tensor-parallel-size 2")
    argument = binding.arguments["tp_size"]
    assert argument.value == Known(2)
    assert [earlier.value for earlier in argument.earlier] == [Known(4), Known(8)]
    assert kinds(binding) == ["repeated-option", "repeated-option"]
    assert binding.problems[1].previous.value == Known(4)
    assert not bound("0.5.18", "--tp 8 --tp-size 8 --trust-remote-code --trust-remote").problems


def test_help_starts_nothing():
    assert not bound("0.5.18", "--no-such 1 --help --port x").problems


# Words that are not wholly known


def test_an_unknown_word_is_the_value_that_is_still_needed():
    for splits in (False, True):
        binding = bind(
            line_of("--tp", ("$TP", 0, splits), "--port", "1"),
            LAUNCH_SERVER,
            release_table("0.5.18"),
        )
        assert isinstance(binding.arguments["tp_size"].value, Unknown)
        assert binding.arguments["port"].value == Known(1)
        assert not binding.open
        assert not binding.problems


def test_an_unknown_word_where_an_option_could_stand_opens_the_launch():
    for splits in (False, True):
        variant = line_of("--tp", "8", ("$EXTRA", 0, splits), "7", "--port", "1")
        binding = bind(variant, LAUNCH_SERVER, release_table("0.5.18"))
        assert binding.open
        assert not binding.problems
        assert values(binding) == {"tp_size": 8, "port": 1}


def test_partly_known_words():
    table = release_table("0.5.18")
    binding = bind(
        line_of(("--tp-size=$TP", 10), "--model", ("/models/$M", 8, True), ("--no-such=$X", 10)),
        LAUNCH_SERVER,
        table,
    )
    assert isinstance(binding.arguments["tp_size"].value, Unknown)
    assert isinstance(binding.arguments["model_path"].value, Unknown)
    assert kinds(binding) == ["unknown-option"]
    assert bind(line_of(("--tp$X", 4)), LAUNCH_SERVER, table).open
    stray = bind(line_of("--tp", "8", ("x$X", 1)), LAUNCH_SERVER, table)
    assert kinds(stray) == ["unexpected-word"]


def test_a_list_with_unknown_words_is_unknown():
    table = release_table("0.5.18")
    binding = bind(line_of("--cuda-graph-bs-decode", "1", ("$X", 0)), LAUNCH_SERVER, table)
    assert isinstance(binding.arguments["cuda_graph_bs_decode"].value, Unknown)
    assert binding.open


def test_a_value_may_come_from_an_unseen_tail():
    words = words_of(["--tp", "8", "--port"])
    for place, missing in ((14, False), (2, True)):
        variant = Variant(words=words, tails=(Tail('"$@"', Span(place, place + 4)),))
        binding = bind(variant, LAUNCH_SERVER, release_table("0.5.18"))
        assert binding.open
        assert kinds(binding) == (["missing-value"] if missing else [])


def one_of_words(option, *texts, splits=False):
    host = f"{option} $X"
    start = len(option) + 1
    literal = MappedText("", (), (), start)
    word = Word(OneOf(texts), Span(start, len(host)), literal, splits)
    return Variant(words=(word_of(option), word))


def test_one_of_several_words():
    table = release_table("0.5.18")

    def value(*texts, option="--tp"):
        binding = bind(one_of_words(option, *texts), LAUNCH_SERVER, table)
        return binding.arguments["tp_size"].value, kinds(binding)

    assert value("4", "8") == (OneOf((4, 8)), [])
    assert value("4", "x") == (Known(4), [])
    assert value("y", "x")[1] == ["invalid-value"]
    assert isinstance(value("4", "--port")[0], Unknown)
    opaque = bind(one_of_words("--trust-remote-code", "--tp", "x"), LAUNCH_SERVER, table)
    assert opaque.open
    assert not opaque.problems


def test_one_of_several_arguments_may_be_given():
    table = release_table("0.5.18")
    variant = one_of_words("--trust-remote-code", "", "--enable-dp-attention", splits=True)
    binding = bind(variant, LAUNCH_SERVER, table)
    argument = binding.arguments["enable_dp_attention"]
    assert (argument.presence, argument.value) == ("maybe", Known(True))
    assert not binding.open
    variant = one_of_words("--tp=2", "--tp=4", "--tp=8")
    argument = bind(variant, LAUNCH_SERVER, table).arguments["tp_size"]
    assert (argument.presence, argument.value) == ("given", OneOf((4, 8)))


def test_origin_and_related_places_come_from_the_words():
    related = Related("set here", Span(90, 99))
    default = word_of("8", 5, origin=Origin.VARIABLE_DEFAULT, related=(related,))
    variant = Variant(words=(word_of("--tp"), default))
    argument = bind(variant, LAUNCH_SERVER, release_table("0.5.18")).arguments["tp_size"]
    assert argument.origin is Origin.VARIABLE_DEFAULT
    assert argument.related == (related,)


# Entry points


def test_serve_takes_the_model_as_its_first_word_from_0_5_16_on():
    line = "org/model --tp 8"
    assert kinds(bound("0.5.15", line, SERVE)) == ["unexpected-word"]
    binding = bound("0.5.16", line, SERVE)
    assert values(binding) == {"model_path": "org/model", "tp_size": 8}
    assert not binding.problems
    assert kinds(bound("0.5.16", line)) == ["unexpected-word"]
    assert kinds(bound("0.5.16", "--tp 8 org/model", SERVE)) == ["unexpected-word"]
    assert kinds(bound("0.5.16", "org/model other", SERVE)) == ["unexpected-word"]


def test_serve_takes_its_own_options_out():
    binding = bound("0.5.18", "--model-type llm org/model --tp 8", SERVE)
    assert values(binding) == {"model_path": "org/model", "tp_size": 8}
    assert not bound("0.5.18", "--model x --model-type=llm", SERVE).problems
    assert kinds(bound("0.5.18", "--model x --model-type llm")) == ["unknown-option"]


def test_serve_with_an_unknown_first_word():
    table = release_table("0.5.18")
    for splits in (False, True):
        binding = bind(line_of(("$MODEL", 0, splits), "--tp", "8"), SERVE, table)
        assert isinstance(binding.arguments["model_path"].value, Unknown)
        assert not binding.open
    binding = bind(line_of(("$ARGS", 0, True), "--model-path", "x"), SERVE, table)
    assert binding.open
    assert binding.arguments["model_path"].value == Known("x")


def test_options_of_other_programs_are_passed_over():
    line = "--model x --router-policy cache_aware --tp 8 --batch-size 1 2 4 --verbose"
    for entry in (ROUTER, BENCH):
        binding = bound("0.5.18", line, entry)
        assert not binding.problems
        assert not binding.open
        assert values(binding) == {"model_path": "x", "tp_size": 8}
    assert kinds(bound("0.5.18", "--tp x --verbose", BENCH)) == ["invalid-value"]


# Keywords


def keywords(**given):
    found, start = [], 0
    for name, value in given.items():
        end = start + len(name)
        found.append(Keyword(name, Span(start, end), Known(value), Span(end + 1, end + 2)))
        start = end + 4
    return Variant(keywords=tuple(found))


def test_keywords_name_fields_and_skip_the_parser():
    table = release_table("0.5.18")
    binding = bind(keywords(model_path="x", tp_size="8", attention_backend="no"), ENGINE, table)
    assert not binding.problems
    assert values(binding) == {"model_path": "x", "tp_size": "8", "attention_backend": "no"}


@pytest.mark.parametrize(
    ("version", "name", "kind", "suggested", "field"),
    [
        ("0.5.18", "tensor_parallel_size", "unknown-keyword", ["tp_size"], "tp_size"),
        ("0.5.18", "nsa_prefill_backend", "removed-keyword", ["dsa_prefill_backend"], None),
        ("0.5.12", "dsa_prefill_backend", "future-keyword", ["nsa_prefill_backend"], None),
        ("0.5.18", "attn_dp_size", "future-keyword", [], None),
        ("0.5.18", "cp_size", "unknown-keyword", ["dcp_size", "attn_cp_size"], "dcp_size"),
        ("0.5.18", "attention_backnd", "unknown-keyword", ["attention_backend"], None),
        ("0.5.18", "qqq", "unknown-keyword", [], None),
    ],
)
def test_keyword_problems(version, name, kind, suggested, field):
    binding = bind(keywords(**{name: 4}), SERVER_ARGS, release_table(version))
    assert kinds(binding) == [kind]
    assert [item.text for item in binding.problems[0].suggestions] == suggested
    if field is not None:
        assert values(binding) == {field: 4}
    if name.endswith("prefill_backend"):
        assert values(binding) == {"dsa_prefill_backend": 4}


def test_a_helper_that_takes_words_and_keywords_fills_one_binding():
    variant = Variant(words=words_of(["--tp", "8"]), keywords=keywords(dp_size=2).keywords)
    binding = bind(variant, LAUNCH_SERVER, release_table("0.5.18"))
    assert values(binding) == {"tp_size": 8, "dp_size": 2}


def test_an_engine_may_be_given_a_record():
    assert not bind(keywords(server_args=1), ENGINE, release_table("0.5.18")).problems
    assert kinds(bind(keywords(server_args=1), SERVER_ARGS, release_table("0.5.18"))) == [
        "unknown-keyword"
    ]


def test_unseen_keywords_open_the_launch():
    variant = Variant(tails=(Tail("**kwargs", Span(0, 8)),))
    assert bind(variant, ENGINE, release_table("0.5.18")).open


def test_a_hostile_line_takes_no_time():
    table = release_table("0.5.18")
    line = [f"--no-such-{i}" * (i % 7) for i in range(3000)] + ["--tp", "1", "--tp", "2"] * 3000
    assert bind(Variant(words=words_of(line)), LAUNCH_SERVER, table).refused
