"""Filters that overspend, each with an adversary that exploits it and the divergence that it then reaches."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import integrate, special

from filterproof.filters import ApproximateZCDP, GuaranteeScope, PrivacyFilter
from filterproof.mc.engine.adversary import Adversary, AdversaryView
from filterproof.mc.losses.composition import Composition
from filterproof.theory.argument_checks import Real
from filterproof.theory.conversions import CKS
from filterproof.theory.guarantees import ZCDP, ApproxDP, GaussianDP, Guarantee, RenyiDP
from filterproof.theory.pairs import KOV, DominatingPair, Gaussian
from filterproof.theory.pairs.base import Direction

#: Nodes of the rule on each piece of an integral, at most half a standard deviation wide where a Gaussian weighs.
_NODES = 40
#: What a filter promises, and whether it says what it holds every path to.
Promised: TypeAlias = Literal["zCDP", "zCDP, no word", "GDP", "Rényi", "approximate", "approximate zCDP"]


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
    word: GuaranteeScope | None
    rho: float
    infinite: float = 0.0
    factor: float = 1.0
    below: float = math.inf
    proof: ClassVar[str] = "false where factor > 1: it is made to overspend"
    sound: ClassVar[bool | None] = False

    @property
    def holds(self) -> GuaranteeScope | None:
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


@dataclass(frozen=True, slots=True)
class FirstThen(Adversary):
    """Asks for `first` once and for `then` ever after; `telling` says whether `possible_requests` states the two
    pairs."""

    first: DominatingPair
    then: DominatingPair
    telling: bool = True

    @property
    def possible_requests(self) -> tuple[DominatingPair, ...] | None:
        return tuple(dict.fromkeys((self.first, self.then))) if self.telling else None

    @property
    def requests_only_gaussians(self) -> bool:
        return self.first.normal_mu is not None and self.then.normal_mu is not None

    def request(self, view: AdversaryView) -> DominatingPair:
        return self.then if view.round else self.first


@dataclass(frozen=True, slots=True)
class Overspender:
    """A filter whose promise allows `due` requests after the first, and which admits `granted` where it overspends.

    It overspends on every path where share is 1, else where the first loss, of a Gaussian, is below its quantile of
    level `share` under P.
    """

    name: str
    epsilon: float
    first: DominatingPair
    then: DominatingPair
    due: int
    granted: int
    kind: Promised
    share: float = 1.0

    @property
    def filter(self) -> OverspendingFilter:
        """The filter, with the promise that its due requests would keep."""
        rho, infinite = self._spent(self.due)
        most, _ = self._spent(self.granted)
        promise, word = self._promised(rho, infinite)
        return OverspendingFilter(promise, word, rho, infinite, most / rho, self._below)

    def adversary(self, *, telling: bool) -> FirstThen:
        """The adversary that exploits the filter."""
        return FirstThen(self.first, self.then, telling)

    @property
    def rounds(self) -> int:
        """One more round than can be granted."""
        return self.granted + 2

    @property
    def factor(self) -> float:
        """What a path can spend where the filter overspends, as a multiple of the budget."""
        return self.filter.factor

    def truth(self, direction: Direction) -> float:
        """H_{e^epsilon} of the transcript: a closed form, or the integral over the first loss."""
        if self.then.kov is not None:  # both are the same
            return Composition({self.then: 1 + self.granted}).delta(self.epsilon, direction=direction).high
        mu, each = float(self.first.gdp_mu), float(self.then.gdp_mu)
        if self.share == 1:
            return float(Gaussian(math.hypot(mu, math.sqrt(self.granted) * each)).hockey_stick(self.epsilon))

        def density(z: NDArray[np.float64], granted: int) -> NDArray[np.float64]:
            left = self.epsilon - (mu * mu / 2 + mu * z)
            lost = Gaussian(math.sqrt(granted) * each).hockey_stick(left) if granted else -np.expm1(left)
            return np.asarray(np.maximum(lost, 0.0) * np.exp(-z * z / 2) / math.sqrt(2 * math.pi))

        # in both directions the loss is N(mu^2/2, mu^2) under the law drawn from; the filter sees log dP/dQ, which
        # has the opposite sign for "QP", so that it then overspends where this loss is large
        cut = self._below if direction == "PQ" else -self._below
        z, kink = ((loss - mu * mu / 2) / mu for loss in (cut, self.epsilon))
        low, high = (self.granted, self.due) if direction == "PQ" else (self.due, self.granted)
        return math.fsum(
            integrate.fixed_quad(density, a, b, args=(granted,), n=_NODES)[0]
            for granted, ends in ((low, (-40.0, z)), (high, (z, 40.0)))
            for a, b in _pieces(*ends, kink)
        )

    @property
    def _below(self) -> float:
        if self.share == 1:
            return math.inf
        mu = float(self.first.gdp_mu)
        return mu * mu / 2 + mu * float(special.ndtri(self.share))

    def _promised(self, rho: float, infinite: float) -> tuple[Guarantee, GuaranteeScope | None]:
        """The promise that so much of zCDP and infinite mass keeps, and what the filter says that it holds to."""
        match self.kind:
            case "zCDP":
                return ZCDP(rho), GuaranteeScope(zcdp=rho)
            case "zCDP, no word":
                return ZCDP(rho), None
            case "GDP":
                return GaussianDP(math.sqrt(2 * rho)), GuaranteeScope(zcdp=rho)
            case "Rényi":
                return RenyiDP(4.0, 4.0 * rho), GuaranteeScope(orders=((4.0, 4.0 * rho),))
            case "approximate zCDP":
                return ApproximateZCDP(rho, infinite), GuaranteeScope(zcdp=rho, infinite=infinite)
        return ApproxDP(self.epsilon, float(CKS.delta(rho, self.epsilon))), GuaranteeScope(zcdp=rho)

    def _spent(self, more: int) -> tuple[float, float]:
        first, then = (
            (float(p.zcdp_rho), 0.0) if p.kov is None else (float(p.kov.epsilon) ** 2 / 2, float(p.kov.delta))
            for p in (self.first, self.then)
        )
        return first[0] + more * then[0], first[1] + more * then[1]


def _pieces(low: float, high: float, kink: float) -> list[tuple[float, float]]:
    """An interval cut where a Gaussian integrand changes scale, and where it has a kink."""
    knots = {low, high, *(k for k in (*np.arange(-12.0, 12.5, 0.5).tolist(), kink) if low < k < high)}
    return list(pairwise(sorted(knots)))


def _gaussians(first: float, then: float) -> tuple[Gaussian, Gaussian]:
    return Gaussian(first), Gaussian(then)


#: They overspend on every path, on one in 1e4 or in 1e8; 1.01 to 1e6 times; visibly in both directions or in one;
#: under several kinds of promise.
OVERSPENDERS: tuple[Overspender, ...] = (
    Overspender("1.01 times, every path", 1.0, *_gaussians(0.05, 0.05), 99, 100, "zCDP"),
    Overspender("2 times, every path", 1.0, *_gaussians(0.1, 0.1), 9, 19, "GDP"),
    Overspender("2 times, every path, no word", 1.0, *_gaussians(0.1, 0.1), 9, 19, "zCDP, no word"),
    Overspender("10 times, every path", 1.0, *_gaussians(0.2, 0.2), 0, 9, "Rényi"),
    Overspender("10 times, every path, of (eps, delta)", 1.0, *_gaussians(0.1, 0.1), 1, 19, "approximate"),
    Overspender("2 times, one path in 1e4", 2.0, *_gaussians(0.5, 0.5), 3, 7, "GDP", 1e-4),
    Overspender("1e6 times, one path in 1e4", 3.0, *_gaussians(0.01, 10.0), 0, 1, "zCDP", 1e-4),
    Overspender("2 times, one path in 1e8", 2.0, *_gaussians(0.5, 0.5), 3, 7, "zCDP", 1e-8),
    Overspender("4 times, under P rarely and under Q often", 6.0, *_gaussians(2.0, 1.0), 1, 16, "GDP", 1e-4),
    Overspender(
        *("2 times, infinite losses", 1.0, KOV(0.1, 1e-3), KOV(0.1, 1e-3), 4, 9),
        "approximate zCDP",
    ),
)
