"""Lines of a launch that the shell ends too early, and lines that look like it and are right."""

from __future__ import annotations

import pytest
from shell_reading import reading_of, written

L = "python3 -m sglang.launch_server"
COMMENT = "shell-comment-in-continuation"
BACKSLASH = "shell-backslash-not-last"


def _only(script: str) -> tuple[str, str, str]:
    (fault,) = reading_of(script).faults
    return fault.check, fault.message, written(script, fault.span)


def test_a_comment_between_joined_lines() -> None:
    script = f"{L} \\\n  --tp 8 \\\n  # why\n  --ep 8 \\\n  --dp 2 \\\n  --x --y 1\n"
    check, message, place = _only(script)
    assert (check, place) == (COMMENT, "# why")
    assert "`--ep 8` and the 3 options after it never reach SGLang" in message


def test_a_comment_behind_an_option_with_more_behind_it() -> None:
    check, message, place = _only(f"{L} \\\n  --tp 8 # eight\n  --ep 8 \\\n  --dp 2\n")
    assert (check, place) == (COMMENT, "# eight")
    assert "`--ep 8` and the option after it never reach SGLang" in message


def test_a_backslash_at_the_end_of_a_comment() -> None:
    check, message, place = _only(f"{L} \\\n  --tp 8 # eight \\\n  --ep 8\n")
    assert (check, place) == (COMMENT, "# eight \\")
    assert "`--ep 8` never reaches SGLang" in message


@pytest.mark.parametrize(
    ("behind", "place"),
    [(" ", "\\ "), (" \t", "\\ "), ("   # four", "\\   # four"), ("\r", "\\\r")],
)
def test_something_behind_the_backslash(behind: str, place: str) -> None:
    check, message, found = _only(f"{L} \\\n  --tp 8 \\{behind}\n  --ep 8\n")
    assert (check, found) == (BACKSLASH, place)
    assert "`--ep 8` never reaches SGLang" in message


def test_the_first_of_many_is_named_once() -> None:
    (fault,) = reading_of(f"{L} \\\r\n  --tp 8 \\\r\n  --ep 8 \\\r\n  --dp 2\r\n").faults
    assert fault.check == BACKSLASH
    assert "and the 2 options after it" in fault.message


def test_faults_inside_another_shell() -> None:
    script = f'bash -c "\n{L} \\\n  --tp 8 \\\n  # why\n  --ep 8"\n'
    check, _, place = _only(script)
    assert (check, place) == (COMMENT, "# why")


@pytest.mark.parametrize(
    "script",
    [
        f"{L} \\\n  --tp 8 # the last line\n",
        f"{L} \\\n  --tp 8 \\\n  # nothing behind\n\necho done\n",
        f"{L} \\\n  --tp 8 `# eight` \\\n  --ep 8\n",
        f'A=(\n  --tp 8 # eight\n  # why\n  --ep 8\n)\n{L} "${{A[@]}}"\n',
        f"# --ep 8 \\\n{L} --tp 8\n",
        f"{L} --x 'a # b' \\\n  --y a\\ b\n",
        "ls \\\n  # why\n  --all\n",
        f"echo {L} \\\n  # why\n  --ep 8\n",
    ],
)
def test_what_loses_nothing_is_no_fault(script: str) -> None:
    assert reading_of(script).faults == ()
