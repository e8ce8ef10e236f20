"""Which classes are attention backends of SGLang."""

from __future__ import annotations

from sglang_lint.readers.python.attributes import lineage
from sglang_lint.readers.python.choices import alternatives
from sglang_lint.readers.python.things import Class, Named, Thing

_MODULE = "sglang.srt.layers.attention"


def backend_name(thing: Thing) -> tuple[str, str] | None:
    """Class and module of an attention backend of SGLang."""
    if not isinstance(thing, Named) or "." not in thing.name:
        return None
    module, name = thing.name.rsplit(".", 1)
    inside = module == _MODULE or module.startswith(_MODULE + ".")
    return (name, module) if inside and name.endswith("Backend") else None


def backend_of(owner: Class) -> tuple[str, str] | None:
    """The backend of SGLang that a class of the file derives from."""
    for one in lineage(owner):
        for base in one.bases:
            for thing in alternatives(base):
                found = backend_name(thing)
                if found is not None:
                    return found
    return None
