"""Commands that look like a launch of the language model server and are none."""

import pytest

from sglang_lint.readers.shell.reader import read
from sglang_lint.text import MappedText


@pytest.mark.parametrize(
    "command",
    [
        "sglang serve --model-path x --num-gpus 8 --ulysses-degree 8",
        "sglang serve --model-path x --strict-ports --master-port 1",
        "sglang serve --model-type diffusion --model-path x",
        "sglang serve --model-type=diffusion --model-path x",
        "sglang generate --model-path x --prompt y",
        "python -m sglang.launch_server --help",
        "python -m sgl_jax.launch_server --model-path x",
        "python -m sglang_router.launch_router --worker-urls x",
        "trtllm-serve x --tp_size 8",
        "vllm serve x --tensor-parallel-size 8",
        "echo python -m sglang.launch_server --model-path x",
        "pkill -f 'python -m sglang.launch_server'",
        "pgrep -f sglang.launch_server",
        "# python -m sglang.launch_server --model-path x",
    ],
)
def test_none_of_them_is_a_launch(command: str) -> None:
    assert read(MappedText.region(command + "\n"), "x.sh").launches == ()


@pytest.mark.parametrize(
    "command",
    [
        "sglang serve --model-type llm --model-path x",
        "sglang serve x --tp 8",
        "sudo -E env A=1 numactl -N 0 python3 -m sglang.launch_server --model-path x",
        "docker run --gpus all lmsysorg/sglang:v0.5.20 python3 -m sglang.launch_server --tp 8",
        "srun bash -c 'python3 -m sglang.launch_server --tp 8'",
    ],
)
def test_each_of_these_is_one(command: str) -> None:
    assert len(read(MappedText.region(command + "\n"), "x.sh").launches) == 1
