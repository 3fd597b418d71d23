"""A round of many people in blocks, so that temporary memory does not grow with their number.

>>> from filterproof.filters.catalogue import GaussianFilter
>>> from filterproof.theory.pairs import Gaussian, is_ours
>>> import numpy as np
>>> filt, kept = GaussianFilter(1.0), []
>>> grant_in_blocks(filt, filt.start(3), Gaussian(np.array([0.5, 2.0, 0.25])), 3, kept.append)
array([ True, False,  True])
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from filterproof.filters.contract.contract_checks import checked_spend, checked_step
from filterproof.filters.contract.filter_base import FilterBase
from filterproof.filters.contract.state import State, choose_runs, copy_state, map_arrays, state_leaves
from filterproof.theory.pairs import DominatingPair, is_ours

#: People in a block.
PEOPLE_PER_BLOCK = 131072


def grant_in_blocks(
    filt: FilterBase,
    state: State,
    request: DominatingPair,
    n: int,
    keep: Callable[[State], None],
) -> NDArray[np.bool_]:
    """Return whether each of n people takes part, by `filt.step`; `keep` receives the state after their charges.

    More than one block of people are charged in place, in the arrays of `state`, which nobody else may use. If the
    filter then raises, the people decided before stay charged.
    """
    if n > PEOPLE_PER_BLOCK:
        active = np.empty(n, dtype=np.bool_)
        for first in range(0, n, PEOPLE_PER_BLOCK):
            people = slice(first, min(first + PEOPLE_PER_BLOCK, n))
            granted = _charge_in_place(
                filt, *_state_and_request_of_block(state, request, people), people.stop - first
            )
            if granted is None and first:
                raise TypeError(
                    f"{type(filt).__name__}.spend must keep the dtype and the shape of the state, got another from one "
                    "block of people to the next; return arrays like those of start"
                )
            if granted is None:
                break
            active[people] = granted
        else:
            return active
    active, spent = _participants_and_state(filt, state, request, n)
    # the filter may go on writing into its result
    keep(copy_state(spent) if active.all() else choose_runs(active, spent, state))
    return active.copy()  # the filter may return an array that it uses again


def _charge_in_place(filt: FilterBase, part: State, pair: DominatingPair, n: int) -> NDArray[np.bool_] | None:
    """Charge participants in the arrays of `part` and return them; None if the filter needs new arrays."""
    granted, spent = _participants_and_state(filt, part, pair, n)
    old, new = state_leaves(part), state_leaves(spent)
    if [(a.shape, a.dtype) for a in old] != [(a.shape, a.dtype) for a in new]:
        return None
    for array, after in zip(old, new, strict=True):
        np.copyto(array, after, where=granted.reshape(-1, *[1] * (array.ndim - 1)))
    return granted


def _participants_and_state(
    filt: FilterBase, state: State, request: DominatingPair, n: int
) -> tuple[NDArray[np.bool_], State]:
    """Return who takes part, shape (n,), and the state after their charges."""
    active, spent = checked_step(filt, state, request, n)
    return active, checked_spend(filt, state, request, n) if spent is None else spent


def _state_and_request_of_block(
    state: State, request: DominatingPair, people: slice
) -> tuple[State, DominatingPair]:
    """Return the part of the state and the pairs of one block of people."""
    part: State = map_arrays(lambda leaf: leaf[people], state)
    if request.shape == ():
        return part, request
    # a slice copies nothing; pairs of other libraries only support masks and indices
    runs: Any = people if is_ours(request) else np.arange(people.start, min(people.stop, request.shape[0]))
    return part, request.take(runs)
