"""The overspending filter: it admits more than it promises, on all or some paths, to test the tools that detect it.

>>> from theory.guarantees import ZCDP
>>> from theory.pairs import Gaussian
>>> session = OverspendingFilter(ZCDP(0.5), word=None, rho=0.5, factor=2.0).open("retry")
>>> [session.request(Gaussian(mu=1.0)) for _ in range(3)]
[True, True, False]
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from filters.contract.holds import Holds
from filters.privacy_filter import PrivacyFilter
from theory.arguments import Real
from theory.guarantees import Guarantee
from theory.pairs import DominatingPair

#: Relative allowance for rounding: this filter adds up doubles directly, as a user's own filter may.
_ROUNDING = 1e-12

_State = tuple[NDArray[Any], NDArray[Any], NDArray[Any]]


@dataclass(frozen=True, slots=True)
class OverspendingFilter(PrivacyFilter[_State]):
    """CONT while sum_t rho_t <= rho and sum_t d_t <= infinite, with rho_t and d_t those of the t-th mechanism.

    The planted fault: both budgets are multiplied by `factor` on runs whose first loss is below `below`, on all runs
    if that is inf. rho_t is the zCDP parameter of the finite losses, d_t = P(loss is inf). `word` is the filter's
    `holds`, true or false.
    """

    promise: Guarantee
    word: Holds | None
    rho: float
    infinite: float = 0.0
    factor: float = 1.0
    below: float = math.inf
    proof: ClassVar[str] = "false where factor > 1: it is made to overspend"
    sound: ClassVar[bool | None] = False

    @property
    def holds(self) -> Holds | None:
        return self.word

    @property
    def looks_at_losses(self) -> bool:
        """Whether it overspends on some paths only."""
        return self.below < math.inf

    def start(self, n: int) -> _State:
        return np.zeros(n), np.zeros(n), np.full(n, np.nan)

    def admits(self, state: _State, request: DominatingPair) -> NDArray[Any]:
        spent, met, first = state
        rho, infinite = _costs(request)
        # before its first loss (NaN) a run is held to the promise, unless all runs overspend
        lavish = np.where((first < self.below) | (self.below == math.inf), self.factor, 1.0)
        most = lavish * (1 + _ROUNDING)
        within: NDArray[np.bool_] = (spent + rho <= self.rho * most) & (
            met + infinite <= self.infinite * most
        )
        return within

    def spend(self, state: _State, request: DominatingPair) -> _State:
        rho, infinite = _costs(request)
        return state[0] + rho, state[1] + infinite, state[2].copy()

    def observe(self, state: _State, loss: NDArray[Any]) -> _State:
        return state[0], state[1], np.where(np.isnan(state[2]), loss, state[2])


def _costs(request: DominatingPair) -> tuple[Real, Real]:
    own = request.kov
    rho = request.zcdp_rho if own is None else own.epsilon * own.epsilon / 2
    return rho, request.infinite_mass
