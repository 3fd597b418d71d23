"""What an additive filter is made of: the parts that decide, where all of them are the library's own.

>>> import filterproof as fp
>>> made = parts_of(fp.ZCDPFilter(0.5))
>>> made.charge, made.budget.limit, made.promise
(zcdp_charge, 0.5, ZCDP(rho=0.5))
"""

from __future__ import annotations

from dataclasses import dataclass
from inspect import getattr_static
from types import MemberDescriptorType
from typing import Any

from filters import PrivacyFilter
from filters.accounting.charge_rules import ChargeRule, GDPCharge, PureCharge, RenyiCharge, ZCDPCharge
from filters.accounting.ledger import Budget
from filters.contract.library import holder_of, of_the_library
from filters.rules.additive import AdditiveFilter
from filters.rules.promised import promised_budget
from theory.conversions import CONVERSIONS
from theory.guarantees import ZCDP, ApproxDP, GaussianDP, Guarantee, PureDP, RenyiDP

_GUARANTEES = (PureDP, ApproxDP, RenyiDP, ZCDP, GaussianDP)
#: The charges of the library.
CHARGES = (PureCharge, ZCDPCharge, GDPCharge, RenyiCharge)
#: What an application asks for, which decides nothing: a class of the library may have its own.
_ADVICE = ("remaining", "affordable", "extremal")
#: All that decides, or is asked in its place.
_DECIDING = (
    *("start", "admits", "spend", "grant", "grant_in_place", "observe", "looks_at_losses", "reaches"),
    *("open", "_cost", "__getattribute__", *_ADVICE),
)
#: The attribute `budget` that follows from promise and charge.
_FOLLOWS = vars(AdditiveFilter)["budget"]


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
    own = getattr(filt, "__dict__", {})
    for name in _DECIDING:
        advises = name in _ADVICE and of_the_library(holder_of(kind, name))
        if name in own or not (getattr(kind, name) is getattr(AdditiveFilter, name) or advises):
            raise Unknown(f"{kind.__name__} has a {name} of its own")
    if hasattr(kind, "__getattr__"):
        raise Unknown(f"{kind.__name__} computes attributes that it does not have")
    if (sound := _value(filt, "sound")) is not True:
        raise Unknown(f"it does not say of itself that it is sound, but sound={sound!r}")
    charge, promise, budget = (_value(filt, name) for name in ("charge", "promise", "budget"))
    if type(charge) not in CHARGES:
        raise Unknown("its charge is not a charge of the library, such as zcdp_charge")
    if type(promise) not in _GUARANTEES:
        raise Unknown("its promise is not a plain value of a guarantee of the library")
    if budget is _FOLLOWS:
        conversion = _value(filt, "conversion")
        if not any(conversion is one for one in CONVERSIONS):
            raise Unknown(f"its conversion is {conversion!r}, not one of the library's")
        try:
            budget = promised_budget(charge, promise, conversion)
        except ValueError as reason:
            raise Unknown(str(reason)) from reason
    if type(budget) is not Budget:
        raise Unknown(f"its budget is a {type(budget).__name__}, not a plain Budget")
    return Parts(charge, budget, promise)


def _value(filt: PrivacyFilter, name: str) -> Any:
    """The attribute as the instance or its class holds it; a property, where one computes it."""
    try:
        found = getattr_static(filt, name)
        return found.__get__(filt) if type(found) is MemberDescriptorType else found  # a slot
    except AttributeError as unset:
        raise Unknown(f"its {name} is not set") from unset
