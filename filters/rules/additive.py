"""Filters that grant a request while exact sums of charges are at most their budgets.

A new design states its guarantee and the charge of a request. The budget follows from both, rounded down. The
library computes the sum exactly.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from functools import lru_cache
from inspect import getattr_static
from reprlib import repr as short
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from filterproof.filters.accounting.charge_kinds import Charge, LinearCharge, PerRunCharge, SquaredCharge
from filterproof.filters.accounting.charge_rules import ChargeRule
from filterproof.filters.accounting.ledger import Budget, Sums, split_sums, step_sums
from filterproof.filters.contract.filter_base import MechanismFamily
from filterproof.filters.privacy_filter import PrivacyFilter
from filterproof.filters.rules.guarantee_budget import promised_budget
from filterproof.theory.conversions import CKS, Conversion
from filterproof.theory.extremal import LargestDivergence
from filterproof.theory.guarantees import GaussianDP, Guarantee, PureDP
from filterproof.theory.numerics.error_free import Exact
from filterproof.theory.pairs import DominatingPair
from filterproof.theory.rounding import next_above, round_down_tiny_products

_CHARGES = (LinearCharge, SquaredCharge, PerRunCharge)
#: Cached by the function: a run store would take a cache in a filter for a part of the rule.
_cached_budget = lru_cache(maxsize=256, typed=True)(promised_budget)
#: The relative part of the exact root that `affordable` leaves unspent, to cover all rounding.
_ROUND_DOWN_FACTOR = 1 - 2.0**-50
#: Below this share of the budget the reduction no longer covers the rounding of the sum, so each answer is tested.
_SMALL_SHARE = 2.0**-40


class _BudgetFromPromise:
    """The default of the attribute `budget`: it follows from the guarantee and the charge."""

    def __get__(self, filt: AdditiveFilter | None, kind: type[AdditiveFilter]) -> Budget:
        owner: Any = kind if filt is None else filt
        promise, charge, conversion = getattr(owner, "promise", None), owner.charge, owner.conversion
        if not isinstance(charge, ChargeRule) or not isinstance(promise, Guarantee):
            raise AttributeError(
                f"{kind.__name__}.budget must be set unless promise and charge determine it, got "
                f"promise={promise!r} and charge={getattr(charge, '__name__', charge)!r}; "
                "set budget = fp.Budget.of(...), or a promise and charge = fp.zcdp_charge"
            )
        return _cached_budget(charge, promise, conversion)


class SumsFilter(PrivacyFilter[Any]):
    """A filter that grants a request while each of k exact sums of charges is at most a budget of its own.

    A subclass defines the budget of each sum and the charge of a request for each sum.
    """

    order_free: ClassVar[bool] = True

    @property
    @abstractmethod
    def _sum_budgets(self) -> tuple[Budget, ...]:
        """The budget of each sum."""

    @abstractmethod
    def _sum_charges(self, request: DominatingPair) -> tuple[Charge, ...]:
        """Return the charge of a request for each sum."""

    def _enough_fit(self, fits: NDArray[np.bool_]) -> NDArray[Any]:
        """Return whether a run with these sums within their budgets, shape (sums, n), is admitted."""
        return np.asarray(fits.all(axis=0))

    def start(self, n: int) -> Sums:
        return tuple(part for budget in self._sum_budgets for part in budget.start(n))

    def step(self, state: Any, request: DominatingPair) -> tuple[NDArray[Any], Any]:
        fits, after = step_sums(self._sum_budgets, state, self._sum_charges(request))
        return self._enough_fit(fits), after

    #: Not `self.step`: the `step` of a subclass may call `admits` and `spend`.
    _decide_and_charge = step

    def admits(self, state: Any, request: DominatingPair) -> NDArray[Any]:
        return self._decide_and_charge(state, request)[0]

    def spend(self, state: Any, request: DominatingPair) -> Any:
        return self._decide_and_charge(state, request)[1]

    def is_reachable_state(self, state: Any) -> NDArray[Any]:
        pairs = zip(self._sum_budgets, split_sums(state), strict=True)
        return self._enough_fit(np.array([budget.is_reachable_state(pair) for budget, pair in pairs]))

    def remaining(self, state: Any) -> NDArray[np.float64]:
        """Return the largest further charge of the first sum, in its unit, rounded down: shape (n,)."""
        return self._sum_budgets[0].left(state[:2])


class AdditiveFilter(SumsFilter):
    """A filter that grants a request while the exact sum of all charges is at most the budget.

    A subclass sets `promise` and `charge`, as class attributes or in its constructor::

        sum_{s <= t} charge(request_s) <= budget

    Attributes
    ----------
    promise : Guarantee
        The guarantee of the transcript.
    charge : ChargeRule or method
        One of `pure_charge`, `zcdp_charge`, `gdp_charge` and `renyi_charge.at(alpha)`; or a method `charge(self,
        request)` that returns `fp.charges.LinearCharge(x)`, or `fp.charges.SquaredCharge(x)` for x^2.
    budget : Budget
        The largest sum of charges. With a charge rule the default is the largest budget from which a theorem gives the
        promise, rounded down. With a method it has to be set.
    conversion : Conversion
        The conversion to (epsilon, delta)-DP: CKS (the default) or BUN_STEINKE.

    Raises
    ------
    ValueError
        When the class is created, if no theorem derives the promise from the charge rule.

    See Also
    --------
    fp.Budget : the exact comparison and its error bound.

    Notes
    -----
    With a charge method, `proof` should cite the theorem that derives the promise from the sum. A number that a pair
    declares should first pass through `filterproof.filters.accounting.declared_charges.nonneg_or_inf`, which turns NaN
    and negative numbers into inf: `SquaredCharge(nonneg_or_inf(request.gdp_mu))`.

    Examples
    --------
    >>> import filterproof as fp
    >>> class PureFilter(fp.AdditiveFilter):
    ...     promise = fp.PureDP(1.0)
    ...     charge = fp.pure_charge
    >>> session = PureFilter().open("retry")
    >>> [session.request(fp.RandomizedResponse(epsilon)) for epsilon in (0.6, 0.6, 0.4)]
    [True, False, True]
    """

    conversion: Conversion = CKS

    if TYPE_CHECKING:
        budget: Budget
        #: The charge of a request, for all runs or one per run.
        charge: Callable[[DominatingPair], Charge]
    else:
        budget = _BudgetFromPromise()

        def charge(self, request: DominatingPair) -> Charge:
            """Return the charge of `request`, for all runs or one per run."""
            raise TypeError(
                f"{type(self).__name__}.charge must be set, got none; set e.g. charge = fp.zcdp_charge"
            )

    def __init_subclass__(cls, **given: Any) -> None:
        super().__init_subclass__(**given)
        if not isinstance(getattr(cls, "promise", None), Guarantee) or not isinstance(cls.charge, ChargeRule):
            return
        if isinstance(getattr_static(cls, "budget", None), _BudgetFromPromise):
            promised_budget(cls.charge, cls.promise, cls.conversion)

    def _square_scale(self, family: MechanismFamily) -> float | None:
        """Return the scale with charge(family(t)) = scale t^2, or None if the charge is no such square."""
        charge: object = self.charge
        return charge.square_scale(family) if isinstance(charge, ChargeRule) else None

    def extremal(self, epsilon: float) -> LargestDivergence:
        """Return the mechanisms with the largest privacy loss at `epsilon`, by the bound on the sum of charges.

        With a charge rule the promise may be a consequence of that bound.
        """
        charge: object = self.charge
        # the mu of a sum of squares would be rounded
        if isinstance(charge, ChargeRule) and not isinstance(self.promise, GaussianDP):
            return charge.guarantee_for(self.budget.limit).extremal(epsilon)
        return self.promise.extremal(epsilon)

    @property
    def _sum_budgets(self) -> tuple[Budget, ...]:
        budget: object = self.budget
        if not isinstance(budget, Budget):
            raise TypeError(
                f"{type(self).__name__}.budget must be a Budget, got {short(budget)}; "
                "set e.g. budget = fp.Budget.of(0.5)"
            )
        return (budget,)

    def step(self, state: Exact, request: DominatingPair) -> tuple[NDArray[Any], Exact]:
        return self.budget.step(state, self._checked_charge(request))

    _decide_and_charge = step

    @property
    def _library_keeps_sum(self) -> bool:
        """Return whether the library's own code admits, charges and keeps the sum."""
        own = [
            getattr(type(self), name) is getattr(AdditiveFilter, name) for name in ("admits", "spend", "step")
        ]
        return all(own) and type(self.budget) is Budget

    def _sum_charges(self, request: DominatingPair) -> tuple[Charge]:
        return (self._checked_charge(request),)

    def _checked_charge(self, request: DominatingPair) -> Charge:
        cost: object = self.charge(request)
        if not isinstance(cost, _CHARGES):
            raise TypeError(
                f"{type(self).__name__}.charge must return a charge, got {short(cost)}; return "
                "fp.charges.LinearCharge(x), or fp.charges.SquaredCharge(x) for x^2, with x one number or one per run, "
                "shape (n,)"
            )
        return cost

    def remaining(self, state: Exact) -> NDArray[np.float64]:
        """Return the largest further charge, rounded down: shape (n,)."""
        return self.budget.left(state)

    def spent(self, state: Exact) -> Guarantee:
        """Return the guarantee that the charge rule gives for the sum of one run, rounded up."""
        charge: object = self.charge
        if not isinstance(charge, ChargeRule) or not self._library_keeps_sum:
            return PrivacyFilter.spent(self, state)
        total = self.budget.total(state)
        return charge.guarantee_for(total) if total > 0 else PureDP(0.0)

    def affordable(self, state: Exact, family: MechanismFamily) -> NDArray[np.float64]:
        """Return a t that is admitted and within a share 2^-49 of the largest, if family(t) costs scale t^2."""
        scale = self._square_scale(family)
        if scale is None:
            return PrivacyFilter.affordable(self, state, family)
        budget = self.budget
        room = budget.remaining_units(state)
        root = np.sqrt(room / scale)
        root = round_down_tiny_products(root * (_ROUND_DOWN_FACTOR * budget.sqrt_unit))
        untouched = state[0] == 0
        if untouched.any():
            # a user's budget may equal another and have other limits
            cached = type(budget) is Budget
            largest = _largest_root_of_fresh_run if cached else _largest_root_of_fresh_run.__wrapped__
            root[untouched] = largest(budget, scale)
        little = np.flatnonzero(room < budget.high * _SMALL_SHARE)
        if little.size:
            root[little] = _largest_fitting_root(
                budget, (state[0][little], state[1][little]), root[little], scale
            )
        return root


def _largest_fitting_root(
    budget: Budget, state: Exact, root: NDArray[np.float64], scale: float
) -> NDArray[np.float64]:
    """Return the first of root, root (1 - 2^-52), root (1 - 2^-51), ... whose charge fits, or 0."""
    best, left = np.zeros_like(root), np.arange(len(root))
    for bits in range(53, 2, -1):
        trial = root[left] * (1 - 2.0**-bits)
        fits = budget.fits((state[0][left], state[1][left]), SquaredCharge(trial, scale))
        best[left[fits]] = trial[fits]
        left = left[~fits]
        if not left.size:
            break
    return best


@lru_cache(maxsize=256)
def _largest_root_of_fresh_run(budget: Budget, scale: float) -> float:
    """Return the largest affordable root of a run that has spent nothing, exact to the last bit."""
    root = float(np.sqrt(budget.high / scale)) * budget.sqrt_unit
    for trial in (next_above(root), root, *root * (1 - 2.0**-52 * np.arange(1, 8))):
        if budget.fits(budget.start(1), SquaredCharge(float(trial), scale))[0]:
            return float(trial)
    return 0.0
