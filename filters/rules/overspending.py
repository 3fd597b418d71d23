"""A filter that lets more through than it promises, on some paths, for tools to be tried on."""

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
from theory.pairs import KOV, DominatingPair

__all__ = ["OverspendingFilter"]

#: What sums may lose to rounding, relative: a plain sum of doubles decides here, as in a stranger's filter.
_ROUNDING = 1e-12

_State = tuple[NDArray[Any], NDArray[Any], NDArray[Any]]


@dataclass(frozen=True, slots=True)
class OverspendingFilter(PrivacyFilter[_State]):
    """CONT while sum_t rho_t <= rho, or <= factor rho on runs whose first loss is below `below`: a planted fault.

    The losses' part of the budget only: infinite masses must add up to `infinite` at most, or to factor times that.
    `word` is what it says that it holds every path to, truly or not. rho_t is the zCDP parameter of the t-th
    mechanism's finite losses.
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
        # a run that has seen no loss yet is held to the promise, unless all are let through
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
    rho: Real = request.epsilon * request.epsilon / 2 if isinstance(request, KOV) else request.zcdp_rho
    return rho, request.infinite_mass
