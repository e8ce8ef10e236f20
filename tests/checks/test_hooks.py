"""Python code against the contract of the MLA backends' decode hook."""

import pytest

from sglang_lint.engine import Settings, analyse
from sglang_lint.releases.context import Stated, Statements
from sglang_lint.text import Document

IMPORT = "from sglang.srt.layers.attention.trtllm_mla_backend import TRTLLMMLABackend\n"
ARGUMENTS = "self, query, kv_cache, block_tables, seq_lens, max_seq_len, layer"
CONTEXT = "*, causal_seqs=None, cp_world=1, cp_rank=0, return_lse=False"


def found(text: str, release: str | None = "0.5.18") -> list[tuple[str, str, str, str | None]]:
    stated = [Stated(release, "the test")] if release else []
    document = Document("x.py", text)
    diagnostics = analyse(document, Settings(Statements(releases=stated))).diagnostics
    return [(d.code, d.severity, text[d.span.start : d.span.end], d.condition) for d in diagnostics]


def override(signature: str, body: str = "return query") -> str:
    return (
        f"{IMPORT}\n\nclass Own(TRTLLMMLABackend):\n"
        f"    def _run_decode_kernel({signature}):\n        {body}\n"
    )


def call(keywords: str, backend: str = "TRTLLMMLABackend") -> str:
    return (
        f"{IMPORT}\n\ndef f(runner, q, kv, t, s, layer):\n    b = {backend}(runner)\n"
        f"    return b._run_decode_kernel(q, kv, t, s, 128, layer, {keywords})\n"
    )


def test_an_override_without_the_arguments_of_its_release() -> None:
    assert found(override(ARGUMENTS)) == [("SGL601", "warning", "_run_decode_kernel", None)]
    assert found(override(ARGUMENTS), "0.5.16") == []
    assert found(override(ARGUMENTS), None) == [
        ("SGL601", "warning", "_run_decode_kernel", "in 0.5.17 to 0.5.23")
    ]


@pytest.mark.parametrize("signature", [f"{ARGUMENTS}, **kwargs", "self, *args, **kwargs"])
def test_an_override_that_takes_any_keyword_is_right(signature: str) -> None:
    assert found(override(signature)) == []


def test_an_override_that_never_reads_return_lse() -> None:
    signature = f"{ARGUMENTS}, {CONTEXT}"
    assert [item[0] for item in found(override(signature))] == ["SGL602"]
    honoured = "return (query, layer.lse(query)) if return_lse else query"
    assert found(override(signature, honoured)) == []


@pytest.mark.parametrize(
    ("keywords", "release", "codes"),
    [
        ("return_lse=True", "0.5.17", ["SGL603"]),
        ("return_lse=True", "0.5.18", ["SGL603"]),
        ("return_lse=True", "0.5.19", []),
        ("return_lse=False", "0.5.18", []),
        ("cp_world=2", "0.5.18", ["SGL603"]),
        ("cp_world=2", "0.5.19", ["SGL603"]),
        ("cp_world=2, return_lse=True", "0.5.19", []),
        ("cp_world=1", "0.5.18", []),
        ("cp_world=WORLD", "0.5.18", []),
        ("return_lse=True", "0.5.16", ["SGL604"]),
        ("return_lse=True, **more", "0.5.18", ["SGL603"]),
        ("**more", "0.5.18", []),
    ],
)
def test_calls_that_a_release_refuses(keywords: str, release: str, codes: list[str]) -> None:
    assert [item[0] for item in found(call(keywords), release)] == codes


def test_without_a_release_a_refused_call_names_the_range() -> None:
    assert ("SGL603", "warning", "return_lse=True", "in 0.5.17 to 0.5.18") in found(
        call("return_lse=True"), None
    )


def test_another_class_of_that_name_is_not_judged() -> None:
    text = override(ARGUMENTS).replace(
        "sglang.srt.layers.attention.trtllm_mla_backend", "mine.sglang_backends"
    )
    assert found(text) == []
