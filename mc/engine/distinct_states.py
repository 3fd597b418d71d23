"""The distinct states of a filter that the runs of a batch reach, so that the filter decides once for each.

>>> import filterproof as fp
>>> known = DistinctStates(fp.ZCDPFilter(rho=0.5), most=10)
>>> after = known.step(known.start(3), fp.Selection((fp.Gaussian(0.5), fp.Gaussian(2.0)), np.array([0, 1, 0])))
>>> after.tolist()  # the number of each run's next state, and that of a denial
[1, -1, 1]
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from filterproof.filters.contract.content import content
from filterproof.filters.contract.contract_checks import (
    checked_observe,
    checked_spend,
    checked_start,
    checked_step,
)
from filterproof.filters.contract.filter_base import FilterBase
from filterproof.filters.contract.state import State, join, keys, take
from filterproof.filters.contract.work import metered
from filterproof.theory.pairs import DominatingPair

#: The number of a denial, and that of a state that was not computed yet.
DENIED, _UNKNOWN = -1, -2
#: The most new losses of one round.
_MAX_LOSSES = 64

#: Maps so many states to decisions and next states.
_Rule: TypeAlias = Callable[[State, int], tuple[NDArray[np.bool_], State]]


class DistinctStates:
    """States of a filter, numbered in the order in which runs reach them.

    The filter's own code computes the state after each request and after each loss, once for each state. This is right
    for a filter whose decisions for one run do not depend on the other runs: for the filters of this library.

    Parameters
    ----------
    filt : FilterBase
        A filter of this library.
    most : int
        The most states. Above it, `step` and `observe` return None.
    """

    def __init__(self, filt: FilterBase, most: int) -> None:
        self._filter, self._most = filt, most
        self._states = checked_start(filt, 1)
        self._numbers: dict[Hashable, int] = {keys(self._states)[0]: 0}
        #: For each request or loss: the number of the state after each state.
        self._after: dict[Hashable, NDArray[np.intp]] = {}
        self._losses = np.empty(0)
        #: Whether `checked_step` of the filter leaves the charge to `checked_spend`.
        self.charges_apart = False

    def start(self, n: int) -> NDArray[np.intp]:
        """Return the numbers of n runs before the first request."""
        return np.zeros(n, dtype=np.intp)

    def states(self, numbers: NDArray[np.intp]) -> State:
        """Return the states of runs, given their numbers."""
        return take(self._states, numbers)

    def step(self, numbers: NDArray[np.intp], request: DominatingPair) -> NDArray[np.intp] | None:
        """Return the number of the state of each run after the request, `DENIED` for a denial: shape (n,).

        Returns None if there are too many states, or if a run's request is not one of a few.
        """
        choice = request.choice
        pairs = (request,) if choice is None else request.members
        if any(pair.shape for pair in pairs):
            return None
        return self._follow(
            [content(pair) for pair in pairs], choice, numbers, lambda k: self._released(pairs[k])
        )

    def observe(self, numbers: NDArray[np.intp], loss: NDArray[np.float64]) -> NDArray[np.intp] | None:
        """Return the number of the state of each run after it observes its loss, None for too many: shape (n,)."""
        for _ in range(2):
            place = self._losses.searchsorted(loss)
            found = (
                self._losses.take(place, mode="clip") == loss
                if len(self._losses)
                else np.zeros(len(loss), np.bool_)
            )
            if found.all():
                break
            new = np.unique(loss[~found])
            if len(new) > _MAX_LOSSES or np.isnan(new[-1]):
                return None
            self._losses = np.union1d(self._losses, new)
        return self._follow(self._losses.tolist(), place, numbers, lambda k: self._observed(self._losses[k]))

    def _released(self, pair: DominatingPair) -> _Rule:
        def step(states: State, n: int) -> tuple[NDArray[np.bool_], State]:
            admitted, after = checked_step(self._filter, states, pair, n)
            self.charges_apart = after is None
            return admitted, checked_spend(self._filter, states, pair, n) if after is None else after

        return step

    def _observed(self, loss: float) -> _Rule:
        def observe(states: State, n: int) -> tuple[NDArray[np.bool_], State]:
            return np.ones(n, np.bool_), checked_observe(self._filter, states, np.full(n, loss), n)

        return observe

    def _follow(
        self,
        events: Sequence[Hashable],
        choice: NDArray[np.intp] | None,
        numbers: NDArray[np.intp],
        compute: Callable[[int], _Rule],
    ) -> NDArray[np.intp] | None:
        """Return the number after the chosen event of each run, from the table or by `compute(event)`."""
        size = len(self._numbers)
        place = numbers if choice is None or len(events) == 1 else choice * size + numbers
        table = np.concatenate([self._table(event) for event in events])
        after = table.take(place)
        if len(after) and after.min() == _UNKNOWN:
            wanted = np.zeros(len(table), dtype=np.bool_)
            wanted[place] = True
            wanted &= table == _UNKNOWN
            with metered():  # the caller counts the work of all runs
                for k in range(len(events)):
                    if len(rows := np.flatnonzero(wanted[k * size : (k + 1) * size])):
                        table[k * size + rows] = self._numbered(
                            *compute(k)(take(self._states, rows), len(rows))
                        )
                        self._after[events[k]] = table[k * size : (k + 1) * size]
            after = table.take(place)
        return after if len(self._numbers) <= self._most else None

    def _table(self, event: Hashable) -> NDArray[np.intp]:
        """The numbers after an event, for every state."""
        known = self._after.get(event, np.empty(0, dtype=np.intp))
        return np.append(known, np.full(len(self._numbers) - len(known), _UNKNOWN, dtype=np.intp))

    def _numbered(self, admitted: NDArray[np.bool_], states: State) -> NDArray[np.intp]:
        """The numbers of the admitted states, of which some may be new."""
        found = np.full(len(admitted), DENIED, dtype=np.intp)
        new: list[int] = []
        for row, key in zip((go := np.flatnonzero(admitted)).tolist(), keys(take(states, go)), strict=True):
            if key not in self._numbers:
                self._numbers[key] = len(self._numbers)
                new.append(row)
            found[row] = self._numbers[key]
        if new:
            self._states = join([self._states, take(states, np.array(new, dtype=np.intp))])
        return found
