"""What an expression of a source tree stands for, where that is no plain value."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import Protocol


class UnresolvedError(Exception):
    """An expression whose value the source alone does not tell; says why."""


@dataclass(frozen=True, slots=True)
class Hidden:
    """A value that could not be told, inside a value that could."""

    why: str


@dataclass(frozen=True, slots=True)
class External:
    """Something outside the tree, by its dotted name (`argparse.SUPPRESS`)."""

    name: str


@dataclass(frozen=True, slots=True)
class Imported:
    """A name imported from a module of the tree, looked up when it is used."""

    module: str
    name: str | None  # None: the module itself


@dataclass(eq=False)
class Scope:
    """Names in effect at an expression: a function's, a class's, then its module's."""

    module: str
    names: dict[str, object] = field(default_factory=dict)
    class_body: ClassRef | None = None


@dataclass(frozen=True, slots=True, eq=False)
class ClassRef:
    """A class defined in the tree."""

    module: str
    node: ast.ClassDef


@dataclass(frozen=True, slots=True, eq=False)
class FunctionRef:
    """A function or method defined in the tree, or a lambda."""

    module: str
    node: ast.FunctionDef | ast.Lambda
    scope: Scope


@dataclass(frozen=True, slots=True)
class EnumMember:
    """A member of an enumeration defined in the tree."""

    name: str
    value: object


@dataclass(frozen=True, slots=True, eq=False)
class Instance:
    """An object made by calling a class; attributes are the arguments it was made with."""

    kind: ClassRef
    positional: tuple[object, ...]
    keywords: dict[str, object]


@dataclass(frozen=True, slots=True)
class FieldDefault:
    """`dataclasses.field(...)` or `msgspec.field(...)`."""

    default: object


@dataclass(frozen=True, slots=True)
class FieldInfo:
    """One entry of `dataclasses.fields(...)`; a default of Hidden is one that is not there."""

    name: str
    default: object


class Receiver(Protocol):
    """An object of ours that the interpreted code calls methods of (the argument parser)."""

    def call(self, method: str, positional: list[object], keywords: dict[str, object]) -> object:
        """What the call returns."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Host:
    """A receiver as a value."""

    receiver: Receiver
