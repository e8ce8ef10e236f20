"""What calls do with a list of words or a string: run it, show it, or something else."""

from __future__ import annotations

from sglang_lint.readers.python.calls import Call
from sglang_lint.readers.python.names import api_name
from sglang_lint.readers.python.texts import simple_value
from sglang_lint.values import Known

# Calls that take a list of words as it is and fail on a word that is no string.
_STRICT = frozenset(
    f"subprocess.{name}" for name in ("Popen", "run", "call", "check_call", "check_output")
) | frozenset(
    """
    os.execv os.execve os.execvp os.execvpe os.spawnv os.spawnve os.spawnvp os.spawnvpe
    os.posix_spawn os.posix_spawnp os.execl os.execle os.execlp os.execlpe
    asyncio.create_subprocess_exec
    """.split()
)
_SHELL = frozenset(
    """
    os.system os.popen subprocess.getoutput subprocess.getstatusoutput
    asyncio.create_subprocess_shell commands.getoutput
    """.split()
)
# Helpers of SGLang that cut a command at blanks, whatever is quoted in it.
_BLANK_SPLITTERS = frozenset(["launch_server_cmd", "execute_shell_command"])
# Names by which projects call their own helper that lets a shell run a string.
_RUNNERS = frozenset(
    """
    run run_command run_cmd run_shell run_shell_command run_bash run_sh exec_command exec_cmd
    execute_command execute_shell execute_cmd shell sh bash sudo system popen exec_run
    run_in_background run_async run_process start_process launch_process spawn run_on_node
    run_commands send_keys execute_shell_command launch_server_cmd
    """.split()
)
_SHOWERS = frozenset(
    """
    print pprint pformat repr str ascii len type isinstance issubclass id hash format debug info
    warning warn error critical exception log fail skip skipTest skipIf skipUnless echo secho
    write writelines writeln add_argument markdown code dumps dump quote join shlex_join
    fatal trace success rprint deprecated xfail subTest mark_skip help usage set_description
    """.split()
)


def is_strict(call: Call) -> bool:
    """Whether the call takes words that have to be strings."""
    return not _STRICT.isdisjoint(call.names)


def only_shows(call: Call) -> bool:
    """Whether what goes into the call is looked at and not used."""
    name = call.last_name
    return (
        name in _SHOWERS
        or name.startswith(("assert", "log_", "print_"))
        or name.endswith(("Error", "Exception", "Warning"))
    )


def splits_at_blanks(call: Call) -> bool:
    """Whether the call is a helper of SGLang that cuts its command at blanks."""
    return any(api_name(name) in _BLANK_SPLITTERS for name in call.names)


def runs_shell(call: Call) -> bool:
    """Whether a shell runs the string that the call gets."""
    if not _SHELL.isdisjoint(call.names):
        return True
    if is_strict(call):
        shell = call.argument(-1, "shell")
        return shell is not None and simple_value(shell.thing) != Known(False)
    return call.last_name in _RUNNERS
