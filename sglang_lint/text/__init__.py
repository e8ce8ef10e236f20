"""Documents, spans, and maps from an embedded text back to its host."""

from sglang_lint.text.document import Document, Position, Span
from sglang_lint.text.mapped import MappedText

__all__ = ["Document", "MappedText", "Position", "Span"]
