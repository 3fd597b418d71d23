"""A route to true values of findings about opake-accounting."""

from __future__ import annotations

from math import tanh


def response_advantage(epsilon: float) -> float:
    """The total variation of randomised response, in closed form: tanh(epsilon / 2)."""
    return tanh(epsilon / 2)
