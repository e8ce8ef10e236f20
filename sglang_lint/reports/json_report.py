"""The findings of a run as one JSON object, schema 1."""

from __future__ import annotations

import json
from typing import Any

from sglang_lint import __version__
from sglang_lint.engine import Analysis, Diagnostic
from sglang_lint.reports.report import Report
from sglang_lint.text import Position

SCHEMA = 1


def render_json(report: Report) -> str:
    """The contract of `check --format json`."""
    return json.dumps(
        {
            "schema": SCHEMA,
            "version": __version__,
            "counts": report.counts(),
            "diagnostics": [
                diagnostic_as_json(analysis, diagnostic)
                for analysis, diagnostic in report.diagnostics()
            ],
        },
        indent=2,
    )


def diagnostic_as_json(analysis: Analysis, diagnostic: Diagnostic) -> dict[str, Any]:
    """One finding; lines and columns 1-based, columns in code points, ends exclusive."""
    judged = diagnostic.judged
    return {
        "rule": diagnostic.rule,
        "code": diagnostic.code,
        "severity": diagnostic.severity,
        "certainty": diagnostic.certainty,
        "consequence": diagnostic.consequence,
        "message": diagnostic.message,
        "path": diagnostic.path,
        "start": place_as_json(diagnostic.start),
        "end": place_as_json(diagnostic.end),
        "launch": diagnostic.launch,
        "condition": diagnostic.condition,
        "release": judged and {"versions": list(judged.versions), "source": judged.source},
        "platform": judged
        and judged.platform
        and {"name": judged.platform, "source": judged.platform_source},
        "model": judged and judged.model and {"name": judged.model, "source": judged.model_source},
        "related": [
            {
                "message": place.message,
                "path": place.path,
                "start": place_as_json(place.start),
                "end": place_as_json(place.end),
            }
            for place in diagnostic.related
        ],
        "fixes": [
            {
                "title": fix.title,
                "safety": "safe" if fix.safe else "unsafe",
                "edits": [
                    {
                        "path": edit.path,
                        "start": place_as_json(edit.start),
                        "end": place_as_json(edit.end),
                        "text": edit.text,
                    }
                    for edit in fix.edits
                ],
            }
            for fix in diagnostic.fixes
        ],
        "fingerprint": diagnostic.fingerprint(analysis.document),
        "url": diagnostic.url,
    }


def place_as_json(position: Position) -> dict[str, int]:
    """A position as an object."""
    return {"line": position.line, "column": position.column}
