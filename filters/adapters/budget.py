"""A budget that is spent: an object that grants a cost, or refuses it with an exception or a no.

>>> import filterproof as fp
>>> class Purse:
...     left = 1.0
...     def spend(self, epsilon):
...         if epsilon > self.left:
...             raise LookupError("too dear")
...         self.left -= epsilon
>>> filt = fp.from_budget(
...     Purse, lambda purse, pair: purse.spend(float(pair.pure_epsilon)), fp.PureDP(1.0), denied=LookupError
... )
>>> session = filt.open("retry")
>>> [session.request(fp.RandomizedResponse(size)) for size in (0.75, 0.5, 0.25)]
[True, False, True]
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from filters.adapters.copied import CopiedFilter
from filters.adapters.counted import CountedFilter
from filters.adapters.denial import Denied, checked_denied, is_denial, is_no
from filters.adapters.foreign import Foreign, checked_callable, checked_make
from filters.privacy_filter import PrivacyFilter
from theory.guarantees import Guarantee
from theory.pairs import DominatingPair

__all__ = ["SpendingObject", "from_budget"]


class SpendingObject(Foreign):
    """An object that is asked by spending: `spend` returns False or raises what `denied` names, or else grants."""

    composes = False

    def __init__(
        self,
        make: Callable[[], Any],
        spend: Callable[[Any, Any], object],
        promise: Guarantee,
        denied: Denied,
        spent: Callable[[Any], float] | None,
    ) -> None:
        self.make = make
        self._spend, self._denied, self._spent, self.promise = spend, denied, spent, promise
        self.name = f"the decisions of {checked_make(make)}"

    def granted(self, held: Any, pair: DominatingPair) -> bool:
        try:
            answered = self._spend(held, pair)
        except Exception as refused:
            if not is_denial(refused, self._denied):
                raise
            return False
        return not is_no(answered)

    def replayed(self, held: Any, pair: DominatingPair, count: int) -> bool:
        return all(self.granted(held, pair) for _ in range(count))

    def spent(self, held: Any) -> float | None:
        return None if self._spent is None else float(self._spent(held))


def from_budget(
    make: Callable[[], Any],
    spend: Callable[[Any, Any], object],
    promise: Guarantee,
    *,
    menu: tuple[DominatingPair, ...] | None = None,
    denied: Denied = (),
    spent: Callable[[Any], float] | None = None,
) -> PrivacyFilter:
    """The filter that grants what `spend(budget, pair)` grants: everything but False and what `denied` names.

    make() gives a fresh budget. `denied` holds the exceptions that mean a denial, or says of an exception whether it
    does; every other one is raised. `spent(budget)` is what it says it has spent, for `laws_for_accountants`. With a
    menu the state is how often each pair was used, else it is the budget, copied for each request. Raises TypeError
    for arguments of the wrong kind, ValueError if make gives one object twice.
    """
    for name, value in (("make", make), ("spend", spend)):
        checked_callable(name, value)
    foreign = SpendingObject(make, spend, promise, checked_denied(denied), spent)
    return CopiedFilter(foreign) if menu is None else CountedFilter(foreign, menu)
