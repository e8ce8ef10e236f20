"""Fields of ServerArgs, and the options that releases from 0.5.14 on derive from them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sglang_lint.releases.extract.interpreter import Interpreter
from sglang_lint.releases.extract.parser import RecordedParser
from sglang_lint.releases.extract.references import (
    ClassRef,
    External,
    FieldDefault,
    FieldInfo,
    Hidden,
    Instance,
    Scope,
    UnresolvedError,
)

_ANNOTATED = ("typing.Annotated", "typing_extensions.Annotated")
_SHORT_NAMES = {"List": "list", "Dict": "dict", "Set": "set", "Tuple": "tuple", "Type": "type"}
_NO_DEFAULT = Hidden("no default")


@dataclass(frozen=True)
class Declared:
    """One annotated field: its type as written, the metadata beside it, and its default.

    `metadata` is the text or the `Arg(...)` of `A[type, ...]`, None for a plain annotation.
    """

    name: str
    type: ast.expr
    metadata: object
    default: object

    @property
    def has_default(self) -> bool:
        """Whether the record can be made without it."""
        return self.default is not _NO_DEFAULT


def declared_fields(run: Interpreter, record: ClassRef) -> list[Declared]:
    """The fields of a record: its own, its bases', and those collected from namespace classes."""
    found: dict[str, Declared] = {}
    for source in [*_collected(run, record), record]:
        for base in [*run.bases(source), source]:
            for entry in _class_fields(run, base):
                found[entry.name] = entry
    return list(found.values())


def field_infos(run: Interpreter, record: ClassRef) -> list[FieldInfo]:
    """What `dataclasses.fields` would answer."""
    return [FieldInfo(entry.name, entry.default) for entry in declared_fields(run, record)]


def _collected(run: Interpreter, record: ClassRef) -> Iterator[ClassRef]:
    """Classes whose fields the record's module hands to `collect_input_fields`."""
    module = run.module(record.module)
    if module is None:
        return
    for statement in module.tree.body:
        call = statement.value if isinstance(statement, (ast.Assign, ast.AnnAssign)) else None
        if (
            isinstance(call, ast.Call)
            and isinstance(call.func, ast.Name)
            and call.func.id.startswith("collect_")
            and call.args
        ):
            sources = run.lenient(call.args[0], Scope(record.module))
            if isinstance(sources, (list, tuple)):
                yield from (source for source in sources if isinstance(source, ClassRef))


def _class_fields(run: Interpreter, source: ClassRef) -> Iterator[Declared]:
    scope = Scope(source.module, {}, source)
    for statement in source.node.body:
        if not isinstance(statement, ast.AnnAssign) or not isinstance(statement.target, ast.Name):
            continue
        annotation = statement.annotation
        if "ClassVar" in ast.unparse(annotation):
            continue
        default: object = _NO_DEFAULT
        if statement.value is not None:
            default = run.lenient(statement.value, scope)
            if isinstance(default, FieldDefault):
                default = default.default
        kind, metadata = _unwrapped(run, annotation, Scope(source.module))
        yield Declared(statement.target.id, kind, metadata, default)


def _unwrapped(run: Interpreter, annotation: ast.expr, scope: Scope) -> tuple[ast.expr, object]:
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        try:
            annotation = ast.parse(annotation.value, mode="eval").body
        except SyntaxError:
            return annotation, None
    if not isinstance(annotation, ast.Subscript) or not isinstance(annotation.slice, ast.Tuple):
        return annotation, None
    alias = run.lenient(annotation.value, scope)
    if not isinstance(alias, External) or alias.name not in _ANNOTATED:
        return annotation, None
    kind, *rest = annotation.slice.elts
    for node in rest:
        value = run.lenient(node, scope)
        if isinstance(value, str) or (
            isinstance(value, Instance) and value.kind.node.name == "Arg"
        ):
            return kind, value
        if isinstance(value, Hidden) and not isinstance(node, ast.Call):
            return kind, ""  # a help text that is put together at run time
    return kind, None


def register_fields(parser: RecordedParser, fields: list[Declared]) -> None:
    """Add an option for every field that carries metadata, as the release's helper does."""
    for entry in fields:
        if entry.metadata is None:
            continue
        arguments = _arguments_of(entry.metadata)
        if arguments.get("no_cli") is True:
            continue
        try:
            name = arguments.get("cli_name") or "--" + entry.name.replace("_", "-")
            aliases = arguments.get("aliases") or []
            keywords = _keywords(parser.run, entry, arguments)
            parser.add([name, *_list(aliases)], keywords)
        except UnresolvedError as reason:
            parser.unresolved.append(f"{entry.name}: {reason}")


