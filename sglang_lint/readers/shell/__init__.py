"""Shell scripts, and the shell that stands inside other languages."""

from sglang_lint.readers.registry import Format

FORMAT = Format(
    name="shell",
    read="sglang_lint.readers.shell.reader:read",
    extensions=frozenset([".sh", ".bash", ".zsh", ".ksh", ".sbatch", ".slurm"]),
    shebangs=("sh", "bash", "zsh", "dash"),
)
