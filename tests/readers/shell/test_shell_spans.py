"""Where words stand: written in the command, in an array, in a string, or behind a variable."""

from __future__ import annotations

import pytest
from shell_reading import launch_of, reading_of, related_of, variant_of, word_of, words_in, written
from shell_scripts import BRANCHING, STRAIGHT, Example

from sglang_lint.launches import EvidenceKind, Origin
from sglang_lint.readers.shell.reader import read_script, words_of
from sglang_lint.text import MappedText
from sglang_lint.values import Known, Unknown

L = "python3 -m sglang.launch_server"


def test_the_launch_stands_at_its_entry_point() -> None:
    script = f"cd /x\nA=1 nohup {L} \\\n  --tp 8 > log 2>&1 &\n"
    launch = launch_of(script)
    assert written(script, launch.span) == "sglang.launch_server"
    assert written(script, launch.extent) == f"A=1 nohup {L} \\\n  --tp 8 > log 2>&1"


def test_quotes_belong_to_the_word_and_not_to_its_text() -> None:
    script = f"{L} --x \"a b\"'c'\n"
    word = word_of(script, "a bc")
    assert written(script, word.span) == "\"a b\"'c'"
    assert written(script, word.literal.span(0, 3)) == "a b"


def test_a_word_of_an_array_stands_in_the_array() -> None:
    script = f'A=(--tp "8")\n{L} "${{A[@]}}"\n'
    word = word_of(script, "8")
    assert written(script, word.span) == '"8"'
    assert related_of(script, word) == [("passed to the launch here", "${A[@]}")]


def test_a_word_of_a_string_stands_in_the_string() -> None:
    script = f'F="--tp 8"\nF="$F --ep 4"\n{L} $F\n'
    for text in ("--tp", "8", "--ep", "4"):
        word = word_of(script, text)
        assert written(script, word.span) == text
        assert related_of(script, word) == [("passed to the launch here", "$F")]


@pytest.mark.parametrize("use", ['"$TP"', "$TP", "${TP}", "--x=$TP", '"--x=${TP}"'])
def test_a_value_behind_a_variable_stands_where_it_is_used(use: str) -> None:
    script = f"TP=8\n{L} {use}\n"
    (word,) = variant_of(script).words
    assert written(script, word.span) == use
    assert related_of(script, word) == [("`TP` is set here", "TP=8")]
    assert written(script, word.literal.span(len(word.literal) - 1)) == use.strip('"').replace(
        "--x=", ""
    )


def test_a_value_inside_an_array_stands_at_the_array() -> None:
    script = f'TP=8\nA=(--tp "$TP")\n{L} "${{A[@]}}"\n'
    word = word_of(script, "8")
    assert written(script, word.span) == '"$TP"'
    assert related_of(script, word) == [
        ("`TP` is set here", "TP=8"),
        ("passed to the launch here", "${A[@]}"),
    ]


def test_a_default_is_known_and_says_so() -> None:
    script = f'MODEL=${{MODEL:-m}}\n{L} --model "$MODEL" --tp ${{TP:-8}} --dp 2\n'
    assert word_of(script, "m").origin is Origin.VARIABLE_DEFAULT
    assert word_of(script, "8").origin is Origin.VARIABLE_DEFAULT
    assert word_of(script, "2").origin is Origin.WRITTEN
    assert word_of(f"TP=4\n{L} --tp ${{TP:-8}}\n", "4").origin is Origin.WRITTEN


def test_a_default_goes_with_the_value_into_another_shell() -> None:
    script = f'TP=${{TP:-8}}\nbash -c "{L} --tp $TP"\n'
    word = word_of(script, "8")
    assert word.origin is Origin.VARIABLE_DEFAULT
    assert written(script, word.span) == "$TP"


def test_an_unknown_word_keeps_its_known_beginning() -> None:
    (word,) = variant_of(f'{L} "--tp-size=$TP"\n').words
    assert isinstance(word.value, Unknown)
    assert word.literal.text == "--tp-size="
    assert not word.splits


@pytest.mark.parametrize("use", ["$EXTRA", '"$@"', "$*", "$(cat args)", '"${A[@]}"', "$1"])
def test_what_may_be_many_words_leaves_the_launch_open(use: str) -> None:
    variant = variant_of(f"{L} --tp 8 {use}\n")
    assert variant.words[-1].splits
    assert variant.unseen()


@pytest.mark.parametrize("use", ['"$EXTRA"', '"$(cat args)"', '"$1"', '"$*"'])
def test_what_is_quoted_is_one_word(use: str) -> None:
    variant = variant_of(f"{L} --tp {use}\n")
    assert not variant.words[-1].splits
    assert not variant.unseen()


