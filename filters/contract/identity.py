"""Identity: which filter a session is of, by a digest of each of its parameters; what is saved is restored by it.

>>> from filters.rules.zcdp import ZCDPFilter
>>> one = FilterIdentity.of(ZCDPFilter(0.5))
>>> one.description, [name for name, _ in one.parameters]
('ZCDPFilter(rho=0.5)', ['class', 'promise', 'budget', 'rho'])
>>> one.differs(dict(FilterIdentity.of(ZCDPFilter(0.75)).parameters))
['promise', 'budget', 'rho']
"""

from __future__ import annotations

import copyreg
import dis
import functools
import types
from abc import ABC
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from hashlib import sha256
from typing import Any, Generic, Self

import numpy as np

from filters.contract.filter_base import FilterBase
from filters.contract.library import (
    attributes,
    bases_of,
    holder_of,
    kept_of_classes,
    of_the_library,
    settled,
)

#: What a filter says about itself in words, which decides nothing.
_WORDS = frozenset(("proof", "theorem", "sound", "scope", "kernel", "rests_on", "order_free"))
#: The parameters that `FilterBase.__repr__` and `AdditiveFilter.__repr__` tell beside those of the instance.
_TOLD = frozenset(("class", "promise", "budget", "charge"))
#: Characters of a description.
LONGEST = 200
#: What a repr says of itself where an interrupt cut an earlier one.
ELIDED = "..."
_PYTHONS = (object, ABC, Generic)
_PLAIN: tuple[Any, ...] = (int, float, complex, str, bytes)


@dataclass(frozen=True, slots=True)
class FilterIdentity:
    """A filter's parameters, each by its SHA-256, and its repr for people to read.

    The parameters are the qualified name of the class, the promise, the budget, the constants of the user's classes
    and what the instance holds, arrays whole and numbers bit for bit. No __eq__, __hash__ or __repr__ of a user's
    class has a say. The code of the class is none of them: whoever changes the rule gives it another name.
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


def told_by_repr(filt: object) -> bool:
    """Whether equal reprs of this filter mean equal parameters: the library's own repr, of plain values alone."""
    kind = type(filt)
    if of_the_library(kind):
        return settled(filt)
    told = _parameters(filt)
    return (
        of_the_library(holder_of(kind, "__repr__"))
        and told.keys() <= _TOLD | attributes(filt).keys()
        and all(map(_is_short, told.values()))
    )


def _is_short(value: object) -> bool:
    """Whether the repr of a value has all of it."""
    if isinstance(value, tuple):
        return all(map(_is_short, value))
    return settled(value) and not isinstance(value, np.ndarray)


def constants_of(kind: type) -> dict[str, object]:
    """The constants of a class and its bases, the library's left out: no functions, and nothing that is computed.

    Nor what a class keeps for itself, in a private list, set or dict: what is remembered there is no parameter.
    """
    found: dict[str, object] = {}
    for base in reversed(bases_of(kind)):
        if any(base is python for python in _PYTHONS) or of_the_library(base):
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
    others = _constants_and_parts(filt)
    return told | {name: value for name, value in sorted(others.items()) if name not in (*told, *_WORDS)}


def _constants_and_parts(filt: object) -> dict[str, object]:
    """The constants of a filter's classes, and what it holds."""
    made = _made_of(filt)
    held = made if isinstance(made, dict) else {"made of": made}
    return {**constants_of(type(filt)), **held}


def _described(filt: object) -> str:
    """The repr, shortened; the name of the class where there is none."""
    try:
        text = " ".join(str.split(repr(filt)))
    except Exception:  # noqa: BLE001 - a repr may raise anything
        text = ELIDED
    text = type(filt).__qualname__ if text == ELIDED else text
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."


# -- the digest ----------------------------------------------------------------------------------------------


def _digest_or_class(value: object) -> str:
    """The digest of a value; of its class alone where it is nested too deep."""
    try:
        return _Walk().digest(value).hex()
    except RecursionError:
        return _node("class", type(value).__qualname__.encode()).hex()


def _node(kind: str, content: bytes) -> bytes:
    return sha256(kind.encode("utf-8", "surrogatepass") + b"\n" + content).digest()


