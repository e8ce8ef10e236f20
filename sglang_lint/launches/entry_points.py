"""The programs and calls that start an SGLang server, and those that only look like it."""

from __future__ import annotations

import enum
from dataclasses import dataclass


class Style(enum.Enum):
    """How an entry point takes its arguments."""

    ARGV = "argv"
    KEYWORDS = "keywords"


@dataclass(frozen=True, slots=True)
class EntryPoint:
    """A way to start SGLang.

    `own_options` are prefixes of options that belong to the entry point and not to SGLang's
    server arguments; where `other_options` is set it takes further ones, so that an option
    unknown to SGLang is no finding.
    """

    name: str
    style: Style
    positional_model: bool = False
    own_options: tuple[str, ...] = ()
    other_options: bool = False


LAUNCH_SERVER = EntryPoint("sglang.launch_server", Style.ARGV)
SERVE = EntryPoint("sglang serve", Style.ARGV, positional_model=True)
PREPARE_SERVER_ARGS = EntryPoint("prepare_server_args", Style.ARGV)
POPEN_LAUNCH_SERVER = EntryPoint("popen_launch_server", Style.ARGV)
SERVER_ARGS = EntryPoint("ServerArgs", Style.KEYWORDS)
# Engine takes a finished record instead of its fields.
ENGINE = EntryPoint("sglang.Engine", Style.KEYWORDS, own_options=("server_args",))
# A schema whose keys are fields of ServerArgs (verl, AReaL, a recipe's server block).
SCHEMA = EntryPoint("server arguments in a schema", Style.KEYWORDS)
# A schema whose keys become options of a command line (srt-slurm recipes, `--config` files).
SCHEMA_OPTIONS = EntryPoint("server options in a schema", Style.ARGV)

# python -m MODULE
MODULES: dict[str, EntryPoint] = {
    "sglang.launch_server": LAUNCH_SERVER,
    "sglang.srt.entrypoints.http_server": LAUNCH_SERVER,
    "dynamo.sglang": EntryPoint("dynamo.sglang", Style.ARGV, other_options=True),
    "sglang_router.launch_server": EntryPoint(
        "sglang_router.launch_server", Style.ARGV, own_options=("--router-",), other_options=True
    ),
    "sglang.bench_one_batch": EntryPoint("sglang.bench_one_batch", Style.ARGV, other_options=True),
    "sglang.bench_offline_throughput": EntryPoint(
        "sglang.bench_offline_throughput", Style.ARGV, other_options=True
    ),
    "sglang.compile_deep_gemm": EntryPoint(
        "sglang.compile_deep_gemm", Style.ARGV, other_options=True
    ),
}

# Programs whose arguments are text to them: a launch among these arguments starts nothing.
NOT_RUNNERS = frozenset(
    """
    echo printf print cat tee grep egrep fgrep rg ag ack sed awk pkill pgrep kill killall ps
    man info which type whereis command_not_found help logger wall write test [ [[ read
    declare local export typeset readonly alias unset assert curl wget git gh vim nano less more
    """.split()
)

# Options that only the server of diffusion models takes: `sglang serve` with one of them
# is another program with another parser.
DIFFUSION_OPTIONS = frozenset(
    """
    --num-gpus --ulysses-degree --ring-degree --sp-degree --pipeline-class-name --model-type
    --vae-path --dit-cpu-offload --text-encoder-cpu-offload --image-encoder-cpu-offload
    --vae-cpu-offload --dit-layerwise-offload --enable-cfg-parallel --cfg-parallel-degree
    """.split()
)

SHELLS = frozenset(["sh", "bash", "dash", "zsh", "ash", "ksh"])
