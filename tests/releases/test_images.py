"""What image references, requirements and accelerator names tell."""

import pytest

from sglang_lint.releases.images import (
    platform_of_accelerator,
    platform_of_image,
    platform_of_path,
    release_of_image,
    release_of_requirement,
)
from sglang_lint.releases.platforms import find_platform


@pytest.mark.parametrize(
    ("reference", "release", "platform"),
    [
        ("lmsysorg/sglang:v0.5.9-cu130", "0.5.9", "cuda"),
        ("docker.io/lmsysorg/sglang:v0.5.18-rocm720-mi35x", "0.5.18", "hip-gfx950"),
        ("lmsysorg/sglang:v0.5.5.post3-rocm700-mi30x", "0.5.5.post3", "hip-gfx942"),
        ("lmsysorg/sglang:v0.4.9.post1-rocm630-srt", "0.4.9.post1", "hip"),
        ("lmsysorg/sglang:v0.5.20-runtime", "0.5.20", "cuda"),
        ("lmsysorg/sglang:v0.5.15-cu130@sha256:d0a667e1", "0.5.15", "cuda"),
        ("registry.example:5000/mirror/lmsysorg/sglang:v0.5.21", "0.5.21", "cuda"),
        ("docker://lmsysorg/sglang:v0.5.16-cu129-amd64", "0.5.16", "cuda"),
        ("'lmsysorg/sglang:v0.6.0'", "0.6.0", "cuda"),
        ("lmsysorg/sglang:v0.5.3rc0-cu129-gb200", "0.5.3rc0", "cuda-sm100"),
        ("lmsysorg/sglang:v0.5.19-cann8.5.0-910b", "0.5.19", "npu"),
        ("lmsysorg/sglang:v0.5.19-xeon", "0.5.19", "cpu"),
        ("lmsysorg/sglang:v0.5.19-xpu", "0.5.19", "xpu"),
        ("lmsysorg/sglang:latest", None, "cuda"),
        ("lmsysorg/sglang:latest-cu130", None, "cuda"),
        ("lmsysorg/sglang", None, "cuda"),
        ("lmsysorg/sglang:dev", None, "cuda"),
        ("lmsysorg/sglang:nightly-dev-cu13-20260401-d34db33f", None, "cuda"),
        ("lmsysorg/sglang:v0.5.8-glm5-hopper", None, "cuda-sm90"),
        ("lmsysorg/sglang:v0.5.9-rocm720-mi35x-20260310", None, "hip-gfx950"),
        ("lmsysorg/sglang:deepseek-v4-blackwell", None, "cuda"),
        ("lmsysorg/sglang:${TAG}", None, "cuda"),
        ("rocm/sgl-dev:v0.5.9-rocm720-mi35x", None, "hip-gfx950"),
        ("someone/sglang:v0.5.18", None, None),
        ("lmsysorg/sglang-router:v0.2.4", None, None),
        ("nvcr.io/nvidia/ai-dynamo/sglang-runtime:1.3.1", "0.5.14", "cuda"),
        ("nvcr.io/nvidia/ai-dynamo/sglang-runtime:1.1.1-cuda13", "0.5.10.post1", "cuda"),
        ("nvcr.io/nvidia/ai-dynamo/sglang-runtime:1.5.0", "0.5.18", "cuda"),
        ("nvcr.io/nvidia/ai-dynamo/sglang-runtime:1.2.0-efa-amd64", "0.5.11", "cuda"),
        (
            "nvcr.io/nvidia/ai-dynamo/sglang-runtime:1.2.0-sglang-deepseek-v4-b200-dev.1",
            None,
            "cuda-sm100",
        ),
        ("nvcr.io/nvidia/ai-dynamo/sglang-runtime:99.0.0", None, "cuda"),
        ("nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.1.1", None, "cuda"),
        ("someone/sglang-runtime:1.1.1", None, None),
        ("lmsysorg+sglang+v0.5.9-cu130.sqsh", "0.5.9", "cuda"),
        ("/shared/images/lmsysorg+sglang+v0.5.9-rocm720-mi35x.sqsh", "0.5.9", "hip-gfx950"),
        ("/shared/docker.io+lmsysorg+sglang+v0.5.9.squashfs", "0.5.9", "cuda"),
        ("/lustre/containers/lmsysorg_sglang_v0.5.8.post1-cu130.sqsh", "0.5.8.post1", "cuda"),
        ("nvcr.io+nvidia+ai-dynamo+sglang-runtime+1.0.1.sqsh", "0.5.9", "cuda"),
        ("/shared/lmsysorg+sglang+latest.sqsh", None, "cuda"),
        ("/shared/sglang-v0.5.9.sqsh", None, None),
        ("lmsysorg/sglang-rocm:v0.5.15-rocm720-mi35x", "0.5.15", "hip-gfx950"),
        ("lmsysorg/sglang-rocm:v0.5.15.post1-rocm720-mi35x-20260715", None, "hip-gfx950"),
        ("dockerd://lmsysorg/sglang:v0.5.16-cu129", "0.5.16", "cuda"),
        ("mirror.example#lmsysorg/sglang:v0.5.16", "0.5.16", "cuda"),
        ("lmsysorg/sglang@sha256:d0a667e1", None, "cuda"),
        ("lmsysorg/sglang:nightly", None, "cuda"),
        ("", None, None),
        (".sqsh", None, None),
    ],
)
def test_images(reference, release, platform):
    assert release_of_image(reference) == release
    assert platform_of_image(reference) == platform
    assert platform is None or find_platform(platform) is not None


