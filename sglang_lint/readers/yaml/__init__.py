"""YAML: Kubernetes manifests, compose files, CI workflows, recipes and trainer configurations."""

from sglang_lint.readers.registry import Format

FORMAT = Format(
    name="yaml",
    read="sglang_lint.readers.yaml.reader:read",
    extensions=frozenset([".yaml", ".yml"]),
)
