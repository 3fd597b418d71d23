"""A menu: a tuple of single pairs, fixed when a filter is made, in which the filter finds each request.

>>> from filterproof.theory.pairs import Gaussian
>>> positions((Gaussian(0.5), Gaussian(1.0)), Gaussian(1.0), n=2)
array([1, 1])
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import fields

import numpy as np
from numpy.typing import NDArray

from filterproof.filters.contract.contract_checks import checked_admits
from filterproof.filters.contract.filter_base import MechanismFamily
from filterproof.filters.contract.parameters import one_positive
from filterproof.filters.contract.state import State, runs_of
from filterproof.filters.privacy_filter import PrivacyFilter
from filterproof.theory.pairs import DominatingPair

#: The most possible rows of counts that are listed.
_MAX_LISTED_ROWS = 1 << 16


def checked_menu(menu: object) -> tuple[DominatingPair, ...]:
    """Return `menu`, also one with names, as a tuple of at least one single pair."""
    pairs = (menu,) if isinstance(menu, DominatingPair) else menu
    if isinstance(pairs, Mapping) and all(isinstance(name, str) for name in pairs):
        for name in pairs:
            if not is_pair_name(name):
                raise ValueError(
                    f"menu must give names of words without brackets, '=', ':' or a count, got {name!r}; pass e.g. "
                    "{'vote': RandomizedResponse(0.5)}"
                )
        pairs = tuple(pairs.values())
    if not isinstance(pairs, (tuple, list)) or not pairs:
        raise ValueError(
            f"menu must hold at least one pair, got menu={menu!r}; pass e.g. (Gaussian(mu=0.5),)"
        )
    for pair in pairs:
        if not isinstance(pair, DominatingPair) or pair.shape != ():
            raise TypeError(f"menu must hold single pairs, got {pair!r}; pass e.g. (Gaussian(mu=0.5),)")
    return tuple(pairs)


def is_pair_name(name: str) -> bool:
    """Whether a name of a pair reads as one in a sentence: words on one line that are no count and no expression.

    >>> [is_pair_name(name) for name in ("the 2nd vote", "", "2 x vote", "a, then b", "Gaussian(mu=1)")]
    [True, False, False, False, False]
    """
    return re.fullmatch(r"(?!\d+ x )\w[\w .&/%+-]*(?<! )", name) is not None


def checked_plan(plan: object) -> dict[DominatingPair, float]:
    """Return `plan` as single pairs with positive numbers of uses, at least one."""
    if not isinstance(plan, Mapping):
        raise TypeError(
            f"plan must map pairs to their uses, got {plan!r}; pass e.g. {{Gaussian(mu=0.5): 10}}"
        )
    menu = checked_menu(tuple(plan))
    return {pair: one_positive("uses", plan[pair]) for pair in menu}


def positions(menu: tuple[DominatingPair, ...], request: DominatingPair, n: int) -> NDArray[np.intp]:
    """Return the place of each run's request in the menu, or -1: shape (n,).

    Pairs are equal if their classes and numbers are. A request with labels that are not on the menu counts as its
    mechanism.
    """
    if (index := request.member_index) is not None:
        table = np.stack([positions(menu, pair, n) for pair in request.members])
        return np.asarray(table[index, np.arange(n)])
    place = np.full(n, -1, dtype=np.intp)
    for wanted in (request, request.unlabelled) if request.labels else (request,):
        for position, pair in enumerate(menu):
            place[pair.same_parameters(wanted) & (place < 0)] = position
    return place


def valid_counts(counts: NDArray[np.int64], entries: int) -> NDArray[np.bool_]:
    """Whether each row has `entries` counts in [0, 2^48): shape (n,)."""
    if counts.shape[1] != entries:
        return np.zeros(len(counts), dtype=np.bool_)
    return np.asarray(((counts >= 0) & (counts < 2**48)).all(axis=1))


def counts_may_meet_delta(
    counts: NDArray[np.int64], menu: tuple[DominatingPair, ...], epsilon: float, log_finite: float
) -> NDArray[np.bool_]:
    """Return whether composed counts may satisfy 1 - delta(epsilon) >= e^log_finite; False is certain.

    1 - delta(epsilon) = E_P[min(1, e^epsilon q/p)] <= e^(epsilon/2) prod_j (sum sqrt(p q))^(n_j), because min(1, x) <=
    sqrt(x). This limits the counts in a file, whose composition might take for ever.
    """
    each = np.zeros(len(menu))
    for place, pair in enumerate(menu):
        if (masses := pair.masses_as_fractions) is not None:
            # there is no cancellation in sum (sqrt p - sqrt q)^2 / 2 = 1 - sum sqrt(p q)
            distance = math.fsum((math.sqrt(p) - math.sqrt(q)) ** 2 for p, q in masses) / 2
            each[place] = -math.log1p(-min(distance, 1 - 2.0**-53))
    return np.asarray(counts @ each * (1 - 1e-6) <= epsilon / 2 - log_finite + 1e-9)


def counts_after_use(counts: NDArray[np.int64], place: NDArray[np.intp]) -> NDArray[np.int64]:
    """Return the counts after each run uses the member at its place, -1 for none: shape (n, entries)."""
    after = counts.copy()
    on_menu = np.flatnonzero(place >= 0)
    after[on_menu, place[on_menu]] += 1
    return after


def distinct_rows(counts: NDArray[np.int64]) -> tuple[list[tuple[int, ...]], NDArray[np.intp]]:
    """Return the distinct rows of counts, in order, and the row of each run: shape (n,)."""
    sizes = (counts.max(axis=0, initial=0) + 1).tolist()
    if counts.size and counts.min() >= 0 and math.prod(sizes) <= _MAX_LISTED_ROWS:
        # as numbers, which are found without sorting rows
        number = np.ravel_multi_index(tuple(counts.T), sizes)
        seen = np.zeros(math.prod(sizes), dtype=np.bool_)
        seen[number] = True
        indices = [at.tolist() for at in np.unravel_index(np.flatnonzero(seen), sizes)]
        return list(zip(*indices, strict=True)), (np.cumsum(seen) - 1)[number]
    rows, which = np.unique(counts, axis=0, return_inverse=True)
    return [tuple(row) for row in rows.tolist()], which.reshape(-1)


def largest_affordable_on_menu(
    filt: PrivacyFilter, menu: tuple[DominatingPair, ...], state: State, family: MechanismFamily
) -> NDArray[np.float64]:
    """Return the largest t with family(t) on the menu and admitted, or 0.0: shape (n,)."""
    best = np.zeros(runs_of(state))
    for pair in menu:
        t = getattr(pair, fields(pair)[0].name)  # type: ignore[arg-type]
        if not isinstance(t, float) or (isinstance(family, type) and not isinstance(pair, family)):
            continue
        if np.all(pair.same_parameters(family(t))):
            admitted = checked_admits(filt, state, pair, len(best))
            best = np.where(admitted, np.maximum(best, t), best)
    return best
