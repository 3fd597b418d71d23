"""Two routes or more to the true value of each finding about pipeline-dp, which share no code."""

from math import sqrt

from mpmath import mp
from scipy.optimize import brentq

from ..shared import noises, ours


def laplace_deviation(sensitivity: float) -> float:
    """The standard deviation of Laplace noise whose density falls by e over the sensitivity."""
    with mp.workdps(30):
        scale = mp.findroot(lambda b: mp.exp(-sensitivity / b) - mp.exp(-1), sensitivity * 0.9)
        return float(
            mp.sqrt(mp.quad(lambda x: x**2 * mp.exp(-x / scale) / scale, [0, scale, 20 * scale, mp.inf]))
        )


def largest() -> float:
    """delta of Gaussian noise 4 at 1.001 times the epsilon that it has at 1e-6, and a quarter of 1e-6, by the tails."""
    return float(noises.gaussian_profile(4.0, noises.gaussian_epsilon(4.0, 1e-6) * 1.001)) + 0.25e-6


def largest_by_conversions() -> float:
    """The same by the conversions of this house."""
    return ours.gaussian_delta(4.0, ours.gaussian_epsilon(4.0, 1e-6) * 1.001) + 0.25e-6


def noise_of_weight_one() -> float:
    """What a mechanism of weight 1 has where two of weight 1/100 fill epsilon 1, by the noise that these need."""

    def loss(base: float) -> float:
        # each has scale base / (weight sqrt(2)), and the largest loss is where both noises point away
        return sum(1 / (base / (0.01 * sqrt(2))) for _ in range(2))

    return sqrt(2) / float(brentq(lambda base: loss(base) - 1, 1e-6, 1.0, xtol=1e-15))
