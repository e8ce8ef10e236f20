"""The platforms that a launch may run on, by the names users give them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Platform:
    """A device family, with its compute capability (CUDA) or ISA name (HIP) where it has one.

    `sm` is the capability without its dot (90 for Hopper). On a platform named after a whole
    family (`cuda`, `hip`) the fields below the family are None and not known.
    """

    name: str
    family: str
    sm: int | None = None
    gfx: str | None = None


# The ones most served on go first: they stand for the others in messages.
CUDA_CAPABILITIES = (90, 100, 103, 120, 80, 89, 86, 110, 121)
HIP_ARCHITECTURES = ("gfx942", "gfx950")

_WHOLE = {
    **{f"cuda-sm{sm}": Platform(f"cuda-sm{sm}", "cuda", sm=sm) for sm in CUDA_CAPABILITIES},
    **{f"hip-{gfx}": Platform(f"hip-{gfx}", "hip", gfx=gfx) for gfx in HIP_ARCHITECTURES},
    **{name: Platform(name, name) for name in ("cpu", "npu", "xpu", "musa", "mps")},
}
_FAMILIES = {family: Platform(family, family) for family in ("cuda", "hip")}

PLATFORM_NAMES = (*_FAMILIES, *_WHOLE)

_WORDS = {
    80: "Ampere (sm80)",
    86: "Ampere (sm86)",
    89: "Ada (sm89)",
    90: "Hopper (sm90)",
    100: "Blackwell (sm100)",
    103: "Blackwell Ultra (sm103)",
    110: "Thor (sm110)",
    120: "consumer Blackwell (sm120)",
    121: "GB10 (sm121)",
}


def find_platform(name: str) -> Platform | None:
    """The platform of a name such as `cuda-sm100`, `cuda`, `hip-gfx950`, `npu`."""
    return _WHOLE.get(name) or _FAMILIES.get(name)


def possible_platforms(platform: Platform | None) -> tuple[Platform, ...]:
    """The wholly known platforms that a known, partly known or unknown one may turn out to be."""
    if platform is None:
        return tuple(_WHOLE.values())
    if platform.name in _FAMILIES:
        return tuple(p for p in _WHOLE.values() if p.family == platform.family)
    return (platform,)


def platform_in_words(platform: Platform) -> str:
    """How a message names a platform: `Hopper (sm90)`, `hip-gfx950`."""
    return _WORDS.get(platform.sm or 0, platform.name)
