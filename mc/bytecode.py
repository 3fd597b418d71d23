"""What a function's bytecode names outside of itself."""

from __future__ import annotations

import dis
import types
from collections.abc import Iterator
from dataclasses import dataclass

__all__ = ["Import", "Names", "names"]

_READ = {"LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS"}
_ATTRIBUTE = {"LOAD_ATTR", "LOAD_METHOD"}
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

    `attributes` are all names of attributes, of whatever value.
    """

    chains: tuple[tuple[str, ...], ...]
    imports: tuple[Import, ...]
    written: tuple[str, ...]
    attributes: frozenset[str]


def names(code: types.CodeType) -> Names:
    """What a function of this code names, the functions and classes within it included."""
    chains: list[tuple[str, ...]] = []
    imports: list[Import] = []
    written: list[str] = []
    attributes: set[str] = set()
    for part in _nested(code):
        steps = [step for step in dis.get_instructions(part) if step.opname != "EXTENDED_ARG"]
        for i, step in enumerate(steps):
            if step.opname in _READ:
                chain = [step.argval]
                for after in steps[i + 1 :]:
                    if after.opname not in _ATTRIBUTE:
                        break
                    chain.append(after.argval)
                chains.append(tuple(chain))
            elif step.opname in _ATTRIBUTE:
                attributes.add(step.argval)
            elif step.opname == "IMPORT_NAME":
                level, members = steps[i - 2].argval, steps[i - 1].argval
                imports.append(Import(step.argval, level, members or ()))
            elif step.opname in _WRITE_GLOBAL or (
                step.opname in _WRITE_CELL and step.argval in code.co_freevars
            ):
                written.append(step.argval)
    return Names(
        tuple(dict.fromkeys(chains)), tuple(imports), tuple(dict.fromkeys(written)), frozenset(attributes)
    )


def _nested(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _nested(constant)
