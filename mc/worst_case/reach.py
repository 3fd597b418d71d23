"""How far the loss can have moved where a state is first met: what a game will hold at least."""

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

    dense says that the lattice of losses is cut off at `span`, some law being dense.
    """

    least: NDArray[np.int64]
    most: NDArray[np.int64]
    mean: NDArray[np.float64]
    variance: NDArray[np.float64]
    dense: bool

    @classmethod
    def of(cls, laws: Sequence[LatticeLaw]) -> Moves:
        """Those of the laws of a menu."""
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

    Where it lies decides how close the two bounds come, not whether they hold.
    """
    reach = 12 * math.sqrt(variance)
    return -math.ceil(reach), math.ceil(max(mean, 0.0) + reach)


@dataclass(frozen=True, slots=True)
class Reach:
    """Bounds on the losses with which the states of one round can be met, shape (n,), and the sums so far.

    Only plays that meet a state in the round in which it is first met count, so that `held`, the positions
    found so far, is never more than what the whole game holds, however many rounds are left.
    """

    moves: Moves
    least: NDArray[np.int64]
    most: NDArray[np.int64]
    mean: NDArray[np.float64]
    variance: NDArray[np.float64]
    held: int

    @classmethod
    def start(cls, moves: Moves) -> Reach:
        """That of the start, where the loss is 0."""
        zero, none = np.zeros(1, dtype=np.int64), np.zeros(1)
        return cls(moves, zero, zero, none, none, 1)

    def after(self, child: NDArray[np.int64], first: int, new: int, weight: int) -> Reach:
        """That of the `new` states from number `first` on, child[i, m] being the state after request m.

        A state counts for as many positions as it has losses, and for `weight` at least.
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
