"""sglang-lint: static analysis of SGLang launch configurations."""

__version__ = "0.1.0"
