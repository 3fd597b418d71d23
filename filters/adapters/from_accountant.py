"""The accountant's rule: continue while the accountant's answer, including the request, is within the target.

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

from filterproof.filters.adapters.foreign import (
    ForeignObject,
    Menu,
    checked_callable,
    checked_made_name,
    checked_release_callback,
    filter_of,
    spending_limit,
)
from filterproof.filters.privacy_filter import PrivacyFilter
from filterproof.theory.guarantees import ApproxDP, Guarantee, PureDP
from filterproof.theory.pairs import DominatingPair


def from_accountant(
    make: Callable[[], Any],
    event: Callable[[Any], Any],
    target: Guarantee,
    *,
    menu: Menu | None = None,
    compose: Callable[[Any, Any, int], object] | None = None,
    spent: Callable[[Any], float] | None = None,
    released: Callable[[Any, Any, float], object] | None = None,
) -> PrivacyFilter:
    """Create a filter from a privacy accountant of another library.

    The filter grants a request while::

        spent(accountant with all past events and the request) <= target

    Parameters
    ----------
    make : callable
        A function without arguments that returns a fresh accountant.
    event : callable
        A map from a dominating pair to an event that the accountant composes.
    target : Guarantee
        The promise of the filter. Its epsilon, rho or mu is the limit, in nats.
    menu : tuple of DominatingPair, or mapping of names to them, optional
        The pairs that requests may use; an examination uses the names. The state is then the number of uses of each
        pair. Without a menu it is the accountant, copied for each request.
    compose : callable, optional
        compose(accountant, event, count) composes an event. Default: `accountant.compose(event, count)`.
    spent : callable, optional
        spent(accountant) is a number in the unit of the target. Default: `accountant.get_epsilon(target.delta)`.
    released : callable, optional
        released(accountant, pair, loss) tells the accountant the realised loss of each release, as in `from_budget`.

    Returns
    -------
    PrivacyFilter

    Raises
    ------
    TypeError
        If an argument has the wrong type.
    ValueError
        If `make` returns the same object twice, or `spent` returns NaN.

    Notes
    -----
    An exception of the accountant, such as for an unsupported event, is raised and is no denial. `fp.verify` and
    `fp.invariants_for_accountants` test whether the accountant and the rule guarantee the target.
    """
    checked_callable("event", event)
    class_name, limit = checked_made_name(make), spending_limit(target)
    if spent is None:
        if not isinstance(target, (ApproxDP, PureDP)):
            raise TypeError(
                f"spent must be given for the target {target}, got None; pass the function whose value is "
                "compared with the target"
            )
        spent = methodcaller("get_epsilon", target.delta_at_epsilon if isinstance(target, ApproxDP) else 0.0)
    foreign = _AccountantAdapter(
        make, class_name, target, event, compose, spent, limit, on_release=checked_release_callback(released)
    )
    return filter_of(foreign, menu)


@dataclass(frozen=True, eq=False)
class _AccountantAdapter(ForeignObject):
    """An object that records releases and whose answers are compared with the target."""

    event: Callable[[Any], Any]
    compose: Callable[[Any, Any, int], object] | None
    reported_spent: Callable[[Any], float]
    limit: float
    composes, rule = True, "the rule"

    def granted(self, instance: Any, pair: DominatingPair) -> bool:
        self.replay_uses(instance, pair, 1)
        return self.spent(instance) <= self.limit

    def replay_uses(self, instance: Any, pair: DominatingPair, count: int) -> bool:
        if self.compose is None:
            instance.compose(self.event(pair), count)
        else:
            self.compose(instance, self.event(pair), count)
        return True

    def spent(self, instance: Any) -> float:
        total = float(self.reported_spent(instance))
        if math.isnan(total):
            raise ValueError(
                f"{self.class_name} must answer with a number, got nan; leave the request out of the menu"
            )
        return total
