"""What a filter is made of, read without running any code of its class: the parts that decide, or why they are unknown.

>>> import filterproof as fp
>>> made = parts_of(fp.ZCDPFilter(0.5))
>>> made.charge, made.budget.limit, made.promise
(zcdp_charge, 0.5, ZCDP(rho=0.5))
"""

from __future__ import annotations

import math
import types
from abc import ABC, ABCMeta
from dataclasses import dataclass, fields
from typing import Any, Generic

from filters import PrivacyFilter
from filters.accounting import Budget
from filters.accounting.charge_rules import ChargeRule, GDPCharge, PureCharge, RenyiCharge, ZCDPCharge
from filters.catalogue import CATALOGUE
from filters.contract.filter_base import FilterBase
from filters.contract.holds import Holds
from filters.rules.additive import AdditiveFilter
from filters.rules.promised import promised_budget
from theory.conversions import CONVERSIONS, Conversion
from theory.guarantees import ZCDP, ApproxDP, GaussianDP, Guarantee, PureDP, RenyiDP

__all__ = ["Parts", "Unknown", "fields_as_made", "own_promise", "parts_of"]

_GUARANTEES = (PureDP, ApproxDP, RenyiDP, ZCDP, GaussianDP)
_CHARGES = (PureCharge, ZCDPCharge, GDPCharge, RenyiCharge)
_OURS = (AdditiveFilter, PrivacyFilter, FilterBase, ABC, Generic, object)
#: What a class may bring along: values that are read as data, what describes, and what an application asks for advice.
_DATA = {"promise", "charge", "budget", "conversion"}
_TOLD = {"proof", "theorem", "sound", "scope", "holds", "order_free", "remaining", "affordable", "_scale"}
_PLAIN = {
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
    *("__init__", "__post_init__", "__repr__", "__str__", "__eq__", "__hash__", "__match_args__"),
    *("__dataclass_fields__", "__dataclass_params__", "__replace__", "__setattr__", "__delattr__"),
    *("__getstate__", "__setstate__", "__reduce__", "__copy__", "__deepcopy__"),
    *("__lt__", "__le__", "__gt__", "__ge__", "__ne__", "__classcell__"),
}
#: Everything that the library's own code may ask a filter for.
_ASKED = {name for kind in _OURS[:3] for name in vars(kind)} | {"decide"}
_ABSENT = object()


def _decides(name: str) -> bool:
    special = name.startswith("__") and name.endswith("__")
    return name not in _PLAIN if special else name in _ASKED - _DATA - _TOLD - _PLAIN


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
    for name in _instance(filt):
        if _decides(name):
            raise Unknown(f"this instance has a {name} of its own")
    if _read(filt, "sound") is not True:
        raise Unknown(f"it does not say of itself that it is sound, but sound={_read(filt, 'sound')!r}")
    charge, promise = _read(filt, "charge"), own_promise(filt)
    if type(charge) not in _CHARGES or not isinstance(charge, ChargeRule):
        raise Unknown("its charge is not a charge of the library, such as zcdp_charge")
    if isinstance(charge, RenyiCharge) and not _numbers(charge.alpha):
        raise Unknown(f"its charge is of order {charge.alpha!r}, which is no double")
    budget = _read(filt, "budget")
    if budget is vars(AdditiveFilter)["budget"]:
        conversion = _read(filt, "conversion")
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
    promise = _read(filt, "promise")
    if type(promise) not in _GUARANTEES or not isinstance(promise, Guarantee):
        raise Unknown("its promise is not a plain value of a guarantee of the library")
    if not _numbers(*(getattr(promise, one.name) for one in fields(promise))):  # type: ignore[arg-type]
        raise Unknown(f"its promise is {promise!r}, whose numbers are not all doubles")
    return promise


def fields_as_made(filt: PrivacyFilter) -> None:
    """Unknown unless every field of a filter of the catalogue is what its constructor makes of its parameters."""
    for name in _instance(filt):
        if _decides(name):
            raise Unknown(f"this instance has a {name} of its own")
    kind: Any = type(filt)
    given = {one.name: getattr(filt, one.name) for one in fields(kind) if one.init}
    made = kind(**given)
    for one in fields(kind):
        if repr(getattr(made, one.name)) != repr(getattr(filt, one.name)):
            raise Unknown(f"its {one.name} is not what its constructor made")


def _check_classes(kind: type) -> None:
    """Unknown where a class brings something that the library's deciding functions would ask for."""
    if type(kind) is not ABCMeta:
        raise Unknown(f"its class is made by {type(kind).__name__}, which may change what its attributes are")
    known = {*_OURS, *(entry.kind for entry in CATALOGUE.values())}
    if AdditiveFilter not in kind.__mro__:
        raise Unknown("its class does not derive from AdditiveFilter")
    for one in kind.__mro__:
        if one in known:
            continue
        for name in filter(_decides, vars(one)):
            raise Unknown(f"{one.__name__} has a {name} of its own")
        # a session reads `holds` when it opens: what is code could change the filter then
        if not isinstance(vars(one).get("holds"), Holds | None):
            raise Unknown(f"{one.__name__} computes its holds; make it a value, holds = Holds(zcdp=0.02)")
    for name in _DECIDING:
        if _holder(kind, name) is not _holder(AdditiveFilter, name):
            raise Unknown(f"its {name} is that of {_holder(kind, name).__name__}")


def _holder(kind: type, name: str) -> type:
    """The class from which instances of `kind` have a method."""
    return next(one for one in kind.__mro__ if name in vars(one))


def _instance(filt: PrivacyFilter) -> dict[str, Any]:
    try:
        own = object.__getattribute__(filt, "__dict__")
    except AttributeError:
        return {}
    if type(own) is not dict or not all(type(name) is str for name in own):
        raise Unknown("the attributes of this instance are kept in no plain dict")
    return own


def _read(filt: PrivacyFilter, name: str) -> object:
    """The attribute as Python finds it, no code of the class being run; Unknown where some would be."""
    for one in type(filt).__mro__:
        held = vars(one).get(name, _ABSENT)
        if held is _ABSENT:
            continue
        if isinstance(held, types.MemberDescriptorType):  # a slot
            try:
                return held.__get__(filt)
            except AttributeError as empty:
                raise Unknown(f"its {name} is not set") from empty
        own = _instance(filt).get(name, _ABSENT)
        if held is vars(AdditiveFilter)["budget"]:  # gives way to an attribute of the instance
            return held if own is _ABSENT else own
        if hasattr(type(held), "__set__") or (own is _ABSENT and hasattr(type(held), "__get__")):
            raise Unknown(f"its {name} is computed, by a {type(held).__name__}")
        return held if own is _ABSENT else own
    own = _instance(filt).get(name, _ABSENT)
    if own is _ABSENT:
        raise Unknown(f"it has no {name}")
    return own


def _proper(budget: Budget) -> bool:
    """Whether the budget is a pair of doubles as `Budget` compares them, the high one next to the sum."""
    high, low, exponent = budget.high, budget.low, budget.exponent
    if not _numbers(high, low) or type(exponent) is not int or abs(exponent) > 1100:
        return False
    return high > 0 and high + low == high


def _numbers(*values: object) -> bool:
    return all(type(value) is float and math.isfinite(value) for value in values)
