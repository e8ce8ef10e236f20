"""Python files: calls of SGLang's own API, argument lists and command strings."""

from sglang_lint.readers.registry import Format

FORMAT = Format(
    name="python",
    read="sglang_lint.readers.python.reader:read",
    extensions=frozenset([".py", ".pyi", ".pyw"]),
    shebangs=("python",),
)
