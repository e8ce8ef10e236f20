#!/bin/bash
# Decode context parallelism on one node of Hopper or Blackwell GPUs: the log-sum-exp of each rank
# has to be merged, which this release's trtllm_mla backend does not return.
# sglang-lint: release=0.5.18 platform=cuda-sm100
set -euo pipefail

PORT=${PORT:-30000}
ARGS=(
  --model-path deepseek-ai/DeepSeek-V3
  --tp 8
  --dcp-size 2
  --attention-backend trtllm_mla
  --host 0.0.0.0
  --port "$PORT"
)
exec python3 -m sglang.launch_server "${ARGS[@]}"
