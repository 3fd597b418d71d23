"""Sums of randomised responses: closed-form deltas, bounded from below, and distributions on a lattice."""

import math
from collections.abc import Iterable

import numpy as np


def response_delta(level: float, count: int, epsilon: float, before: float = 0.0) -> float:
    """H_{e^epsilon} of `count` randomised responses at `level` after a loss of `before`."""
    keep = 1 / (1 + math.exp(-level))
    return math.fsum(
        math.comb(count, j)
        * keep**j
        * (1 - keep) ** (count - j)
        * max(-math.expm1(epsilon - before - (2 * j - count) * level), 0.0)
        for j in range(count + 1)
    )


def response_law(step: float, counts: Iterable[tuple[int, int]]) -> tuple[np.ndarray, np.ndarray]:
    """The losses and their P-masses of so many responses at each level, (level, count) in steps, fixed in advance."""
    distribution = np.ones(1)
    for level, count in counts:
        keep = 1 / (1 + math.exp(-level * step))
        response = np.zeros(2 * level + 1)
        response[0], response[-1] = 1 - keep, keep
        for _ in range(count):
            distribution = np.convolve(distribution, response)
    return step * (np.arange(len(distribution)) - len(distribution) // 2), distribution
