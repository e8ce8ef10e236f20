"""What `sglang serve` makes of its arguments before the parser sees them."""

from __future__ import annotations

from collections.abc import Sequence

from sglang_lint.launches import EntryPoint, Word
from sglang_lint.releases.table import ReleaseTable
from sglang_lint.values.value import candidates

# What the release itself puts before a model given as the first word.
MODEL_OPTION = "--model-path"
_MODEL_SPELLINGS = (MODEL_OPTION, "--model")


def dispatched(
    words: Sequence[Word], entry_point: EntryPoint, table: ReleaseTable
) -> tuple[list[Word], Word | None]:
    """The words that reach the parser, and the one that is the model where it stands alone.

    Other entry points hand all their words to the parser.
    """
    if not entry_point.positional_model:
        return list(words), None
    kept: list[Word] = []
    index = 0
    while index < len(words):
        text = words[index].text or ""
        if text in table.serve_options:
            index += 2
            continue
        if not text.startswith(tuple(f"{name}=" for name in table.serve_options)):
            kept.append(words[index])
        index += 1
    if table.positional_model and kept and _is_model(kept[0], kept[1:]):
        return kept[1:], kept[0]
    return kept, None


def _is_model(first: Word, others: Sequence[Word]) -> bool:
    values = candidates(first.value)
    if values is not None:
        several = first.splits and any(len(str(value).split()) != 1 for value in values)
        return not several and not any(str(value).startswith("-") for value in values)
    if first.literal.text:
        return not first.literal.text.startswith("-")
    # A word that is not known is the model, which has to be there, unless that is given elsewhere.
    return not any(other.literal.text.split("=")[0] in _MODEL_SPELLINGS for other in others)
