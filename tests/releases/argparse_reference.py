"""A real argparse parser with the options of a release table, to compare with."""

import argparse
import json
import re
from decimal import Decimal

from sglang_lint.launches import Variant, Word
from sglang_lint.text import MappedText, Span
from sglang_lint.values import Known


class RefusalError(Exception):
    """The parser stops."""


class HelpPrinted(Exception):  # noqa: N818
    """The parser prints its help and ends the program."""


class Parser(argparse.ArgumentParser):
    """A parser that raises what it would print."""

    def error(self, message):
        raise RefusalError(message)


class _Refused(argparse.Action):
    def __call__(self, parser, namespace, values, option_string=None):
        raise RefusalError("an option that is gone")


class _Help(argparse.Action):
    def __call__(self, parser, namespace, values, option_string=None):
        raise HelpPrinted


class _Ignored(argparse.Action):
    def __call__(self, parser, namespace, values, option_string=None):
        pass


class _StoresConstant(argparse.Action):
    def __call__(self, parser, namespace, values, option_string=None):
        setattr(namespace, self.dest, self.const)


def _human_readable(text):
    units = {"k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
    units |= {"Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40}
    match = re.fullmatch(r"(\d+(?:\.\d+)?)(Ki|Mi|Gi|Ti|k|M|G|T)", text.strip())
    if not match:
        return int(text)
    if "i" in match[2] and "." in match[1]:
        raise ValueError(text)
    return int(Decimal(match[1]) * units[match[2]])


def _graph_config(text):
    loaded = json.loads(text)
    if not isinstance(loaded, dict) or not all(
        phase in ("decode", "prefill") and isinstance(settings, dict)
        for phase, settings in loaded.items()
    ):
        raise ValueError(text)
    return loaded


def _graph_backend(text):
    if text == "tc_piecewise":
        raise ValueError(text)
    return text


TYPES = {
    None: None,
    "str": str,
    "int": int,
    "float": float,
    "bool": bool,
    "loads": json.loads,
    "json_list_type": json.loads,
    "nullable_str": lambda text: None if not text or text == "None" else text,
    "human_readable_int": _human_readable,
    "parse_cuda_graph_config_arg": _graph_config,
    "parse_cuda_graph_backend_arg": _graph_backend,
}
JSON_TYPES = ("loads", "json_list_type", "parse_cuda_graph_config_arg")
_ACTIONS = {"refused": _Refused, "ignored": _Ignored, "custom": "store"}


def reference_parser(table):
    """The parser that the options of a table describe."""
    parser = Parser(add_help=False)
    for option in table.options:
        if option.action == "help":
            parser.add_argument(*option.strings, action=_Help, nargs=0)
            continue
        keywords = {"dest": option.field, "default": option.default}
        if option.action == "boolean_optional":
            strings = [s for s in option.strings if not s.startswith("--no-")]
            parser.add_argument(*strings, action=argparse.BooleanOptionalAction, **keywords)
            continue
        action = _ACTIONS.get(option.action, option.action)
        if option.nargs == 0 and action in ("store_true", "store_false"):
            parser.add_argument(*option.strings, action=action, **keywords)
            continue
        if action in ("store_true", "store_const"):
            keywords["const"] = True if action == "store_true" else option.const
            action = _StoresConstant
        elif action == "store" and option.const is not None:
            keywords["const"] = option.const
        parser.add_argument(
            *option.strings,
            action=action,
            nargs=option.nargs,
            type=TYPES[option.type],
            choices=option.choices,
            required=option.required,
            **keywords,
        )
    return parser


def word_of(text, start=0, **keywords):
    """A wholly known word that stands at `start` of its host."""
    mapped = MappedText(
        text, range(start, start + len(text)), range(start + 1, start + len(text) + 1), start
    )
    return Word(Known(text), Span(start, start + len(text)), mapped, **keywords)


def words_of(texts):
    """Known words, one after the other with one character between them."""
    words, start = [], 0
    for text in texts:
        words.append(word_of(text, start))
        start += len(text) + 1
    return tuple(words)


def variant_of(line):
    """A command line of words without blanks in them."""
    return Variant(words=words_of(line.split()))
