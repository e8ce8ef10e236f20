"""Messages: placeholders filled from the world in which a rule is true, conditions in words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from sglang_lint.matrix.judge import Verdict
from sglang_lint.matrix.world import World
from sglang_lint.releases.platforms import platform_in_words
from sglang_lint.releases.ranges import releases_in_words
from sglang_lint.values import Known, OneOf, Value

_PLACEHOLDER = re.compile(r"\{([a-z_]+[.:])?([a-z_0-9]+)\}")


def fill(template: str, verdict: Verdict) -> str:
    """The message of a verdict."""
    world = verdict.world
    scope = world.scope(verdict.case.at, tail_is_empty=True)

    def replace(match: re.Match[str]) -> str:
        kind, name = match[1], match[2]
        if kind == "option:":
            return _option(world, name)
        if kind == "typed.":
            return _spell(scope.typed(name))
        if kind == "model.":
            return _model(world) if name == "name" else _spell(scope.fact(name))
        if kind == "platform.":
            return world.platform.name if world.platform else "this platform"
        if name == "release":
            return world.subject.release
        if name in ("prefill_backend", "decode_backend"):
            own = scope.field(name.replace("backend", "attention_backend"))
            return _spell(scope.field("attention_backend") if own == Known(None) else own)
        return _spell(scope.field(name))

    return _PLACEHOLDER.sub(replace, template)


def condition_in_words(verdict: Verdict, releases: Sequence[str], branch: str | None) -> str | None:
    """When a finding is true, None for one that is true in any case."""
    parts = []
    if len(verdict.true_releases) < len(releases):
        parts.append(f"in {releases_in_words(verdict.true_releases)}")
    if verdict.true_platforms and not verdict.definite:
        parts.append(
            "if this runs on " + _alternatives(map(platform_in_words, verdict.true_platforms))
        )
    if verdict.true_models and not verdict.definite:
        parts.append("if the model is " + _alternatives(m.name for m in verdict.true_models))
    if verdict.only_without_tail:
        parts.append("if the arguments that cannot be seen here do not change it")
    if branch is not None:
        parts.append(f"when {branch}")
    return ", ".join(parts) or None


def _alternatives(names: Iterable[str]) -> str:
    listed = list(names)
    if len(listed) > 4:
        listed = [*listed[:3], f"{len(listed) - 3} others"]
    return listed[0] if len(listed) == 1 else ", ".join(listed[:-1]) + f" or {listed[-1]}"


def _option(world: World, name: str) -> str:
    argument = world.subject.binding.arguments.get(name)
    if argument is not None:
        return argument.option
    options = world.subject.table.options_of.get(name)
    return options[0].strings[0] if options else name


def _model(world: World) -> str:
    return world.model.name if world.model else "this model"


def _spell(value: Value) -> str:
    if isinstance(value, Known):
        return str(value.value)
    if isinstance(value, OneOf):
        return " or ".join(map(str, value.values))
    return "an unknown value"
