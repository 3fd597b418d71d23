"""What filters say of themselves: what they hold every path to, what is left of them, and what is affordable.

>>> from filters.rules.gdp import GaussianFilter
>>> [number.checked().found.name for number in held(GaussianFilter(3.0))]
['FITS', 'FITS', 'FITS']
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from typing import Any

from flint import arb

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
from theory.pairs.truths import ball_of

__all__ = ["HELD", "held", "shown"]

# -- what paths hold -------------------------------------------------------------------------------------------

#: The simple budget of (epsilon, tail).
_STAR = "(epsilon/(sqrt(log(1/tail) + epsilon) + sqrt(log(1/tail))))**2"
#: Bounds are doubles to nearest; where a budget was rounded down, it is by less than this.
_SLACK = 2.0**-40
#: What the largest sum of squares of RogersFilter is raised by, and a little.
_RAISED = 2e-11

HELD: tuple[FilterBase, ...] = (
    *(BasicFilter(1.0, 1e-3), BasicFilter(0.3), RogersFilter(2.0, 1e-3), RogersFilter(50.0, 0.3)),
    *(WhitehouseFilter(1.0, 1e-3), WhitehouseFilter(5.0, 1e-3, tail=1e-4, weight=2.0), RenyiFilter(8.0, 1.0)),
    *(AllOrdersFilter((2.0, 8.0, 32.0), (0.25, 1.0, 4.0)), ZCDPFilter(0.3), ApproximateZCDPFilter(0.5, 1e-3)),
    *(ApproximateDPFilter(1.0, 1e-5, SIMPLE), GaussianFilter(0.7)),
)


def held(filt: FilterBase) -> Iterator[RunningNumber]:
    """The bounds of `filt.holds`: sums of zCDP charges, of pure epsilons, of infinite mass, of divergences."""
    holds, of = filt.holds, Claims("RDP filter")
    assert holds is not None
    bounds, at = _bounds(filt)
    for name, value in (("zcdp", holds.zcdp), ("pure", holds.pure), ("infinite", holds.infinite)):
        says = f"{filt!r} holds {name}"
        if name == "zcdp" and isinstance(filt, RogersFilter):
            yield _rogers(filt, value)
        elif name in bounds:
            yield of.near(says, value, bounds[name], slack=_SLACK, **at)
        else:
            yield of.equal(says, value, 0) if name == "infinite" else of.infinite(says, value)
    orders = dict(holds.orders)
    if isinstance(filt, RenyiFilter):
        share = orders.get(filt.alpha, 0.0) / filt.rho
        yield of.near(f"{filt!r} holds its order", share, 1, slack=_SLACK)
    if isinstance(filt, AllOrdersFilter):
        for alpha, rho in zip(filt.alphas, filt.rhos, strict=True):
            says, own = f"{filt!r} holds order {alpha!r}", orders.get(alpha, 0.0)
            yield of.near(says, own, Fraction(rho), slack=_SLACK)


def _bounds(filt: FilterBase) -> tuple[Mapping[str, str], Mapping[str, float]]:
    """What is kept, as formulas of the parameters."""
    match filt:
        case BasicFilter():
            at = {"epsilon": filt.epsilon, "delta": filt.delta}
            return {"zcdp": "epsilon**2/2", "pure": "epsilon", "infinite": "delta"}, at
        case WhitehouseFilter():
            assert filt.tail is not None
            at = {"epsilon": filt.epsilon, "delta": filt.delta, "tail": filt.tail, "weight": filt.weight}
            return {"zcdp": _STAR, "infinite": "(delta - tail)/weight"}, at
        case ApproximateDPFilter():
            return {"zcdp": _STAR}, {"epsilon": filt.epsilon, "tail": filt.delta}
        case ApproximateZCDPFilter():
            return {"zcdp": "rho", "infinite": "xi"}, {"rho": filt.rho, "xi": filt.xi}
        case ZCDPFilter():
            return {"zcdp": "rho"}, {"rho": filt.rho}
        case GaussianFilter():
            return {"zcdp": "mu**2/2"}, {"mu": filt.mu}
        case RogersFilter():
            return {"infinite": "delta/2"}, {"delta": filt.delta}
    return {}, {}


def _rogers(filt: RogersFilter, zcdp: float) -> RunningNumber:
    """K of drift S/2 and S = 2 zcdp is beyond epsilon: no admitted run has a larger sum of squares."""
    epsilon, delta = ball_of(filt.epsilon), ball_of(filt.delta)
    share = 1 if filt.reading == "1/delta" else 2
    h = 100 * epsilon**2 / (2804 * (share / delta).log())

    def margin(x: arb) -> arb:
        s = 2 * x
        spread = 2 * (s + h) * (1 + (s / h).log1p() / 2) * (2 / delta).log()
        return s / 2 + spread.sqrt() - epsilon

    of = Claims("RDP filter")
    return of.by_margin(f"{filt!r} holds zcdp, by K", zcdp, ">=", margin, slack=_RAISED)


# -- what is left ----------------------------------------------------------------------------------------------

_GAUSSIAN, _RESPONSE = "Gaussian(x)", "RandomizedResponse(x)"


def _itself(x: Fraction) -> Fraction:
    return x


def _half_square(x: Fraction) -> Fraction:
    return x * x / 2


#: Filters, the family that tells what is left of them, and what of its x they show.
_LEFT: tuple[tuple[FilterBase, str, Callable[[Fraction], Fraction]], ...] = (
    (GaussianFilter(0.7), _GAUSSIAN, _itself),
    (AllOrdersFilter((2.0, 8.0), (0.25, 1.0)), _GAUSSIAN, _itself),
    (ZCDPFilter(0.3), _GAUSSIAN, _half_square),
    (ApproximateZCDPFilter(0.3, 1e-3), _GAUSSIAN, _half_square),
    (ApproximateDPFilter(1.0, 1e-5), _GAUSSIAN, _half_square),
    (BasicFilter(1.0), _RESPONSE, _itself),
    (WhitehouseFilter(1.0, 1e-3), _RESPONSE, _itself),
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
