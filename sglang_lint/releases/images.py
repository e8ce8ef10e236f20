"""What container images, requirements and accelerator names say of the release and the platform."""

from __future__ import annotations

import json
import re
from functools import cache
from importlib.resources import files

from sglang_lint.releases.platforms import PLATFORM_NAMES
from sglang_lint.releases.versions import is_version

_OFFICIAL = re.compile(r"(?:^|.*/)lmsysorg/(sglang|sglang-rocm)$")
_DYNAMO = "nvidia/ai-dynamo/sglang-runtime"
_VERSION_TAG = re.compile(r"v?(\d+\.\d+\.\d+(?:\.?post\d+|rc\d+)?)((?:-[a-z0-9._]+)*)")
# What may follow the version in the tag of an official release: how it was built, for what. A tag
# with anything else (a model's name, a date) holds some other state of the source.
_BUILD = re.compile(
    r"""cu\d+|cuda[\d.]*|efa|rocm[\d.]*|mi3\d\dx?|mi3[05]x|runtime|devel|srt|full|slim|amd64|arm64
    |aarch64|x86_64|(?:ubuntu|py)[\d.]*|[hb]\d00|gb\d00|hopper|blackwell|cann[\d.]*|910[abc]|a[23]
    |npu|ascend|xpu|xeon|cpu|musa[\d.]*""",
    re.VERBOSE,
)
_REQUIREMENT = re.compile(
    r"(?<![\w.-])sglang\s*(?:\[[^\]]*\])?\s*={2,3}\s*v?(\d+(?:\.\w+)+)(?![\w.*+-])", re.IGNORECASE
)
_SOURCE_TAG = re.compile(r"sgl-project/sglang(?:\.git)?@v?(\d+(?:\.\w+)+)(?![\w.-])")
_SCHEME = re.compile(r"(?:docker|dockerd|docker-daemon|podman|oci|containerd):(?://)?")
_SQUASHED = (".sqsh", ".squashfs")
_MAX_TEXT = 2000


def release_of_image(reference: str) -> str | None:
    """The release that an official image holds, `0.5.9` of `lmsysorg/sglang:v0.5.9-cu130`.

    A release newer than every known one is returned as it is named. None for other repositories
    and for tags that name no release. The images of Dynamo have versions of their own: of those
    the ones that are known tell.
    """
    repository, tag = _parts(reference)
    match = _VERSION_TAG.fullmatch(tag)
    if match is None or not all(_BUILD.fullmatch(part) for part in match[2].split("-") if part):
        return None
    if repository.endswith(_DYNAMO):
        return _releases_in_dynamo().get(match[1])
    if not _OFFICIAL.match(repository) or not is_version(match[1]):
        return None
    return re.sub(r"\.?post", ".post", match[1])


def platform_of_image(reference: str) -> str | None:
    """The platform that an image is built for, as far as its name tells (`cuda`, `hip-gfx950`)."""
    repository, tag = _parts(reference)
    words = set(re.split(r"[-_/]", f"{repository}-{tag}"))
    for name, tells in _IMAGE_WORDS:
        if any(tells.fullmatch(word) for word in words):
            return name
    if _OFFICIAL.match(repository) or repository.startswith("nvcr.io/nvidia/"):
        return "cuda"
    return None


def release_of_requirement(text: str) -> str | None:
    """The release that a requirement or a pip command pins: `sglang[all]==0.5.18`."""
    match = _REQUIREMENT.search(text[:_MAX_TEXT]) or _SOURCE_TAG.search(text[:_MAX_TEXT])
    return match[1] if match and is_version(match[1]) else None


def platform_of_accelerator(text: str) -> str | None:
    """The platform of an accelerator's product name (`NVIDIA-H100-80GB-HBM3`, `B200:8`, `MI300X`).

    Where the text names several, their common family; None where it names none that is known.
    """
    lowered = text[:_MAX_TEXT].lower()
    if lowered.strip() in PLATFORM_NAMES:
        return lowered.strip()
    found = {name for name, tells in _PRODUCTS if tells.search(lowered)}
    if len(found) > 1:
        found -= {"cuda", "hip"} & {name.split("-")[0] for name in found if "-" in name}
    if len(found) > 1:
        found = {name.split("-")[0] for name in found}
    return found.pop() if len(found) == 1 else None


def platform_of_path(path: str) -> str | None:
    """The platform of the one GPU product that a file's path names: `recipes/GB300/dsr1.yaml`.

    Only names that mean nothing else count, and only as words of their own (`dsr1_fp4_b200.sh`,
    `8xh100.yaml`). None where the path names none, or several platforms.
    """
    words = re.split(r"[^a-z0-9]+", path[-_MAX_TEXT:].lower())
    found = {name for name, tells in _PATH_WORDS if any(tells.fullmatch(word) for word in words)}
    return found.pop() if len(found) == 1 else None


def _parts(reference: str) -> tuple[str, str]:
    """Repository and tag of an image reference, without scheme, digest and quotes."""
    text = reference[:_MAX_TEXT].strip().strip("\"'").lower()
    text = _SCHEME.sub("", text, count=1)
    if text.endswith(_SQUASHED):
        text = _unsquashed(text)
    head, slash, last = text.split("@", 1)[0].rpartition("/")
    name, _, tag = last.partition(":")
    return f"{head}{slash}{name}".replace("#", "/"), tag


