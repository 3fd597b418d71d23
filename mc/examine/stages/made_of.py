"""What a filter is made of, read without running any code of its class: the parts that decide, or why they are unknown.

>>> import filterproof as fp
>>> made = parts_of(fp.ZCDPFilter(0.5))
>>> made.charge, made.budget.limit, made.promise
(zcdp_charge, 0.5, ZCDP(rho=0.5))
"""

from __future__ import annotations

import builtins
import dataclasses
import math
import reprlib
import types
from abc import ABC, ABCMeta
from dataclasses import Field, dataclass, field, fields, is_dataclass, make_dataclass
from typing import Any, Generic

import numpy as np

from filters import PrivacyFilter
from filters.accounting.charge_rules import ChargeRule, GDPCharge, PureCharge, RenyiCharge, ZCDPCharge
from filters.accounting.ledger import Budget
from filters.catalogue import CATALOGUE
from filters.contract.filter_base import FilterBase
from filters.contract.holds import Holds
from filters.contract.library import attributes, holder_of, of_the_library, settled
from filters.rules.additive import AdditiveFilter
from filters.rules.promised import promised_budget
from theory.conversions import CONVERSIONS, Conversion
from theory.guarantees import ZCDP, ApproxDP, GaussianDP, Guarantee, PureDP, RenyiDP
from theory.pairs.pair_type import PairType

__all__ = ["Parts", "Unknown", "alike", "fields_as_made", "own_promise", "parts_of", "read"]

_GUARANTEES = (PureDP, ApproxDP, RenyiDP, ZCDP, GaussianDP)
_CHARGES = (PureCharge, ZCDPCharge, GDPCharge, RenyiCharge)
_OURS = (AdditiveFilter, PrivacyFilter, FilterBase, ABC, Generic, object)
#: What a class may bring along: values, its constructor, and what `dataclass` makes of both.
_DATA = {"promise", "charge", "budget", "conversion"}
_VALUES = {"proof", "theorem", "sound", "scope", "holds", "order_free"}
#: What an application asks for, which decides nothing: a class of the catalogue has its own.
_ADVICE = {"remaining", "affordable", "_scale"}
#: What describes, compares and copies: code that is run between two decisions, unless `dataclass` made it.
_MADE = {
    *("__repr__", "__str__", "__eq__", "__hash__", "__lt__", "__le__", "__gt__", "__ge__", "__ne__"),
    *("__replace__", "__setattr__", "__delattr__", "__getstate__", "__setstate__"),
    *("__reduce__", "__copy__", "__deepcopy__"),
}
_PLAIN = _MADE | {
    *("__module__", "__qualname__", "__doc__", "__dict__", "__weakref__", "__slots__", "__annotations__"),
    "__slotnames__",  # kept by copyreg when an instance is first copied
    *(
        "__firstlineno__",
        "__static_attributes__",
        "__annotate__",
        "__annotate_func__",
        "__annotations_cache__",
    ),
    *("__abstractmethods__", "_abc_impl", "__parameters__", "__orig_bases__", "__type_params__"),
    *("__init__", "__post_init__", "__match_args__", "__classcell__"),
    *("__dataclass_fields__", "__dataclass_params__"),
}
#: Everything that the library's own code may ask a filter for.
_ASKED = {name for kind in _OURS[:3] for name in vars(kind)} | {"decide"}
_ABSENT = object()
_SLOTS = (types.MemberDescriptorType, types.GetSetDescriptorType)
#: What Python keeps in a class, of Python's own classes; and the functions that a class may bring, run when it is made.
_KEPT = (str, int, bool, tuple, dict, list, frozenset, type(None), *_SLOTS)
_MAKING = {"__init__", "__post_init__", "__annotate__", "__annotate_func__"}


def _decides(name: str) -> bool:
    special = name.startswith("__") and name.endswith("__")
    return name not in _PLAIN if special else name in _ASKED - _DATA - _VALUES - _PLAIN


#: The names of the functions by which a session or an engine asks a filter.
_DECIDING = sorted(name for name in _ASKED - {"decide"} if _decides(name))


