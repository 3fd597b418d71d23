"""Filters whose state is a level that decreases; a charge is smaller at a higher level."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from filterproof.filters.privacy_filter import PrivacyFilter
from filterproof.theory.pairs import DominatingPair

#: A charge that exceeds every level.
TOO_MUCH = 1 << 62


class DecreasingLevelFilter(PrivacyFilter[NDArray[np.int64]]):
    """A filter whose state is a level: each request lowers it by a charge that depends on the level.

    A subclass defines the first level, ascending `_level_floors` that begin with 0, and the charge of a request that
    leaves at least each floor.
    """

    @property
    @abstractmethod
    def _first_level(self) -> int:
        """The level at the start of a run."""

    @property
    @abstractmethod
    def _level_floors(self) -> NDArray[np.int64]:
        """The levels from which a charge of its own applies: shape (floors,)."""

    @abstractmethod
    def _charge_by_floor(self, request: DominatingPair) -> NDArray[np.int64]:
        """Return the charge from each floor on: shape (floors,), or (n, floors) for one request per run."""

    def start(self, n: int) -> NDArray[np.int64]:
        return np.full(n, self._first_level, dtype=np.int64)

    def admits(self, state: NDArray[np.int64], request: DominatingPair) -> NDArray[np.bool_]:
        return np.asarray(self._highest_level_after(state, request) >= 0)

    def spend(self, state: NDArray[np.int64], request: DominatingPair) -> NDArray[np.int64]:
        return self._highest_level_after(state, request)

    def step(
        self, state: NDArray[np.int64], request: DominatingPair
    ) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
        left = self._highest_level_after(state, request)
        return left >= 0, left

    def is_reachable_state(self, state: NDArray[np.int64]) -> NDArray[Any]:
        return np.asarray((state >= 0) & (state <= self._first_level))

    def rounds(self, state: NDArray[np.int64], pair: DominatingPair) -> NDArray[np.int64]:
        """Return how many releases of a pair of shape () are still granted: shape (n,); 2^63 - 1 if it is free."""
        level, count = np.array(state), np.zeros(len(state), dtype=np.int64)
        floors, charges = self._level_floors, self._charges(pair)
        for floor, charge in zip(floors[::-1], np.maximum(charges, 1)[::-1], strict=True):
            more = np.maximum((level - floor) // charge, 0)
            level -= more * charge
            count += more
        free = ((charges == 0) & (state[:, None] >= floors)).any(axis=1)
        return np.where(free, np.iinfo(np.int64).max, count)

    def _highest_level_after(self, state: NDArray[np.int64], request: DominatingPair) -> NDArray[np.int64]:
        """Return the highest level that each run may keep after the request, or -1 for a denial."""
        charges, highest = self._charges(request), np.full(len(state), -1, dtype=np.int64)
        # a floor at a time: a row of floors is too short to reduce
        for number, floor in enumerate(self._level_floors):
            left = state - charges[..., number]
            np.maximum(highest, left, out=highest, where=left >= floor)
        return highest

    def _charges(self, request: DominatingPair) -> NDArray[np.int64]:
        """Return `_charge_by_floor`, for each run's own member of a selection."""
        if (choice := request.member_index) is None:
            return self._charge_by_floor(request)
        tables = [self._charges(pair) for pair in request.members]
        if all(table.ndim == 1 for table in tables):
            return np.asarray(np.transpose(tables).take(choice, axis=1).T)
        n = np.arange(len(choice))
        shape = (len(n), len(self._level_floors))
        return np.stack([np.broadcast_to(table, shape) for table in tables])[choice, n]
