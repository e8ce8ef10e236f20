"""What the tool says, with its place in a file: the record that every face prints."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from sglang_lint.launches import Related
from sglang_lint.text import Document, Position, Span

DOCUMENTATION_URL = "https://github.com/sglang-lint/sglang-lint/blob/main/docs/rules.md"


@dataclass(frozen=True, slots=True)
class RelatedPlace:
    """A second place that explains a diagnostic."""

    message: str
    path: str
    start: Position
    end: Position


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace a range of a file by a text."""

    path: str
    start: Position
    end: Position
    text: str


@dataclass(frozen=True, slots=True)
class Fix:
    """A way out; without edits it is advice in words only."""

    title: str
    safe: bool
    edits: tuple[Edit, ...] = ()


@dataclass(frozen=True, slots=True)
class JudgedAs:
    """For what a diagnostic was judged, and where that came from."""

    versions: tuple[str, ...]
    source: str
    platform: str | None
    platform_source: str
    model: str | None
    model_source: str


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding.

    `launch` is the index of its launch in the file's list, None for one about the file itself.
    `condition` says in words when a possible finding is true. Positions are 1-based; `end` is
    exclusive.
    """

    rule: str
    code: str
    severity: str
    definite: bool
    consequence: str | None
    message: str
    path: str
    span: Span
    start: Position
    end: Position
    launch: int | None = None
    condition: str | None = None
    judged: JudgedAs | None = None
    related: tuple[RelatedPlace, ...] = ()
    fixes: tuple[Fix, ...] = ()

    @property
    def certainty(self) -> str:
        """`definite` or `possible`."""
        return "definite" if self.definite else "possible"

    @property
    def url(self) -> str:
        """Where the rule is explained."""
        return f"{DOCUMENTATION_URL}#{self.rule}"

    def fingerprint(self, document: Document) -> str:
        """A key that survives edits elsewhere in the file: rule, path and the marked text."""
        marked = document.text[self.span.start : self.span.end]
        content = "\0".join([self.rule, self.path, " ".join(marked.split()), self.message])
        return hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def place_related(document: Document, related: Related) -> RelatedPlace:
    """A related place in this document, or in another file where that tells its own place."""
    if related.path is not None and related.path != document.path:
        return RelatedPlace(related.message, related.path, related.start, related.end)
    start, end = related.span.start, related.span.end
    return RelatedPlace(
        related.message, document.path, document.position(start), document.position(end)
    )
