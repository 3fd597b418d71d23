"""The identity of a filter by digests of its parameters. A saved session is restored only for the same identity.

>>> from filterproof.filters.rules.one_sum import ZCDPFilter
>>> one = FilterIdentity.of(ZCDPFilter(0.5))
>>> one.description, [name for name, _ in one.parameters]
('ZCDPFilter(rho=0.5)', ['class', 'promise', 'budget', 'rho'])
>>> one.changed_parameters(dict(FilterIdentity.of(ZCDPFilter(0.75)).parameters))
['promise', 'budget', 'rho']
"""

from __future__ import annotations

import dis
import types
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Self

from filterproof.filters.contract.content import DigestWalk
from filterproof.filters.contract.filter_base import FilterBase
from filterproof.filters.contract.library import user_members

#: Attributes that describe a filter and decide nothing.
_DESCRIPTIVE_ATTRIBUTES = frozenset(
    ("proof", "theorem", "sound", "scope", "kernel_theorems", "underlying_filters", "order_free")
)
#: The largest number of characters of a description.
MAX_DESCRIPTION_CHARS = 200
_NUMBERS_AND_TEXTS = (int, float, complex, str, bytes)


@dataclass(frozen=True, slots=True)
class FilterIdentity:
    """The SHA-256 digest of each parameter of a filter, and its repr for people.

    The parameters are the qualified name of the class, the guarantee, the budget, the constants of the user's classes
    and the attributes of the instance. Arrays count in full and numbers to the last bit. No `__eq__` or `__repr__` of
    a user's class is called for the digests. The code of the class is not a parameter: a user who changes the rule has
    to rename the class.
    """

    description: str
    parameters: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, filt: object) -> Self:
        """Return the identity of a filter as it is now."""
        digests = ((name, _digest_or_class(value)) for name, value in _parameters(filt).items())
        return cls(_description(filt), tuple(digests))

    def changed_parameters(self, saved: object) -> list[str]:
        """Return the names of the parameters that differ from `saved` or are missing in one of both."""
        others = saved if isinstance(saved, Mapping) else {}
        own = dict(self.parameters)
        return [name for name in {**own, **others} if own.get(name) != others.get(name)]


def class_constants(kind: type) -> dict[str, object]:
    """Return the constants that a class and its bases outside the library define, by name.

    Private lists, sets and dicts are skipped, because they are caches.
    """
    constants: dict[str, object] = {}
    for name, value in user_members(kind):
        is_private_container = name[:1] == "_" and isinstance(value, (dict, list, set))
        if is_private_container or name in _DESCRIPTIVE_ATTRIBUTES or hasattr(type(value), "__get__"):
            constants.pop(name, None)  # a function replaces a constant
        else:
            constants[name] = value
    return constants


def _parameters(filt: object) -> dict[str, object]:
    """Return the parameters by name, the class first."""
    parameters: dict[str, object] = {"class": type(filt).__qualname__}
    for name in ("promise", "budget"):
        with suppress(AttributeError, ValueError):  # there is none, or no theorem gives it
            parameters[name] = getattr(filt, name)
    others = _ParameterDigest().attributes(filt)
    return parameters | {
        name: value
        for name, value in sorted(others.items())
        if name not in (*parameters, *_DESCRIPTIVE_ATTRIBUTES)
    }


def _description(filt: object) -> str:
    """Return the shortened repr, or the class name if repr raises."""
    try:
        text = " ".join(repr(filt).split())
    except Exception:  # noqa: BLE001 - a repr may raise anything
        text = type(filt).__qualname__
    return text if len(text) <= MAX_DESCRIPTION_CHARS else f"{text[: MAX_DESCRIPTION_CHARS - 3]}..."


def _digest_or_class(value: object) -> str:
    """Return the digest of a value, or of its class alone if it is nested too deeply."""
    walk = _ParameterDigest()
    try:
        digest: bytes = walk.of(value)
    except RecursionError:
        digest = walk.leaf("class", type(value).__qualname__.encode())
    return digest.hex()


class _ParameterDigest(DigestWalk):
    """Digests a parameter. The order of a mapping and shared parts do not count."""

    def back_reference(self, place: int, tree: bytes | None) -> bytes:
        return tree or self.leaf("circle", b"")

    def uncopyable(self, value: Any) -> bytes:
        return self.node(self.name(type(value)), ())

    def attributes(self, value: Any) -> dict[str, Any]:
        # a nested filter has constants, too
        constants = class_constants(type(value)) if isinstance(value, FilterBase) else {}
        return constants | super().attributes(value)

    def class_or_function_tree(self, value: Any) -> bytes:
        if isinstance(value, types.FunctionType):
            return self._function(value)
        return super().class_or_function_tree(value)

    def _function(self, function: types.FunctionType) -> bytes:
        """Digest a function by its name, defaults and closure, and a lambda also by its constants and names."""
        parts: list[object] = [function.__qualname__, function.__defaults__, function.__kwdefaults__]
        for cell in function.__closure__ or ():
            with suppress(ValueError):  # the variable has no value yet
                parts.append(cell.cell_contents)
        if "<lambda>" in function.__qualname__:
            codes = [function.__code__]
            for code in codes:
                codes += [constant for constant in code.co_consts if isinstance(constant, types.CodeType)]
                parts += code.co_names
                # read through instructions: since Python 3.14 small numbers are part of the code itself
                parts += [
                    step.argval
                    for step in dis.get_instructions(code)
                    if ("CONST" in step.opname or step.opname == "LOAD_SMALL_INT")
                    and isinstance(step.argval, _NUMBERS_AND_TEXTS)
                ]
        return self.node("function", map(self.of, parts))
