"""Two routes or more to the true value of each finding about pipeline-dp, which share no code."""

from __future__ import annotations

from math import sqrt

import numpy as np
from mpmath import mp

from ..shared.noises import Profile, gaussian_epsilon, gaussian_profile, gaussian_profile_by_integral


def _base_noise() -> float:
    """The base noise at which two Laplace mechanisms of weight 1/100 have largest loss 1, by bisection."""
    low, high = 1e-6, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        # each has scale base / (weight sqrt(2)), and the largest loss is where both noises point away
        loss = sum(1 / (middle / (0.01 * sqrt(2))) for _ in range(2))
        low, high = (middle, high) if loss > 1 else (low, middle)
    return high


def laplace_deviation(sensitivity: float) -> float:
    """The standard deviation of Laplace noise whose density falls by e over the sensitivity."""
    with mp.workdps(30):
        scale = mp.findroot(lambda b: mp.exp(-sensitivity / b) - mp.exp(-1), sensitivity * 0.9)
        return float(
            mp.sqrt(mp.quad(lambda x: x**2 * mp.exp(-x / scale) / scale, [0, scale, 20 * scale, mp.inf]))
        )


def _largest(profile: Profile) -> float:
    """delta of Gaussian noise 4 at 1.001 times the epsilon that it has at 1e-6, and a quarter of 1e-6."""
    return float(profile(4.0, gaussian_epsilon(4.0, 1e-6, profile) * 1.001)) + 0.25e-6


def largest() -> float:
    """The same by the normal tails."""
    return _largest(gaussian_profile)


def largest_by_integral() -> float:
    """The same by integration."""
    return _largest(gaussian_profile_by_integral)


def noise_of_weight_one() -> float:
    """What a mechanism of weight 1 has where two of weight 1/100 fill epsilon 1, by the noise that these need."""
    return sqrt(2) / _base_noise()


def laplace_deviation_due(sensitivity: float) -> float:
    """The standard deviation of Laplace noise of that sensitivity at epsilon 1."""
    return sensitivity * sqrt(2)


def is_nan_for_one() -> float:
    """1 if a sum of clipped values is NaN with a NaN, and not without; else 0."""
    sums = [np.clip([0.5, other], 0, 1).sum() for other in (np.nan, 0.5)]
    return float(np.isnan(sums[0])) - float(np.isnan(sums[1]))
