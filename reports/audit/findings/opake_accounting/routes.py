"""Two routes to the true value of each finding about opake-accounting, which share no code."""

from __future__ import annotations

from math import exp, tanh


def response_advantage(epsilon: float) -> float:
    """The total variation of randomised response, in closed form: tanh(epsilon / 2)."""
    return tanh(epsilon / 2)


def response_advantage_by_outcomes(epsilon: float) -> float:
    """The same: half the sum of the differences over its two answers."""
    lie = exp(-epsilon) / (1 + exp(-epsilon))
    return (abs((1 - lie) - lie) + abs(lie - (1 - lie))) / 2
