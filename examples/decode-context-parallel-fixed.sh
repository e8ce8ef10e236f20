#!/bin/bash
# The same deployment with a backend that returns the log-sum-exp.
# sglang-lint: release=0.5.18 platform=cuda-sm100
set -euo pipefail

exec python3 -m sglang.launch_server \
  --model-path deepseek-ai/DeepSeek-V3 \
  --tp 8 \
  --dcp-size 2 \
  --attention-backend cutedsl_mla \
  --host 0.0.0.0