@pytest.mark.parametrize(
    ("text", "release"),
    [
        ("sglang==0.5.18", "0.5.18"),
        ("pip install -U 'sglang[all]==0.5.18' torch==2.9.1", "0.5.18"),
        ("uv pip install sglang == 0.5.15.post1", "0.5.15.post1"),
        ("torch==2.9.1 sglang==0.5.0rc2", "0.5.0rc2"),
        (
            "sglang @ git+https://github.com/sgl-project/sglang.git@v0.5.9#subdirectory=python",
            "0.5.9",
        ),
        ("pip install sglang", None),
        ("sglang>=0.5.15,<0.5.19", None),
        ("sglang==0.5.*", None),
        ("sglang-router==0.2.4", None),
        ("my-sglang==0.5.18", None),
        ("sglang==${VERSION}", None),
    ],
)
def test_requirements(text, release):
    assert release_of_requirement(text) == release


@pytest.mark.parametrize(
    ("text", "platform"),
    [
        ("NVIDIA-H100-80GB-HBM3", "cuda-sm90"),
        ("NVIDIA H200", "cuda-sm90"),
        ("H100:8", "cuda-sm90"),
        ("8xH100", "cuda-sm90"),
        ("H20x8", "cuda-sm90"),
        ("H100-SXM5", "cuda-sm90"),
        ("nvidia-h100-mega-80gb", "cuda-sm90"),
        ("p5en.48xlarge", "cuda-sm90"),
        ("Standard_ND96isr_H200_v5", "cuda-sm90"),
        ("B200", "cuda-sm100"),
        ("nvidia-gb200", "cuda-sm100"),
        ("GB300", "cuda-sm103"),
        ("B300:8", "cuda-sm103"),
        ("NVIDIA-A100-SXM4-80GB", "cuda-sm80"),
        ("nvidia-tesla-a100", "cuda-sm80"),
        ("A10G", "cuda-sm86"),
        ("RTX 3090", "cuda-sm86"),
        ("L40S", "cuda-sm89"),
        ("nvidia-l4", "cuda-sm89"),
        ("NVIDIA-GeForce-RTX-4090", "cuda-sm89"),
        ("NVIDIA-RTX-PRO-6000-Blackwell-Server-Edition", "cuda-sm120"),
        ("RTX 5090", "cuda-sm120"),
        ("NVIDIA GB10", "cuda-sm121"),
        ("DGX Spark", "cuda-sm121"),
        ("Jetson AGX Thor", "cuda-sm110"),
        ("MI300X", "hip-gfx942"),
        ("AMD_Instinct_MI325X_OAM", "hip-gfx942"),
        ("AMD-Instinct-MI355X", "hip-gfx950"),
        ("MI210", "hip"),
        ("amd.com/gpu", "hip"),
        ("nvidia.com/gpu", "cuda"),
        ("huawei.com/Ascend910", "npu"),
        ("Ascend 910B", "npu"),
        ("cuda-sm100", "cuda-sm100"),
        ("H100,H200", "cuda-sm90"),
        ("H100,B200", "cuda"),
        ("H100 or MI300X", None),
        ("Tesla-V100", "cuda"),
        ("AMD EPYC 9654", None),
        ("", None),
        ("B2000", None),
    ],
)
def test_accelerators(text, platform):
    assert platform_of_accelerator(text) == platform
    assert platform is None or find_platform(platform) is not None


@pytest.mark.parametrize(
    ("path", "platform"),
    [
        ("benchmarks/dsr1_fp4_b200.sh", "cuda-sm100"),
        ("recipes/multi-node/DeepSeek-R1/GB300/1k1k/low.yaml", "cuda-sm103"),
        ("recipes\\H100\\x.yaml", "cuda-sm90"),
        ("launch_8xh100.py", "cuda-sm90"),
        ("serve-h200x8.sh", "cuda-sm90"),
        ("dsr1_fp8_mi355x.sh", "hip-gfx950"),
        ("tests/mi30x/test_a.py", "hip-gfx942"),
        ("gb200/decode_b200.sh", "cuda-sm100"),
        ("h100/to_b200.sh", None),
        ("h100/mi300x.sh", None),
        ("b2000/x.sh", None),
        ("web200/x.sh", None),
        ("p5/g5/l4/t4/a10/v100.sh", None),
        ("hopper/blackwell.sh", None),
        ("", None),
    ],
)
def test_paths(path, platform):
    assert platform_of_path(path) == platform
    assert platform is None or find_platform(platform) is not None


def test_dynamo_s_images_hold_known_releases():
    from sglang_lint.releases.images import _releases_in_dynamo
    from sglang_lint.releases.table import known_releases

    assert set(_releases_in_dynamo().values()) <= set(known_releases())