class Unknown(Exception):  # noqa: N818 - a reason, no error
    """Why a filter's parts are not the library's own."""


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts of an additive filter: what it charges, within which budget, for which promise."""

    charge: ChargeRule
    budget: Budget
    promise: Guarantee


def parts_of(filt: PrivacyFilter) -> Parts:
    """The parts of an AdditiveFilter all of whose deciding functions are the library's own; Unknown for any other."""
    kind = type(filt)
    _check_classes(kind)
    _instance(filt)
    for name, value in attributes(filt).items():
        if _decides(name) or not settled(value):
            raise Unknown(f"this instance has a {name} of its own{_brings(name, value)}")
    declared: tuple[Field[Any], ...] = fields(kind) if is_dataclass(kind) else ()
    for declared_field in declared:
        if not settled(value := read(filt, declared_field.name)):
            raise Unknown(f"it has a {declared_field.name} of its own{_brings(declared_field.name, value)}")
    if read(filt, "sound") is not True:
        raise Unknown(f"it does not say of itself that it is sound, but sound={read(filt, 'sound')!r}")
    charge, promise = read(filt, "charge"), own_promise(filt)
    if type(charge) not in _CHARGES or not isinstance(charge, ChargeRule):
        raise Unknown("its charge is not a charge of the library, such as zcdp_charge")
    if isinstance(charge, RenyiCharge) and not _numbers(charge.alpha):
        raise Unknown(f"its charge is of order {charge.alpha!r}, which is no double")
    budget = read(filt, "budget")
    if budget is vars(AdditiveFilter)["budget"]:
        conversion = read(filt, "conversion")
        if not isinstance(conversion, Conversion) or not any(conversion is one for one in CONVERSIONS):
            raise Unknown(f"its conversion is {conversion!r}, not one of the library's")
        try:
            budget = promised_budget(charge, promise, conversion)
        except ValueError as reason:
            raise Unknown(str(reason)) from reason
    if type(budget) is not Budget:
        raise Unknown(f"its budget is a {type(budget).__name__}, not a plain Budget")
    if not _proper(budget):
        raise Unknown(f"its budget is {budget!r}, which Budget.of does not make")
    return Parts(charge, budget, promise)


def own_promise(filt: PrivacyFilter) -> Guarantee:
    """The promise, where it is a plain value of a guarantee of the library; Unknown where it is computed."""
    promise = read(filt, "promise")
    if type(promise) not in _GUARANTEES or not isinstance(promise, Guarantee):
        raise Unknown("its promise is not a plain value of a guarantee of the library")
    if not _numbers(*(getattr(promise, one.name) for one in fields(promise))):  # type: ignore[arg-type]
        raise Unknown(f"its promise is {promise!r}, whose numbers are not all doubles")
    return promise


def fields_as_made(filt: PrivacyFilter) -> None:
    """Unknown unless all that a filter of the catalogue holds is what its constructor makes of its parameters."""
    kind: Any = type(filt)
    own = attributes(filt)
    made = attributes(kind(**{one.name: read(filt, one.name) for one in fields(kind) if one.init}))
    for name, value in own.items():
        if name not in made:
            raise Unknown(f"this instance has a {name} of its own")
        if not alike(value, made[name]):
            raise Unknown(f"its {name} is not what its constructor made")


def alike(value: object, expected: object) -> bool:
    """Whether two values are settled, and the same by class and by all that they hold."""
    kind = type(expected)
    if type(value) is not kind or not settled(value):
        return False
    if isinstance(value, tuple) and isinstance(expected, tuple):
        return len(value) == len(expected) and all(map(alike, value, expected))
    if isinstance(value, np.ndarray) and isinstance(expected, np.ndarray):
        return (value.dtype, value.shape, value.tobytes()) == (
            expected.dtype,
            expected.shape,
            expected.tobytes(),
        )
    if not of_the_library(kind):
        return value is expected or repr(value) == repr(expected)  # of Python's own classes
    held, other = attributes(value), attributes(expected)
    return held.keys() == other.keys() and all(alike(held[name], other[name]) for name in held)


def _check_classes(kind: type) -> None:
    """Unknown where a class brings something that the library's deciding functions would ask for."""
    if type(kind) is not ABCMeta:
        raise Unknown(f"its class is made by {type(kind).__name__}, which may change what its attributes are")
    vouched = {*_OURS, *(entry.kind for entry in CATALOGUE.values())}
    if AdditiveFilter not in kind.__mro__:
        raise Unknown("its class does not derive from AdditiveFilter")
    for base in kind.__mro__:
        if base in vouched:
            continue
        # code that gives advice or describes is run while the filter decides: it may change the budget in between
        generated = _generated(base)
        for name, held in vars(base).items():
            if _decides(name) or (name in _PLAIN and not _as_python_makes(name, held, generated)):
                raise Unknown(f"{base.__name__} has a {name} of its own")
            if name in _VALUES - {"holds"} and type(held) not in _SLOTS and not settled(held):
                raise Unknown(f"{base.__name__} computes its {name}; make it a value")
        if type(holds := vars(base).get("holds")) not in (Holds, type(None)) or not settled(holds):
            raise Unknown(f"{base.__name__} computes its holds; make it a value, holds = Holds(zcdp=0.02)")
    for name in _DECIDING:
        place = holder_of(kind, name)
        if place is not holder_of(AdditiveFilter, name) and not (name in _ADVICE and place in vouched):
            raise Unknown(f"its {name} is that of {place.__name__}")


