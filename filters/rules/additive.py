"""The filter that adds: a request is granted while the exact sum of all charges stays within a budget.

A design of one's own says what it promises, what the budget is and what a request costs:

    >>> from filters.accounting import Budget, Charge, Plain
    >>> from theory import PureDP, RandomizedResponse
    >>> class Tenth(AdditiveFilter):
    ...     promise = PureDP(1.0)
    ...     budget = Budget.of(1.0)
    ...
    ...     def charge(self, request: DominatingPair) -> Charge:
    ...         return Plain(request.pure_epsilon)
    >>> session = Tenth().open("retry")
    >>> [session.request(RandomizedResponse(epsilon)) for epsilon in (0.6, 0.6, 0.4, 1e-300)]
    [True, False, True, False]

There is no sum to write, and none to get wrong by rounding.
"""

from __future__ import annotations

from abc import abstractmethod
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from filters.accounting.amounts import Charge, Square
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
    """CONT while the sum of charges is at most the budget, exactly: see `Budget` for what no rounding can do.

    A subclass sets `promise` and `budget`, as attributes of the class or in its constructor, and defines
    `charge(request)`. Charges are `Plain(x)`, `Square(x)` for x^2, or those that filters of this package use:
    `zcdp_charge(request)`, `gdp_charge(request)`, `renyi_charge(request, alpha)`. That the sum bounds what was
    promised is the theorem that the subclass cites in `proof`. A number that a pair declares goes through `proper`
    first, so that one that is NaN or below zero is infinite: `Square(proper(request.gdp_mu))`.
    """

    budget: Budget
    order_free: ClassVar[bool] = True

    @abstractmethod
    def charge(self, request: DominatingPair) -> Charge:
        """What `request` costs, for all runs or one per run."""

    def _scale(self, family: MechanismFamily) -> float | None:
        """The scale with charge(family(t)) = scale t^2, None where the charge is no such square."""
        return None

    def __repr__(self) -> str:
        # a saved session is restored under the same budget or not at all
        given = {"promise": getattr(self, "promise", None), "budget": getattr(self, "budget", None)}
        given |= getattr(self, "__dict__", {})
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in given.items())})"

    def start(self, n: int) -> Exact:
        return self.budget.start(n)

    def admits(self, state: Exact, request: DominatingPair) -> NDArray[Any]:
        return self.budget.fits(state, self.charge(request))

    def spend(self, state: Exact, request: DominatingPair) -> Exact:
        return self.budget.add(state, self.charge(request))

    def grant(self, state: Exact, request: DominatingPair) -> tuple[NDArray[Any], Exact | None]:
        kind = type(self)
        if kind.admits is not AdditiveFilter.admits or kind.spend is not AdditiveFilter.spend:
            return PrivacyFilter.grant(self, state, request)  # a subclass with rules of its own
        return self.budget.step(state, self.charge(request))

    def reaches(self, state: Exact) -> NDArray[Any]:
        return self.budget.reaches(state)

    def remaining(self, state: Exact) -> NDArray[np.float64]:
        """The largest further charge, rounded down."""
        return self.budget.left(state)

    def affordable(self, state: Exact, family: MechanismFamily) -> NDArray[np.float64]:
        """A t that is admitted and within 2^-49 of the largest, relatively, where family(t) is charged scale t^2."""
        scale = self._scale(family)
        if scale is None:
            return PrivacyFilter.affordable(self, state, family)
        budget = self.budget
        room = budget.room(state)
        root = np.sqrt(room / scale)
        root *= _SHAVE * budget.root_unit
        untouched = state[0] == 0
        if untouched.any():
            root[untouched] = _largest_first(budget, scale)
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
def _largest_first(budget: Budget, scale: float) -> float:
    """The largest affordable root of a run that has spent nothing: to the last bit, for people look at it."""
    root = float(np.sqrt(budget.high / scale)) * budget.root_unit
    for trial in (np.nextafter(root, np.inf), root, *root * (1 - 2.0**-52 * np.arange(1, 8))):
        if budget.fits(budget.start(1), Square(float(trial), scale))[0]:
            return float(trial)
    return 0.0
