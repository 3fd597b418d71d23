"""Charges of a mechanism with more than one number, and declared quantiles.

Charges with one number are in `charge_rules`.
"""

from __future__ import annotations

import numpy as np

from filterproof.filters.accounting.charge_kinds import Charge, LinearCharge, PerRunCharge, SquaredCharge
from filterproof.filters.accounting.charge_rules import pure_epsilon, zcdp_charge
from filterproof.filters.accounting.declared_charges import floor_at_tiny, nonneg_or_inf
from filterproof.theory.argument_checks import Real
from filterproof.theory.numerics import reproducible_math as rm
from filterproof.theory.numerics.stable import float_if_scalar
from filterproof.theory.pairs import DominatingPair, is_ours
from filterproof.theory.pairs.selection import look_up_values_per_run


def approximate_charge(request: DominatingPair, at: float | None) -> tuple[Real, Real]:
    """Return (epsilon, delta) such that the mechanism is (epsilon, delta)-DP.

    Parameters
    ----------
    request : DominatingPair
        The pair of the mechanism.
    at : float or None
        The epsilon at which a mechanism without finite pure epsilon is charged. None: its epsilon is infinite.

    Returns
    -------
    epsilon, delta : float or ndarray of float, shape (n,)
        (epsilon, delta) for KOV, (0, p) for Erasure, (pure epsilon, 0) for a pair with finite pure epsilon. Otherwise
        `at` and the larger hockey-stick divergence of the two directions at that epsilon.

    Examples
    --------
    >>> import filterproof as fp
    >>> approximate_charge(fp.KOV(0.5, 0.125), None)
    (0.5, 0.125)
    """
    if (index := request.member_index) is not None:
        epsilons, deltas = zip(*(approximate_charge(pair, at) for pair in request.members), strict=True)
        return look_up_values_per_run(epsilons, index), look_up_values_per_run(deltas, index)
    if is_ours(request) and (own := request.kov) is not None:
        return nonneg_or_inf(own.epsilon), nonneg_or_inf(own.delta)
    epsilon = pure_epsilon(request)
    if at is None or np.all(np.isfinite(epsilon)):
        return epsilon, float_if_scalar(np.zeros(np.shape(epsilon)))
    delta = floor_at_tiny(request.hockey_stick_upper_bound(at), request)
    delta = np.where(np.greater_equal(request.pure_epsilon, 0), delta, np.inf)
    finite = np.isfinite(epsilon)
    declared: Real = np.where(finite, epsilon, at)
    return declared, np.where(finite, 0.0, delta)


def approximate_zcdp_charge(request: DominatingPair) -> tuple[Charge, Charge]:
    """Return charges (rho, xi) such that the mechanism is xi-approximately rho-zCDP.

    Parameters
    ----------
    request : DominatingPair
        The pair of the mechanism.

    Returns
    -------
    rho, xi : Charge
        (epsilon^2/2, delta) for KOV, (0, p) for Erasure, and (zcdp_rho, 0) otherwise.
    """
    if (index := request.member_index) is not None:
        rhos, xis = zip(*map(approximate_zcdp_charge, request.members), strict=True)
        return PerRunCharge(rhos, index), PerRunCharge(xis, index)
    if is_ours(request) and (own := request.kov) is not None:
        return SquaredCharge(nonneg_or_inf(own.epsilon), 0.5), LinearCharge(nonneg_or_inf(own.delta))
    return zcdp_charge(request), LinearCharge(0.0)


def upper_quantile(request: DominatingPair, tail: float) -> Real:
    """Return inf{x : P(L > x) <= tail} as `request` declares it, inf if no pair has such a quantile.

    E_P[e^-L] <= 1, so that P(L <= x) <= e^x: no quantile is below log(1 - tail).
    """
    quantile = request.loss_isf(tail)
    with np.errstate(divide="ignore"):
        least = rm.log1p(-tail) * (1 + 2.0**-40)
    return float_if_scalar(np.where(np.greater_equal(quantile, least), quantile, np.inf))
