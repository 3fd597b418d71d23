"""What pairs are charged, and how far each charge is from the least that is true: a table."""

from __future__ import annotations

import math
from fractions import Fraction

from reports.docs.markdown import table
from theory.pairs import (
    KOV,
    BoundedRange,
    DiscreteGaussian,
    DiscreteLaplace,
    DominatingPair,
    Erasure,
    FinitePair,
    Gaussian,
    Laplace,
    RandomizedResponse,
    SubsampledGaussian,
)
from theory.pairs.base import ChargeName

__all__ = ["charges"]

#: The one release that brings an approximate DP filter at (1, 1e-5) to its delta: P-mass 1.8e-4 at a loss of 1.058.
_EXTREMAL = FinitePair(
    (Fraction(17809, 10**8), 1 - Fraction(17809, 10**8)), (Fraction(61836, 10**9), 1 - Fraction(61836, 10**9))
)
_SHOWN: tuple[DominatingPair, ...] = (
    Gaussian(1.0),
    SubsampledGaussian(0.01, 1.0),
    RandomizedResponse(0.1),
    RandomizedResponse(1.0),
    RandomizedResponse(5.0),
    Laplace(10.0),
    Laplace(1.0),
    Laplace(0.2),
    DiscreteGaussian(10.0),
    DiscreteLaplace(10.0, 4),
    BoundedRange(0.1),
    BoundedRange(1.0),
    KOV(1.0, 0.0),
    KOV(1.0, 1e-5),
    Erasure(0.01),
    _EXTREMAL,
)
_NAMES: tuple[tuple[ChargeName, str], ...] = (
    ("pure_epsilon", "pure, epsilon"),
    ("zcdp_rho", "zCDP, rho"),
    ("gdp_mu", "GDP, mu"),
)


def charges() -> str:
    """A row a pair: what it declares in each currency, and which share of it is due."""
    rows = [(f"`{_named(pair)}`", *(_cell(pair, name) for name, _ in _NAMES)) for pair in _SHOWN]
    return table(("pair", *(words for _, words in _NAMES)), rows)


def _named(pair: DominatingPair) -> str:
    given = [f"{value:.4g}" for value in pair.parameters().values() if isinstance(value, float)]
    return f"{type(pair).__name__}({', '.join(given) or 'two outcomes'})"


def _cell(pair: DominatingPair, charge: ChargeName) -> str:
    declared, share = float(getattr(pair, charge)), pair.least_share(charge)
    if not math.isfinite(declared):
        return "none, truly"
    due = "least" if share.low > 1 - 2.0**-29 else f"bound: {100 * share.low:.4g} % is due"
    return f"{declared:.6g} ({due})"
