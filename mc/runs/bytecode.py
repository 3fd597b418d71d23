"""The outside names of a function's bytecode: the globals, attributes and imports that the function uses.

>>> names(compile("import math; math.pi + offset", "<example>", "exec")).chains
(('math', 'pi'), ('offset',))
"""

from __future__ import annotations

import dis
import types
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

__all__ = ["Import", "Names", "names"]

_READ = {"LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS"}
_ATTRIBUTE = {"LOAD_ATTR", "LOAD_METHOD"}
_CALL = {"PRECALL", "CALL", "CALL_FUNCTION"}
#: Functions that use an attribute whose name may be computed at run time.
_BY_NAME = {"getattr", "hasattr", "setattr", "delattr"}
_WRITE_GLOBAL = {"STORE_GLOBAL", "DELETE_GLOBAL"}
_WRITE_CELL = {"STORE_DEREF", "DELETE_DEREF"}


@dataclass(frozen=True, slots=True)
class Import:
    """`from module import members`, or `import module` if members is empty; level counts the leading dots."""

    module: str
    level: int
    members: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Names:
    """The outside names of one code object.

    chains: global names, each followed by the attributes read directly from it: ("np", "linalg", "norm").
    written: global and enclosing variables that the code assigns. attributes: the names of all attributes that
    the code uses, of any object. computed: the functions such as getattr that the code uses, except where getattr
    or hasattr is called with an attribute's name written out.
    """

    chains: tuple[tuple[str, ...], ...]
    imports: tuple[Import, ...]
    written: tuple[str, ...]
    attributes: frozenset[str]
    computed: tuple[str, ...]


def names(code: types.CodeType) -> Names:
    """The outside names of a function with this code, and of the functions and classes defined in it."""
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
    """The name in getattr(x.y, "name") or getattr(x.y, "name", default); None for any other use of getattr."""
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
