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

# Options that only the server of diffusion models takes: `sglang serve` with one of them is
# another program with another parser (multimodal_gen/runtime/server_args of 0.5.0 to 0.5.23; none
# of them, nor what it may abbreviate, is an option of the language model server in any release).
DIFFUSION_OPTIONS = frozenset(
    """
    --STA-mode --VSA-sparsity --allow-bf16-reduced-precision-reduction --allow-cudnn-tf32
    --async-output-save --attention-backend-config --backend --batching-config
    --batching-delay-ms --batching-max-size --batching-mode --bcg-text-buckets
    --cache-dit-config --cfg-parallel-size --component-attention-backends
    --component-residency --conditioning-cache-max-size-mb --cpu-offload-components
    --decoder-sp --decoder-tp --decoder-urls --denoiser-ring --denoiser-sp --denoiser-tp
    --denoiser-ulysses --denoiser-urls --diffusers-attention-backend
    --direct-gpu-weight-loading --disable-autocast --disable-conditioning-cache
    --disagg-dispatch-policy --disagg-downstream-wait-timeout --disagg-ib-device
    --disagg-instance-id --disagg-max-slots-per-instance --disagg-p2p-hostname --disagg-role
    --disagg-role-device --disagg-server-addr --disagg-timeout --disagg-transfer-backend
    --disagg-transfer-pin-memory --disagg-transfer-pool-size --disagg-transfer-redundancy
    --distributed-executor-backend --dit-cpu-offload --dit-layerwise-offload
    --dit-layerwise-residency-lifetime --dit-layerwise-residency-policy
    --dit-layerwise-resident-layers --dit-offload-prefetch-size --enable-batching-metrics
    --enable-cfg-parallel --enable-stage-verification --encoder-parallel --encoder-tp
    --gpu-ids --hsdp-replicate-dim --hsdp-shard-dim --http-graceful-shutdown-timeout
    --image-encoder-cpu-offload --input-save-path --kv-cache-quant
    --kv-cache-quant-asymmetric --kv-cache-quant-block-size --kv-cache-quant-centroids
    --kv-cache-quant-iters --kv-cache-quant-keep-recent --kv-cache-quant-sink
    --kv-cache-quant-sink-keep --kv-cache-quant-stages --kv-gather-degree
    --layerwise-offload-components --layerwise-offload-modules --layerwise-prefetch-size
    --layerwise-residency-lifetime --layerwise-residency-policy --layerwise-resident-layers
    --load-diffusion-decoder --lora-alpha --lora-merge-mode --lora-nickname --lora-scale
    --lora-weight-name --ltx2-two-stage-device-mode --mask-strategy-file-path --master-port
    --minimax-h3-adaln-cache-path --minimax-h3-adaln-host-cache-gb --minimax-h3-adaln-online
    --minimax-h3-adaln-plan-width --model-dir --model-id --model-subfolder --model-variant
    --num-gpus --offload-during-compile --output-path --output-type
    --override-transformer-cls-name --pe-server-url --performance-mode --pin-cpu-memory
    --pipeline-class-name --prompt-enhancer-config --prompt-file-path
    --quantization-ignored-layers --regional-compile --ring-degree --scheduler-port
    --scheduler-rpc-timeout --server-warmup --skip-time-steps --sp-degree
    --srt-encoder-connection-timeout --srt-encoder-timeout --srt-encoder-url --strict-ports
    --text-encoder-cpu-offload --ulysses-degree --use-fsdp-inference --vae-cpu-offload
    --vae-path --warmup-mode --warmup-num-frames --warmup-resolutions
    --warmup-sampling-params --warmup-steps --webui --webui-port --workload-type
    """.split()
)

SHELLS = frozenset(["sh", "bash", "dash", "zsh", "ash", "ksh"])
