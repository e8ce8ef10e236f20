"""The fields that the rules turn on, as a release leaves them at the end of its resolution."""

from __future__ import annotations

from sglang_lint.matrix.expression import PHASE_BACKENDS, compile_expression
from sglang_lint.matrix.world import World
from sglang_lint.values import Value

# The backend of each phase says more than the three options that it comes from.
CORE_FIELDS = (*PHASE_BACKENDS, "kv_cache_dtype", "page_size", "dcp_comm_backend")
_AT_THE_END = "decode"


def last_value(world: World, name: str) -> Value:
    """A core field's value at the end of the resolution."""
    return compile_expression(name).evaluate(world.scope(_AT_THE_END))
