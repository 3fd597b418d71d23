"""What filters hold every path to, beside the bounds that their rules keep, written from their parameters.

>>> from filters.rules.gdp import GaussianFilter
>>> [number.checked().found.name for number in held(GaussianFilter(3.0))]
['FITS', 'FITS', 'FITS']
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction

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
from filters.certified.running_number import Claims, RunningNumber
from filters.contract.filter_base import FilterBase
from theory.conversions import SIMPLE
from theory.numerics.exact import rational

__all__ = ["HELD", "held"]

#: The simple budget of (epsilon, tail).
_STAR = "(epsilon/(sqrt(log(1/tail) + epsilon) + sqrt(log(1/tail))))**2"
#: Bounds are doubles to nearest; where a budget was rounded down, it is by less than this.
_SLACK = 2.0**-40
#: What the largest sum of squares of RogersFilter is raised by, and a little.
_RAISED = 2e-11

HELD: tuple[FilterBase, ...] = (
    BasicFilter(1.0, 1e-3),
    BasicFilter(0.3),
    RogersFilter(2.0, 1e-3),
    RogersFilter(50.0, 0.3),
    WhitehouseFilter(1.0, 1e-3),
    WhitehouseFilter(5.0, 1e-3, tail=1e-4, weight=2.0),
    RenyiFilter(8.0, 1.0),
    AllOrdersFilter((2.0, 8.0, 32.0), (0.25, 1.0, 4.0)),
    ZCDPFilter(0.3),
    ApproximateZCDPFilter(0.5, 1e-3),
    ApproximateDPFilter(1.0, 1e-5, SIMPLE),
    GaussianFilter(0.7),
)


def held(filt: FilterBase) -> Iterator[RunningNumber]:
    """The bounds of `filt.holds`: sums of zCDP charges, of pure epsilons, of infinite mass, of divergences."""
    holds = filt.holds
    assert holds is not None
    bounds, at = _bounds(filt)
    given = {"zcdp": holds.zcdp, "pure": holds.pure, "infinite": holds.infinite}
    for name, value in given.items():
        says = f"{filt!r} holds {name}"
        if name == "zcdp" and isinstance(filt, RogersFilter):
            yield _rogers(filt, value)
        elif name in bounds:
            yield Claims("RDP filter").near(says, value, bounds[name], slack=_SLACK, **at)
        elif name == "infinite":
            yield Claims("RDP filter").equal(says, value, 0)
        else:
            yield Claims("RDP filter").infinite(says, value)
    orders = dict(holds.orders)
    if isinstance(filt, RenyiFilter):
        orders = {alpha: rho / filt.rho for alpha, rho in orders.items()}
        yield Claims("RDP filter").near(
            f"{filt!r} holds its order", orders.get(filt.alpha, 0.0), 1, slack=_SLACK
        )
    if isinstance(filt, AllOrdersFilter):
        for alpha, rho in zip(filt.alphas, filt.rhos, strict=True):
            yield Claims("RDP filter").near(
                f"{filt!r} holds order {alpha!r}",
                orders.get(alpha, 0.0),
                Fraction(rho),
                slack=_SLACK,
            )


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
    epsilon, delta = (arb(rational(Fraction(x))) for x in (filt.epsilon, filt.delta))
    share = 1 if filt.reading == "1/delta" else 2
    h = 100 * epsilon**2 / (2804 * (share / delta).log())

    def margin(x: arb) -> arb:
        s = 2 * x
        spread = 2 * (s + h) * (1 + (s / h).log1p() / 2) * (2 / delta).log()
        return s / 2 + spread.sqrt() - epsilon

    return Claims("RDP filter").by_margin(f"{filt!r} holds zcdp, by K", zcdp, ">=", margin, slack=_RAISED)