def _as_python_makes(name: str, value: object, generated: dict[str, Any]) -> bool:
    """Whether what describes a class or compares its instances is as Python itself, or `dataclass`, makes it."""
    if name in _MADE:
        return value is None or _same_code(value, generated.get(name))
    if name in _MAKING and type(value) is types.FunctionType:
        return True
    return type(value) in _KEPT or type(value).__module__ in ("_abc", "dataclasses")


def _brings(name: str, value: object) -> str:
    return "" if _decides(name) else f", a {type(value).__name__}, which may bring code along"


def _generated(kind: type) -> dict[str, Any]:
    """What `dataclass` makes for fields and options as those of `kind`; nothing where it is no data class."""
    options = vars(kind).get("__dataclass_params__")
    if options is None:
        return {}
    field_specs = [
        (one.name, object, field(repr=one.repr, compare=one.compare, hash=one.hash, kw_only=True))
        for one in fields(kind)
    ]
    wanted = {name: getattr(options, name) for name in ("repr", "eq", "order", "unsafe_hash", "frozen")}
    slots = "__slots__" in vars(kind)
    return dict(vars(make_dataclass(kind.__name__, field_specs, slots=slots, **wanted)))


def _same_code(function: object, expected: object) -> bool:
    """Whether a function does what a generated one does: its code, what it closes over, and the names that it finds."""
    if not isinstance(function, types.FunctionType) or not isinstance(expected, types.FunctionType):
        return type(function) is type(expected) and function is expected
    code, expected_code = function.__code__, expected.__code__
    if (code.co_code, code.co_names, code.co_consts) != (
        expected_code.co_code,
        expected_code.co_names,
        expected_code.co_consts,
    ):
        return False
    if function.__defaults__ or function.__kwdefaults__:
        return False
    if any(expected.__globals__ is vars(one) for one in (dataclasses, reprlib)):
        same_names = function.__globals__ is expected.__globals__
    else:  # those of the module of the class
        same_names = not any(
            name in function.__globals__ for name in expected_code.co_names if name in vars(builtins)
        )
        same_names &= getattr(function, "__builtins__", None) is vars(builtins)
    cells = [[cell.cell_contents for cell in one.__closure__ or ()] for one in (function, expected)]
    return same_names and all(
        _same_code(one, like) if isinstance(like, types.FunctionType) else _same_kind(one, like)
        for one, like in zip(*cells, strict=True)
    )


def _same_kind(held: object, made: object) -> bool:
    return type(held) in (type, ABCMeta, PairType) if isinstance(made, type) else type(held) is type(made)


def _instance(filt: PrivacyFilter) -> dict[str, Any]:
    try:
        attributes_kept = object.__getattribute__(filt, "__dict__")
    except AttributeError:
        return {}
    if type(attributes_kept) is not dict or not all(type(name) is str for name in attributes_kept):
        raise Unknown("the attributes of this instance are kept in no plain dict")
    return attributes_kept


def read(filt: PrivacyFilter, name: str) -> object:
    """The attribute as Python finds it, no code of the class being run; Unknown where some would be."""
    for one in type(filt).__mro__:
        descriptor = vars(one).get(name, _ABSENT)
        if descriptor is _ABSENT:
            continue
        if isinstance(descriptor, types.MemberDescriptorType):  # a slot
            try:
                return descriptor.__get__(filt)
            except AttributeError as empty:
                raise Unknown(f"its {name} is not set") from empty
        instance_value = _instance(filt).get(name, _ABSENT)
        if descriptor is vars(AdditiveFilter)["budget"]:  # gives way to an attribute of the instance
            return descriptor if instance_value is _ABSENT else instance_value
        if hasattr(type(descriptor), "__set__") or (
            instance_value is _ABSENT and hasattr(type(descriptor), "__get__")
        ):
            raise Unknown(f"its {name} is computed, by a {type(descriptor).__name__}")
        return descriptor if instance_value is _ABSENT else instance_value
    instance_value = _instance(filt).get(name, _ABSENT)
    if instance_value is _ABSENT:
        raise Unknown(f"it has no {name}")
    return instance_value


def _proper(budget: Budget) -> bool:
    """Whether the budget is a pair of doubles as `Budget` compares them, the high one next to the sum."""
    high, low, exponent = budget.high, budget.low, budget.exponent
    if not _numbers(high, low) or type(exponent) is not int or abs(exponent) > 1100:
        return False
    return high > 0 and high + low == high


def _numbers(*values: object) -> bool:
    return all(type(value) is float and math.isfinite(value) for value in values)
