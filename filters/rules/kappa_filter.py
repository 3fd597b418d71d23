"""The kappa filter: it continues while the loss before the last release lies between -kappa and kappa.

>>> import filterproof as fp
>>> session, pair = KappaFilter(kappa=1.0, rounds=48).open(), fp.Gaussian(mu=0.5)
>>> session.request(pair), session.observe(1.5), session.request(pair), session.observe(0.0), session.request(pair)
(True, None, True, None, False)
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from filterproof.filters.contract.parameters import one_positive, store_checked_parameters
from filterproof.filters.privacy_filter import PrivacyFilter
from filterproof.theory.argument_checks import check_count
from filterproof.theory.guarantees import ApproxDP, Guarantee
from filterproof.theory.pairs import DominatingPair

_State = tuple[NDArray[Any], NDArray[Any], NDArray[Any]]


@dataclass(frozen=True, slots=True)
class KappaFilter(PrivacyFilter[_State]):
    """Continue to release i+1 while |l^{(i-1)}| < kappa, for at most `rounds` releases.

    l^{(i-1)} is the realised loss before release i: the decision does not use the last output. For i.i.d. mechanisms,
    Algorithm 1 of Taylor, Vippathalla & Coon (2025) reduces to this rule (their Proposition 1). The guarantee of a
    kappa depends on the mechanisms, so the filter itself has none; `filterproof.mc.worst_case.calibrate` finds kappa.

    The condition of Proposition 1 also holds at |l^{(i-1)}| = kappa. The filter stops there, because the loss is a sum
    of rounded numbers that may lie below the exact one.

    State: the loss before the last release, the loss of the last release, the number of releases.
    """

    kappa: float
    rounds: int
    promise: Guarantee = field(default=ApproxDP(0.0, 1.0), init=False, repr=False, compare=False)
    proof: ClassVar[str] = "the filter has no guarantee"

    def __post_init__(self) -> None:
        store_checked_parameters(self, kappa=one_positive, rounds=check_count)

    def start(self, n: int) -> _State:
        return np.zeros(n), np.zeros(n), np.zeros(n, dtype=np.int64)

    def admits(self, state: _State, request: DominatingPair) -> NDArray[Any]:
        before, _, released = state
        return np.asarray((np.abs(before) < self.kappa) & (released < self.rounds))

    def spend(self, state: _State, request: DominatingPair) -> _State:
        before, last, released = state
        return before + last, np.zeros_like(last), released + 1

    def is_reachable_state(self, state: _State) -> NDArray[Any]:
        before, last, released = state
        valid = (released >= 0) & (released <= self.rounds) & ~np.isnan(before) & ~np.isnan(last)
        valid &= ((before == 0) | (released > 1)) & ((last == 0) | (released > 0))
        return np.asarray(valid)

    def observe(self, state: _State, loss: NDArray[Any]) -> _State:
        before, _, released = state
        return before, np.asarray(loss, dtype=np.float64), released
