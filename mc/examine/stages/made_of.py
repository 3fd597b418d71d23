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
from collections.abc import Callable, Iterable
from dataclasses import Field, dataclass, field, fields, is_dataclass, make_dataclass
from inspect import getattr_static
from typing import Any, Generic

from filters import PrivacyFilter
from filters.accounting.charge_rules import ChargeRule, GDPCharge, PureCharge, RenyiCharge, ZCDPCharge
from filters.accounting.ledger import Budget
from filters.catalogue import CATALOGUE
from filters.contract.filter_base import FilterBase
from filters.contract.holds import Holds
from filters.contract.library import attributes, holder_of, settled, told_apart
from filters.rules.additive import AdditiveFilter
from filters.rules.promised import promised_budget
from theory.conversions import CONVERSIONS, Conversion
from theory.guarantees import ZCDP, ApproxDP, GaussianDP, Guarantee, PureDP, RenyiDP
from theory.pairs.pair_type import PairType

_GUARANTEES = (PureDP, ApproxDP, RenyiDP, ZCDP, GaussianDP)
#: The charges of the library.
CHARGES = (PureCharge, ZCDPCharge, GDPCharge, RenyiCharge)
_OURS = (AdditiveFilter, PrivacyFilter, FilterBase, ABC, Generic, object)
#: What a class may bring along as values.
_DATA = {"promise", "charge", "budget", "conversion"}
_VALUES = {"proof", "theorem", "sound", "scope", "holds", "order_free"}
#: What an application asks for, which decides nothing: a class of the catalogue has its own.
_ADVICE = {"remaining", "affordable", "_scale"}
#: The functions that a class may bring, run when it or an instance is made.
_MAKING = {"__init__", "__post_init__", "__annotate__", "__annotate_func__"}
_OPTIONS = type(vars(dataclass(type("Plain", (), {})))["__dataclass_params__"])
#: What Python keeps in a class under special names, of Python's own classes, none of which has code to be called.
_KEPT = (str, int, bool, tuple, dict, list, frozenset, type(None), _OPTIONS)
_SLOTS = (types.MemberDescriptorType, types.GetSetDescriptorType)
#: The attribute `budget` that follows from promise and charge.
_FOLLOWS = vars(AdditiveFilter)["budget"]


def is_one_of(kind: type, kinds: Iterable[type]) -> bool:
    """Whether a class is one of these: one of another kind of classes may claim to equal any."""
    return any(kind is one for one in kinds)


def _special(name: str) -> bool:
    return name.startswith("__") and name.endswith("__")


#: The functions by which the library's own code asks a filter.
_ASKED = {name for kind in _OURS[:3] for name in vars(kind) if not _special(name)} | {"decide"}
_ASKED -= _DATA | _VALUES | {"_abc_impl"}


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
    _check_dict(filt)
    declared: tuple[Field[Any], ...] = fields(kind) if is_dataclass(kind) else ()
    for name, value in ({one.name: read(filt, one.name) for one in declared} | attributes(filt)).items():
        if name in _ASKED or _special(name):
            raise Unknown(f"this instance has a {name} of its own")
        if not settled(value):
            brings = f"a {type(value).__name__}, which may bring code along"
            raise Unknown(f"this instance has a {name} of its own, {brings}")
    if read(filt, "sound") is not True:
        raise Unknown(f"it does not say of itself that it is sound, but sound={read(filt, 'sound')!r}")
    charge, promise, budget = read(filt, "charge"), _promise(filt), read(filt, "budget")
    if not is_one_of(type(charge), CHARGES) or not isinstance(charge, ChargeRule):
        raise Unknown("its charge is not a charge of the library, such as zcdp_charge")
    if isinstance(charge, RenyiCharge) and not _numbers(charge.alpha):
        raise Unknown(f"its charge is of order {charge.alpha!r}, which is no double")
    if budget is _FOLLOWS:
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


def _promise(filt: PrivacyFilter) -> Guarantee:
    """The promise, where it is a plain value of a guarantee of the library; Unknown where it is computed."""
    promise = read(filt, "promise")
    if not is_one_of(type(promise), _GUARANTEES) or not isinstance(promise, Guarantee):
        raise Unknown("its promise is not a plain value of a guarantee of the library")
    if not _numbers(*(getattr(promise, one.name) for one in fields(promise))):  # type: ignore[arg-type]
        raise Unknown(f"its promise is {promise!r}, whose numbers are not all doubles")
    return promise


def fields_as_made(filt: PrivacyFilter) -> None:
    """Unknown unless all that a filter of the catalogue holds is what its constructor makes of its parameters."""
    kind: Any = type(filt)
    as_made(filt, kind(**{one.name: read(filt, one.name) for one in fields(kind) if one.init}))


