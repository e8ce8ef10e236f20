"""From the tool's diagnostics to those of the protocol, in the client's position units."""

from __future__ import annotations

from pathlib import Path

from lsprotocol import types
from pygls.uris import from_fs_path
from pygls.workspace import PositionCodec

from sglang_lint.engine import Diagnostic, RelatedPlace
from sglang_lint.reports.concise import message_of
from sglang_lint.text import Document, Position

SOURCE = "sglang-lint"
_SEVERITIES = {
    "error": types.DiagnosticSeverity.Error,
    "warning": types.DiagnosticSeverity.Warning,
    "info": types.DiagnosticSeverity.Information,
}


def as_protocol(
    diagnostic: Diagnostic, document: Document, uri: str, codec: PositionCodec
) -> types.Diagnostic:
    """One diagnostic of the document that an editor knows by a URI."""
    lines = [document.line(number + 1) for number in range(len(document.line_starts))]
    advice = "".join(f"\nInstead: {fix.title}." for fix in diagnostic.fixes)
    return types.Diagnostic(
        _range(diagnostic.start, diagnostic.end, lines, codec),
        message_of(diagnostic) + advice,
        severity=_SEVERITIES[diagnostic.severity],
        code=diagnostic.code,
        code_description=types.CodeDescription(diagnostic.url),
        source=SOURCE,
        related_information=[
            _related(place, document, uri, lines, codec) for place in diagnostic.related
        ],
    )


def _related(
    place: RelatedPlace, document: Document, uri: str, lines: list[str], codec: PositionCodec
) -> types.DiagnosticRelatedInformation:
    if place.path == document.path:
        location = types.Location(uri, _range(place.start, place.end, lines, codec))
    else:
        start = types.Position(place.start.line - 1, place.start.column - 1)
        location = types.Location(
            from_fs_path(str(Path(place.path).absolute())) or uri, types.Range(start, start)
        )
    return types.DiagnosticRelatedInformation(location, place.message)


def _range(start: Position, end: Position, lines: list[str], codec: PositionCodec) -> types.Range:
    in_code_points = types.Range(
        types.Position(start.line - 1, start.column - 1),
        types.Position(end.line - 1, end.column - 1),
    )
    return codec.range_to_client_units(lines, in_code_points)
