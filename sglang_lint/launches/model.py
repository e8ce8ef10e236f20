"""The one form in which every host language reports what it starts.

A reader fills these records and knows no SGLang release; everything above the readers sees only
these records and never how they were written. All spans are host spans of the file read.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable
from dataclasses import dataclass, field

from sglang_lint.launches.entry_points import EntryPoint
from sglang_lint.text import MappedText, Position, Span
from sglang_lint.values import Known, Value

_BEGINNING = Position(1, 1)


class Origin(enum.Enum):
    """How an argument came to its value."""

    WRITTEN = "written"
    VARIABLE_DEFAULT = "default of a variable"
    OPTION_DEFAULT = "default of an option"
    ENVIRONMENT = "environment"
    SCHEMA = "schema"


@dataclass(frozen=True, slots=True)
class Related:
    """A second place that explains a diagnostic: an assignment, an image line.

    `path` names another file than the one that was read. A span means nothing without that file's
    text, so `start` and `end` tell the place in it.
    """

    message: str
    span: Span
    path: str | None = None
    start: Position = _BEGINNING
    end: Position = _BEGINNING


@dataclass(frozen=True, slots=True)
class Word:
    """One word of a command line as the started program receives it.

    `literal` is the decoded text with its places: the whole word where `value` is Known, else
    the known beginning before the first part that is not (`--tp-size=` of `--tp-size=$TP`).
    A word that `splits` is an unquoted expansion or a starred list: it stands for no word, one
    word or many.
    """

    value: Value
    span: Span
    literal: MappedText
    splits: bool = False
    origin: Origin = Origin.WRITTEN
    related: tuple[Related, ...] = ()

    @property
    def text(self) -> str | None:
        """The word itself where it is known, as a string."""
        return str(self.value.value) if isinstance(self.value, Known) else None


@dataclass(frozen=True, slots=True)
class Keyword:
    """A Python keyword argument or a schema's key, by field name, with its value."""

    name: str
    name_span: Span
    value: Value
    value_span: Span
    origin: Origin = Origin.WRITTEN
    related: tuple[Related, ...] = ()

    @property
    def span(self) -> Span:
        """From the name to the end of the value."""
        return self.name_span.to(self.value_span)


@dataclass(frozen=True, slots=True)
class Tail:
    """A place through which arguments may arrive that nobody can see (`"$@"`, `**kwargs`).

    `fields` names the fields that may arrive where that is known (what a trainer or an operator
    adds of its own), None where it may be any.
    """

    why: str
    span: Span
    fields: frozenset[str] | None = None


@dataclass(frozen=True)
class Variant:
    """One whole assignment of arguments; the branches of a script give several.

    An entry point of style ARGV fills `words` (what follows the entry point), one of style
    KEYWORDS fills `keywords`; a launch helper that takes both fills both. `condition` says in
    the host's own words which branch this is, None where there is only one.
    """

    condition: str | None = None
    words: tuple[Word, ...] = ()
    keywords: tuple[Keyword, ...] = ()
    tails: tuple[Tail, ...] = ()

    def unseen(self) -> tuple[Tail, ...]:
        """The places through which arguments may arrive that were not seen."""
        words = (Tail("a word that is not known", word.span) for word in self.words if word.splits)
        return (*self.tails, *words)


class EvidenceKind(enum.Enum):
    """What a piece of text beside a launch tells about it."""

    IMAGE = "image"  # a container image reference
    PIP = "pip"  # a requirement such as sglang==0.5.18
    ACCELERATOR = "accelerator"  # a GPU product name in a structured field
    PATH = "path"  # the path of the file itself


@dataclass(frozen=True, slots=True)
class Evidence:
    """Text beside a launch that tells its release, platform or model; not yet interpreted."""

    kind: EvidenceKind
    text: str
    span: Span
    path: str | None = None


@dataclass(frozen=True, slots=True)
class Setting:
    """An environment variable that the launched process sees."""

    name: str
    value: Value
    span: Span


@dataclass(frozen=True)
class Launch:
    """One place where SGLang is started.

    `span` is the entry point token (`sglang.launch_server`, `Engine`); `extent` the whole
    command, call, list or mapping, over which a suppression comment above it reaches. `holders`
    are the larger places that a host language puts it in (the key of a script, the mapping of a
    container): a comment above one of these reaches over it as well.
    """

    entry_point: EntryPoint
    span: Span
    extent: Span
    variants: tuple[Variant, ...]
    evidence: tuple[Evidence, ...] = ()
    environment: tuple[Setting, ...] = ()
    holders: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class Fault:
    """Something about the file or its host language itself; `check` names the rule's check."""

    check: str
    message: str
    span: Span
    related: tuple[Related, ...] = ()


@dataclass(frozen=True)
class HookOverride:
    """A class in the linted code that overrides a method of an attention backend of SGLang.

    `parameters` are the names that the override takes; `read` those of them that its body
    mentions. `base` is the imported base class (`TRTLLMMLABackend`), `module` where it is from.
    """

    base: str
    module: str
    class_name: str
    method: str
    parameters: tuple[str, ...]
    takes_any_keyword: bool
    read: frozenset[str]
    span: Span
    parameter_spans: dict[str, Span] = field(default_factory=dict)


@dataclass(frozen=True)
class HookCall:
    """A call of such a method on a value known to be a backend of that class."""

    base: str
    module: str
    method: str
    keywords: tuple[Keyword, ...]
    takes_unseen: bool
    span: Span


@dataclass(frozen=True)
class Reading:
    """All that a reader saw in one text."""

    launches: tuple[Launch, ...] = ()
    faults: tuple[Fault, ...] = ()
    hook_overrides: tuple[HookOverride, ...] = ()
    hook_calls: tuple[HookCall, ...] = ()

    @classmethod
    def merged(cls, readings: Iterable[Reading]) -> Reading:
        """Several texts of one file as one."""
        parts = list(readings)
        return cls(
            tuple(launch for part in parts for launch in part.launches),
            tuple(fault for part in parts for fault in part.faults),
            tuple(override for part in parts for override in part.hook_overrides),
            tuple(call for part in parts for call in part.hook_calls),
        )
