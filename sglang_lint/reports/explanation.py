"""An explanation of one launch, for a person."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sglang_lint.engine.explaining import Explanation, OpenRule, Outcome, VariantExplained
from sglang_lint.engine.wording import condition_in_words, fill
from sglang_lint.matrix.judge import Verdict
from sglang_lint.matrix.world import MODEL, PLATFORM, World
from sglang_lint.releases.context import JudgedFor
from sglang_lint.releases.ranges import releases_in_words
from sglang_lint.reports.report import printable
from sglang_lint.text import Document
from sglang_lint.values import Known, OneOf, Value

MAX_VARIANTS = 8
MAX_OUTCOMES = 12
MAX_PLACES = 4
MAX_NAMES = 6
MAX_OPEN = 30
_AXES = {PLATFORM: "the platform", MODEL: "the model"}


def render_explanation(document: Document, explanation: Explanation) -> str:
    """The whole text; every list in it is bounded, and says what it leaves out."""
    launch, judged = explanation.launch.launch, explanation.launch.judged
    place = document.position(launch.span.start)
    lines = [f"{document.path}:{place.line}:{place.column}: {launch.entry_point.name}"]
    lines.extend(_judged(judged))
    for explained in explanation.variants[:MAX_VARIANTS]:
        lines.append("")
        lines.extend(_variant(explained, judged, len(explanation.variants)))
    lines.extend(_left_out(explanation.variants, MAX_VARIANTS, "variants", ""))
    return "".join(f"{printable(line)}\n" for line in lines)


def _judged(judged: JudgedFor) -> Iterable[str]:
    unknown = f", nearest to {judged.unknown_release}" if judged.unknown_release else ""
    yield f"  release   {releases_in_words(judged.releases)}{unknown} ({judged.release_source})"
    platform = f"{judged.platform.name} ({judged.platform_source})" if judged.platform else None
    yield f"  platform  {platform or 'not known'}"
    model = f"{judged.model_text} ({judged.model_source})" if judged.model_text else None
    yield f"  model     {model or 'not known'}"


def _variant(explained: VariantExplained, judged: JudgedFor, variants: int) -> Iterable[str]:
    if variants > 1:
        yield f"when {explained.variant.condition or 'nothing else holds'}:"
    for tail in explained.variant.unseen()[:MAX_NAMES]:
        yield f"  not seen: {tail.why}"
    yield "  at the end of the resolution:"
    for outcome in explained.outcomes[:MAX_OUTCOMES]:
        yield from _outcome(outcome, explained.worlds)
    yield from _left_out(explained.outcomes, MAX_OUTCOMES, "outcomes", "    ")
    yield "  rules that are true:" if explained.verdicts else "  no rule is true"
    for verdict in explained.verdicts:
        yield from _verdict(verdict, judged)
    if explained.open_rules:
        yield f"  error rules not decided in {judged.releases[-1]}:"
    for item in explained.open_rules[:MAX_OPEN]:
        yield f"    {item.rule.code} {item.rule.name}: depends on {_decides(item)}"
    yield from _left_out(explained.open_rules, MAX_OPEN, "rules", "    ")


def _outcome(outcome: Outcome, worlds: Sequence[World]) -> Iterable[str]:
    places = _places(outcome.worlds)
    for text in places[:MAX_PLACES]:
        yield f"    {text}"
    yield from _left_out(places, MAX_PLACES, "more worlds", "    ")
    for source in outcome.values:
        yield f"      {source.name} = {_in_words(source.value)}  ({source.by})"


def _places(worlds: Sequence[World]) -> list[str]:
    """Releases, platforms and models; those that differ in one of the three alone together."""
    releases: dict[tuple[str | None, str | None], list[str]] = {}
    for world in worlds:
        key = (
            world.platform.name if world.platform else None,
            world.model.name if world.model else None,
        )
        releases.setdefault(key, []).append(world.subject.release)
    models: dict[tuple[str, str | None], list[str | None]] = {}
    for (platform, model), found in releases.items():
        models.setdefault((releases_in_words(found), platform), []).append(model)
    platforms: dict[tuple[str, tuple[str | None, ...]], list[str | None]] = {}
    for (where, platform), named in models.items():
        platforms.setdefault((where, tuple(named)), []).append(platform)
    return [
        f"SGLang {where}, {_names(on, 'any platform')}, {_names(of, 'any model')}:"
        for (where, of), on in platforms.items()
    ]


def _names(names: Sequence[str | None], any_of_them: str) -> str:
    known = [name for name in names if name is not None]
    if not known:
        return any_of_them
    rest = f" and {len(known) - MAX_NAMES} more" if len(known) > MAX_NAMES else ""
    return " | ".join(known[:MAX_NAMES]) + rest


def _verdict(verdict: Verdict, judged: JudgedFor) -> Iterable[str]:
    certainty = "definite" if verdict.definite else "possible"
    yield f"    {verdict.severity} {verdict.rule.code} {verdict.rule.name} ({certainty})"
    yield f"      {fill(verdict.case.message, verdict)}"
    condition = condition_in_words(verdict, judged.releases, None)
    if condition is not None:
        yield f"      {condition}"
    yield f"      at {verdict.case.at}: {' '.join((verdict.case.when or '').split())}"


def _decides(item: OpenRule) -> str:
    names = [_AXES.get(name, f"`{name}`") for name in sorted(item.decides)]
    return ", ".join(names) or "what cannot be read from the launch"


def _in_words(value: Value) -> str:
    if isinstance(value, Known):
        return str(value.value)
    if isinstance(value, OneOf):
        return " or ".join(map(str, value.values))
    return f"not known ({value.why})" if value.why else "not known"


def _left_out(items: Sequence[object], shown: int, what: str, indent: str) -> Iterable[str]:
    if len(items) > shown:
        yield f"{indent}... and {len(items) - shown} {what} left out"
