"""Dockerfiles: the command that a stage's containers run, and the image they are built from."""

from sglang_lint.readers.registry import Format

FORMAT = Format(
    name="dockerfile",
    read="sglang_lint.readers.dockerfile.reader:read",
    extensions=frozenset([".dockerfile", ".containerfile"]),
    names=frozenset(["Dockerfile", "Containerfile", "dockerfile", "containerfile"]),
    name_prefixes=("Dockerfile.", "Dockerfile-", "Dockerfile_", "Containerfile."),
)
