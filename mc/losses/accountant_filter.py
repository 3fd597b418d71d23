"""A filter that grants a request while the non-adaptive composition of all mechanisms stays private.

>>> import filterproof as fp
>>> filt = fp.AccountantFilter(2.0, 1e-5, (fp.SubsampledGaussian(q=0.05, sigma=1.0),))
>>> session = filt.open("retry")
>>> sum(session.request(filt.menu[0]) for _ in range(40))
20
"""

from __future__ import annotations

import warnings
from bisect import bisect_left
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from filterproof.filters.contract.filter_base import MechanismFamily
from filterproof.filters.contract.parameters import one_delta, one_positive, store_checked_parameters
from filterproof.filters.privacy_filter import PrivacyFilter
from filterproof.filters.rules.menu import (
    checked_menu,
    counts_after_use,
    distinct_rows,
    largest_affordable_on_menu,
    positions,
    valid_counts,
)
from filterproof.filters.rules.unsound import UnsoundFilterWarning
from filterproof.mc.losses.composition import Composition, counts_of
from filterproof.theory.guarantees import ApproxDP
from filterproof.theory.pairs import DominatingPair
from filterproof.theory.pairs.base import Direction
from filterproof.theory.rounding import round_down_to_bits

#: The relative width of the bounds on a composition for a decision, and for a first look.
_WIDTH, _ROUGHLY = 5e-3, 0.1
#: Bits of the bound that is compared with delta: of its 53 bits, about the last nine depend on the processor.
_BITS = 30
#: The most uses of a mechanism that are counted, and the first guess.
_MAX_USES, _FIRST = 2**24, 32


@dataclass(frozen=True, slots=True, repr=False)
class AccountantFilter(PrivacyFilter):
    """Grants a request of a menu while all granted mechanisms, composed, and the request are (epsilon, delta)-DP.

        H_{e^epsilon}(composition of granted mechanisms and request) <= delta

    Training code that stops when an accountant's epsilon passes its target follows this rule.

    Parameters
    ----------
    epsilon : float
        In nats, > 0.
    delta : float
        In (0, 1).
    menu : tuple of DominatingPair
        The mechanisms that may be requested, each of shape (). Others are denied.

    Raises
    ------
    ValueError
        If an argument is out of range.

    Warns
    -----
    UnsoundFilterWarning
        If the menu has several mechanisms.

    Notes
    -----
    With one mechanism on the menu the guarantee is true. With several, the adversary chooses the next mechanism by
    earlier outputs, and the composition theorem covers only mechanisms fixed in advance: an adaptive choice can exceed
    delta. The state counts the uses of each mechanism, int array of shape (n, len(menu)). The upper bound on the
    composition is rounded up to 30 bits, because its last bits depend on the processor. Two processors may disagree
    only if delta and a bound lie next to the same number of 30 bits.
    """

    epsilon: float
    delta: float
    menu: tuple[DominatingPair, ...]
    promise = cached_property(lambda self: ApproxDP(self.epsilon, self.delta))
    order_free: ClassVar[bool] = True
    proof: ClassVar[str] = "for one mechanism, the composition is the transcript; no proof for several"
    sound: ClassVar[bool | None] = None

    def __post_init__(self) -> None:
        store_checked_parameters(self, epsilon=one_positive, delta=one_delta)
        object.__setattr__(self, "menu", checked_menu(self.menu))
        if len(self.menu) > 1:
            warnings.warn(
                "the guarantee of AccountantFilter covers mechanisms fixed in advance; with several on its menu an "
                "adaptive choice can exceed it",
                UnsoundFilterWarning,
                stacklevel=3,
            )

    def start(self, n: int) -> NDArray[Any]:
        return np.zeros((n, len(self.menu)), dtype=np.int64)

    def admits(self, state: NDArray[Any], request: DominatingPair) -> NDArray[Any]:
        place = positions(self.menu, request, len(state))
        after, runs = distinct_rows(counts_after_use(state, place))
        within = np.array(
            [first <= _grants_left(self, tuple(rest)) for first, *rest in after], dtype=np.bool_
        )
        return np.asarray(within[runs] & (place >= 0))

    def spend(self, state: NDArray[Any], request: DominatingPair) -> NDArray[Any]:
        return counts_after_use(state, positions(self.menu, request, len(state)))

    def is_reachable_state(self, state: NDArray[Any]) -> NDArray[Any]:
        return valid_counts(state, len(self.menu))

    def remaining(self, state: NDArray[Any]) -> NDArray[np.float64]:
        """Return the number of further uses of the menu's first mechanism in each run."""
        return np.array(
            [max(_grants_left(self, tuple(rest)) - first, 0) for first, *rest in state.tolist()], dtype=float
        )

    def affordable(self, state: NDArray[Any], family: MechanismFamily) -> NDArray[np.float64]:
        return largest_affordable_on_menu(self, self.menu, state, family)


@lru_cache(maxsize=1 << 16)
def _composition_fits(filt: AccountantFilter, counts: tuple[int, ...]) -> bool:
    """Whether the composition of these counts of the menu is certainly (epsilon, delta)-DP."""
    if not (released := counts_of(filt.menu, counts)):
        return True
    steps = Composition(released)
    ways: list[Direction] = ["PQ"] if all(pair.swapped == pair for pair in released) else ["PQ", "QP"]
    for way in ways:
        for relative in (_ROUGHLY, _WIDTH):  # a rough look, if it decides
            bounds = steps.delta(filt.epsilon, relative=relative, direction=way)
            if (within := -round_down_to_bits(-bounds.high, _BITS) <= filt.delta) or bounds.low > filt.delta:
                break
        if not within:
            return False
    return True


@lru_cache(maxsize=1 << 16)
def _grants_left(filt: AccountantFilter, rest: tuple[int, ...]) -> int:
    """Return how often the first mechanism may be used with the given uses of the others; -1 if these are too many.

    It is a function of `rest` alone, independent of earlier calls: the bounds on a composition are not monotone to the
    last digit, and the same request must get the same answer.
    """
    most, guess = _MAX_USES, _FIRST
    if any(rest):
        half, quarter = (tuple(count // parts for count in rest) for parts in (2, 4))
        # half the uses of the others allow at least as many, up to the width of the bounds; and the limit lies near the
        # line through a quarter and half
        most, before = _grants_left(filt, half), _grants_left(filt, quarter)
        near, far = sum(half) - sum(quarter), sum(rest) - sum(half)
        guess = most - (before - most) * far // near if near else most - 1
    start = min(max(guess, 0), most)
    low, high, step = start, start + 1, 1
    while low >= 0 and not _composition_fits(filt, (low, *rest)):
        low, high, step = (max(low - step, 0) if low else -1), low, 2 * step
    if low < 0:
        return -1
    step = 1
    while low >= start and high <= most and _composition_fits(filt, (high, *rest)):
        low, high, step = high, min(high + step, most + 1), 2 * step
    return low + bisect_left(
        range(low + 1, high), True, key=lambda count: not _composition_fits(filt, (count, *rest))
    )
