"""Messages: placeholders filled from the world in which a rule is true, conditions in words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from sglang_lint.matrix.expression import PHASE_BACKENDS, compile_expression
from sglang_lint.matrix.judge import Verdict
from sglang_lint.matrix.world import MODEL, PLATFORM, World
from sglang_lint.releases.platforms import (
    find_platform,
    platform_in_words,
    possible_platforms,
)
from sglang_lint.releases.ranges import releases_in_words
from sglang_lint.values import Value
from sglang_lint.values.value import candidates

# In a rule's message `{option:x} {x}` reads as on a command line; keywords take `x=value`.
_OPTION_WITH_VALUE = re.compile(r"(\{option:\w+\}) (?=[^`\s])")
MAX_LISTED = 6
_PLACEHOLDER = re.compile(r"\{([a-z_]+[.:])?([a-z_0-9]+)\}")


def fill(template: str, verdict: Verdict) -> str:
    """The message of a verdict; a value that differs between its worlds is given as a choice."""
    newest = verdict.world.subject.release
    if verdict.world.subject.by_keywords:
        template = _OPTION_WITH_VALUE.sub(r"\1=", template)
    worlds = [world for world in verdict.worlds if world.subject.release == newest]

    def replace(match: re.Match[str]) -> str:
        texts = dict.fromkeys(
            text for world in worlds for text in _texts(world, verdict, match[1], match[2])
        )
        return _alternatives(texts, "`" if template[: match.start()].endswith("`") else "")

    return _PLACEHOLDER.sub(replace, template)


def _texts(world: World, verdict: Verdict, kind: str | None, name: str) -> tuple[str, ...]:
    scope = world.scope(verdict.case.at, tail_is_empty=True)
    if kind == "option:":
        return (world.subject.spelling(name),)
    if kind == "typed.":
        return _spell(scope.typed(name))
    if kind == "model.":
        return (_model(world),) if name == "name" else _spell(scope.fact(name))
    if kind == "platform.":
        return (platform_in_words(world.platform) if world.platform else "this platform",)
    if name == "release":
        return (world.subject.release,)
    if name in PHASE_BACKENDS:
        return _spell(compile_expression(name).evaluate(scope))
    return _spell(scope.field(name))


def condition_in_words(verdict: Verdict, releases: Sequence[str], branch: str | None) -> str | None:
    """When a finding is true, None for one that is true in any case."""
    parts = []
    if len(verdict.releases) < len(releases):
        parts.append(f"in {releases_in_words(verdict.releases)}")
    if PLATFORM in verdict.axes:
        parts.extend(_platforms_in_words(verdict))
    if MODEL in verdict.axes:
        models = dict.fromkeys(w.model.name for w in verdict.worlds if w.model)
        parts.append("if the model is " + _alternatives(models))
    if verdict.only_without_tail:
        parts.append("if the arguments that cannot be seen here do not change it")
    if branch is not None:
        parts.append(f"when {branch}")
    return ", ".join(parts) or None


def _platforms_in_words(verdict: Verdict) -> list[str]:
    found = {world.platform for world in verdict.worlds if world.platform}
    families = {platform.family for platform in found}
    family = find_platform("cuda") if families == {"cuda"} else None
    others = [item for item in possible_platforms(family) if item not in found]
    if not others:
        return ["if this runs on a CUDA GPU"] if family else []
    if len(others) < len(found):
        where = "a CUDA GPU other than" if family else "anything but"
        return [f"if this runs on {where} {_alternatives(map(platform_in_words, others))}"]
    ordered = [item for item in possible_platforms(None) if item in found]
    return [f"if this runs on {_alternatives(map(platform_in_words, ordered))}"]


def _alternatives(names: Iterable[str], quote: str = "") -> str:
    """`a`, `b` or `c`; inside a template's quotes each name gets its own."""
    listed = list(names)
    if len(listed) > MAX_LISTED:
        listed = [*listed[: MAX_LISTED - 1], "another"]
    if len(listed) == 1:
        return listed[0]
    return f"{quote}, {quote}".join(listed[:-1]) + f"{quote} or {quote}{listed[-1]}"


def _model(world: World) -> str:
    return world.model.name if world.model else "this model"


def _spell(value: Value) -> tuple[str, ...]:
    known = candidates(value)
    return ("an unknown value",) if known is None else tuple(map(str, known))
