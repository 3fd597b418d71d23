"""The range of losses with which a state is first reached: a lower bound on the positions of a game."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mc.losses.lattice_law import LatticeLaw

__all__ = ["Moves", "Reach"]


@dataclass(frozen=True, slots=True)
class Moves:
    """The least and the largest loss of each request, in steps: shape (len(menu),)."""

    least: NDArray[np.int64]
    most: NDArray[np.int64]

    @classmethod
    def of(cls, laws: Sequence[LatticeLaw]) -> Moves:
        """The moves of the requests with these laws."""
        return cls(np.array([law.offsets[0] for law in laws]), np.array([law.offsets[-1] for law in laws]))


@dataclass(frozen=True, slots=True)
class Reach:
    """Bounds on the losses with which the states first reached in one round are reached then: shape (n,).

    held counts the positions found so far. Losses with which a state is reached in later rounds do not count, so
    that held never exceeds the positions of the whole game.
    """

    moves: Moves
    least: NDArray[np.int64]
    most: NDArray[np.int64]
    held: int

    @classmethod
    def start(cls, moves: Moves) -> Reach:
        """The reach of the start, where the loss is 0."""
        zero = np.zeros(1, dtype=np.int64)
        return cls(moves, zero, zero, 1)

    def after(self, child: NDArray[np.int64], first: int, new: int, weight: int) -> Reach:
        """The reach of the `new` states numbered from `first` on; child[i, m] is the state after request m.

        A state counts as the number of its losses, but as at least `weight` positions.
        """
        least, most = np.full(new, np.iinfo(np.int64).max), np.full(new, np.iinfo(np.int64).min)
        for m in range(child.shape[1]):
            rows = np.flatnonzero(child[:, m] >= first)
            to = child[rows, m] - first
            np.minimum.at(least, to, self.least[rows] + self.moves.least[m])
            np.maximum.at(most, to, self.most[rows] + self.moves.most[m])
        held = self.held + int(np.maximum(most - least + 1, weight).sum())
        return Reach(self.moves, least, most, held)
