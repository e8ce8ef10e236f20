"""What the programs in front of a launch tell: containers, environments, remote shells."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sglang_lint.launches import Evidence, EvidenceKind, Word
from sglang_lint.launches.entry_points import SHELLS
from sglang_lint.readers.shell.pieces import span_of

CONTAINERS = frozenset(["docker", "podman", "nerdctl"])
_REMOTE = frozenset(["docker", "podman", "nerdctl", "kubectl", "oc", "ssh", "pdsh"])
_READS_SCRIPTS = frozenset(["ssh", "sbatch", "qsub", "bsub", *SHELLS])
# Options of `docker run` that stand alone; every other one takes a value.
_ALONE = frozenset(
    """
    --rm --interactive --tty --detach --init --privileged --read-only --no-healthcheck --quiet
    --oom-kill-disable --publish-all --sig-proxy --disable-content-trust --help
    """.split()
)
_ALONE_LETTERS = frozenset("itdPq")
_TELLS = re.compile(
    r"(?:^|[_.-])(?:print|echo|log|write|show|dump|record|save|say|note|info|warn|warning|debug"
    r"|error|fail|die|usage|banner|header)(?:$|[_.-])",
    re.IGNORECASE,
)
_RUNS = re.compile(r"run|exec|launch|start|spawn|call|invoke", re.IGNORECASE)
_ENVIRONMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*=")
_IMAGE_OPTIONS = ("--container-image", "--image")
_IMAGE = re.compile(
    r"(?:docker://)?[A-Za-z0-9][\w.-]*(?::[0-9]+)?(?:[/#][\w.-]+)*(?::[\w.-]+)?(?:@\S+)?"
)
_SSH_WITH_VALUE = frozenset("BbcDEeFIiJLlmOopQRSWw")
_REQUIREMENT = re.compile(r"(?:git\+.*/sglang\b|sglang(?:\[[^\]]*\])?\s*(?:[=<>~!]=|[<>@]))")


def program(word: Word) -> str:
    """The name of a program without its folder; empty where it is not known."""
    return (word.text or "").rsplit("/", 1)[-1]


def only_tells(words: Sequence[Word]) -> bool:
    """Whether the program, by its name, says what it is given and runs nothing of it."""
    name = program(words[0]) if words else ""
    return bool(_TELLS.search(name)) and not _RUNS.search(name)


def image(words: Sequence[Word], first: int) -> Evidence | None:
    """The container image that the command before `words[first]` names."""
    for index in range(first):
        text = words[index].text
        if text is None:
            continue
        for option in _IMAGE_OPTIONS:
            if text == option and index + 1 < first:
                return _evidence(words[index + 1], 0)
            if text.startswith(option + "="):
                return _evidence(words[index], len(option) + 1)
        if program(words[index]) in CONTAINERS:
            place = _image_of_run(words, index + 1, first)
            return None if place is None else _evidence(words[place], 0)
        if program(words[index]) in ("singularity", "apptainer"):
            return next(
                (
                    _evidence(word, len("docker://"))
                    for word in words[index + 1 : first]
                    if (word.text or "").startswith("docker://")
                ),
                None,
            )
    return None


def _evidence(word: Word, start: int) -> Evidence | None:
    text = word.text
    if text is None or not _IMAGE.fullmatch(text[start:]):
        return None
    span = word.span if start == 0 else span_of(word.literal, start)
    return Evidence(EvidenceKind.IMAGE, text[start:], span)


def _image_of_run(words: Sequence[Word], start: int, first: int) -> int | None:
    index = start
    while index < first and program(words[index]) not in ("run", "create"):
        index += 1
    index += 1
    while index < first:
        text = words[index].text
        if text is None:
            # An option or the image itself, nobody knows; what comes behind is uncertain.
            return None
        if not text.startswith("-"):
            return index
        letters = set(text[1:])
        alone = text in _ALONE or "=" in text or (text[1:2] != "-" and letters <= _ALONE_LETTERS)
        joined = text[1:2] != "-" and len(text) > 2 and not letters <= _ALONE_LETTERS
        # `-itp 80:80`: letters that stand alone, then one that takes the next word.
        cluster = joined and set(text[1:-1]) <= _ALONE_LETTERS
        index += 1 if alone or (joined and not cluster) else 2
    return None


def settings(words: Sequence[Word], first: int) -> list[tuple[int, str, int]]:
    """`NAME=value` words that set the environment: (word, name, where its value begins)."""
    found = []
    env = False
    for index, word in enumerate(words[:first]):
        text = word.text if word.text is not None else word.literal.text
        env = env or program(word) == "env"
        before = words[index - 1].text if index else None
        begin = len("--env=") if text.startswith("--env=") else 0
        match = _ENVIRONMENT.match(text, begin)
        if match is not None and (begin or before in ("-e", "--env") or env):
            found.append((index, text[begin : match.end() - 1], match.end()))
    return found


def isolates(words: Sequence[Word]) -> bool:
    """Whether the command starts its program in another environment than its own."""
    return any(program(word) in _REMOTE for word in words)


def enters_container(words: Sequence[Word]) -> bool:
    """Whether the command runs its program in a container that was started before."""
    texts = [word.text for word in words]
    return "exec" in texts and any(program(word) in CONTAINERS for word in words)


def reads_script(words: Sequence[Word]) -> bool:
    """Whether the command runs what it is given on its standard input."""
    for index, word in enumerate(words):
        name = program(word)
        if name not in _READS_SCRIPTS:
            continue
        if name in SHELLS or name in ("sbatch", "qsub", "bsub"):
            rest = [other.text for other in words[index + 1 :]]
            return all(text is not None and text[:1] in ("-", "+") for text in rest[:1])
        host = _ssh_host(words, index)
        return host is not None and (host + 1 == len(words) or reads_script(words[host + 1 :]))
    return False


def _ssh_host(words: Sequence[Word], ssh: int) -> int | None:
    index = ssh + 1
    while index < len(words):
        text = words[index].text
        if text is None or not text.startswith("-") or text == "-":
            return index
        index += 2 if len(text) == 2 and text[1] in _SSH_WITH_VALUE else 1
    return None


def scripts(words: Sequence[Word]) -> list[tuple[int, ...]]:
    """Groups of words that the command hands to a shell as one text, other than `sh -c`."""
    for index, word in enumerate(words):
        name = program(word)
        if name == "ssh":
            host = _ssh_host(words, index)
            rest = range((len(words) if host is None else host) + 1, len(words))
            return [tuple(rest)] if rest else []
        if name in ("tmux", "screen"):
            return [
                (place,)
                for place in range(index + 1, len(words))
                if " " in words[place].literal.text
            ]
        if name in ("su", "script", "flock", "watch"):
            for place in range(index + 1, len(words) - 1):
                if words[place].text in ("-c", "--command"):
                    return [(place + 1,)]
    return []


def requirements(words: Sequence[Word]) -> list[Evidence]:
    """Releases of SGLang that `pip install` in the command asks for."""
    texts = [word.text for word in words]
    if "install" not in texts and "add" not in texts:
        return []
    if not any(re.fullmatch(r"(?:.*/)?(?:pip[0-9.]*|uv|poetry)", text or "") for text in texts):
        return []
    return [
        Evidence(EvidenceKind.PIP, word.text, word.span)
        for word in words
        if word.text is not None and _REQUIREMENT.match(word.text)
    ]
