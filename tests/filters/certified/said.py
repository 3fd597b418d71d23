"""What filters say of themselves: what they hold every path to, what is left of them, and what is affordable."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields
from fractions import Fraction
from typing import Any

from filters.catalogue import (
    AllOrdersFilter,
    ApproximateDPFilter,
    ApproximateZCDPFilter,
    BasicFilter,
    GaussianFilter,
    RenyiFilter,
    RogersFilter,
    WhitehouseFilter,
    ZCDPFilter,
)
from filters.certified.decisions import after, last_admitted, last_from
from filters.certified.families import FAMILIES
from filters.certified.running_number import Claims, RunningNumber
from filters.contract.filter_base import FilterBase
from theory.conversions import SIMPLE
from theory.pairs import Gaussian

# -- what paths hold -------------------------------------------------------------------------------------------

#: The simple budget of (epsilon, tail).
_STAR = "(epsilon/(sqrt(log(1/tail) + epsilon) + sqrt(log(1/tail))))**2"
#: K of drift S/2 and S = 2x, beyond epsilon: no admitted run has a larger sum of squares.
_H = "(100*epsilon**2/(2804*log(1/delta)))"
_K = f"x + sqrt(2*(2*x + {_H})*(1 + log(2*x/{_H} + 1)/2)*log(2/delta)) - epsilon"
#: Bounds are doubles to nearest; where a budget was rounded down, it is by less than this.
_SLACK = 2.0**-40
#: What the largest sum of squares of RogersFilter is raised by, and a little.
_RAISED = 2e-11

_PURE = {"zcdp": "epsilon**2/2", "pure": "epsilon", "infinite": "delta"}
_ROGERS, _WHITEHOUSE = (
    {"zcdp": _K, "infinite": "delta/2"},
    {"zcdp": _STAR, "infinite": "(delta - tail)/weight"},
)
#: Filters, and what they hold every path to, in formulas of their parameters; orders are numbers; nothing else.
HELD: tuple[tuple[FilterBase, Mapping[Any, str]], ...] = (
    (BasicFilter(1.0, 1e-3), _PURE),
    (BasicFilter(0.3), _PURE),
    (RogersFilter(2.0, 1e-3), _ROGERS),
    (RogersFilter(50.0, 0.3), _ROGERS),
    (WhitehouseFilter(1.0, 1e-3), _WHITEHOUSE),
    (WhitehouseFilter(5.0, 1e-3, tail=1e-4, weight=2.0), _WHITEHOUSE),
    (RenyiFilter(8.0, 1.0), {8.0: "rho"}),
    (AllOrdersFilter((2.0, 8.0, 32.0), (0.25, 1.0, 4.0)), {2.0: "1/4", 8.0: "1", 32.0: "4"}),
    (ZCDPFilter(0.3), {"zcdp": "rho"}),
    (ApproximateZCDPFilter(0.5, 1e-3), {"zcdp": "rho", "infinite": "xi"}),
    (ApproximateDPFilter(1.0, 1e-5, SIMPLE), {"zcdp": _STAR.replace("tail", "delta")}),
    (GaussianFilter(0.7), {"zcdp": "mu**2/2"}),
)


def held(filt: FilterBase, bounds: Mapping[Any, str]) -> Iterator[RunningNumber]:
    """The bounds of `filt.holds`: sums of zCDP charges, of pure epsilons, of infinite mass, of divergences."""
    holds, of = filt.holds, Claims("RDP filter")
    assert holds is not None
    for name in ("zcdp", "pure", "infinite"):
        says, value = f"{filt!r} holds {name}", getattr(holds, name)
        formula = bounds.get(name, "0" if name == "infinite" else "")
        names = re.findall(r"\w+", formula)
        at = {one.name: getattr(filt, one.name) for one in fields(filt) if one.name in names}  # type: ignore[arg-type]
        if not formula:
            yield of.infinite(says, value)
        elif formula is _K:
            yield of.by_margin(f"{says}, by K", value, ">=", _K, slack=_RAISED, **at)
        else:
            yield of.near(says, value, formula, slack=_SLACK if at else 0, **at)
    orders = dict(holds.orders)
    for alpha, formula in ((key, text) for key, text in bounds.items() if isinstance(key, float)):
        at = {"rho": filt.rho} if isinstance(filt, RenyiFilter) else {}
        yield of.near(f"{filt!r} holds order {alpha!r}", orders.get(alpha, 0.0), formula, slack=_SLACK, **at)


# -- what is left ----------------------------------------------------------------------------------------------

_GAUSSIAN, _RESPONSE = "Gaussian(x)", "RandomizedResponse(x)"
#: Filters, the family that tells what is left of them, and what of its x they show.
_LEFT: tuple[tuple[FilterBase, str, Callable[[Fraction], Fraction]], ...] = (
    (GaussianFilter(0.7), _GAUSSIAN, lambda x: x),
    (AllOrdersFilter((2.0, 8.0), (0.25, 1.0)), _GAUSSIAN, lambda x: x),
    (ZCDPFilter(0.3), _GAUSSIAN, lambda x: x * x / 2),
    (ApproximateZCDPFilter(0.3, 1e-3), _GAUSSIAN, lambda x: x * x / 2),
    (ApproximateDPFilter(1.0, 1e-5), _GAUSSIAN, lambda x: x * x / 2),
    (BasicFilter(1.0), _RESPONSE, lambda x: x),
    (WhitehouseFilter(1.0, 1e-3), _RESPONSE, lambda x: x),
)
_AFFORDABLE = (GaussianFilter(0.7), ZCDPFilter(0.3), ApproximateDPFilter(1.0, 1e-5), RenyiFilter(8.0, 1.0))
#: The shares of the largest request that are spent first: nothing, much, all but what is lost in the sum's last digits.
_SHARES = (0.0, 0.6, 1 - 2.0**-44)


def shown() -> Iterator[RunningNumber]:
    """Never more than is left, and less by a few units in the last place alone, where doubles tell the difference."""
    for filt, family, of in _LEFT:
        for share in _SHARES[:2]:
            state, last = _spent(filt, family, share)
            # the first request that is refused: what is left lies below it
            refused = Fraction(math.nextafter(last, math.inf))
            says = f"what is left of it is shown, with {share!r} of the largest {family} spent"
            left = float(filt.remaining(state)[0])
            yield Claims("RDP filter", repr(filt)).at_most(says, left, of(refused), slack=2.0**-40)
    for filt in _AFFORDABLE:
        for share in _SHARES:
            state, last = _spent(filt, _GAUSSIAN, share)
            says = f"what is affordable, with {share!r} of the largest {_GAUSSIAN} spent"
            # where little is left its own digits are few
            slack, value = 2.0**-48 if share < 0.9 else 2.0**-4, float(filt.affordable(state, Gaussian)[0])
            yield Claims("RDP filter", repr(filt)).at_most(says, value, Fraction(last), slack=slack)
        yield from _to_the_end(filt)


def _to_the_end(filt: FilterBase) -> Iterator[RunningNumber]:
    """What is affordable is admitted, spent, and so on, until nothing is left but the last digits of the sum."""
    of = Claims("RDP filter", repr(filt))
    for first in (0.3, 0.51, 0.0123, 0.6):
        state = filt.start(1)
        x = float(filt.affordable(state, Gaussian)[0]) * first
        for turn in range(4):
            if x > 0:
                admitted = int(filt.admits(state, Gaussian(x))[0])
                says = f"whether what is affordable in turn {turn} is admitted, {first!r} of it first"
                yield of.at_least(says, admitted, 1, slack=0)
                state = filt.spend(state, Gaussian(x))
            x = float(filt.affordable(state, Gaussian)[0])


def _spent(filt: FilterBase, family: str, share: float) -> tuple[Any, float]:
    """The state with a share of the largest request spent, and the last one that it admits."""
    last = last_admitted(filt, [], FAMILIES[family]) or 0.0
    state = after(filt, [(family, Fraction(last * share), 1)] if share else [], 1)
    return state, last_from(filt, state, FAMILIES[family]) or 0.0
