"""Identity: which filter a session is of, by a digest of each of its parameters; what is saved is restored by it.

>>> from filterproof.filters.rules.zcdp import ZCDPFilter
>>> one = FilterIdentity.of(ZCDPFilter(0.5))
>>> one.description, [name for name, _ in one.parameters]
('ZCDPFilter(rho=0.5)', ['class', 'promise', 'budget', 'rho'])
>>> one.differs(dict(FilterIdentity.of(ZCDPFilter(0.75)).parameters))
['promise', 'budget', 'rho']
"""

from __future__ import annotations

import dis
import types
from abc import ABC
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Generic, Self

from filterproof.filters.contract.content import DigestWalk
from filterproof.filters.contract.filter_base import FilterBase
from filterproof.filters.contract.library import of_the_library

#: What a filter says about itself in words, which decides nothing.
_WORDS = frozenset(("proof", "theorem", "sound", "scope", "kernel", "rests_on", "order_free"))
#: Characters of a description.
LONGEST = 200
_PYTHONS = (object, ABC, Generic)
_NUMBERS_AND_TEXTS = (int, float, complex, str, bytes)


@dataclass(frozen=True, slots=True)
class FilterIdentity:
    """A filter's parameters, each by its SHA-256, and its repr for people to read.

    The parameters are the qualified name of the class, the promise, the budget, the constants of the user's classes
    and what the instance holds, arrays whole and numbers bit for bit. No __eq__ or __repr__ of a user's class has a
    say. The code of the class is none of them: whoever changes the rule gives it another name.
    """

    description: str
    parameters: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, filt: object) -> Self:
        """The identity of a filter as it is now."""
        digests = ((name, _digest_or_class(value)) for name, value in _parameters(filt).items())
        return cls(_described(filt), tuple(digests))

    def differs(self, saved: object) -> list[str]:
        """The names of the parameters that another has otherwise, or has not."""
        others = saved if isinstance(saved, Mapping) else {}
        own = dict(self.parameters)
        return [name for name in {**own, **others} if own.get(name) != others.get(name)]


def constants_of(kind: type) -> dict[str, object]:
    """The constants of a class and its bases, the library's left out: no functions, and nothing that is computed.

    Nor what a class keeps for itself, in a private list, set or dict: what is remembered there is no parameter.
    """
    found: dict[str, object] = {}
    for base in reversed(kind.__mro__):
        if base in _PYTHONS or of_the_library(base):
            continue
        for name, value in vars(base).items():
            special = name[:2] == "__" == name[-2:] or name == "_abc_impl"
            kept = name[:1] == "_" and isinstance(value, (dict, list, set))
            if special or kept or name in _WORDS or hasattr(type(value), "__get__"):
                found.pop(name, None)  # a function in the place of a constant
            else:
                found[name] = value
    return found


def _parameters(filt: object) -> dict[str, object]:
    """The parameters by name, the class's first."""
    told: dict[str, object] = {"class": type(filt).__qualname__}
    for name in ("promise", "budget"):
        with suppress(AttributeError, ValueError):  # there is none, or no theorem gives it
            told[name] = getattr(filt, name)
    others = constants_of(type(filt)) | _Parameters().held(filt)
    return told | {name: value for name, value in sorted(others.items()) if name not in (*told, *_WORDS)}


def _described(filt: object) -> str:
    """The repr, shortened; the name of the class where there is none."""
    try:
        text = " ".join(repr(filt).split())
    except Exception:  # noqa: BLE001 - a repr may raise anything
        text = type(filt).__qualname__
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."


def _digest_or_class(value: object) -> str:
    """The digest of a value; of its class alone where it is nested too deep."""
    walk = _Parameters()
    try:
        digest: bytes = walk.of(value)
    except RecursionError:
        digest = walk.leaf("class", type(value).__qualname__.encode())
    return digest.hex()


class _Parameters(DigestWalk):
    """The walk over a parameter: the order of a mapping, and what is shared, are no part of it."""

    def again(self, place: int, found: bytes | None) -> bytes:
        return found or self.leaf("circle", b"")

    def unread(self, value: Any) -> bytes:
        return self.node(self.name(type(value)), ())

    def held(self, value: Any) -> dict[str, Any]:
        # a filter within another has constants as that one has
        constants = constants_of(type(value)) if isinstance(value, FilterBase) else {}
        return constants | super().held(value)

    def thing(self, value: Any) -> bytes:
        return self._function(value) if isinstance(value, types.FunctionType) else super().thing(value)

    def _function(self, function: types.FunctionType) -> bytes:
        """Its name, what it was made with and, of a lambda, whose name tells nothing, the numbers and names in it."""
        parts: list[object] = [function.__qualname__, function.__defaults__, function.__kwdefaults__]
        for cell in function.__closure__ or ():
            with suppress(ValueError):  # it has no value yet
                parts.append(cell.cell_contents)
        if "<lambda>" in function.__qualname__:
            codes = [function.__code__]
            for code in codes:
                codes += [one for one in code.co_consts if isinstance(one, types.CodeType)]
                parts += code.co_names
                # as they are read: small numbers stand in the code itself since Python 3.14
                parts += [
                    step.argval
                    for step in dis.get_instructions(code)
                    if ("CONST" in step.opname or step.opname == "LOAD_SMALL_INT")
                    and isinstance(step.argval, _NUMBERS_AND_TEXTS)
                ]
        return self.node("function", map(self.of, parts))
