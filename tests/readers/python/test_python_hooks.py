"""Code against the attention backends of SGLang: overrides and calls of their methods."""

from __future__ import annotations

import pytest
from python_reading import at, reading_of, shown

BASE = (
    "from sglang.srt.layers.attention.trtllm_mla_backend import TRTLLMMLABackend\n"
    "from sglang.srt.layers.attention.cutedsl_mla_backend import CuteDslMLABackend as Cute\n"
)
MODULE = "sglang.srt.layers.attention.trtllm_mla_backend"

OVERRIDE = BASE + (
    "class Mine(TRTLLMMLABackend):\n"
    "    def _run_decode_kernel(self, query, kv_cache, *, cp_world=1, return_lse=False, **kw):\n"
    "        out = run(query, kv_cache)\n"
    "        return out, return_lse\n"
)


def test_an_override_with_its_parameters() -> None:
    (found,) = reading_of(OVERRIDE).hook_overrides
    assert (found.base, found.module, found.class_name) == ("TRTLLMMLABackend", MODULE, "Mine")
    assert found.method == "_run_decode_kernel"
    assert found.parameters == ("query", "kv_cache", "cp_world", "return_lse")
    assert found.takes_any_keyword
    assert found.read == {"query", "kv_cache", "return_lse"}
    assert at(OVERRIDE, found.span) == "_run_decode_kernel"
    assert {name: at(OVERRIDE, span) for name, span in found.parameter_spans.items()} == {
        name: name for name in found.parameters
    }


BASES = {
    "alias": ("class A(Cute):\n", "CuteDslMLABackend"),
    "module": (
        "import sglang.srt.layers.attention.trtllm_mla_backend as m\n"
        "class A(m.TRTLLMMLABackend):\n",
        "TRTLLMMLABackend",
    ),
    "a class between": (
        "class Between(TRTLLMMLABackend):\n    pass\nclass A(Between):\n",
        "TRTLLMMLABackend",
    ),
    "a mixin before": ("class A(Mixin, TRTLLMMLABackend):\n", "TRTLLMMLABackend"),
    "in a function": ("if 1:\n  class A(TRTLLMMLABackend):\n", "TRTLLMMLABackend"),
    "a base that may be missing": (
        "try:\n    from sglang.srt.layers.attention.x import XBackend as B\n"
        "except ImportError:\n    B = object\nclass A(B):\n",
        "XBackend",
    ),
}


@pytest.mark.parametrize(("head", "base"), BASES.values(), ids=BASES)
def test_ways_to_derive(head: str, base: str) -> None:
    text = BASE + head + "      def forward_decode(self, q, *args):\n          return args\n"
    (found,) = reading_of(text).hook_overrides
    assert (found.base, found.method, found.parameters) == (base, "forward_decode", ("q",))
    assert found.read == {"args"}
    assert not found.takes_any_keyword


def test_every_method_is_reported() -> None:
    text = BASE + (
        "class A(TRTLLMMLABackend):\n    def __init__(self):\n        pass\n"
        "    @staticmethod\n    def helper(a):\n        return a\n    x = 1\n"
    )
    found = reading_of(text).hook_overrides
    assert [(one.method, one.parameters) for one in found] == [("__init__", ()), ("helper", ("a",))]


def test_a_function_set_as_a_method() -> None:
    text = BASE + (
        "def run(self, query, return_lse=False):\n    return query\n"
        "TRTLLMMLABackend._run_decode_kernel = run\n"
    )
    (found,) = reading_of(text).hook_overrides
    assert (found.method, found.parameters, found.read) == (
        "_run_decode_kernel",
        ("query", "return_lse"),
        {"query"},
    )


CALLS = {
    "made here": "b = TRTLLMMLABackend(r)\nb._run_decode_kernel(q, return_lse=True)\n",
    "annotated parameter": (
        "def f(b: TRTLLMMLABackend):\n    b._run_decode_kernel(q, return_lse=True)\n"
    ),
    "annotated by a string": (
        "def f(b: 'TRTLLMMLABackend'):\n    b._run_decode_kernel(q, return_lse=True)\n"
    ),
    "annotated name": "b: TRTLLMMLABackend\nb._run_decode_kernel(q, return_lse=True)\n",
    "attribute": (
        "class A:\n    def __init__(self):\n        self.b = TRTLLMMLABackend(r)\n"
        "    def f(self):\n        self.b._run_decode_kernel(q, return_lse=True)\n"
    ),
    "method of the object": (
        "class A(TRTLLMMLABackend):\n    def f(self):\n"
        "        return self._run_decode_kernel(q, return_lse=True)\n"
    ),
    "method of the base": (
        "class A(TRTLLMMLABackend):\n    def _run_decode_kernel(self, *args, **kw):\n"
        "        return super()._run_decode_kernel(q, return_lse=True)\n"
    ),
    "keywords of a dictionary": (
        "b = TRTLLMMLABackend(r)\nkw = {'return_lse': True}\nb._run_decode_kernel(q, **kw)\n"
    ),
}


@pytest.mark.parametrize("body", CALLS.values(), ids=CALLS)
def test_calls_of_the_hook(body: str) -> None:
    text = BASE + body
    found = [one for one in reading_of(text).hook_calls if one.method == "_run_decode_kernel"]
    assert [(one.base, one.module) for one in found] == [("TRTLLMMLABackend", MODULE)]
    assert {one.name: shown(one.value) for one in found[0].keywords} == {"return_lse": True}
    assert not found[0].takes_unseen
    assert at(text, found[0].span) == "_run_decode_kernel"


def test_keywords_that_are_not_seen() -> None:
    text = BASE + "def f(b: TRTLLMMLABackend, kw):\n    b._run_decode_kernel(q, cp_world=2, **kw)\n"
    (found,) = reading_of(text).hook_calls
    assert found.takes_unseen
    assert {one.name: shown(one.value) for one in found.keywords} == {"cp_world": 2}


NO_HOOKS = {
    "another base": "class A(Other):\n    def _run_decode_kernel(self, q):\n        pass\n",
    "another package": (
        "from mine.attention import TRTLLMMLABackend as T\n"
        "class A(T):\n    def _run_decode_kernel(self, q):\n        pass\n"
    ),
    "another class of the module": (
        "from sglang.srt.layers.attention.utils import helper\n"
        "class A(helper):\n    def _run_decode_kernel(self, q):\n        pass\n"
    ),
    "no class": "def _run_decode_kernel(self, q):\n    pass\n",
    "call on something else": "x._run_decode_kernel(q, return_lse=True)\n",
    "call of an override of the file": (
        "class B(Other):\n    def _run_decode_kernel(self, q):\n        pass\n"
        "B()._run_decode_kernel(q, return_lse=True)\n"
    ),
}


@pytest.mark.parametrize("body", NO_HOOKS.values(), ids=NO_HOOKS)
def test_no_hooks(body: str) -> None:
    reading = reading_of(BASE + body)
    assert reading.hook_overrides == ()
    assert reading.hook_calls == ()


def test_call_of_an_override_is_no_call_of_the_base() -> None:
    text = OVERRIDE + "    def f(self):\n        self._run_decode_kernel(1, 2, other=3)\n"
    assert reading_of(text).hook_calls == ()
