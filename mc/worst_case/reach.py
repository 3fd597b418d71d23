"""The range of losses with which a state is first reached: a lower bound on the positions of a game."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mc.worst_case.lattice_law import LatticeLaw

__all__ = ["Moves", "Reach", "span"]


@dataclass(frozen=True, slots=True)
class Moves:
    """The least, largest and mean loss of each request and its variance, in steps: shape (len(menu),).

    dense says that some law is dense, so that the lattice of losses is cut off at `span`.
    """

    least: NDArray[np.int64]
    most: NDArray[np.int64]
    mean: NDArray[np.float64]
    variance: NDArray[np.float64]
    dense: bool

    @classmethod
    def of(cls, laws: Sequence[LatticeLaw]) -> Moves:
        """The moves of the requests with these laws."""
        means = [float(law.masses @ law.offsets) for law in laws]
        return cls(
            np.array([law.offsets[0] for law in laws]),
            np.array([law.offsets[-1] for law in laws]),
            np.array(means),
            np.array([law.masses @ (law.offsets - mean) ** 2 for law, mean in zip(laws, means, strict=True)]),
            any(law.dense for law in laws),
        )


def span(mean: float, variance: float) -> tuple[int, int]:
    """Losses, in steps, outside of which hardly any play ends: 12 standard deviations around 0 and the mean.

    The two ends decide how close the bounds on V come, not whether they hold.
    """
    reach = 12 * math.sqrt(variance)
    return -math.ceil(reach), math.ceil(max(mean, 0.0) + reach)


@dataclass(frozen=True, slots=True)
class Reach:
    """Bounds on the losses with which the states first reached in one round are reached then: shape (n,).

    held counts the positions found so far. Losses with which a state is reached in later rounds do not count, so
    that held never exceeds the positions of the whole game.
    """

    moves: Moves
    least: NDArray[np.int64]
    most: NDArray[np.int64]
    mean: NDArray[np.float64]
    variance: NDArray[np.float64]
    held: int

    @classmethod
    def start(cls, moves: Moves) -> Reach:
        """The reach of the start, where the loss is 0."""
        zero, none = np.zeros(1, dtype=np.int64), np.zeros(1)
        return cls(moves, zero, zero, none, none, 1)

    def after(self, child: NDArray[np.int64], first: int, new: int, weight: int) -> Reach:
        """The reach of the `new` states numbered from `first` on; child[i, m] is the state after request m.

        A state counts as the number of its losses, but as at least `weight` positions.
        """
        least, most = np.full(new, np.iinfo(np.int64).max), np.full(new, np.iinfo(np.int64).min)
        mean, variance = np.full(new, -np.inf), np.zeros(new)
        for m in range(child.shape[1]):
            rows = np.flatnonzero(child[:, m] >= first)
            to = child[rows, m] - first
            np.minimum.at(least, to, self.least[rows] + self.moves.least[m])
            np.maximum.at(most, to, self.most[rows] + self.moves.most[m])
            np.maximum.at(mean, to, self.mean[rows] + self.moves.mean[m])
            np.maximum.at(variance, to, self.variance[rows] + self.moves.variance[m])
        low, high = least, most
        if self.moves.dense and new:
            ends = span(float(mean.max()), float(variance.max()))
            low, high = np.clip(least, *ends), np.clip(most, *ends)
        held = self.held + int(np.maximum(high - low + 1, weight).sum())
        return Reach(self.moves, least, most, mean, variance, held)