def test_astral_characters_and_lone_surrogates_move_nothing() -> None:
    script = f"X='😀\ud800é'\n{L} --x \"$X\" --tp 8\n"
    word = word_of(script, "8")
    assert written(script, word.span) == "8"
    assert word_of(script, "😀\ud800é").text == "😀\ud800é"


@pytest.mark.parametrize("example", STRAIGHT + BRANCHING, ids=lambda example: example.name)
def test_known_words_say_what_stands_there(example: Example) -> None:
    script = example.script
    for word in words_in(reading_of(script)):
        literal = word.literal
        if word.text is not None:
            assert literal.text == word.text
        for index, character in enumerate(literal.text):
            if literal.is_verbatim(index, index + 1):
                place = literal.span(index, index + 1)
                stands = script[place.start : place.end]
                # One character of an expansion such as `$1` may stand for what it holds.
                assert stands == character or stands in "$*@"


def test_an_embedded_script_has_the_places_of_its_host() -> None:
    host = f"run: |\n    {L} \\\n      --tp 8\n"
    source = MappedText.region(host, host.index("python3"))
    (launch,) = read_script(source).launches
    assert written(host, launch.span) == "sglang.launch_server"
    assert [written(host, word.span) for word in launch.variants[0].words] == ["--tp", "8"]


def test_surroundings_give_variables_and_arguments() -> None:
    source = MappedText.region(f'{L} --tp $TP --dp $DP "$@"')
    (name, argument) = words_of(MappedText.region("sh --ep"))
    variables = {"TP": Known("8"), "DP": Unknown("a secret")}
    reading = read_script(source, variables=variables, parameters=[name, argument])
    words = reading.launches[0].variants[0].words
    assert [word.text for word in words] == ["--tp", "8", "--dp", None, "--ep"]
    assert words[1].origin is Origin.ENVIRONMENT
    assert (
        not read_script(source, variables=variables, parameters=[])
        .launches[0]
        .variants[0]
        .words[4:]
    )


def test_words_of_splits_as_a_shell_and_runs_nothing() -> None:
    text = "python3 -m x --a 'b c' \"d\" e\\ f ${TP:-8} $X && echo ~ {a,b} *"
    words = words_of(MappedText.region(text), {"X": Known("9")})
    assert [word.text for word in words] == [
        *("python3 -m x --a".split()),
        *("b c", "d", "e f", "8", "9", "&&", "echo", "~"),
        *(None if text is None else text for text in [word.text for word in words[12:]]),
    ]
    assert words_of(MappedText.region("a 'never ends")) == []


def test_environment_of_a_launch() -> None:
    script = f"export A=1\nB=2\nD=4 env E=5 {L} --tp 8\n"
    settings = {setting.name: setting for setting in launch_of(script).environment}
    assert {name: entry.value for name, entry in settings.items()} == {
        "A": Known("1"),
        "D": Known("4"),
        "E": Known("5"),
    }
    assert written(script, settings["A"].span) == "A=1"
    assert written(script, settings["E"].span) == "E=5"


@pytest.mark.parametrize(
    "command",
    [
        "docker run --rm -it --gpus all -v /a:/b -p 80:80 lmsysorg/sglang:v0.5.9 {L} --tp 8",
        'docker run -d --name x lmsysorg/sglang:v0.5.9 bash -c "{L} --tp 8"',
        "srun -N1 --container-image=lmsysorg/sglang:v0.5.9 {L} --tp 8",
        "IMAGE=lmsysorg/sglang:v0.5.9\ndocker run ${{IMAGE}} {L}",
        "docker run -d --name x lmsysorg/sglang:v0.5.9 sleep 1\ndocker exec x {L}",
        "apptainer exec docker://lmsysorg/sglang:v0.5.9 {L}",
    ],
)
def test_the_image_is_evidence(command: str) -> None:
    evidence = launch_of(command.format(L=L)).evidence
    assert [(entry.kind, entry.text) for entry in evidence] == [
        (EvidenceKind.IMAGE, "lmsysorg/sglang:v0.5.9")
    ]


@pytest.mark.parametrize("install", ["pip install", "uv pip install", "python3 -m pip install -U"])
def test_the_installed_release_is_evidence(install: str) -> None:
    script = f'{install} "sglang[all]==0.5.9" torch\n{L} --tp 8\n'
    (evidence,) = launch_of(script).evidence
    assert (evidence.kind, evidence.text) == (EvidenceKind.PIP, "sglang[all]==0.5.9")
    assert written(script, evidence.span) == '"sglang[all]==0.5.9"'
