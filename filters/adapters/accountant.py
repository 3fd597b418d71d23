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
from dataclasses import dataclass
from operator import methodcaller
from typing import Any

from filterproof.filters.adapters.foreign import Foreign, checked_callable, checked_make, filter_of, limit_of
from filterproof.filters.privacy_filter import PrivacyFilter
from filterproof.theory.guarantees import ApproxDP, Guarantee, PureDP
from filterproof.theory.pairs import DominatingPair


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
    Whether the accountant's numbers, or the rule, keep the target is what `fp.verify` and `invariants_for_accountants`
    ask.
    Raises TypeError for arguments of the wrong kind, ValueError if make gives one object twice.
    """
    checked_callable("event", event)
    name, limit = f"the rule of {checked_make(make)}", limit_of(target)
    if spent is None:
        if not isinstance(target, (ApproxDP, PureDP)):
            raise TypeError(
                f"spent must be given for the target {target}, got None; pass what is compared with it"
            )
        spent = methodcaller("get_epsilon", target.delta_at_epsilon if isinstance(target, ApproxDP) else 0.0)
    return filter_of(_Accountant(make, name, target, event, compose, spent, limit), menu)


@dataclass(frozen=True, eq=False)
class _Accountant(Foreign):
    """An object that is told what is released, and whose answers are compared with the target."""

    event: Callable[[Any], Any]
    compose: Callable[[Any, Any, int], object] | None
    says: Callable[[Any], float]
    limit: float
    composes = True

    def granted(self, held: Any, pair: DominatingPair) -> bool:
        self.replayed(held, pair, 1)
        return self.spent(held) <= self.limit

    def replayed(self, held: Any, pair: DominatingPair, count: int) -> bool:
        if self.compose is None:
            held.compose(self.event(pair), count)
        else:
            self.compose(held, self.event(pair), count)
        return True

    def spent(self, held: Any) -> float:
        total = float(self.says(held))
        if math.isnan(total):
            raise ValueError(
                f"{self.name} must answer with a number, got nan; leave the request out of the menu"
            )
        return total