def as_made(
    thing: object, made: object, may: Callable[[str, object, object], bool] = lambda *differs: False
) -> None:
    """Unknown unless it holds what one that was just made does, or what may differ by its name and the two values."""
    expected = attributes(made)
    for name, value in attributes(thing).items():
        if name not in expected:
            raise Unknown(f"this instance has a {name} of its own")
        if told_apart(value) != told_apart(expected[name]) and not may(name, value, expected[name]):
            raise Unknown(f"its {name} is not what its constructor made")


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
        generated = _generated(base)
        for name, held in vars(base).items():
            # code that gives advice or describes is run while the filter decides: it may change the budget in between
            if type(name) is not str or name in _ASKED or not _as_python_makes(name, held, generated):
                raise Unknown(f"{base.__name__} has a {name} of its own")
            if name == "holds" and not (settled(held) and isinstance(held, Holds | None)):
                raise Unknown(
                    f"{base.__name__} computes its holds; make it a value, holds = Holds(zcdp=0.02)"
                )
            if name in _VALUES and not (is_one_of(type(held), _SLOTS) or settled(held)):
                raise Unknown(f"{base.__name__} computes its {name}; make it a value")
    for name in sorted(_ASKED - {"decide"}):
        place = holder_of(kind, name)
        if place is not holder_of(AdditiveFilter, name) and not (name in _ADVICE and place in vouched):
            raise Unknown(f"its {name} is that of {place.__name__}")


def _as_python_makes(name: str, value: object, generated: dict[str, Any]) -> bool:
    """Whether what a class holds under a special name is as Python itself, or `dataclass`, makes it."""
    if not _special(name) or (name in _MAKING and type(value) is types.FunctionType):
        return True
    if name in ("__dict__", "__weakref__"):
        return type(value) is types.GetSetDescriptorType
    return is_one_of(type(value), _KEPT) or _same_code(value, generated.get(name))


def _generated(kind: type) -> dict[str, Any]:
    """What `dataclass` makes for fields and options as those of `kind`; nothing where it is no data class."""
    declared, options = (vars(kind).get(f"__dataclass_{name}__") for name in ("fields", "params"))
    if declared is not None and (
        type(declared) is not dict
        or any(type(one) is not Field or type(one.name) is not str for one in declared.values())
    ):
        raise Unknown(f"{kind.__name__} has fields of its own, which dataclass did not make")
    if type(options) is not _OPTIONS:
        return {}
    like = [
        (one.name, object, field(repr=one.repr, compare=one.compare, hash=one.hash, kw_only=True))
        for one in fields(kind)
    ]
    wanted = {name: getattr(options, name) for name in ("repr", "eq", "order", "unsafe_hash", "frozen")}
    return dict(vars(make_dataclass(kind.__name__, like, slots="__slots__" in vars(kind), **wanted)))


def _same_code(function: object, expected: object) -> bool:
    """Whether a function does what a generated one does: its code, what it closes over, and the names that it finds."""
    if type(function) is not types.FunctionType or type(expected) is not types.FunctionType:
        return False
    # equal code has equal constants, compared by no code of theirs
    code, like = (one.__code__.replace(co_firstlineno=1) for one in (function, expected))
    if code != like or function.__defaults__ or function.__kwdefaults__:
        return False
    if any(expected.__globals__ is vars(one) for one in (dataclasses, reprlib)):
        same_names = function.__globals__ is expected.__globals__
    else:  # those of the module of the class
        own = function.__globals__.keys() & vars(builtins).keys()
        same_names = own.isdisjoint(like.co_names)
        same_names &= getattr(function, "__builtins__", None) is vars(builtins)
    cells = ([cell.cell_contents for cell in one.__closure__ or ()] for one in (function, expected))
    return same_names and all(map(_same_cell, *cells))


def _same_cell(held: object, made: object) -> bool:
    if isinstance(made, types.FunctionType):
        return _same_code(held, made)
    kinds = (type, ABCMeta, PairType) if isinstance(made, type) else (type(made),)
    return is_one_of(type(held), kinds)


def _check_dict(filt: PrivacyFilter) -> None:
    """Unknown where the attributes of an instance are kept in anything but a plain dict."""
    try:
        kept = object.__getattribute__(filt, "__dict__")
    except AttributeError:
        return
    if type(kept) is not dict or not all(type(name) is str for name in kept):
        raise Unknown("the attributes of this instance are kept in no plain dict")


def read(filt: PrivacyFilter, name: str) -> object:
    """The attribute as Python finds it, or what would compute it, no code of the class being run."""
    _check_dict(filt)
    try:
        found = getattr_static(filt, name)
        return found.__get__(filt) if type(found) is types.MemberDescriptorType else found  # a slot
    except AttributeError as unset:
        raise Unknown(f"its {name} is not set") from unset


def _proper(budget: Budget) -> bool:
    """Whether the budget is a pair of doubles as `Budget` compares them, the high one next to the sum."""
    high, low, exponent = budget.high, budget.low, budget.exponent
    if not _numbers(high, low) or type(exponent) is not int or abs(exponent) > 1100:
        return False
    return high > 0 and high + low == high


def _numbers(*values: object) -> bool:
    return all(type(value) is float and math.isfinite(value) for value in values)
