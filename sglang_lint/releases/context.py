"""For which release, platform and model a launch is judged, and what says so."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sglang_lint.launches import Evidence, EvidenceKind, Launch, Related
from sglang_lint.releases.bind import bind
from sglang_lint.releases.binding import Binding
from sglang_lint.releases.images import (
    platform_of_accelerator,
    platform_of_image,
    platform_of_path,
    release_of_image,
    release_of_requirement,
)
from sglang_lint.releases.models import ModelFacts, find_model, is_hub_id, model_from_config
from sglang_lint.releases.platforms import Platform, find_platform
from sglang_lint.releases.table import (
    is_known,
    known_releases,
    nearest_release,
    release_table,
)
from sglang_lint.releases.versions import is_version, parse_version
from sglang_lint.values import Known, OneOf

# The first release that the rules cover: with no release named, older ones are not considered.
FIRST_COVERED = "0.5.15"
SERVED_NAME = "the served model name"
_OF_CHECKPOINT = frozenset(["quantization", "context_length"])


@dataclass(frozen=True)
class Stated:
    """Something that the user states about a launch, with who stated it.

    `kind` is the kind of source where the source itself is one of many of its kind.
    """

    value: str
    source: str
    related: Related | None = None
    kind: str | None = None


@dataclass(frozen=True)
class Statements:
    """What is stated outside the launch itself, the strongest first in each list.

    `model_facts` are those of a stated model that is a directory. `surroundings` is what the place
    of the file itself tells, weaker than what is written in it. `config_of_path` gives the parsed
    config.json of a local model path that a launch names, None where there is none to be read.
    """

    releases: Sequence[Stated] = ()
    default_releases: Sequence[Stated] = ()
    platforms: Sequence[Stated] = ()
    default_platforms: Sequence[Stated] = ()
    models: Sequence[Stated] = ()
    default_models: Sequence[Stated] = ()
    model_facts: Mapping[str, ModelFacts] | None = None
    surroundings: Sequence[Evidence] = ()
    config_of_path: Callable[[str], Mapping[str, Any] | None] | None = None

    def local_model(self, text: str, release: str) -> ModelFacts | None:
        """The model of a local path, as its config.json describes it."""
        config = self.config_of_path(text) if self.config_of_path is not None else None
        return model_from_config(config, release) if config is not None else None


@dataclass(frozen=True)
class JudgedFor:
    """The releases a launch may be for (oldest first), its platform and model, and the sources.

    `is_stated` tells a release that something states from one inferred from the options, and
    `release_kind` the kind of source (`an image beside the launch`);
    `unknown_release` is a stated release that the data does not have: `releases` then holds the
    nearest known one.
    """

    releases: tuple[str, ...]
    release_source: str
    release_kind: str
    release_related: Related | None
    is_stated: bool
    unknown_release: str | None
    platform: Platform | None
    platform_source: str
    model_text: str | None
    model_source: str
    model_of: Callable[[str], ModelFacts | None]

    @property
    def newer_than_data(self) -> bool:
        """Whether the stated release is newer than every known one, or has a name of its own."""
        stated, newest = self.unknown_release, known_releases()[-1]
        return stated is not None and (
            not is_version(stated) or parse_version(stated) > parse_version(newest)
        )


def judged_for(launch: Launch, statements: Statements) -> JudgedFor:
    """Interpret everything that stands beside a launch."""
    stated = _stated_release(launch.evidence, statements)
    if stated is None:
        releases, unknown = releases_that_understand(launch), None
        source = (
            "the options written"
            if len(releases) < len(covered_releases())
            else "no release is stated"
        )
        kind, related = source, None
    else:
        known = is_known(stated.value)
        releases = (stated.value if known else _nearest(stated.value),)
        unknown = None if known else stated.value
        source, related = stated.source, stated.related
        kind = stated.kind or source
    platform, platform_source = _platform(launch, statements, releases[-1])
    model_text, model_source = _model_text(launch, statements, releases[-1])

    def model_of(release: str) -> ModelFacts | None:
        return _model_facts(model_text, model_source, statements, release)

    return JudgedFor(
        releases,
        source,
        kind,
        related,
        stated is not None,
        unknown,
        platform,
        platform_source,
        model_text,
        model_source,
        model_of,
    )


def _model_facts(
    text: str | None, source: str, statements: Statements, release: str
) -> ModelFacts | None:
    if text is None:
        return None
    stated = (statements.model_facts or {}).get(text)
    facts = stated or statements.local_model(text, release) or find_model(text, release)
    if facts is not None and source == SERVED_NAME:
        # The name tells the model; which of its checkpoints is loaded only the path would tell.
        kept = {key: facts.facts[key] for key in facts.facts if key not in _OF_CHECKPOINT}
        return replace(facts, facts=kept)
    return facts


def _nearest(stated: str) -> str:
    return nearest_release(stated) if is_version(stated) else known_releases()[-1]


def covered_releases() -> tuple[str, ...]:
    """The releases that the rules cover."""
    releases = known_releases()
    return releases[releases.index(FIRST_COVERED) :]


def releases_that_understand(launch: Launch) -> tuple[str, ...]:
    """The covered releases whose parser takes every option written; the newest if none does.

    What every release refuses (a misspelt option) tells none of them from the others.
    """
    refused = {
        release: frozenset(
            problem.span
            for binding in bind_launch(launch, release)
            for problem in binding.problems
            if problem.refuses
        )
        for release in covered_releases()
    }
    common = frozenset.intersection(*refused.values())
    return tuple(r for r, spans in refused.items() if spans == common) or (list(refused)[-1],)


def bind_launch(launch: Launch, release: str) -> list[Binding]:
    """Each variant of a launch bound to a release."""
    table = release_table(release)
    return [bind(variant, launch.entry_point, table) for variant in launch.variants]


def _stated_release(evidence: Iterable[Evidence], statements: Statements) -> Stated | None:
    for stated in statements.releases:
        return stated
    for item in evidence:
        release, kind = None, ""
        if item.kind is EvidenceKind.IMAGE:
            release, kind = release_of_image(item.text), "an image beside the launch"
        elif item.kind is EvidenceKind.PIP:
            release, kind = release_of_requirement(item.text), "a pin beside the launch"
        if release is not None:
            place = Related(f"release {release}", item.span, item.path)
            return Stated(release, f"`{item.text}`", place, kind)
    for stated in statements.default_releases:
        return stated
    return None


def _platform(launch: Launch, statements: Statements, release: str) -> tuple[Platform | None, str]:
    for stated in statements.platforms:
        return find_platform(stated.value), stated.source
    found = [
        (platform, source)
        for name, source in _platform_evidence(launch, release)
        if (platform := find_platform(name)) is not None
    ]
    # A GPU product says more than an image's vendor, also one that only the path names.
    found.sort(key=lambda pair: pair[0].name == pair[0].family in ("cuda", "hip"))
    by_path = _platform_by_path(statements.surroundings)
    if by_path is not None and (not found or found[0][0].name == by_path.family):
        return by_path, "the file's path"
    if found:
        return found[0]
    for stated in statements.default_platforms:
        return find_platform(stated.value), stated.source
    return None, "not known"


def _platform_evidence(launch: Launch, release: str) -> Iterable[tuple[str, str]]:
    for item in launch.evidence:
        name = None
        if item.kind is EvidenceKind.ACCELERATOR:
            name = platform_of_accelerator(item.text)
        elif item.kind is EvidenceKind.IMAGE:
            name = platform_of_image(item.text)
        if name is not None:
            yield name, f"`{item.text}`"
    devices = {_known_text(binding, "device") for binding in bind_launch(launch, release)}
    if len(devices) == 1:
        device = devices.pop()
        if device is not None and find_platform(device) is not None:
            yield device, f"`--device {device}`"


def _platform_by_path(surroundings: Iterable[Evidence]) -> Platform | None:
    names = [platform_of_path(one.text) for one in surroundings if one.kind is EvidenceKind.PATH]
    return next((find_platform(name) for name in names if name is not None), None)


def _model_text(launch: Launch, statements: Statements, release: str) -> tuple[str | None, str]:
    for stated in statements.models:
        return stated.value, stated.source
    bindings = bind_launch(launch, release)
    model = _same_text(bindings, "model_path")
    if model is not None and statements.local_model(model, release) is not None:
        return model, "the launch, and the config.json of its model"
    if model is not None and find_model(model, release) is not None:
        return model, "the launch"
    served = _same_text(bindings, "served_model_name")
    if (
        served is not None
        and is_hub_id(served)
        and find_model(served, release) is not None
        and not _names_another(bindings, model)
    ):
        return served, SERVED_NAME
    for stated in statements.default_models:
        return stated.value, stated.source
    return None, "not known"


def _names_another(bindings: Iterable[Binding], model: str | None) -> bool:
    """Whether the model path is itself a hub id, or a choice of several models."""
    paths = [argument for one in bindings if (argument := one.arguments.get("model_path"))]
    if model is None:
        return any(isinstance(path.value, (Known, OneOf)) for path in paths)
    return is_hub_id(model)


def _same_text(bindings: Iterable[Binding], name: str) -> str | None:
    """The text of an argument that is the same on every branch."""
    texts = {_known_text(binding, name) for binding in bindings}
    return texts.pop() if len(texts) == 1 else None


def _known_text(binding: Binding, name: str) -> str | None:
    argument = binding.arguments.get(name)
    if argument is None or not isinstance(argument.value, Known):
        return None
    return str(argument.value.value)
