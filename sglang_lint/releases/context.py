"""For which release, platform and model a launch is judged, and what says so."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from sglang_lint.launches import Evidence, EvidenceKind, Launch, Related
from sglang_lint.releases.bind import bind
from sglang_lint.releases.binding import Binding
from sglang_lint.releases.images import (
    platform_of_accelerator,
    platform_of_image,
    release_of_image,
    release_of_requirement,
)
from sglang_lint.releases.models import ModelFacts, find_model
from sglang_lint.releases.platforms import Platform, find_platform
from sglang_lint.releases.table import known_releases, nearest_release, release_table
from sglang_lint.releases.versions import parse_version
from sglang_lint.values import Known

# The first release that the rules cover: with no release named, older ones are not considered.
FIRST_COVERED = "0.5.15"


@dataclass(frozen=True)
class Stated:
    """Something that the user states about a launch, with who stated it."""

    value: str
    source: str
    related: Related | None = None


@dataclass(frozen=True)
class Statements:
    """What is stated outside the launch itself, the strongest first in each list.

    `model_config` is the parsed config.json of the stated model, where it is a directory.
    """

    releases: Sequence[Stated] = ()
    default_releases: Sequence[Stated] = ()
    platforms: Sequence[Stated] = ()
    default_platforms: Sequence[Stated] = ()
    models: Sequence[Stated] = ()
    default_models: Sequence[Stated] = ()
    model_facts: Mapping[str, ModelFacts] | None = None


@dataclass(frozen=True)
class JudgedFor:
    """The releases a launch may be for (oldest first), its platform and model, and the sources.

    `is_stated` tells a release that something states from one inferred from the options;
    `unknown_release` is a stated release that the data does not have: `releases` then holds the
    nearest known one.
    """

    releases: tuple[str, ...]
    release_source: str
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
        """Whether the stated release is newer than every known one."""
        newest = known_releases()[-1]
        return self.unknown_release is not None and parse_version(
            self.unknown_release
        ) > parse_version(newest)


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
        related = None
    else:
        known = stated.value in known_releases()
        releases = (stated.value if known else nearest_release(stated.value),)
        unknown = None if known else stated.value
        source, related = stated.source, stated.related
    platform, platform_source = _platform(launch, statements, releases[-1])
    model_text, model_source = _model_text(launch, statements, releases[-1])

    def model_of(release: str) -> ModelFacts | None:
        if model_text is None:
            return None
        facts = (statements.model_facts or {}).get(model_text)
        return facts or find_model(model_text, release)

    return JudgedFor(
        releases,
        source,
        related,
        stated is not None,
        unknown,
        platform,
        platform_source,
        model_text,
        model_source,
        model_of,
    )


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
        release = None
        if item.kind is EvidenceKind.IMAGE:
            release = release_of_image(item.text)
        elif item.kind is EvidenceKind.PIP:
            release = release_of_requirement(item.text)
        if release is not None:
            return Stated(
                release, f"`{item.text}`", Related(f"release {release}", item.span, item.path)
            )
    for stated in statements.default_releases:
        return stated
    return None


def _platform(launch: Launch, statements: Statements, release: str) -> tuple[Platform | None, str]:
    for stated in statements.platforms:
        return find_platform(stated.value), stated.source
    found = list(_platform_evidence(launch, release))
    # A GPU product says more than an image's vendor.
    for name, source in sorted(found, key=lambda pair: pair[0] in ("cuda", "hip")):
        platform = find_platform(name)
        if platform is not None:
            return platform, source
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


def _model_text(launch: Launch, statements: Statements, release: str) -> tuple[str | None, str]:
    for stated in statements.models:
        return stated.value, stated.source
    models = {_known_text(binding, "model_path") for binding in bind_launch(launch, release)}
    if len(models) == 1:
        model = models.pop()
        if model is not None and find_model(model, release) is not None:
            return model, "the launch"
    for stated in statements.default_models:
        return stated.value, stated.source
    return None, "not known"


def _known_text(binding: Binding, name: str) -> str | None:
    argument = binding.arguments.get(name)
    if argument is None or not isinstance(argument.value, Known):
        return None
    return str(argument.value.value)
