"""Filters whose state is a level that decreases; a charge is smaller at a higher level."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from filterproof.filters.privacy_filter import PrivacyFilter
from filterproof.theory.pairs import DominatingPair

#: A charge that no level can pay.
TOO_MUCH = 1 << 62


class LevelFilter(PrivacyFilter[NDArray[np.int64]]):
    """CONT while a level that a charge allows is left; the state is the level, whole numbers of shape (n,).

    A subclass has a first level, ascending `_floors` that begin with 0, and for each floor what a request is charged
    that leaves that floor or a higher level.
    """

    @property
    @abstractmethod
    def _first(self) -> int:
        """The level at which a run begins."""

    @property
    @abstractmethod
    def _floors(self) -> NDArray[np.int64]:
        """The levels from which on a charge of its own holds: shape (floors,)."""

    @abstractmethod
    def _charged(self, request: DominatingPair) -> NDArray[np.int64]:
        """What is charged from each floor on: shape (floors,), or (n, floors) for one request per run."""

    def start(self, n: int) -> NDArray[np.int64]:
        return np.full(n, self._first, dtype=np.int64)

    def admits(self, state: NDArray[np.int64], request: DominatingPair) -> NDArray[np.bool_]:
        return np.asarray(self._left(state, request) >= 0)

    def spend(self, state: NDArray[np.int64], request: DominatingPair) -> NDArray[np.int64]:
        return self._left(state, request)

    def step(
        self, state: NDArray[np.int64], request: DominatingPair
    ) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
        left = self._left(state, request)
        return left >= 0, left

    def is_reachable_state(self, state: NDArray[np.int64]) -> NDArray[Any]:
        return np.asarray((state >= 0) & (state <= self._first))

    def rounds(self, state: NDArray[np.int64], pair: DominatingPair) -> NDArray[np.int64]:
        """Return how many releases of a pair of shape () are still granted: shape (n,); 2^63 - 1 if it is free."""
        level, count = np.array(state), np.zeros(len(state), dtype=np.int64)
        floors, charges = self._floors, self._charges(pair)
        for floor, charge in zip(floors[::-1], np.maximum(charges, 1)[::-1], strict=True):
            more = np.maximum((level - floor) // charge, 0)
            level -= more * charge
            count += more
        free = ((charges == 0) & (state[:, None] >= floors)).any(axis=1)
        return np.where(free, np.iinfo(np.int64).max, count)

    def _left(self, state: NDArray[np.int64], request: DominatingPair) -> NDArray[np.int64]:
        """The highest level that each run may go on with, -1 where there is none."""
        left = state[:, None] - self._charges(request)
        return np.asarray(np.where(left >= self._floors, left, -1).max(axis=1))

    def _charges(self, request: DominatingPair) -> NDArray[np.int64]:
        """`_charged`, of a selection by each run's own member."""
        if (choice := request.choice) is None:
            return self._charged(request)
        n = np.arange(len(choice))
        shape = (len(n), len(self._floors))
        tables = [np.broadcast_to(self._charges(pair), shape) for pair in request.members]
        return np.asarray(np.stack(tables)[choice, n])
