"""Two routes or more to the true value of each finding about prv-accountant, which share no code."""

from __future__ import annotations

import mpmath


def responses_by_interval(level: float, count: int, delta: float) -> float:
    """The epsilon of `count` randomized responses at delta, in closed form where one loss is above it."""
    with mpmath.workdps(40):
        top = mpmath.mpf(level) * count
        p = 1 / (1 + mpmath.exp(-mpmath.mpf(level)))
        epsilon = top + mpmath.log1p(-mpmath.mpf(delta) / p**count)
        if epsilon < top - 2 * level:
            raise ValueError(
                f"delta must leave one loss above epsilon, got delta={delta}; take a smaller one"
            )
        return float(epsilon)
