"""Two routes to the true value of each finding about opake-accounting, which share no code."""

from __future__ import annotations

from math import exp, tanh

from mpmath import mp


def response_advantage(epsilon: float) -> float:
    """The total variation of randomised response, in closed form: tanh(epsilon / 2)."""
    return tanh(epsilon / 2)


def response_advantage_by_outcomes(epsilon: float) -> float:
    """The same: half the sum of the differences over its two answers."""
    lie = exp(-epsilon) / (1 + exp(-epsilon))
    return (abs((1 - lie) - lie) + abs(lie - (1 - lie))) / 2


def gaussian_advantage_by_integral(sigma: float) -> float:
    """The total variation of Gaussian noise and a shift of 1: the density integrated within half a shift, in units of
    the deviation, 40 of which hold all of it."""
    with mp.workdps(20):
        half = min(1 / (2 * mp.mpf(sigma)), mp.mpf(40))
        return float(mp.quad(mp.npdf, mp.linspace(-half, half, 17)))
