"""What a mechanism is charged where one number does not do, and the quantiles that pairs declare.

    >>> approximate_charge(KOV(0.5, 0.125), None)
    (0.5, 0.125)

The charges that are one number are in `charge_rules`. What a pair declares that no mechanism has counts as infinite,
which no filter grants: see `proper`.
"""

from __future__ import annotations

import numpy as np

from filters.accounting.amounts import Charge, Mixed, Plain, Square
from filters.accounting.charge_rules import pure_epsilon, zcdp_charge
from filters.accounting.declared import proper, unvanished
from theory.arguments import Real
from theory.numerics import portable
from theory.numerics.stable import as_real
from theory.pairs import KOV, DominatingPair, Erasure, FinitePair, Selection
from theory.pairs.finite import hockey_stick_beyond
from theory.pairs.selection import look_up

__all__ = ["approximate_charge", "approximate_zcdp_charge", "upper_quantile"]


def approximate_charge(request: DominatingPair, at: float | None) -> tuple[Real, Real]:
    """(epsilon, delta) such that the mechanism is (epsilon, delta)-DP.

    (epsilon, delta) of KOV, (0, p) of Erasure, (pure epsilon, 0) of what has a finite one. Everything else is
    declared at the epsilon `at`, with its hockey-stick there, the larger direction; with at=None its epsilon
    is infinite.
    """
    if isinstance(request, Selection):
        both = [approximate_charge(pair, at) for pair in request.pairs]
        return look_up([e for e, _ in both], request.index), look_up([d for _, d in both], request.index)
    if isinstance(request, KOV):
        return proper(request.epsilon), proper(request.delta)
    if isinstance(request, Erasure):
        return _zero_like(request.p), proper(request.p)
    epsilon = pure_epsilon(request)
    if at is None or np.all(np.isfinite(epsilon)):
        return epsilon, _zero_like(epsilon)
    if type(request) is FinitePair:
        return at, hockey_stick_beyond(request, at)
    larger = np.maximum(proper(request.hockey_stick(at)), proper(request.swapped.hockey_stick(at)))
    # by more than it errs: relatively, and where it is below 2^-1022
    delta = unvanished(larger * (1 + 2.0**-40) + 2.0**-1070 * np.greater(larger, 0), request)
    delta = np.where(np.greater_equal(request.pure_epsilon, 0), delta, np.inf)
    finite = np.isfinite(epsilon)
    declared: Real = np.where(finite, epsilon, at)
    return declared, np.where(finite, 0.0, delta)


def approximate_zcdp_charge(request: DominatingPair) -> tuple[Charge, Charge]:
    """(rho, xi) such that the mechanism is xi-approximately rho-zCDP."""
    if isinstance(request, Selection):
        both = [approximate_zcdp_charge(pair) for pair in request.pairs]
        rhos, xis = tuple(rho for rho, _ in both), tuple(xi for _, xi in both)
        return Mixed(rhos, request.index), Mixed(xis, request.index)
    if isinstance(request, KOV):
        return Square(proper(request.epsilon), 0.5), Plain(proper(request.delta))
    if isinstance(request, Erasure):
        return Plain(_zero_like(request.p)), Plain(proper(request.p))
    return zcdp_charge(request), Plain(0.0)


def upper_quantile(request: DominatingPair, tail: float) -> Real:
    """inf{x : P(L > x) <= tail} as `request` declares it, inf where no pair has such a quantile.

    E_P[e^-L] <= 1, so P(L <= x) <= e^x: none lies below log(1 - tail).
    """
    quantile = request.loss_quantile(tail)
    with np.errstate(divide="ignore"):
        least = portable.log1p(-tail) * (1 + 2.0**-40)
    return as_real(np.where(np.greater_equal(quantile, least), quantile, np.inf))


def _zero_like(x: Real) -> Real:
    return np.zeros_like(x) if isinstance(x, np.ndarray) else 0.0
