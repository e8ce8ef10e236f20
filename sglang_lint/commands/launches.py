"""`sglang-lint launches`: every launch found, with its arguments, values and places."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from sglang_lint.cli import EXIT_CLEAN, EXIT_INTERNAL_FAULT
from sglang_lint.commands.judging import (
    add_judging_arguments,
    add_path_arguments,
    configurations_of,
    paths_of,
    settings_of,
)
from sglang_lint.engine import Analysis, JudgedLaunch
from sglang_lint.project.run import lint_paths
from sglang_lint.releases.binding import Binding, BoundArgument
from sglang_lint.releases.ranges import releases_in_words
from sglang_lint.reports.json_report import place_as_json
from sglang_lint.reports.report import printable
from sglang_lint.text import Document
from sglang_lint.values import Known, OneOf, Value


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    add_path_arguments(parser)
    add_judging_arguments(parser)
    parser.add_argument("--format", choices=["text", "json"], default="text")


def run(arguments: argparse.Namespace) -> int:
    """Print the launches below the paths."""
    find_configuration = configurations_of(arguments)
    find_configuration(Path.cwd())  # it may name releases of its own
    settings = settings_of(
        arguments.sglang_version, arguments.platform, arguments.model, least="error"
    )
    outcomes = list(lint_paths(paths_of(arguments), settings, find_configuration))
    analyses = [outcome.analysis for outcome in outcomes]
    if arguments.format == "json":
        found = [
            _as_json(analysis.document, launch)
            for analysis in analyses
            for launch in analysis.launches
        ]
        print(json.dumps(found, indent=2))
    else:
        for analysis in analyses:
            for launch in analysis.launches:
                print("\n".join(_text(analysis, launch)))
    failed = any(outcome.failed for outcome in outcomes)
    return EXIT_INTERNAL_FAULT if failed else EXIT_CLEAN


def _as_json(document: Document, judged_launch: JudgedLaunch) -> dict[str, Any]:
    launch, judged = judged_launch.launch, judged_launch.judged
    return {
        "path": document.path,
        "start": place_as_json(document.position(launch.span.start)),
        "end": place_as_json(document.position(launch.span.end)),
        "entry_point": launch.entry_point.name,
        "release": {"versions": list(judged.releases), "source": judged.release_source},
        "platform": judged.platform
        and {"name": judged.platform.name, "source": judged.platform_source},
        "model": judged.model_text and {"name": judged.model_text, "source": judged.model_source},
        "open": any(binding.open for binding in _newest_bindings(judged_launch)),
        "variants": [
            {
                "condition": variant.condition,
                "arguments": {
                    name: _argument_as_json(document, argument)
                    for name, argument in binding.arguments.items()
                },
            }
            for variant, binding in zip(
                launch.variants, _newest_bindings(judged_launch), strict=True
            )
        ],
    }


def _newest_bindings(judged_launch: JudgedLaunch) -> list[Binding]:
    return judged_launch.bindings[judged_launch.judged.releases[-1]]


def _argument_as_json(document: Document, argument: BoundArgument) -> dict[str, Any]:
    return {
        "presence": argument.presence,
        **_value_as_json(argument.value),
        "origin": argument.origin.value,
        "option": argument.option,
        "start": place_as_json(document.position(argument.span.start)),
        "end": place_as_json(document.position(argument.span.end)),
    }


def _value_as_json(value: Value) -> Mapping[str, Any]:
    if isinstance(value, Known):
        return {"value": value.value}
    if isinstance(value, OneOf):
        return {"one_of": list(value.values)}
    return {"unknown": value.why}


def _text(analysis: Analysis, judged_launch: JudgedLaunch) -> Iterable[str]:
    launch, judged = judged_launch.launch, judged_launch.judged
    place = analysis.document.position(launch.span.start)
    yield printable(
        f"{analysis.document.path}:{place.line}:{place.column}: {launch.entry_point.name}"
    )
    yield printable(
        f"  SGLang {releases_in_words(judged.releases)} ({judged.release_source})"
        f", platform {judged.platform.name if judged.platform else 'not known'}"
        f", model {judged.model_text or 'not known'}"
    )
    for variant, binding in zip(launch.variants, _newest_bindings(judged_launch), strict=True):
        indent = "  "
        if variant.condition is not None:
            yield printable(f"  when {variant.condition}:")
            indent = "    "
        for name, argument in sorted(binding.arguments.items()):
            yield printable(f"{indent}{name} = {_value_in_words(argument.value)}")
        for tail in variant.unseen():
            yield printable(f"{indent}... {tail.why}")


def _value_in_words(value: Value) -> str:
    if isinstance(value, Known):
        return repr(value.value)
    if isinstance(value, OneOf):
        return " or ".join(map(repr, value.values))
    return f"? ({value.why})" if value.why else "?"
