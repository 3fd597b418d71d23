"""Filters that compare a running sum of charges with a budget."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import field
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from filters.accounting.amounts import Square
from filters.accounting.charges import Charge
from filters.accounting.error_free import Exact
from filters.accounting.ledger import Budget
from filters.contract.filter_base import MechanismFamily
from filters.privacy_filter import PrivacyFilter
from theory.pairs import DominatingPair

__all__ = ["AdditiveFilter"]

#: What `affordable` leaves unspent of the exact root, relative: it outweighs every rounding on the way.
_SHAVE = 1 - 2.0**-50
#: Below this share of the budget the shave no longer outweighs the rounding of the sum, so each answer
#: is tried.
_LITTLE = 2.0**-40


class AdditiveFilter(PrivacyFilter[Exact]):
    """CONT while the sum of charges stays within the budget; arithmetic and state are those of `Budget`.

    A subclass is a frozen dataclass that sets `_budget`, says what it charges and, for families whose
    charge is scale t^2, gives that scale.
    """

    _budget: Budget = field(init=False, repr=False, compare=False)
    order_free: ClassVar[bool] = True

    @abstractmethod
    def charge(self, request: DominatingPair) -> Charge:
        """What `request` costs, per run or shared."""

    def _scale(self, family: MechanismFamily) -> float | None:
        """The scale with charge(family(t)) = scale t^2, None where the charge is no such square."""
        return None

    def start(self, n: int) -> Exact:
        return self._budget.start(n)

    def admits(self, state: Exact, request: DominatingPair) -> NDArray[Any]:
        return self._budget.fits(state, self.charge(request))

    def spend(self, state: Exact, request: DominatingPair) -> Exact:
        return self._budget.add(state, self.charge(request))

    def reaches(self, state: Exact) -> NDArray[Any]:
        return self._budget.reaches(state)

    def decide(self, state: Exact, request: DominatingPair) -> tuple[NDArray[Any], Exact | None]:
        kind = type(self)
        if kind.admits is not AdditiveFilter.admits or kind.spend is not AdditiveFilter.spend:
            return PrivacyFilter.decide(self, state, request)  # a subclass with rules of its own
        return self._budget.step(state, self.charge(request))

    def affordable(self, state: Exact, family: MechanismFamily) -> NDArray[np.float64]:
        scale = self._scale(family)
        if scale is None:
            return PrivacyFilter.affordable(self, state, family)
        budget = self._budget
        room = budget.room(state)
        root = np.sqrt(room / scale)
        root *= _SHAVE * budget.root_unit
        untouched = state[0] == 0
        if untouched.any():
            root[untouched] = _largest_first(self, scale)
        little = np.flatnonzero(room < budget.high * _LITTLE)
        if little.size:
            root[little] = _shaved(budget, (state[0][little], state[1][little]), root[little], scale)
        return root


def _shaved(budget: Budget, state: Exact, root: NDArray[np.float64], scale: float) -> NDArray[np.float64]:
    """The first of root, root (1 - 2^-52), root (1 - 2^-51), ... whose charge fits; 0 where none does."""
    best = np.zeros_like(root)
    for bits in range(53, 2, -1):
        trial = root * (1 - 2.0**-bits)
        np.copyto(best, trial, where=(best == 0) & budget.fits(state, Square(trial, scale)))
    return best


@lru_cache(maxsize=256)
def _largest_first(filt: AdditiveFilter, scale: float) -> float:
    """The largest affordable root of a run that has spent nothing: to the last bit, for people look at it."""
    budget, start = filt._budget, filt.start(1)
    root = float(np.sqrt(budget.high / scale)) * budget.root_unit
    for trial in (np.nextafter(root, np.inf), root, *root * (1 - 2.0**-52 * np.arange(1, 8))):
        if budget.fits(start, Square(float(trial), scale))[0]:
            return float(trial)
    return 0.0
