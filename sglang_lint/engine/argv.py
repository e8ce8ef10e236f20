"""Judging a command line or keywords that are wholly known, without any file."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence

from sglang_lint.engine.analyse import Settings, analyse_reading
from sglang_lint.engine.diagnostic import Diagnostic
from sglang_lint.engine.directives import Directives
from sglang_lint.launches import Keyword, Launch, Reading, Variant, Word
from sglang_lint.launches import Setting as EnvironmentSetting
from sglang_lint.launches.entry_points import LAUNCH_SERVER, SERVE, SERVER_ARGS, EntryPoint
from sglang_lint.releases.context import Stated, Statements
from sglang_lint.text import Document, MappedText, Span
from sglang_lint.values import Known

_SOURCE = "the call"


def judge_argv(
    argv: Sequence[str],
    *,
    release: str | None = None,
    platform: str | None = None,
    model: str | None = None,
    environment: Mapping[str, str] | None = None,
    serve: bool = False,
    least: str = "info",
) -> list[Diagnostic]:
    """Judge the arguments of `python -m sglang.launch_server` or, with `serve`, `sglang serve`.

    `environment` is the whole environment of the process where it is given. Spans are places in
    the words joined by blanks.
    """
    text = " ".join(argv)
    words, start = [], 0
    for word in argv:
        literal = MappedText.region(text, start, start + len(word))
        words.append(Word(Known(word), Span(start, start + len(word)), literal))
        start += len(word) + 1
    variant = Variant(words=tuple(words))
    entry = SERVE if serve else LAUNCH_SERVER
    return _judge(text, variant, entry, release, platform, model, environment, least)


def judge_keywords(
    keywords: Mapping[str, Hashable],
    *,
    release: str | None = None,
    platform: str | None = None,
    model: str | None = None,
    environment: Mapping[str, str] | None = None,
    least: str = "info",
) -> list[Diagnostic]:
    """Judge the keywords of `ServerArgs(...)`; otherwise as `judge_argv`."""
    text, items = "", []
    for name, value in keywords.items():
        start = len(text)
        text += f"{name}={value!r}"
        name_span = Span(start, start + len(name))
        value_span = Span(start + len(name) + 1, len(text))
        items.append(Keyword(name, name_span, Known(value), value_span))
        text += " "
    variant = Variant(keywords=tuple(items))
    return _judge(text, variant, SERVER_ARGS, release, platform, model, environment, least)


def _judge(
    text: str,
    variant: Variant,
    entry: EntryPoint,
    release: str | None,
    platform: str | None,
    model: str | None,
    environment: Mapping[str, str] | None,
    least: str,
) -> list[Diagnostic]:
    nowhere = Span(0, 0)
    launch = Launch(
        entry,
        nowhere,
        Span(0, len(text)),
        (variant,),
        environment=tuple(
            EnvironmentSetting(name, Known(value), nowhere)
            for name, value in (environment or {}).items()
        ),
    )
    settings = Settings(
        Statements(releases=_stated(release), platforms=_stated(platform), models=_stated(model)),
        least=least,
        environment_complete=environment is not None,
    )
    document = Document("<command line>", text)
    analysis = analyse_reading(document, Reading((launch,)), settings, Directives())
    return list(analysis.diagnostics)


def _stated(value: str | None) -> list[Stated]:
    return [] if value is None else [Stated(value, _SOURCE)]
