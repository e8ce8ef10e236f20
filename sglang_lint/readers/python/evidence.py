"""Container images and requirements that tell the release a file is for."""

from __future__ import annotations

import re

from sglang_lint.launches import Evidence, EvidenceKind, Word
from sglang_lint.readers.python.calls import Call
from sglang_lint.readers.python.containers import SEQUENCES
from sglang_lint.readers.python.texts import mapped_text
from sglang_lint.readers.python.things import Item, Ref, Text, Thing
from sglang_lint.text import MappedText

_IMAGE = re.compile(r"(?:[\w.-]+(?::\d+)?/)*[\w.-]*sglang[\w.-]*(?:/[\w.-]+)*:[\w][\w.-]*")
_REQUIREMENT = re.compile(r"sglang(?:\[[\w,\s-]*\])?\s*(?:==|===|~=|>=|<=|<|>|!=)[^\s'\";#]+")
_PIP_CALLS = re.compile(r"pip_install|pip|run_commands|pip_packages|uv_pip_install|requirements")


def image_in(word: Word) -> list[Evidence]:
    """The image that a word of a command names."""
    return _images(word.literal) if word.text is not None else []


def _images(text: MappedText) -> list[Evidence]:
    if _IMAGE.fullmatch(text.text) is None:
        return []
    return [Evidence(EvidenceKind.IMAGE, text.text, text.span())]


def _requirements(text: MappedText) -> list[Evidence]:
    return [
        Evidence(EvidenceKind.PIP, match[0], text.span(match.start(), match.end()))
        for match in _REQUIREMENT.finditer(text.text)
    ]


def note(call: Call) -> None:
    """Keep the images and requirements of SGLang that a call is given as strings."""
    if call.run.quiet:
        return
    for argument in call.arguments:
        for text in _texts(call, argument.thing):
            if "sglang" not in text.text:
                continue
            found = _images(text)
            if _PIP_CALLS.search(call.last_name):
                found += _requirements(text)
            for evidence in found:
                if evidence not in call.run.evidence:
                    call.run.evidence.append(evidence)


def _texts(call: Call, thing: Thing) -> list[MappedText]:
    things = [thing]
    if isinstance(thing, Ref) and call.state.box(thing).kind in SEQUENCES:
        parts = call.state.box(thing).parts
        things = [part.thing for part in parts if isinstance(part, Item)]
    texts = [mapped_text(one) for one in things if isinstance(one, Text)]
    return [text for text in texts if text is not None]
