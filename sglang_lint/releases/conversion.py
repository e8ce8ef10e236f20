"""From the text of an argument to the value that the parser makes of it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Hashable
from decimal import Decimal

from sglang_lint.releases.table import Option
from sglang_lint.values import Known, Unknown, Value

_HUMAN = re.compile(r"(\d+)(\.\d+)?(Ki|Mi|Gi|Ti|k|M|G|T)")
_DECIMAL_UNITS = {"k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
_BINARY_UNITS = {"Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40}
_NUMBERS = ("int", "float", "human_readable_int")
_PHASES = ("decode", "prefill")
# Past these lengths a text is not looked into.
MAX_NUMBER = 100
MAX_JSON = 100_000


class ConversionError(ValueError):
    """The parser refuses the text; `expected` says what it wants instead."""

    def __init__(self, expected: str) -> None:
        super().__init__(expected)
        self.expected = expected


def convert(option: Option, text: str) -> Value:
    """The value that the option's type makes of a text, Unknown for a type that is not known.

    Raises ConversionError where the parser refuses it. Choices are not looked at.
    """
    converter = _CONVERTERS.get(option.type)
    if converter is None:
        return Unknown(f"converted by {option.type}")
    if option.type in _NUMBERS and len(text) > MAX_NUMBER:
        return Unknown("a text too long for a number")
    return Known(converter(text))


def _text(text: str) -> Hashable:
    return text


def _integer(text: str) -> Hashable:
    try:
        return int(text)
    except ValueError:
        raise ConversionError("int") from None


def _float(text: str) -> Hashable:
    try:
        return float(text)
    except ValueError:
        raise ConversionError("float") from None


def _boolean(text: str) -> Hashable:
    return bool(text)  # `type=bool` takes every text but the empty one for true


def _nullable(text: str) -> Hashable:
    return None if text in ("", "None") else text


def _human_readable(text: str) -> Hashable:
    expected = "int, or a number with a suffix such as 1k or 1Ki"
    match = _HUMAN.fullmatch(text.strip())
    if match is None:
        try:
            return int(text)
        except ValueError:
            raise ConversionError(expected) from None
    whole, fraction, unit = match.groups()
    if unit in _BINARY_UNITS:
        if fraction:
            raise ConversionError(expected)
        return int(whole) * _BINARY_UNITS[unit]
    return int(Decimal(whole + (fraction or "")) * _DECIMAL_UNITS[unit])


def _json(text: str) -> Hashable:
    _loaded(text)
    return text


def _cuda_graph_config(text: str) -> Hashable:
    loaded = _loaded(text)
    if loaded is not None:
        phases = isinstance(loaded, dict) and all(
            phase in _PHASES and isinstance(settings, dict) for phase, settings in loaded.items()
        )
        if not phases:
            raise ConversionError("a JSON object with an object for decode, prefill or both")
    return text


def _loaded(text: str) -> object | None:
    """What a JSON text holds, None where it is too long or too deep to look at."""
    if len(text) > MAX_JSON:
        return None
    try:
        loaded: object = json.loads(text)
    except RecursionError:
        return None
    except ValueError:
        raise ConversionError("JSON") from None
    return loaded


def _cuda_graph_backend(text: str) -> Hashable:
    if text == "tc_piecewise":
        raise ConversionError("a backend that is still there")
    return text


_CONVERTERS: dict[str | None, Callable[[str], Hashable]] = {
    None: _text,
    "str": _text,
    "int": _integer,
    "float": _float,
    "bool": _boolean,
    "loads": _json,
    "json_list_type": _json,
    "nullable_str": _nullable,
    "human_readable_int": _human_readable,
    "parse_cuda_graph_config_arg": _cuda_graph_config,
    "parse_cuda_graph_backend_arg": _cuda_graph_backend,
}
