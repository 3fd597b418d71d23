"""Sums of randomised responses: their deltas by closed form, bounded from below, and their laws on a lattice."""

import math
from collections.abc import Iterable, Sequence

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


def lower_sum(epsilons: Sequence[float], width: float, epsilon: float) -> float:
    """A lower bound on H_{e^epsilon} of randomised responses fixed in advance: losses are rounded down to the width."""
    downs = [math.floor(-e / width) for e in epsilons]
    ups = [math.floor(e / width) for e in epsilons]
    law = np.ones(1)
    for e, down, up in zip(epsilons, downs, ups, strict=True):
        keep = 1 / (1 + math.exp(-e))
        after = np.zeros(len(law) + up - down)
        after[: len(law)] += (1 - keep) * law
        after[up - down :] += keep * law
        law = after
    losses = width * (sum(downs) + np.arange(len(law)))
    above = losses > epsilon
    return float(np.sum(law[above] * -np.expm1(epsilon - losses[above])))


def response_law(step: float, counts: Iterable[tuple[int, int]]) -> tuple[np.ndarray, np.ndarray]:
    """The losses and their P-masses of so many responses at each level, (level, count) in steps, fixed in advance."""
    law = np.ones(1)
    for level, count in counts:
        keep = 1 / (1 + math.exp(-level * step))
        one = np.zeros(2 * level + 1)
        one[0], one[-1] = 1 - keep, keep
        for _ in range(count):
            law = np.convolve(law, one)
    return step * (np.arange(len(law)) - len(law) // 2), law
