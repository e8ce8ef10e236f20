"""Offline batch inference; the keywords are those of SGLang's server arguments."""

import sglang as sgl

ATTENTION = {"attention_backend": "trtllm_mla"}


def main() -> None:
    """Answer one prompt."""
    engine = sgl.Engine(
        model_path="deepseek-ai/DeepSeek-V3",
        tp_size=8,
        cp_size=2,
        **ATTENTION,
    )
    print(engine.generate("The capital of France is"))


if __name__ == "__main__":
    main()
