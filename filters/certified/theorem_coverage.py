"""The argument by which a filter's theorem, about finitely many outcomes, covers mechanisms of other kinds.

A mechanism has finitely many outcomes; the pair that dominates it need not. If a theorem uses more of the pair than a
number, `COVERAGE_BY_FILTER` names the argument by which it still covers the mechanism, and `coverage_by_menu_pair`
checks a filter against it.

>>> from filterproof.filters.catalogue import BlackwellFilter
>>> from filterproof.theory.pairs import Laplace, SubsampledGaussian
>>> coverage_by_menu_pair(BlackwellFilter(1.0, (Laplace(4.0), SubsampledGaussian(0.01, 2.0))))  # doctest: +ELLIPSIS
{Laplace(b=4.0): <TheoremCoverage.GAUSSIAN>, SubsampledGaussian(...): <TheoremCoverage.GAUSSIAN>}
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


class LossKind(Enum):
    """The kind of privacy loss of a dominating pair, from finitely many outcomes to unbounded."""

    FINITE = "finitely many outcomes, finite losses"
    INFINITE = "an infinite loss"
    BOUNDED = "any outcomes, bounded losses"
    GAUSSIAN = "a Gaussian"
    UNBOUNDED = "losses without a bound"

    @classmethod
    def of(cls, pair: DominatingPair) -> LossKind:
        """Return the property of a pair of shape ()."""
        if pair.normal_mu is not None:
            return cls.GAUSSIAN
        if math.isfinite(float(pair.pure_epsilon)):
            return cls.BOUNDED if pair.outputs is None else cls.FINITE
        finite = (
            pair.outputs is None and not float(pair.infinite_mass) and not float(pair.swapped.infinite_mass)
        )
        return cls.UNBOUNDED if finite else cls.INFINITE


class TheoremCoverage(Enum):
    """How a rule's theorem, which is about finitely many outcomes, covers a mechanism with such a dominating pair."""

    NUMBER = "by a declared number of the pair, which bounds every mechanism that the pair dominates"
    PAIR = "by the pair, which is finite"
    QUANTILES = (
        "by the quantiles of its loss, which must be those of the pair: a dominated mechanism may have others"
    )
    OWN = (
        "by the mechanism itself, a finite pair whose hockey-stick divergence, alone and composed, is nowhere "
        "above the "
        "charged pair's"
    )
    GAUSSIAN = "by the Gaussian that dominates the pair"
    DENIED = "it is denied"

    def __repr__(self) -> str:
        return f"<TheoremCoverage.{self.name}>"


_NUMBER = MappingProxyType(dict.fromkeys(LossKind, TheoremCoverage.NUMBER))
#: The charge is the mean of a convex payoff, or a divergence, over the pair, for any pair.
_OWN = MappingProxyType(
    dict.fromkeys(LossKind, TheoremCoverage.OWN) | {LossKind.FINITE: TheoremCoverage.PAIR}
)

#: The rules with a HOLDS by a theorem, and the argument for each kind of mechanism. A rule without an entry has no
#: HOLDS. An infinite number is denied.
COVERAGE_BY_FILTER: Mapping[type[FilterBase], Mapping[LossKind, TheoremCoverage]] = MappingProxyType(
    {
        AdditiveFilter: _NUMBER,
        AllOrdersFilter: _NUMBER,
        SomeOrderMarkovFilter: _NUMBER,
        ApproximateZCDPFilter: _NUMBER,
        BasicFilter: _NUMBER,
        RogersFilter: _NUMBER,
        WhitehouseFilter: _NUMBER,
        ExPostFilter: _NUMBER,
        RealisationFilter: MappingProxyType(dict.fromkeys(LossKind, TheoremCoverage.QUANTILES)),
        HockeyStickFilter: _OWN,
        PotentialFilter: _OWN,
        GaussianResidueFilter: _NUMBER,
        # an infinite loss breaks a zCDP guarantee, and no finite pair has an unbounded tail
        BlackwellFilter: MappingProxyType(
            {
                LossKind.FINITE: TheoremCoverage.PAIR,
                LossKind.INFINITE: TheoremCoverage.DENIED,
                LossKind.BOUNDED: TheoremCoverage.GAUSSIAN,
                LossKind.GAUSSIAN: TheoremCoverage.NUMBER,
                LossKind.UNBOUNDED: TheoremCoverage.GAUSSIAN,
            }
        ),
    }
)


def coverage_of_class(kind: type[FilterBase]) -> Mapping[LossKind, TheoremCoverage] | None:
    """Return how a filter class's theorem covers each kind of loss, or None without a theorem."""
    return next((COVERAGE_BY_FILTER[base] for base in kind.__mro__ if base in COVERAGE_BY_FILTER), None)


def coverage_by_menu_pair(filt: FilterBase) -> dict[DominatingPair, TheoremCoverage]:
    """Return the argument that connects a filter's theorem to each pair of its menu or design.

    Raises RefusedError if there is none: for a rule without an entry in `COVERAGE_BY_FILTER`, and if the filter does
    not deny a pair, or does not charge it as a Gaussian, although the entry says so.
    """
    joins = coverage_of_class(type(filt))
    if joins is None:
        raise _refused_error(f"no entry says which mechanisms {type(filt).__name__}'s theorem covers")
    named: tuple[DominatingPair, ...] = getattr(filt, "menu", getattr(filt, "design", ()))
    coverage = {pair: joins[LossKind.of(pair)] for pair in named}
    for pair, join in coverage.items():
        start = checked_start(filt, 1)
        if (
            join not in (TheoremCoverage.DENIED, TheoremCoverage.GAUSSIAN)
            or not checked_admits(filt, start, pair, 1)[0]
        ):
            continue
        mu = float(pair.gdp_mu) if join is TheoremCoverage.GAUSSIAN else math.inf
        if math.isinf(mu) or not _same_state_after_both(filt, pair, Gaussian(mu)):
            says = f"{pair!r} has {LossKind.of(pair).value}"
            raise _refused_error(f"{says}, which the theorem does not cover, but the filter admits it")
    return coverage


def _same_state_after_both(filt: FilterBase, pair: DominatingPair, other: DominatingPair) -> bool:
    """Return whether a fresh state is the same after either pair."""
    states = [checked_spend(filt, checked_start(filt, 1), request, 1) for request in (pair, other)]
    return all((a == b).all() for a, b in zip(*states, strict=True))


def _refused_error(why: str) -> RefusedError:
    return RefusedError(why, engine="data", evidence=Evidence.EXACT)
