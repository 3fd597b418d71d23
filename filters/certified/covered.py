"""Which theorem covers a rule with mechanisms of a kind: the kernel's theorems are about finitely many outcomes.

A mechanism has finitely many outcomes; the pair that dominates it need not. Where a theorem asks more of the pair than
a number, `COVERED` names the argument by which it speaks of the mechanism all the same, and `joined` holds a filter
to it.

>>> from filterproof.filters.catalogue import BlackwellFilter
>>> from filterproof.theory.pairs import Laplace, SubsampledGaussian
>>> joined(BlackwellFilter(1.0, (Laplace(4.0), SubsampledGaussian(0.01, 2.0))))
{Laplace(b=4.0): <Join.GAUSSIAN>, SubsampledGaussian(q=0.01, sigma=2.0, adjacency='removal'): <Join.GAUSSIAN>}
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from enum import Enum
from types import MappingProxyType

from filterproof.filters.catalogue import (
    AllOrdersFilter,
    ApproximateZCDPFilter,
    BasicFilter,
    BlackwellFilter,
    ExPostFilter,
    GaussianResidueFilter,
    HockeyStickFilter,
    PotentialFilter,
    RealisationFilter,
    RogersFilter,
    SomeOrderMarkovFilter,
    WhitehouseFilter,
)
from filterproof.filters.contract.contract_checks import checked_admits, checked_spend, checked_start
from filterproof.filters.contract.filter_base import FilterBase
from filterproof.filters.rules.additive import AdditiveFilter
from filterproof.theory.evidence import Evidence
from filterproof.theory.pairs import DominatingPair, Gaussian
from filterproof.theory.theorems.theorem import RefusedError


class Losses(Enum):
    """What a theorem may ask of a dominating pair."""

    FINITE = "finitely many outcomes, finite losses"
    INFINITE = "an infinite loss"
    BOUNDED = "any outcomes, bounded losses"
    GAUSSIAN = "a Gaussian"
    UNBOUNDED = "losses without a bound"

    @classmethod
    def of(cls, pair: DominatingPair) -> Losses:
        """Those of a pair of shape ()."""
        if pair.normal_mu is not None:
            return cls.GAUSSIAN
        if math.isfinite(float(pair.pure_epsilon)):
            return cls.BOUNDED if pair.outputs is None else cls.FINITE
        finite = (
            pair.outputs is None and not float(pair.infinite_mass) and not float(pair.swapped.infinite_mass)
        )
        return cls.UNBOUNDED if finite else cls.INFINITE


class Join(Enum):
    """How the theorem of a rule, which is about mechanisms of finitely many outcomes, speaks of one so dominated."""

    NUMBER = "by a number that the pair declares, which every mechanism that it dominates keeps"
    PAIR = "by the pair, which is finite"
    LAW = "by the quantiles of its loss, which must be those of the pair: one that it merely dominates may have others"
    OWN = (
        "by the mechanism itself, a finite pair whose hockey-stick, alone and composed, is nowhere above the pair's "
        "that is charged"
    )
    GAUSSIAN = "by the Gaussian that dominates the pair"
    DENIED = "it is denied"

    def __repr__(self) -> str:
        return f"<Join.{self.name}>"


_NUMBER = MappingProxyType(dict.fromkeys(Losses, Join.NUMBER))
#: What is charged is the mean of a convex payoff, or of a divergence, over the pair, whatever pair it is.
_OWN = MappingProxyType(dict.fromkeys(Losses, Join.OWN) | {Losses.FINITE: Join.PAIR})

#: The rules of which a HOLDS is said by a theorem, with what joins it to mechanisms of each kind. A rule that is not
#: here holds by none. A number that is infinite is denied.
COVERED: Mapping[type[FilterBase], Mapping[Losses, Join]] = MappingProxyType(
    {
        AdditiveFilter: _NUMBER,
        AllOrdersFilter: _NUMBER,
        SomeOrderMarkovFilter: _NUMBER,
        ApproximateZCDPFilter: _NUMBER,
        BasicFilter: _NUMBER,
        RogersFilter: _NUMBER,
        WhitehouseFilter: _NUMBER,
        ExPostFilter: _NUMBER,
        RealisationFilter: MappingProxyType(dict.fromkeys(Losses, Join.LAW)),
        HockeyStickFilter: _OWN,
        PotentialFilter: _OWN,
        GaussianResidueFilter: _NUMBER,
        # zCDP is promised, which an infinite loss breaks, and no finite pair has the tail of an unbounded one
        BlackwellFilter: MappingProxyType(
            {
                Losses.FINITE: Join.PAIR,
                Losses.INFINITE: Join.DENIED,
                Losses.BOUNDED: Join.GAUSSIAN,
                Losses.GAUSSIAN: Join.NUMBER,
                Losses.UNBOUNDED: Join.GAUSSIAN,
            }
        ),
    }
)


def joins_of(kind: type[FilterBase]) -> Mapping[Losses, Join] | None:
    """What joins the theorem of a rule to mechanisms of each kind; None for a rule that holds by no theorem."""
    return next((COVERED[one] for one in kind.__mro__ if one in COVERED), None)


def joined(filt: FilterBase) -> dict[DominatingPair, Join]:
    """What joins the theorem of a filter to each pair that it names, its menu or its design.

    Raises RefusedError where nothing does: for a rule without a line in `COVERED`, and for a pair that is denied, or
    counts as a Gaussian, by that line and not by the filter's own decisions.
    """
    joins = joins_of(type(filt))
    if joins is None:
        raise _refused(f"nothing says which mechanisms {type(filt).__name__}'s theorem covers")
    named: tuple[DominatingPair, ...] = getattr(filt, "menu", getattr(filt, "design", ()))
    found = {pair: joins[Losses.of(pair)] for pair in named}
    for pair, join in found.items():
        start = checked_start(filt, 1)
        if join not in (Join.DENIED, Join.GAUSSIAN) or not checked_admits(filt, start, pair, 1)[0]:
            continue
        mu = float(pair.gdp_mu) if join is Join.GAUSSIAN else math.inf
        if math.isinf(mu) or not _same(filt, pair, Gaussian(mu)):
            says = f"{pair!r} has {Losses.of(pair).value}"
            raise _refused(f"{says}, of which the theorem says nothing, and is admitted as what it is")
    return found


def _same(filt: FilterBase, pair: DominatingPair, other: DominatingPair) -> bool:
    """Whether a fresh state of the filter is the same after both."""
    after, beside = (checked_spend(filt, checked_start(filt, 1), one, 1) for one in (pair, other))
    return all((a == b).all() for a, b in zip(after, beside, strict=True))


def _refused(why: str) -> RefusedError:
    return RefusedError(why, engine="data", evidence=Evidence.EXACT)