def _unsquashed(path: str) -> str:
    """The reference that a squash file is named after; slashes and colons cannot stand in a name.

    `enroot` writes `+` for both, other scripts write `_`.
    """
    name = path.rpartition(".")[0].rpartition("/")[2]
    separator = "+" if "+" in name else "_"
    *repository, tag = name.split(separator)
    return f"{'/'.join(repository)}:{tag}" if repository else name


@cache
def _releases_in_dynamo() -> dict[str, str]:
    """The SGLang release in each version of Dynamo's image."""
    folder = files("sglang_lint.releases").joinpath("data")
    data = json.loads(folder.joinpath("dynamo_images.json").read_text(encoding="utf-8"))
    releases: dict[str, str] = data["sglang_of_tag"]
    return releases


_IMAGE_WORDS = [
    (name, re.compile(pattern))
    for name, pattern in [
        ("hip-gfx942", r"mi30x|mi300[ax]?|mi325x?|gfx942"),
        ("hip-gfx950", r"mi35x|mi35[05]x?|gfx950"),
        ("hip", r"rocm[\d.]*"),
        ("npu", r"npu|cann[\d.]*|ascend|910[abc]"),
        ("xpu", r"xpu"),
        ("cpu", r"cpu|xeon"),
        ("musa", r"musa[\d.]*"),
        ("cuda-sm90", r"h[12]00|hopper"),
        ("cuda-sm100", r"g?b[12]00"),
        ("cuda-sm103", r"g?b300"),
        ("cuda", r"cu\d{2,3}|cuda[\d.]*|blackwell"),
    ]
]


def _product(pattern: str) -> re.Pattern[str]:
    # `8xh100`, `h100x8`, `h100-80gb`, `h100sxm`: a name ends where no other name goes on.
    return re.compile(
        rf"(?:(?<![a-z0-9])|(?<=\dx))(?:{pattern})(?![a-z0-9])"
        rf"|(?:(?<![a-z0-9])|(?<=\dx))(?:{pattern})(?=x\d|sxm|pcie|nvl)"
    )


# Product names, and the machine types of clouds that hold exactly one kind of accelerator.
_PRODUCTS = [
    (name, _product(pattern))
    for name, pattern in [
        ("cuda-sm80", r"a100|a800|a30|p4de?|a2-(?:high|mega|ultra)gpu-\d+g"),
        (
            "cuda-sm86",
            r"a10g?|a16|a40|a6000|rtx[ _-]?a\d000|(?:rtx[ _-]?)?30[5-9]0(?:[ _-]?ti)?|g5",
        ),
        (
            "cuda-sm89",
            r"l4|l40s?|l20|rtx[ _-]?6000[ _-]?ada|(?:rtx[ _-]?)?40[5-9]0(?:[ _-]?(?:ti|d|super))?"
            r"|g6e?|g2-standard-\d+",
        ),
        (
            "cuda-sm90",
            r"h100|h200|h800|h20|gh200|hopper|p5|p5en?|a3-(?:high|mega|ultra|edge)gpu-\d+g",
        ),
        ("cuda-sm100", r"g?b100|g?b200|p6-b200|p6e-gb200|a4-highgpu-\d+g|a4x-highgpu-\d+g"),
        ("cuda-sm103", r"g?b300"),
        ("cuda-sm110", r"(?:jetson|drive|agx)[a-z _-]*thor|thor"),
        (
            "cuda-sm120",
            r"rtx[ _-]?pro[ _-]?\d000|rtx[ _-]?6000[ _-]?(?:pro|blackwell)"
            r"|(?:rtx[ _-]?)?50[5-9]0(?:[ _-]?ti)?",
        ),
        ("cuda-sm121", r"gb10|dgx[ _-]?spark"),
        ("cuda", r"nvidia\.com/gpu|blackwell|ampere|v100|t4|nvidia"),
        ("hip-gfx942", r"mi300[ax]?|mi308x?|mi325x?|gfx942"),
        ("hip-gfx950", r"mi350x?|mi355x?|gfx950"),
        ("hip", r"amd\.com/gpu|mi2[15]0x?|instinct"),
        ("npu", r"ascend[a-z0-9-]*|910[abc]\d?|atlas[ _-]?\d+[a-z0-9]*"),
        ("xpu", r"gpu\.intel\.com/[a-z0-9]+|arc[ _-][ab]\d+|data center gpu max|xpu"),
        ("musa", r"mtt[ _-]?s\d+|mthreads\.com/gpu"),
        ("mps", r"apple[ _-]?m\d|apple[ _-]silicon"),
    ]
]

_PATH_WORDS = [
    (name, re.compile(rf"(?:\d+x)?(?:{pattern})(?:x\d+)?"))
    for name, pattern in [
        ("cuda-sm80", r"a100|a800"),
        ("cuda-sm89", r"l40s|rtx4090"),
        ("cuda-sm90", r"h100|h200|h800|h20|gh200"),
        ("cuda-sm100", r"g?b200"),
        ("cuda-sm103", r"g?b300"),
        ("cuda-sm120", r"rtx50[5-9]0"),
        ("cuda-sm121", r"gb10"),
        ("hip-gfx942", r"mi30x|mi300[ax]?|mi308x?|mi325x?|gfx942"),
        ("hip-gfx950", r"mi35x|mi350x?|mi355x?|gfx950"),
    ]
]
