"""What a deployment file starts: entry points, arguments, values and where they stand."""

from sglang_lint.launches.entry_points import EntryPoint
from sglang_lint.launches.model import (
    Evidence,
    EvidenceKind,
    Fault,
    HookCall,
    HookOverride,
    Keyword,
    Launch,
    Origin,
    Reading,
    Related,
    Setting,
    Tail,
    Variant,
    Word,
)

__all__ = [
    "EntryPoint",
    "Evidence",
    "EvidenceKind",
    "Fault",
    "HookCall",
    "HookOverride",
    "Keyword",
    "Launch",
    "Origin",
    "Reading",
    "Related",
    "Setting",
    "Tail",
    "Variant",
    "Word",
]
