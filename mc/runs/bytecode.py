"""What a function's bytecode names outside of itself."""

from __future__ import annotations

import dis
import types
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

__all__ = ["Import", "Names", "names"]

_READ = {"LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS"}
_ATTRIBUTE = {"LOAD_ATTR", "LOAD_METHOD"}
_CALL = {"PRECALL", "CALL", "CALL_FUNCTION"}
#: Functions that reach an attribute by a name that may be computed.
_BY_NAME = {"getattr", "hasattr", "setattr", "delattr"}
_WRITE_GLOBAL = {"STORE_GLOBAL", "DELETE_GLOBAL"}
_WRITE_CELL = {"STORE_DEREF", "DELETE_DEREF"}


@dataclass(frozen=True, slots=True)
class Import:
    """`from module import members`, or `import module` without members; level counts the leading dots."""

    module: str
    level: int
    members: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Names:
    """Global names with the attributes that are read off them at once; imports; variables written outside.

    `attributes` are all names of attributes, of whatever value; `computed` are the functions, such as getattr,
    that are used in any other way than to read an attribute whose name stands in the code.
    """

    chains: tuple[tuple[str, ...], ...]
    imports: tuple[Import, ...]
    written: tuple[str, ...]
    attributes: frozenset[str]
    computed: tuple[str, ...]


def names(code: types.CodeType) -> Names:
    """What a function of this code names, the functions and classes within it included."""
    chains: list[tuple[str, ...]] = []
    imports: list[Import] = []
    written: list[str] = []
    attributes: set[str] = set()
    computed: list[str] = []
    for part in _nested(code):
        steps = [step for step in dis.get_instructions(part) if step.opname != "EXTENDED_ARG"]
        for i, step in enumerate(steps):
            if step.opname in _READ and step.argval in _BY_NAME:
                name = _name_read(steps[i + 1 :]) if step.argval in ("getattr", "hasattr") else None
                if name is None:
                    computed.append(step.argval)
                else:
                    attributes.add(name)
            elif step.opname in _READ:
                chain = [step.argval]
                for after in steps[i + 1 :]:
                    if after.opname not in _ATTRIBUTE:
                        break
                    chain.append(after.argval)
                chains.append(tuple(chain))
            elif step.opname == "MATCH_CLASS":
                attributes.update(steps[i - 1].argval or ())
            elif step.opname in _ATTRIBUTE or step.opname == "LOAD_SUPER_ATTR":
                attributes.add(step.argval)
            elif step.opname == "IMPORT_NAME":
                level, members = steps[i - 2].argval, steps[i - 1].argval
                imports.append(Import(step.argval, level, members or ()))
            elif step.opname in _WRITE_GLOBAL or (
                step.opname in _WRITE_CELL and step.argval in code.co_freevars
            ):
                written.append(step.argval)
    return Names(
        tuple(dict.fromkeys(chains)),
        tuple(imports),
        tuple(dict.fromkeys(written)),
        frozenset(attributes),
        tuple(dict.fromkeys(computed)),
    )


def _name_read(steps: Sequence[dis.Instruction]) -> str | None:
    """The name in getattr(x.y, "name"), or with a simple default; None for any other call or use."""
    loads = []
    for step in steps:
        if step.opname in _CALL:
            break
        if not step.opname.startswith("LOAD_") or step.opname == "LOAD_METHOD":
            return None
        if step.opname not in _ATTRIBUTE:
            loads.append(step)
        elif len(loads) != 1:
            return None
    if len(loads) not in (2, 3) or loads[1].opname != "LOAD_CONST":
        return None
    return loads[1].argval if isinstance(loads[1].argval, str) else None


def _nested(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _nested(constant)
