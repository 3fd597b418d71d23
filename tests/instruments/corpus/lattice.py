"""Randomised responses at multiples of one step: their games solved, and their sums bounded, on a lattice."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

import filterproof as fp
from filters.contract.state import bits

__all__ = ["Lattice", "lower_sum", "response_delta", "response_law"]


@dataclass(frozen=True, slots=True)
class Lattice:
    """The game of so many rounds in which an adversary asks for responses at step * level."""

    step: float
    levels: tuple[int, ...]
    rounds: int

    def value(self, filt: fp.PrivacyFilter, epsilon: float) -> float:
        """The most that an adversary reaches at epsilon; each state of the filter is asked once."""
        menu = [(level, fp.RandomizedResponse(self.step * level)) for level in self.levels]
        known: dict[tuple[bytes, int, int], float] = {}

        def best(state: object, loss: int, left: int) -> float:
            key = (bits(state).tobytes(), loss, left)
            if key not in known:
                value = max(-math.expm1(epsilon - loss * self.step), 0.0)
                for level, request in menu if left else ():
                    if filt.admits(state, request)[0]:
                        keep = 1 / (1 + math.exp(-level * self.step))
                        spent = filt.spend(state, request)
                        up, down = (
                            best(filt.observe(spent, np.array([way * self.step])), loss + way, left - 1)
                            for way in (level, -level)
                        )
                        value = max(value, keep * up + (1 - keep) * down)
                known[key] = value
            return known[key]

        return best(filt.start(1), 0, self.rounds)


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