class _Walk:
    """One walk over everything that a value consists of: SHA-256 of what each part is, and of its parts' digests."""

    def __init__(self) -> None:
        # with the objects, so that no id is used again; None while an object is being read
        self._seen: dict[int, tuple[object, bytes | None]] = {}

    def digest(self, value: Any) -> bytes:
        kind: Any = type(value)
        if value is None or kind is bool or kind is int:
            return _node("plain", repr(value).encode())
        if kind is float or kind is np.float64:
            return _node("float", np.float64(value).tobytes())
        if kind is str:
            return _node("str", value.encode("utf-8", "surrogatepass"))
        if kind is bytes or kind is bytearray:
            return _node(kind.__name__, bytes(value))
        if kind is complex:
            return _node("complex", np.complex128(value).tobytes())
        held = self._seen.get(id(value))
        if held is not None:
            return held[1] or _node("circle", b"")
        self._seen[id(value)] = value, None
        found = self._read(value, kind)
        self._seen[id(value)] = value, found
        return found

    def _all(self, name: str, values: Iterable[object]) -> bytes:
        return _node(name, b"".join(map(self.digest, values)))

    def _sorted(self, name: str, values: Iterable[object]) -> bytes:
        return _node(name, b"".join(sorted(map(self.digest, values))))

    def _read(self, value: Any, kind: Any) -> bytes:
        if kind is np.ndarray or (isinstance(value, np.generic) and kind.__module__ == "numpy"):
            if value.dtype.hasobject:
                return self._all("objects", (value.shape, value.ravel().tolist()))
            said = f"array {value.dtype.descr if value.dtype.names else value.dtype.str} {value.shape}"
            return _node(said, value.tobytes())
        if isinstance(value, Enum):
            return self._all("member", (kind, value._name_))
        if kind is types.MethodType:
            return self._all("method", (value.__func__, value.__self__))
        if kind is functools.partial:
            return self._all("partial", (value.func, value.args, value.keywords))
        if kind is types.FunctionType:
            return self._function(value)
        if isinstance(value, (type, types.BuiltinFunctionType, types.ModuleType, np.ufunc)):
            name = getattr(value, "__qualname__", None) or value.__name__
            return _node("named", name.encode())
        name = kind.__qualname__
        for base in _PLAIN:
            if isinstance(value, base):
                return self._all(name, base.__getnewargs__(value))
        if isinstance(value, (tuple, list)):
            iterate: Any = tuple.__iter__ if isinstance(value, tuple) else list.__iter__
            return self._all(name, iterate(value))
        if isinstance(value, (set, frozenset)):
            return self._sorted(name, value)
        if isinstance(value, dict):
            return self._sorted(name, dict.items(value))
        if kind is types.MappingProxyType:
            return self._sorted("dict", value.items())
        # a filter within another has constants as that one has
        made = _constants_and_parts(value) if isinstance(value, FilterBase) else _made_of(value)
        return self._sorted(name, made.items()) if isinstance(made, dict) else self._all(name, made)

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
                    and isinstance(step.argval, _PLAIN)
                ]
        return self._all("function", parts)


def _made_of(value: Any) -> Any:
    """What an object holds, by name, or what its class says in its place when it is copied or pickled.

    What a property remembers is none of it, nor the fields of a dataclass that follow from the others.
    """
    kind: Any = type(value)
    if (read := _copied_by(kind)) is not None:
        try:
            made = read(value)
        except Exception:  # noqa: BLE001 - a class may refuse copies by any error
            return {}
        parts = made if isinstance(made, tuple) else (made,)
        return made if isinstance(made, dict) else [list(x) if isinstance(x, Iterator) else x for x in parts]
    follow = _following(kind)
    return {name: part for name, part in attributes(value).items() if name not in follow}


@kept_of_classes
def _copied_by(kind: Any) -> Callable[[Any], Any] | None:
    """What reads the parts of an instance of a class that says itself what a copy has; None for another class."""
    if kind in copyreg.dispatch_table:
        return copyreg.dispatch_table[kind]
    if kind.__reduce_ex__ is not object.__reduce_ex__ or kind.__reduce__ is not object.__reduce__:
        return lambda value: value.__reduce_ex__(4)
    # slots of a frozen dataclass bring one along
    if kind.__getstate__ is not object.__getstate__ and kind.__getstate__.__module__ != "dataclasses":
        return lambda value: value.__getstate__()
    return None


@kept_of_classes
def _following(kind: Any) -> frozenset[str]:
    """The names under which instances hold what follows from their other parts."""
    declared = fields(kind) if is_dataclass(kind) else ()
    names = {one.name for one in declared if not (one.init or one.compare)}
    for base in bases_of(kind):
        names |= {name for name, held in vars(base).items() if isinstance(held, functools.cached_property)}
    return frozenset(names)
