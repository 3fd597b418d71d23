"""A round of many people, some at a time: what is computed on the way takes no memory that grows with them.

>>> from filters.catalogue import GaussianFilter
>>> from theory.pairs import Gaussian, is_ours
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

from filters.contract.checks import checked_grant, checked_grant_in_place, checked_spend
from filters.contract.filter_base import FilterBase
from filters.contract.state import State, choose, copied, fold, leaves
from theory.pairs import DominatingPair, is_ours

__all__ = ["grant_in_blocks"]

#: People at a time.
BLOCK = 131072
_OURS = "theory.pairs."


def grant_in_blocks(
    filt: FilterBase,
    state: State,
    request: DominatingPair,
    n: int,
    keep: Callable[[State], None],
) -> NDArray[np.bool_]:
    """Whether each of n people takes part, by `filt.grant`; `keep` is given the state in which those are charged.

    More than a block of people are charged in place, in the arrays of `state`, which must be nobody else's. If the
    filter then raises, the people whom it decided before stay charged.
    """
    if n > BLOCK:
        spent = _granted(filt, *_block(state, request, slice(0, BLOCK)), BLOCK)[1]
        if _alike(state, spent):
            return _in_place(filt, state, request, n)
    active, spent = _granted(filt, state, request, n)
    # the filter may go on writing into what it returned
    keep(copied(spent) if active.all() else choose(active, spent, state))
    return active.copy()  # the filter may answer from an array that it uses again


def _in_place(
    filt: FilterBase,
    state: State,
    request: DominatingPair,
    n: int,
) -> NDArray[np.bool_]:
    active = np.empty(n, dtype=np.bool_)
    for first in range(0, n, BLOCK):
        people = slice(first, min(first + BLOCK, n))
        part, pair = _block(state, request, people)
        granted = checked_grant_in_place(filt, part, pair)
        if granted is None:
            granted, spent = _granted(filt, part, pair, people.stop - first)
            if not _alike(part, spent):
                raise TypeError(
                    f"{type(filt).__name__}.spend must keep the dtype and the shape of the state, got another from one "
                    "block of people to the next; return arrays like those of start"
                )
            for old, new in zip(leaves(part), leaves(spent), strict=True):
                old[...] = np.where(granted.reshape(-1, *[1] * (old.ndim - 1)), new, old)
        active[people] = granted
    return active


def _granted(
    filt: FilterBase, state: State, request: DominatingPair, n: int
) -> tuple[NDArray[np.bool_], State]:
    active, spent = checked_grant(filt, state, request, n)
    return active, checked_spend(filt, state, request, n) if spent is None else spent


def _block(state: State, request: DominatingPair, people: slice) -> tuple[State, DominatingPair]:
    """The state and the pairs of those people."""
    part: State = fold(lambda leaf: leaf[people], tuple, state)
    if request.shape == ():
        return part, request
    # a slice copies nothing; a pair from elsewhere is promised masks and indices
    runs: Any = people if is_ours(request) else np.arange(people.start, min(people.stop, request.shape[0]))
    return part, request.take(runs)


def _alike(state: State, spent: State) -> bool:
    """Whether what is spent can be written over the state."""
    old, new = leaves(state), leaves(spent)
    return len(old) == len(new) and all(
        a.shape[1:] == b.shape[1:] and a.dtype == b.dtype for a, b in zip(old, new, strict=True)
    )
