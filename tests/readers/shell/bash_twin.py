"""Runs a script with real bash and tells which arguments its programs were really given."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sglang_lint.launches import Launch, Origin, Variant, Word
from sglang_lint.launches.entry_points import MODULES
from sglang_lint.values import Known

BASH = shutil.which("bash")
_PROGRAMS = ("python", "python3", "sglang")
# Writes the number of its arguments and then each of them, all ended by NUL bytes.
_STUB = """#!{bash}
printf '%s\\0' "$(( $# + 1 ))" "${{0##*/}}" "$@" >> "$RECORD"
"""
# Wrappers that run what stands behind their own options.
_SRUN = """#!{bash}
while [ "${{1#-}}" != "$1" ]; do shift; done
exec "$@"
"""
_DOCKER = """#!{bash}
while [ $# -gt 0 ]; do
  case "$1" in
    image:*) shift; break;;
    -e) export "$2"; shift 2;;
    *) shift;;
  esac
done
exec "$@"
"""
_SSH = """#!{bash}
shift
if [ $# -eq 0 ]; then exec {bash}; fi
exec {bash} -c "$*"
"""


class Twin:
    """A folder of stubs, ahead of everything else on the PATH."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.record = folder / "record"
        stubs = folder / "bin"
        stubs.mkdir()
        for name in _PROGRAMS:
            self._stub(stubs / name, _STUB)
        self._stub(stubs / "srun", _SRUN)
        self._stub(stubs / "docker", _DOCKER)
        self._stub(stubs / "ssh", _SSH)
        self.path = f"{stubs}:/usr/bin:/bin"

    def _stub(self, path: Path, text: str) -> None:
        path.write_text(text.format(bash=BASH))
        path.chmod(0o755)

    def run(
        self, script: str, environment: Mapping[str, str], arguments: Sequence[str] = ()
    ) -> list[list[str]]:
        """The arguments of every stub that the script started, in their order."""
        self.record.write_bytes(b"")
        file = self.folder / "script.sh"
        file.write_bytes(script.encode())
        subprocess.run(
            [str(BASH), str(file), *arguments],
            env={
                "PATH": self.path,
                "RECORD": str(self.record),
                "HOME": "/home/me",
                "LC_ALL": "C.UTF-8",
                **environment,
            },
            cwd=self.folder / "bin",
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            stdin=subprocess.DEVNULL,
            timeout=20,
            check=False,
        )
        fields = self.record.read_bytes().decode().split("\0")[:-1]
        found = []
        while fields:
            count = int(fields[0])
            found.append(fields[1 : count + 1])
            fields = fields[count + 1 :]
        return found


def launched(calls: Sequence[Sequence[str]]) -> list[list[str]]:
    """The arguments behind the entry point, of the calls that start SGLang."""
    found = []
    for call in calls:
        if call[0] == "sglang" and call[1:2] == ["serve"]:
            found.append(list(call[2:]))
        elif call[1:2] == ["-m"] and call[2:3] and call[2] in MODULES:
            found.append(list(call[3:]))
    return found


@dataclass(frozen=True)
class Leave:
    """What a comparison lets pass.

    `set` says that variables with a default were set to something else, `blanks` that they may
    hold blanks, so that `--x=$X` is more than the one word that people mean by it.
    """

    set: bool = False
    blanks: bool = False


def fits(variant: Variant, arguments: Sequence[str], leave: Leave | None = None) -> bool:
    """Whether the variant says nothing else than what really was passed."""
    return _fits(variant.words, list(arguments), leave or Leave())


def _fits(words: Sequence[Word], arguments: list[str], leave: Leave) -> bool:
    if not words:
        return not arguments
    word, rest = words[0], words[1:]
    soft = word.origin is Origin.VARIABLE_DEFAULT and leave.set
    if isinstance(word.value, Known) and not soft:
        same = bool(arguments) and arguments[0] == word.value.value
        return same and _fits(rest, arguments[1:], leave)
    least, most = 0, len(arguments)
    if not word.splits and not soft:
        if not arguments or not arguments[0].startswith(word.literal.text):
            return False
        least, most = 1, most if leave.blanks else 1
    return any(_fits(rest, arguments[count:], leave) for count in range(least, most + 1))


def unknown(variant: Variant) -> int:
    """How many of the words are not known."""
    return sum(not isinstance(word.value, Known) for word in variant.words)


def variants(launches: Sequence[Launch]) -> list[Variant]:
    """All variants of all launches."""
    return [variant for launch in launches for variant in launch.variants]