def _arguments_of(metadata: object) -> dict[str, object]:
    if isinstance(metadata, Instance):
        arguments = dict(metadata.keywords)
        if metadata.positional:
            arguments.setdefault("help", metadata.positional[0])
        return arguments
    return {"help": metadata}


def _list(value: object) -> list[object]:
    if isinstance(value, (list, tuple)):
        return list(value)
    raise UnresolvedError("aliases")


def _keywords(run: Interpreter, entry: Declared, arguments: dict[str, object]) -> dict[str, object]:
    keywords: dict[str, object] = {"dest": entry.name, "help": arguments.get("help")}
    if entry.has_default:
        keywords["default"] = entry.default
    action = arguments.get("action")
    if action is not None:
        extra = arguments.get("action_kwargs")
        return {**keywords, "action": action, **(extra if isinstance(extra, dict) else {})}
    inner = _without_optional(entry.type)
    name = _type_name(inner)
    parse, choices = arguments.get("type_parser"), arguments.get("choices")
    if name == "Literal":
        values = _literal_values(inner)
        first: Any = values[0] if values else ""
        keywords["type"] = parse or _converter(type(first).__name__)
        keywords["choices"] = choices or values
    elif name == "bool":
        keywords["action"] = "store_true"
        return keywords
    elif name == "list" and parse is None:
        keywords["type"] = _converter(_type_name(_first_argument(inner)))
        keywords["nargs"] = arguments.get("nargs") or "+"
        keywords["choices"] = choices or None
    else:
        keywords["type"] = parse or _converter(name)
        keywords["choices"] = choices or None
        keywords["nargs"] = arguments.get("nargs") or None
        required = arguments.get("required")
        keywords["required"] = required is True or (required is None and not entry.has_default)
    if arguments.get("const") is not None:
        keywords["const"] = arguments["const"]
    return keywords


def _converter(name: str) -> External:
    return External(f"builtins.{name if name in ('int', 'float') else 'str'}")


def _without_optional(node: ast.expr) -> ast.expr:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        rest = [part for part in _union_parts(node) if not _is_none(part)]
        return rest[0] if len(rest) == 1 else node
    if _type_name(node) == "Optional" and isinstance(node, ast.Subscript):
        # Optional[Union[a, b]] is a union of three: the helper leaves it as it is.
        inner = node.slice
        return node if _type_name(inner) == "Union" and _arity(inner) > 1 else inner
    if _type_name(node) == "Union" and isinstance(node, ast.Subscript):
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        rest = [part for part in parts if not _is_none(part)]
        return rest[0] if len(rest) == 1 else node
    return node


def _arity(node: ast.expr) -> int:
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Tuple):
        return len(node.slice.elts)
    return 1


def _union_parts(node: ast.expr) -> Iterator[ast.expr]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        yield from _union_parts(node.left)
        yield from _union_parts(node.right)
    else:
        yield node


def _is_none(node: ast.expr) -> bool:
    if isinstance(node, ast.Constant):
        return node.value is None
    return isinstance(node, ast.Name) and node.id == "NoneType"


def _type_name(node: ast.expr) -> str:
    """The last part of a type's name, without its arguments, `List` as `list`."""
    if isinstance(node, ast.Subscript):
        node = node.value
    name = ast.unparse(node).rsplit(".", 1)[-1]
    return _SHORT_NAMES.get(name, name)


def _first_argument(node: ast.expr) -> ast.expr:
    if isinstance(node, ast.Subscript):
        return node.slice.elts[0] if isinstance(node.slice, ast.Tuple) else node.slice
    return ast.Name("str", ast.Load())


def _literal_values(node: ast.expr) -> list[object]:
    assert isinstance(node, ast.Subscript)
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    return [part.value for part in parts if isinstance(part, ast.Constant)]


def type_text(node: ast.expr) -> str:
    """A type in one spelling: `Optional[int]`, `list[str]`, `Literal['a', 'b']`."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return _union_text(list(_union_parts(node)))
    if isinstance(node, ast.Subscript):
        name = _type_name(node)
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if name == "Literal":
            return f"Literal[{', '.join(ast.unparse(part) for part in parts)}]"
        if name == "Union":
            return _union_text(parts)
        return f"{name}[{', '.join(type_text(part) for part in parts)}]"
    if isinstance(node, (ast.Name, ast.Attribute)):
        return _type_name(node)
    return ast.unparse(node)


def _union_text(parts: list[ast.expr]) -> str:
    rest = [type_text(part) for part in parts if not _is_none(part)]
    inner = rest[0] if len(rest) == 1 else f"Union[{', '.join(rest)}]"
    return f"Optional[{inner}]" if len(rest) < len(parts) else inner
