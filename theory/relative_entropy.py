"""The smallest delta that a bound on the Kullback-Leibler divergence, the Rényi divergence of order 1, implies.

>>> round(entropy_delta(0.02, epsilon=0.0), 4)  # Pinsker's inequality gives 0.1
0.0999
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from filterproof.theory.argument_checks import Real, check_at_least_zero
from filterproof.theory.numerics import reproducible_math as rm
from filterproof.theory.numerics.stable import expm1_minus, float_if_scalar, increasing_root

Array = NDArray[np.float64]

#: Smaller divergences are replaced by this one, so that products of their square roots do not underflow.
_MIN_DIVERGENCE = 1e-290
#: If the divergence exceeds epsilon by more than this, delta is within e^-690 of one.
_DELTA_ONE_GAP = 690.0


def entropy_delta(rho: Real, epsilon: Real) -> Real:
    """Return sup H_{e^epsilon}(P||Q) over all P, Q with KL(P||Q) <= rho: the smallest delta that rho implies.

    delta = inf over s > 0 of (rho + h(a)) / s, a = (log((e^s - 1)/s) - epsilon)_+, h(a) = e^-a - 1 + a.
    Proof. H = P(A) - e^epsilon Q(A) on the event A = {L > epsilon}, and KL(P||Q) is at least the divergence
    k(p, q) of two coins, p = P(A), q = Q(A), by data processing; so delta = sup {p - c q : k(p, q) <= rho},
    c = e^epsilon, attained by coins. As k is convex the supremum is the minimum over s of
    rho/s + max (p - c q - k(p, q)/s). The inner maximum is stationary where p and q have odds e^s apart and
    q = 1/(c s) - 1/(e^s - 1), and is worth h(log((e^s - 1)/(c s)))/s there; where that q is negative the
    maximum is 0, at p = q = 0. For every s the expression is an upper bound, so no error in s makes it false.
    The slope in s vanishes where s (1 - e^-a) a' - h(a) = rho, whose left side grows with s, from 0 at a = 0:
    its derivative is s (e^-a a'^2 + (1 - e^-a) a'') and log((e^s - 1)/s) is convex.
    At epsilon = 0 and small rho it is sqrt(rho/2), Pinsker's inequality. Relative error below 1e-12.
    """
    rho, epsilon = check_at_least_zero("rho", rho), check_at_least_zero("epsilon", epsilon)
    size, eps = np.broadcast_arrays(np.asarray(rho), np.asarray(epsilon))
    positive = size > 0
    size = np.maximum(size, _MIN_DIVERGENCE)
    goal = np.minimum(size, np.minimum(eps, 1e308) + _DELTA_ONE_GAP)

    def stationarity_gap_and_slope(s: Array) -> tuple[Array, Array]:
        a = _log_expm1_over_s(s) - eps
        above = np.maximum(a, 0.0)
        rate = _log_expm1_over_s_slope(s)
        near = -rm.expm1(-above) * s * rate - expm1_minus(-above)
        # the same left side at large s, in a form in which s and a do not cancel
        rate_far = np.maximum(s, 1.0) / -rm.expm1(-np.maximum(s, 1.0))
        far = rate_far * (rm.exp(-np.maximum(s, 1.0)) - rm.exp(-above))
        far += rm.log(np.maximum(s, 1.0)) - rm.log1p(-rm.exp(-np.maximum(s, 1.0))) + eps
        slope = s * (rm.exp(-above) * rate * rate - rm.expm1(-above) * _log_expm1_over_s_curvature(s))
        # where a <= 0 the left side is 0, so the excess is -goal; goal / s is any positive slope
        return np.where(a > 0, np.where(s < 1, near, far) - goal, -goal), np.where(a > 0, slope, goal / s)

    with np.errstate(over="ignore", under="ignore"):
        much = np.where(goal - eps > 1, rm.exp(np.minimum(goal - eps, _DELTA_ONE_GAP)), 0.0)
        s = increasing_root(
            stationarity_gap_and_slope, np.maximum(np.sqrt(8 * np.minimum(goal, 1.0)), np.maximum(eps, much))
        )
        bound = (size + expm1_minus(-np.maximum(_log_expm1_over_s(s) - eps, 0.0))) / s
    return float_if_scalar(np.where(positive, np.minimum(bound, 1.0), 0.0))


def _log_expm1_over_s(s: Array) -> Array:
    """Return log((e^s - 1)/s) = s/2 + log(sinh(s/2) / (s/2))."""
    near = np.minimum(s, 1.0) / 2
    square = near * near
    # sinh(x)/x - 1 by its series, because log of a number near one would lose digits
    series = square / 6 * (1 + square / 20 * (1 + square / 42 * (1 + square / 72 * (1 + square / 110))))
    far = np.maximum(s, 1.0)
    return np.where(
        s < 1.0,
        s / 2 + rm.log1p(series),
        far - rm.log(far) + rm.log1p(-rm.exp(-far)),
    )


def _log_expm1_over_s_slope(s: Array) -> Array:
    """Return 1/(1 - e^-s) - 1/s, the derivative of `_log_expm1_over_s`."""
    near = np.minimum(s, 0.1)
    square = near * near
    series = 0.5 + near / 12 - near * square / 720 + near * square * square / 30240
    return np.where(s < 0.1, series, 1 / -rm.expm1(-np.maximum(s, 0.1)) - 1 / np.maximum(s, 0.1))


def _log_expm1_over_s_curvature(s: Array) -> Array:
    """Return 1/s^2 - 1/(4 sinh^2(s/2)), the second derivative of `_log_expm1_over_s`."""
    near, far = np.minimum(s, 0.1), np.maximum(s, 0.1)
    square = near * near
    series = 1 / 12 - square / 240 + square * square / 6048
    half = np.minimum(far / 2, 300.0)
    return np.where(
        s < 0.1,
        series,
        (1 / far) ** 2 - (2 / (rm.expm1(half) - rm.expm1(-half))) ** 2 / 4,
    )
