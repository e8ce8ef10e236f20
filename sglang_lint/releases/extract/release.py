"""A whole release read from its source tree."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from sglang_lint.releases.extract.annotated import (
    Declared,
    declared_fields,
    field_infos,
    register_fields,
    type_text,
)
from sglang_lint.releases.extract.expressions import plain
from sglang_lint.releases.extract.interpreter import Interpreter
from sglang_lint.releases.extract.parser import RecordedParser
from sglang_lint.releases.extract.references import ClassRef, FunctionRef, Host, UnresolvedError
from sglang_lint.releases.extract.tree import NotASourceTreeError, SourceTree
from sglang_lint.releases.table import SUPPRESS, Field, Option

SERVER_ARGS_MODULE = "sglang.srt.server_args"
SERVE_MODULE = "sglang.cli.serve"
SERVE_OPTIONS = ("--model-type",)
ANNOTATED_HELPER = "add_cli_args_from_dataclass"


@dataclass(frozen=True)
class Extracted:
    """What the source of one release says.

    `options` are in the parser's order, `fields` in the record's. `parsed` holds what the parser
    leaves in a field that is not written, where that is not the field's own default.
    `serve_options` are what `sglang serve` takes out of its arguments before the parser sees them.
    `unresolved` lists what the source alone does not tell.
    """

    version: str
    options: tuple[Option, ...]
    fields: tuple[Field, ...]
    parsed: dict[str, object]
    has_serve: bool
    positional_model: bool
    serve_options: tuple[str, ...]
    unresolved: tuple[str, ...]


def extract_release(path: Path, version: str | None = None) -> Extracted:
    """Read a source tree, an unpacked wheel or a wheel.

    Raises NotASourceTreeError where there is no SGLang in it or its version is not to be found.
    """
    tree = SourceTree.open(path)
    release = version or tree.version
    if release is None:
        raise NotASourceTreeError(f"{path} does not say which release it is")
    run = Interpreter(tree)
    run.fields_of = lambda record: field_infos(run, record)
    try:
        record = run.global_value(SERVER_ARGS_MODULE, "ServerArgs")
    except UnresolvedError:
        record = None
    if not isinstance(record, ClassRef):
        raise NotASourceTreeError(f"no class ServerArgs in {path}")
    declared = declared_fields(run, record)
    parser = RecordedParser(run)
    parser.add(["-h", "--help"], {"action": "help", "default": SUPPRESS})
    _fill(run, parser, record)
    fields, hidden = _fields(declared)
    return Extracted(
        release,
        tuple(parser.options),
        fields,
        _parsed(parser.options, fields),
        tree.source(SERVE_MODULE) is not None,
        "positional_model" in (tree.source(SERVE_MODULE) or ""),
        tuple(option for option in SERVE_OPTIONS if option in (tree.source(SERVE_MODULE) or "")),
        (*parser.unresolved, *hidden, *run.notes),
    )


def _fill(run: Interpreter, parser: RecordedParser, record: ClassRef) -> None:
    """Follow `ServerArgs.add_cli_args`, which calls the helper for annotated fields itself."""
    try:
        function = run.attribute(record, "add_cli_args")
    except UnresolvedError:
        function = None
    if not isinstance(function, FunctionRef):
        raise NotASourceTreeError("ServerArgs has no add_cli_args")

    def register_annotated(positional: list[object]) -> None:
        source = positional[1] if len(positional) > 1 else record
        if isinstance(source, ClassRef):
            register_fields(parser, declared_fields(run, source))

    run.helpers[ANNOTATED_HELPER] = register_annotated
    run.call(function, [Host(parser)], {})


def _fields(declared: list[Declared]) -> tuple[tuple[Field, ...], list[str]]:
    fields, unresolved = [], []
    for entry in declared:
        default, computed = None, False
        if entry.has_default:
            try:
                default = plain(entry.default)
            except UnresolvedError as reason:
                computed = True
                unresolved.append(f"{entry.name}: default: {reason}")
        fields.append(
            Field(
                entry.name,
                entry.name,
                type_text(entry.type),
                tuple(default) if isinstance(default, list) else default,
                not entry.has_default,
                ("default",) if computed else (),
            )
        )
    return tuple(fields), unresolved


def _parsed(options: list[Option], fields: tuple[Field, ...]) -> dict[str, object]:
    """The parser's own default of each field; the first option that has one sets it."""
    found: dict[str, object] = {}
    for option in options:
        if option.default != SUPPRESS and "default" not in option.computed:
            found.setdefault(option.field, option.default)
    own = {entry.name: entry for entry in fields}
    return {
        name: default
        for name, default in found.items()
        if name in own and not own[name].required and _differs(own[name].default, default)
    }


def _differs(left: object, right: object) -> bool:
    return type(left) is not type(right) or left != right
