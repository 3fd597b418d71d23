"""A number that a pair declares, read as a charge: what no mechanism has is infinite, what underflowed is not free.

>>> nonneg_or_inf(0.5), nonneg_or_inf(math.nan), nonneg_or_inf(-1.0)
(0.5, inf, inf)
"""

from __future__ import annotations

import math

import numpy as np

from filterproof.theory.argument_checks import Real
from filterproof.theory.numerics.stable import as_real
from filterproof.theory.pairs import DominatingPair, is_ours
from filterproof.theory.pairs.selection import look_up

_LEAST = 5e-324
#: More than what is lost below 2^-1022 by products and sums of a divergence, before it is divided by its order.
_LOST = 2.0**-1050
#: More than the rounding of the elementary functions and sums that a divergence is computed with.
_SHARE = 1 + 2.0**-46
#: Exponents whose rounding that covers, and more than twice the largest of an exponential that is finite.
_COVERED, _LARGEST = 48.0, 1500.0


def nonneg_or_inf(charge: Real) -> Real:
    """`charge` where it is a number from zero up, inf elsewhere."""
    if not isinstance(charge, np.ndarray):
        return charge if charge >= 0 else math.inf
    if not charge.size or charge.min() >= 0:  # the minimum of an array with a NaN is NaN
        return charge
    return np.where(charge >= 0, charge, np.inf)


def credible(request: DominatingPair) -> Real:
    """1 where the numbers that the pair declares are a mechanism's, 0 where one is NaN or below zero."""
    if (index := request.choice) is not None:
        return look_up(tuple(credible(pair) for pair in request.members), index)
    valid = np.greater_equal(request.pure_epsilon, 0)
    if (
        is_ours(request) and (own := request.kov) is not None
    ):  # whose epsilon is infinite beside any delta above 0
        valid = valid & np.greater_equal(own.epsilon, 0) & np.greater_equal(own.delta, 0)
    return as_real(np.where(valid, 1.0, 0.0))


def raised(charge: Real) -> Real:
    """`charge` and 2^-46 of itself: at least the true value, where `charge` is it to a few units in the last place."""
    return charge * _SHARE + _LEAST * np.greater(charge, 0)


def raised_divergence(charge: Real, alpha: float, request: DominatingPair) -> Real:
    """`raised`, and by what numbers below 2^-1022 may have lost on the way to a divergence of order alpha.

    Also by what the exponents may have: an error of half a last place in (alpha - 1) L, or in a large L and the
    logarithm of its mass, is one of so many times 2^-53 in the exponential.
    """
    epsilon = request.pure_epsilon
    lost = _LOST * (1 + 1 / (alpha - 1)) if alpha > 1 else _LOST
    share: Real = _SHARE
    if np.any((large := epsilon * max(alpha - 1, 1.0)) > _COVERED):
        extra = np.isfinite(epsilon) & np.greater(large, _COVERED)
        share = _SHARE + np.where(extra, np.minimum(large, _LARGEST) * 2.0**-51, 0.0)
    return as_real(charge * share + np.where(np.not_equal(epsilon, 0), lost, 0.0))


def floor_at_tiny(charge: Real, request: DominatingPair) -> Real:
    """`nonneg_or_inf`, but the least double above 0 where it is 0 and the pair reveals something: a square may
    underflow."""
    if not isinstance(charge, np.ndarray):
        above = charge > 0
    else:
        above = not charge.size or charge.min() > 0
    if above:
        return charge
    charge = nonneg_or_inf(charge)
    reveals = np.not_equal(request.pure_epsilon, 0)
    return as_real(np.where(np.equal(charge, 0) & reveals, _LEAST, charge))
