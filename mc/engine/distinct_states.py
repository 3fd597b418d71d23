"""The distinct states of a filter that the runs of a batch reach, so that the filter decides once for each.

>>> import filterproof as fp
>>> known = DistinctStates(fp.ZCDPFilter(rho=0.5))
>>> after = known.step(known.start(3), fp.PairPerRun((fp.Gaussian(0.5), fp.Gaussian(2.0)), np.array([0, 1, 0])))
>>> after.tolist()  # the number of each run's next state, and that of a denial
[1, -1, 1]
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from threading import get_ident
from typing import Any, TypeAlias

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
from filterproof.filters.contract.state import State, concatenate_runs, run_keys, runs_of, select_runs
from filterproof.filters.contract.work import activate_meter
from filterproof.mc.engine.cached import cache_results
from filterproof.theory.pairs import DominatingPair

#: The number of a denial, and that of a state that was not computed yet.
DENIED, _UNKNOWN = -1, -2
#: The most losses, requests and states that a table is made for; beyond half of them, a batch begins a new table.
_MAX_LOSSES, _MAX_REQUESTS, _MAX_STATES = 64, 512, 4096

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
    """

    def __init__(self, filt: FilterBase) -> None:
        self._filter = filt
        self._states = checked_start(filt, 1)
        self._numbers: dict[Hashable, int] = {run_keys(self._states)[0]: 0}
        #: For each request or loss: the number of the state after each state.
        self._after: dict[Hashable, NDArray[np.intp]] = {}
        self._losses = np.empty(0)
        #: Each request by its identity, with the key of its content.
        self._requests: dict[int, tuple[DominatingPair, Hashable]] = {}
        #: Whether `checked_step` of the filter leaves the charge to `checked_spend`.
        self.charges_apart = False

    def __len__(self) -> int:
        return runs_of(self._states)

    @property
    def is_half_full(self) -> bool:
        """Whether states, requests or losses exceed half their limit: a new table is then better."""
        sizes = (len(self), len(self._requests), len(self._losses))
        return any(
            2 * size > most
            for size, most in zip(sizes, (_MAX_STATES, _MAX_REQUESTS, _MAX_LOSSES), strict=True)
        )

    def start(self, n: int) -> NDArray[np.intp]:
        """Return the numbers of n runs before the first request."""
        return np.zeros(n, dtype=np.intp)

    def states_of_runs(self, numbers: Any) -> State:
        """Return the filter states of runs, given the number of the state of each."""
        return select_runs(self._states, numbers)

    def step(self, numbers: Any, request: DominatingPair) -> NDArray[np.intp] | None:
        """Return the number of the state of each run after the request, `DENIED` for a denial: shape (n,).

        Returns None if requests or states are too many for a table.
        """
        choice = request.member_index
        pairs = (request,) if choice is None else request.members
        if any(pair.shape for pair in pairs) or len(self._requests) > _MAX_REQUESTS:
            return None
        return self._follow(
            list(map(self._request_key, pairs)), choice, numbers, lambda k: self._release_rule(pairs[k])
        )

    def observe(self, numbers: Any, loss: NDArray[np.float64]) -> NDArray[np.intp] | None:
        """Return the number of the state of each run after it observes its loss, None for many losses: shape (n,)."""
        place = self._losses.searchsorted(loss)
        if not len(self._losses) or not (self._losses.take(place, mode="clip") == loss).all():
            losses = np.union1d(self._losses, loss)
            if len(losses) > _MAX_LOSSES or np.isnan(losses[-1]):
                return None
            self._losses, place = losses, losses.searchsorted(loss)
        return self._follow(
            self._losses.tolist(), place, numbers, lambda k: self._observation_rule(self._losses[k])
        )

    def _request_key(self, pair: DominatingPair) -> Hashable:
        """Return the key of the content of a requested pair."""
        if id(pair) not in self._requests:
            self._requests[id(pair)] = pair, content(pair)
        return self._requests[id(pair)][1]

    def _release_rule(self, pair: DominatingPair) -> _Rule:
        """Return the rule that maps states to decisions on the pair and to the states after it."""

        def step(states: State, n: int) -> tuple[NDArray[np.bool_], State]:
            """Return which of n states admit the pair, and the states after its release."""
            admitted, after = checked_step(self._filter, states, pair, n)
            self.charges_apart = after is None
            return admitted, checked_spend(self._filter, states, pair, n) if after is None else after

        return step

    def _observation_rule(self, loss: float) -> _Rule:
        """Return the rule that maps states to the states after the filter observes the loss."""

        def observe(states: State, n: int) -> tuple[NDArray[np.bool_], State]:
            """Return n times True, and the n states after the loss."""
            return np.ones(n, np.bool_), checked_observe(self._filter, states, np.full(n, loss), n)

        return observe

    def _follow(
        self,
        events: Sequence[Hashable],
        choice: NDArray[np.intp] | None,
        numbers: Any,
        compute: Callable[[int], _Rule],
    ) -> NDArray[np.intp] | None:
        """Return the state number of each run after its event, from the table or by `compute(event)`."""
        size = len(self)
        place = numbers if choice is None or len(events) == 1 else choice * size + numbers
        table = np.concatenate([self._table(event) for event in events])
        after = table.take(place)
        if len(after) and after.min() == _UNKNOWN:
            wanted = np.zeros(len(table), dtype=np.bool_)
            wanted[place] = True
            wanted &= table == _UNKNOWN
            with activate_meter():  # the caller counts the work of all runs
                for k in range(len(events)):
                    if len(rows := np.flatnonzero(wanted[k * size : (k + 1) * size])):
                        answer = compute(k)(select_runs(self._states, rows), len(rows))
                        table[k * size + rows] = self._numbered(*answer)
                        self._after[events[k]] = table[k * size : (k + 1) * size]
            after = table.take(place)
        return after if len(self) <= _MAX_STATES else None

    def _table(self, event: Hashable) -> NDArray[np.intp]:
        """Return the number of the state after an event, for every numbered state before it."""
        numbers = self._after.get(event, np.empty(0, dtype=np.intp))
        return np.append(numbers, np.full(len(self) - len(numbers), _UNKNOWN, dtype=np.intp))

    def _numbered(self, admitted: NDArray[np.bool_], states: State) -> NDArray[np.intp]:
        """Return the numbers of the admitted states, and number new states; DENIED for the others."""
        numbers, go = np.full(len(admitted), DENIED, dtype=np.intp), np.flatnonzero(admitted)
        state_keys, size, new = run_keys(select_runs(states, go)), len(self), dict[Hashable, int]()
        for row, key in zip(go.tolist(), state_keys, strict=True):
            if key not in self._numbers:
                new.setdefault(key, row)
        if new:
            # first the states: an interrupt may leave states without a number, and no number without a state
            self._states = concatenate_runs([self._states, select_runs(states, np.array(list(new.values())))])
            self._numbers.update(zip(new, range(size, size + len(new)), strict=True))
        numbers[go] = [self._numbers[key] for key in state_keys]
        return numbers


def distinct_states(filt: FilterBase) -> DistinctStates:
    """Return a table for the runs of a batch; the simulations of equal filters in one thread share it."""
    tables = _tables_of_thread(filt, get_ident())
    if not tables or tables[0].is_half_full:
        tables[:] = [DistinctStates(filt)]
    return tables[0]


@cache_results(16)
def _tables_of_thread(filt: FilterBase, thread: int) -> list[DistinctStates]:
    """Return one thread's list for its current table of a filter, empty at first."""
    return []
