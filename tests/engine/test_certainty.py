"""How certain a finding is: worlds, branches, open tails, and what is unknown."""

import pytest

from sglang_lint.engine import Diagnostic, Settings, analyse, judge_argv
from sglang_lint.engine.argv import judge_keywords
from sglang_lint.releases.context import Stated, Statements
from sglang_lint.text import Document

MLA = "--model-path deepseek-ai/DeepSeek-V3"
FOUNDING = "--model deepseek-ai/DeepSeek-V3 --cp-size 2 --attention-backend trtllm_mla"


def named(diagnostics: list[Diagnostic]) -> dict[str, Diagnostic]:
    return {diagnostic.rule: diagnostic for diagnostic in diagnostics}


def shell(text: str, release: str | None = "0.5.18", least: str = "info") -> dict[str, Diagnostic]:
    stated = [Stated(release, "the test")] if release else []
    settings = Settings(Statements(releases=stated), least=least)
    return named(list(analyse(Document("x.sh", text), settings).diagnostics))


@pytest.mark.parametrize("release", ["0.5.17", "0.5.18"])
def test_the_founding_record_is_certain_where_it_fails(release: str) -> None:
    found = named(judge_argv(FOUNDING.split(), release=release))
    founding = found["trtllm-mla-decode-context-parallel"]
    assert (founding.severity, founding.certainty) == ("error", "definite")
    assert found["unknown-option"].severity == "error"
    assert "--dcp-size" in found["unknown-option"].message
    assert "--attn-cp-size" in found["unknown-option"].message


def test_the_founding_record_without_a_release_names_the_range() -> None:
    found = named(judge_argv(FOUNDING.split()))
    founding = found["trtllm-mla-decode-context-parallel"]
    assert (founding.severity, founding.certainty) == ("warning", "possible")
    assert founding.condition == "in 0.5.15 to 0.5.18"


@pytest.mark.parametrize("release", ["0.5.19", "0.5.20", "0.5.23"])
def test_the_founding_record_is_right_from_0_5_19_on(release: str) -> None:
    found = named(judge_argv(FOUNDING.split(), release=release, platform="cuda-sm100"))
    assert "trtllm-mla-decode-context-parallel" not in found


@pytest.mark.parametrize("release", ["0.5.17", "0.5.18", "0.5.19", "0.5.23", None])
def test_the_published_way_out_has_its_own_fault_only(release: str | None) -> None:
    argv = FOUNDING.replace("trtllm_mla", "cutedsl_mla").split()
    found = named(judge_argv(argv, release=release, least="warning"))
    assert set(found) == {"unknown-option", "dcp-size-divides-tp-size"}


@pytest.mark.parametrize("release", ["0.5.17", "0.5.18"])
def test_keywords_are_judged_like_options(release: str) -> None:
    found = named(
        judge_keywords(
            {
                "model_path": "deepseek-ai/DeepSeek-V3",
                "cp_size": 2,
                "attention_backend": "trtllm_mla",
            },
            release=release,
        )
    )
    assert found["trtllm-mla-decode-context-parallel"].certainty == "definite"
    assert found["unknown-keyword"].severity == "error"


def test_what_is_not_known_is_never_an_error() -> None:
    for unknown in (
        '--model-path "$M" --tp 8 --dcp-size 2 --attention-backend flashinfer',
        f'{MLA} --tp 8 --dcp-size "$N" --attention-backend trtllm_mla',
        f'{MLA} --tp 8 --dcp-size 2 --attention-backend "$B"',
        f'{MLA} --tp "$T" --dcp-size 3 --attention-backend flashinfer',
    ):
        found = shell(f"python3 -m sglang.launch_server {unknown}\n")
        assert not [item for item in found.values() if item.severity == "error"], unknown


def test_a_written_branch_that_fails_is_certain_and_named() -> None:
    found = shell(
        'if [ "$MODE" = fast ]; then B=trtllm_mla; else B=cutedsl_mla; fi\n'
        "python3 -m sglang.launch_server --model-path deepseek-ai/DeepSeek-V3 --tp 8"
        " --dcp-size 2 --attention-backend $B\n"
    )
    founding = found["trtllm-mla-decode-context-parallel"]
    assert founding.certainty == "definite"
    assert founding.condition == 'when [ "$MODE" = fast ]'


def test_an_open_launch_is_not_blamed_for_what_it_may_hold() -> None:
    """The default backend fails here, but the tail may well name another."""
    closed = (
        "python3 -m sglang.launch_server --model-path deepseek-ai/DeepSeek-V3 --tp 8 --dcp-size 2"
    )
    settings = Settings(
        Statements(
            releases=[Stated("0.5.18", "the test")], platforms=[Stated("cuda-sm100", "the test")]
        ),
        least="warning",
    )
    alone = analyse(Document("x.sh", closed + "\n"), settings).diagnostics
    assert [item.rule for item in alone] == ["trtllm-mla-decode-context-parallel"]
    assert analyse(Document("x.sh", closed + ' "$@"\n'), settings).diagnostics == ()


def test_the_backend_left_to_the_release_is_advice() -> None:
    argv = "--model-path deepseek-ai/DeepSeek-V3 --tp 8 --dcp-size 2".split()
    found = named(judge_argv(argv, release="0.5.23", platform="cuda-sm100"))
    (advice,) = found.values()
    assert (advice.code, advice.severity) == ("SGL120", "info")
    assert "trtllm_mla" in advice.message


def test_a_fork_s_image_softens_what_it_may_know() -> None:
    text = (
        "services:\n  x:\n    image: mycompany/sglang-fork:1\n"
        "    command: python3 -m sglang.launch_server --model-path x --own-option 3\n"
    )
    (found,) = analyse(Document("compose.yaml", text), Settings()).diagnostics
    assert (found.rule, found.severity) == ("unknown-option", "warning")
    official = text.replace("mycompany/sglang-fork:1", "lmsysorg/sglang:v0.5.20")
    (found,) = analyse(Document("compose.yaml", official), Settings()).diagnostics
    assert found.severity == "error"
    assert found.judged is not None
    assert found.judged.versions == ("0.5.20",)
