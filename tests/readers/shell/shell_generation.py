"""Scripts by chance: assignments, arrays, branches, functions and a launch that uses them."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import strategies as st

LAUNCH = "python3 -m sglang.launch_server"
STRINGS = ("A", "TP", "S")
ARRAYS = ("B", "C")
NAMES = STRINGS + ARRAYS
# Set from outside in some runs and not in others; no script assigns them.
OUTSIDE = ("X", "Y")
VALUES = ("", "1", "true", "abc")


@dataclass(frozen=True)
class Generated:
    """A script and the environment to run it in."""

    script: str
    environment: dict[str, str]


_plain = st.sampled_from(
    ["1", "8", "x", "--tp", "--flag", "--a=b", "a-b", "true", "x,y", "{a,b}", "{1..3}", "é", "a:b"]
)
_quoted = st.sampled_from(
    [
        "''",
        '""',
        "'a b'",
        '"a b"',
        "'$A'",
        '"it\'s"',
        "$'a\\tb'",
        '"a\\"b"',
        "\\$A",
        "a\\ b",
        '"\\\\"',
    ]
)
_names = st.sampled_from(NAMES)
_any_name = st.sampled_from(NAMES + OUTSIDE)


@st.composite
def _expansion(draw: st.DrawFn) -> str:
    name = draw(_any_name)
    own = draw(_names)
    return draw(
        st.sampled_from(
            [
                f"${name}",
                f"${{{name}}}",
                f'"${name}"',
                f'"${{{name}}}"',
                f"${{{name}:-7}}",
                f'"${{{name}:-a b}}"',
                f"${{{name}:-$B}}",
                f"${{{own}:+--set}}",
                f"${{{own}+y}}",
                f"${{{own}-n}}",
                f"${{{own}:+--x ${own}}}",
                f'"${{{own}[@]}}"',
                f"${{{own}[@]}}",
                f'"${{{own}[*]}}"',
                f"${{#{own}[@]}}",
                f"${{#{own}}}",
                f"${{{own}//a/zz}}",
                f"${{{own}/-/+}}",
                f"${{{own}#*-}}",
                f"${{{own}##*-}}",
                f'"${{{own}%b*}}"',
                f"${{{own}%%[ab]*}}",
                f"${{{own}^^}}",
                f"${{{own}:1:2}}",
                f"${{{own}: -1}}",
                f'"${{{own}[@]:1}}"',
                f"${{{own}[0]}}",
                '"$@"',
                "$1",
                "$#",
                '"${@:2}"',
                "$*",
                '"$*"',
                "$((1 + 2 * 3))",
                "$((${#A} + 1))",
            ]
        )
    )


@st.composite
def _word(draw: st.DrawFn) -> str:
    kinds = [_plain, _plain, _quoted, _expansion()]
    count = draw(st.sampled_from([1, 1, 1, 2, 3]))
    return "".join(draw(draw(st.sampled_from(kinds))) for _ in range(count))


def _words(most: int = 4) -> st.SearchStrategy[str]:
    return st.lists(_word(), max_size=most).map(" ".join)


@st.composite
def _assignment(draw: st.DrawFn) -> str:
    name = draw(st.sampled_from(STRINGS))
    array = draw(st.sampled_from(ARRAYS))
    form = draw(st.integers(0, 7))
    if form == 0:
        return f"{array}=({draw(_words())})"
    if form == 1:
        return f"{array}+=({draw(_words())})"
    if form == 2:
        return f"{name}+={draw(_word())}"
    if form == 3:
        return f'{name}="${name} {draw(st.sampled_from(["--x", "$A", "--y 1", "${X:-z}"]))}"'
    if form == 4:
        return f"unset {draw(_names)}"
    if form == 5:
        return f"set -- {draw(_words())}"
    return f"{name}={draw(_word())}"


@st.composite
def _condition(draw: st.DrawFn) -> str:
    name = draw(_any_name)
    value = draw(st.sampled_from(["1", "true", "a", ""]))
    return draw(
        st.sampled_from(
            [
                f'[ "${name}" = "{value}" ]',
                f'[[ "${name}" == "{value}" ]]',
                f"[[ ${name} != {value or 'x'} ]]",
                f'[ -n "${name}" ]',
                f'[ -z "${{{name}:-}}" ]',
                f'[[ -z ${name} || "${name}" == 1 ]]',
                f'! [ "${name}" = 1 ]',
                f'[ "${name}" = 1 ] && [ "$Y" != 1 ]',
                f"[[ ${name} == t* ]]",
                f'[ "${{{name}:-1}}" -gt 0 ]',
                '[ "$#" -gt 1 ]',
                "true",
                "false",
            ]
        )
    )


def _block(depth: int) -> st.SearchStrategy[str]:
    return st.lists(_statement(depth), min_size=1, max_size=3).map("\n".join)


@st.composite
def _statement(draw: st.DrawFn, depth: int = 0) -> str:
    form = draw(st.integers(0, 12 if depth < 2 else 5))
    if form <= 5:
        return draw(_assignment())
    inner = _block(depth + 1)
    if form == 6:
        return f"if {draw(_condition())}; then\n{draw(inner)}\nfi"
    if form == 7:
        return f"if {draw(_condition())}; then\n{draw(inner)}\nelse\n{draw(inner)}\nfi"
    if form == 8:
        return f"{draw(_condition())} && {draw(_assignment())}"
    if form == 9:
        name = draw(_any_name)
        return (
            f'case "${name}" in\n1|true)\n{draw(inner)}\n;;\na*)\n{draw(inner)}\n;;\n'
            f"*)\n{draw(inner)}\n;;\nesac"
        )
    if form == 10:
        return (
            f"for {draw(st.sampled_from(STRINGS))} in {draw(_words(2))} z; do\n{draw(inner)}\ndone"
        )
    if form == 11:
        body = draw(inner)
        leaves = draw(st.sampled_from(["", f"if {draw(_condition())}; then return; fi\n"]))
        local = draw(st.sampled_from(["", "local A\n", "local S=2 C\n"]))
        return f"f() {{\n{local}{leaves}{body}\n}}\nf {draw(_words(2))}"
    return f"eval '{draw(st.sampled_from(['A=9', 'B=($A x)', 'set -- q']))}'"


@st.composite
def scripts(draw: st.DrawFn) -> Generated:
    """A script of some statements and a launch, and what is set when it runs."""
    statements = draw(st.lists(_statement(), min_size=1, max_size=6))
    use = draw(
        st.sampled_from(
            [
                "{launch} {words}",
                "{launch} {words}",
                'CMD="{launch} --end"\n$CMD {words}',
                "CMD=({launch} {words})\n" + '"${{CMD[@]}}"',
                "bash -c '{launch} \"$@\" $0' {words}",
                'r() {{ "$@"; }}\nr {launch} {words}',
            ]
        )
    )
    last = use.format(launch=LAUNCH, words=draw(_words(6)))
    environment = {name: draw(st.sampled_from(VALUES)) for name in OUTSIDE if draw(st.booleans())}
    return Generated("\n".join([*statements, last, ""]), environment)
