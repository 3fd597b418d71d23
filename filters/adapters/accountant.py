"""The accountant's rule: go on while what an accountant answers, the request included, is within the target.

>>> import filterproof as fp
>>> from dp_accounting import GaussianDpEvent, rdp
>>> filt = fp.from_accountant(
...     rdp.RdpAccountant,
...     lambda pair: GaussianDpEvent(1 / pair.mu),
...     fp.ApproxDP(1.0, 1e-5),
...     menu=(fp.Gaussian(0.1),),
... )
>>> session = filt.open("retry")
>>> sum(session.request(fp.Gaussian(0.1)) for _ in range(10))
6
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from filters.adapters.copied import CopiedFilter
from filters.adapters.counted import CountedFilter
from filters.adapters.foreign import Foreign, checked_callable, checked_make, limit_of
from filters.privacy_filter import PrivacyFilter
from theory.guarantees import ApproxDP, Guarantee, PureDP
from theory.pairs import DominatingPair

__all__ = ["from_accountant"]


class _Accountant(Foreign):
    composes = True

    def __init__(
        self,
        make: Callable[[], Any],
        event: Callable[[Any], Any],
        target: Guarantee,
        compose: Callable[[Any, Any, int], object],
        spent: Callable[[Any], float],
    ) -> None:
        self.make = make
        self._event, self._compose, self._spent = event, compose, spent
        self.promise, self._limit = target, limit_of(target)
        self.name = f"the rule of {checked_make(make)}"

    def granted(self, held: Any, pair: DominatingPair) -> bool:
        self.replayed(held, pair, 1)
        return self.spent(held) <= self._limit

    def replayed(self, held: Any, pair: DominatingPair, count: int) -> bool:
        self._compose(held, self._event(pair), count)
        return True

    def spent(self, held: Any) -> float:
        answered = float(self._spent(held))
        if math.isnan(answered):
            raise ValueError(
                f"{self.name} must answer with a number, got nan; leave the request out of the menu"
            )
        return answered


def from_accountant(
    make: Callable[[], Any],
    event: Callable[[Any], Any],
    target: Guarantee,
    *,
    menu: tuple[DominatingPair, ...] | None = None,
    compose: Callable[[Any, Any, int], object] | None = None,
    spent: Callable[[Any], float] | None = None,
) -> PrivacyFilter:
    """The filter that goes on while `spent(accountant) <= target` after all uses so far and the request.

    make() gives a fresh accountant, event(pair) what it composes for a mechanism that the pair describes, and
    compose(accountant, event, count) composes it: `accountant.compose(event, count)` by default. spent(accountant) is
    in the unit of the target, its epsilon, rho or mu, in nats: `accountant.get_epsilon(target.delta)` by default. An
    event that the accountant does not support raises what it raises, and NaN raises ValueError; neither is a denial.
    With a menu the state is how often each pair was used, else it is the accountant, copied for each request.
    Whether the accountant's numbers, or the rule, keep the target is what `fp.verify` and `laws_for_accountants` ask.
    Raises TypeError for arguments of the wrong kind, ValueError if make gives one object twice.
    """
    for name, value in (("make", make), ("event", event)):
        checked_callable(name, value)
    if spent is None:
        if not isinstance(target, (ApproxDP, PureDP)):
            raise TypeError(
                f"spent must be given for the target {target}, got None; pass what is compared with it"
            )
        delta = target.delta_at_epsilon if isinstance(target, ApproxDP) else 0.0
        spent = lambda accountant: accountant.get_epsilon(delta)  # noqa: E731
    if compose is None:
        compose = lambda accountant, one, count: accountant.compose(one, count)  # noqa: E731
    foreign = _Accountant(make, event, target, compose, spent)
    return CopiedFilter(foreign) if menu is None else CountedFilter(foreign, menu)
