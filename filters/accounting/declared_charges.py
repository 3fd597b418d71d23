"""Declared numbers as charges: numbers that no mechanism has become infinite, and underflow is never free.

>>> nonneg_or_inf(0.5), nonneg_or_inf(math.nan), nonneg_or_inf(-1.0)
(0.5, inf, inf)
"""

from __future__ import annotations

import math

import numpy as np

from filterproof.theory.argument_checks import Real
from filterproof.theory.numerics.stable import float_if_scalar
from filterproof.theory.pairs import DominatingPair, is_ours
from filterproof.theory.pairs.selection import look_up_values_per_run

_SMALLEST_DOUBLE = 5e-324
#: More than the loss below 2^-1022 by products and sums of a divergence, before the division by its order.
_UNDERFLOW_LOSS = 2.0**-1050
#: More than the rounding of the elementary functions and sums in a divergence.
_ROUNDING_FACTOR = 1 + 2.0**-46
#: Exponents whose rounding this covers, and more than twice the largest finite exponent.
_COVERED, _LARGEST = 48.0, 1500.0


def nonneg_or_inf(charge: Real) -> Real:
    """Return `charge`, with inf in place of NaN and of negative numbers."""
    if not isinstance(charge, np.ndarray):
        return charge if charge >= 0 else math.inf
    if not charge.size or charge.min() >= 0:  # the minimum of an array with a NaN is NaN
        return charge
    return np.where(charge >= 0, charge, np.inf)


def declared_numbers_valid(request: DominatingPair) -> Real:
    """Return 1 if the numbers that the pair declares are valid, 0 if one is NaN or negative."""
    if (index := request.member_index) is not None:
        return look_up_values_per_run(tuple(declared_numbers_valid(pair) for pair in request.members), index)
    valid = np.greater_equal(request.pure_epsilon, 0)
    # the pure epsilon of a KOV pair is infinite next to any delta above 0
    if is_ours(request) and (own := request.kov) is not None:
        valid = valid & np.greater_equal(own.epsilon, 0) & np.greater_equal(own.delta, 0)
    return float_if_scalar(np.where(valid, 1.0, 0.0))


def with_rounding_margin(charge: Real) -> Real:
    """Return `charge` plus 2^-46 of itself, at least the true value if `charge` has an error of a few ulps."""
    return charge * _ROUNDING_FACTOR + _SMALLEST_DOUBLE * np.greater(charge, 0)


def divergence_with_margin(charge: Real, alpha: float, request: DominatingPair) -> Real:
    """Return `with_rounding_margin`, plus the loss by numbers below 2^-1022 in a divergence of order alpha.

    It also covers the exponents: an error of half an ulp in (alpha - 1) L, or in a large L and the logarithm of its
    mass, is that many times 2^-53 in the exponential.
    """
    epsilon = request.pure_epsilon
    lost = _UNDERFLOW_LOSS * (1 + 1 / (alpha - 1)) if alpha > 1 else _UNDERFLOW_LOSS
    share: Real = _ROUNDING_FACTOR
    if np.any((large := epsilon * max(alpha - 1, 1.0)) > _COVERED):
        extra = np.isfinite(epsilon) & np.greater(large, _COVERED)
        share = _ROUNDING_FACTOR + np.where(extra, np.minimum(large, _LARGEST) * 2.0**-51, 0.0)
    return float_if_scalar(charge * share + np.where(np.not_equal(epsilon, 0), lost, 0.0))


def floor_at_tiny(charge: Real, request: DominatingPair) -> Real:
    """Return `nonneg_or_inf`, with the least positive double in place of 0 for a pair that reveals something.

    A square may underflow.
    """
    if not isinstance(charge, np.ndarray):
        above = charge > 0
    else:
        above = not charge.size or charge.min() > 0
    if above:
        return charge
    charge = nonneg_or_inf(charge)
    reveals = np.not_equal(request.pure_epsilon, 0)
    return float_if_scalar(np.where(np.equal(charge, 0) & reveals, _SMALLEST_DOUBLE, charge))
