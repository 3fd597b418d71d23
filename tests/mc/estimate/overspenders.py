"""Filters that overspend, each with an adversary that exploits it and the divergence that it then reaches."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import integrate, special

import filterproof as fp
from filterproof.filters import ApproximateZCDP, GuaranteeScope
from filterproof.theory.conversions import CKS
from filterproof.theory.pairs.base import Direction
from tests.mc.estimate.small_filters import Silent

#: What a filter of so much zCDP and infinite mass promises at an epsilon, and what it says that it holds every path to.
PROMISES: dict[str, Callable[[float, float, float], tuple[fp.Guarantee, GuaranteeScope | None]]] = {
    "zCDP": lambda rho, xi, epsilon: (fp.ZCDP(rho), GuaranteeScope(zcdp=rho)),
    "zCDP, no word": lambda rho, xi, epsilon: (fp.ZCDP(rho), None),
    "GDP": lambda rho, xi, epsilon: (fp.GaussianDP(math.sqrt(2 * rho)), GuaranteeScope(zcdp=rho)),
    "Rényi": lambda rho, xi, epsilon: (
        fp.RenyiDP(4.0, 4.0 * rho),
        GuaranteeScope(orders=((4.0, 4.0 * rho),)),
    ),
    "approximate zCDP": lambda rho, xi, epsilon: (
        ApproximateZCDP(rho, xi),
        GuaranteeScope(zcdp=rho, infinite=xi),
    ),
    "approximate": lambda rho, xi, epsilon: (
        fp.ApproxDP(epsilon, float(CKS.delta(rho, epsilon))),
        GuaranteeScope(zcdp=rho),
    ),
}


@dataclass(frozen=True, slots=True)
class OverspendingFilter(fp.PrivacyFilter):
    """Decides as the filter `due` that keeps the promise, but as `lavish` where the first loss is below `below`.

    It is lavish on all runs where that is inf. `word` is the filter's `holds`, true or false.
    """

    promise: fp.Guarantee
    word: GuaranteeScope | None
    due: fp.PrivacyFilter
    lavish: fp.PrivacyFilter
    below: float

    @property
    def holds(self) -> GuaranteeScope | None:
        return self.word

    @property
    def looks_at_losses(self) -> bool:
        return self.below < math.inf

    def start(self, n: int) -> Any:
        return self.due.start(n), self.lavish.start(n), np.full(n, np.nan)

    def admits(self, state: Any, request: fp.DominatingPair) -> NDArray[np.bool_]:
        due, lavish, first = state
        # before its first loss (NaN) a run is held to the promise, unless all runs overspend
        overspends = (first < self.below) | (self.below == math.inf)
        return np.where(overspends, self.lavish.admits(lavish, request), self.due.admits(due, request))

    def spend(self, state: Any, request: fp.DominatingPair) -> Any:
        due, lavish, first = state
        return self.due.spend(due, request), self.lavish.spend(lavish, request), first.copy()

    def observe(self, state: Any, loss: NDArray[Any]) -> Any:
        due, lavish, first = state
        return due, lavish, np.where(np.isnan(first), loss, first)


@dataclass(frozen=True, slots=True)
class Overspender:
    """A filter whose promise allows `due` requests after the first, and which admits `granted` where it overspends.

    It overspends on every path where share is 1, else where the first loss, of a Gaussian, is below its quantile of
    level `share` under P.
    """

    name: str
    epsilon: float
    first: fp.DominatingPair
    then: fp.DominatingPair
    due: int
    granted: int
    kind: str
    share: float = 1.0

    @property
    def filter(self) -> OverspendingFilter:
        """The filter, with the promise that its due requests would keep."""
        promise, word = PROMISES[self.kind](*self.spent(self.due), self.epsilon)
        due, lavish = (
            fp.ApproximateZCDPFilter(rho * (1 + 1e-12), xi * (1 + 1e-12))
            if xi
            else fp.ZCDPFilter(rho * (1 + 1e-12))
            for rho, xi in (self.spent(self.due), self.spent(self.granted))
        )
        return OverspendingFilter(promise, word, due, lavish, self.below)

    def adversary(self, *, announced: bool) -> fp.Adversary:
        """The adversary that exploits the filter, and that lists its requests or does not."""
        if announced:
            return fp.Scripted((self.first, self.then), (1, self.rounds - 1))
        return Silent(self.first, self.then)

    @property
    def rounds(self) -> int:
        """One more round than can be granted."""
        return self.granted + 2

    @property
    def below(self) -> float:
        """The first losses for which it overspends."""
        if self.share == 1:
            return math.inf
        mu = float(self.first.gdp_mu)
        return mu * mu / 2 + mu * float(special.ndtri(self.share))

    def spent(self, more: int) -> tuple[float, float]:
        """The zCDP and the infinite mass of the first request and so many more."""
        first, then = (
            (float(p.zcdp_rho), 0.0) if p.kov is None else (float(p.kov.epsilon) ** 2 / 2, float(p.kov.delta))
            for p in (self.first, self.then)
        )
        return first[0] + more * then[0], first[1] + more * then[1]

    def truth(self, direction: Direction) -> float:
        """H_{e^epsilon} of the transcript: a closed form, or the integral over the first loss."""
        if self.then.kov is not None:  # both are the same
            return fp.Composition({self.then: 1 + self.granted}).delta(self.epsilon, direction=direction).high
        mu, each = float(self.first.gdp_mu), float(self.then.gdp_mu)
        if self.share == 1:
            all_ = fp.Gaussian(math.hypot(mu, math.sqrt(self.granted) * each))
            return float(all_.hockey_stick(self.epsilon))

        def density(z: NDArray[np.float64], granted: int) -> NDArray[np.float64]:
            left = self.epsilon - (mu * mu / 2 + mu * z)
            lost = fp.Gaussian(math.sqrt(granted) * each).hockey_stick(left) if granted else -np.expm1(left)
            return np.asarray(np.maximum(lost, 0.0) * np.exp(-z * z / 2) / math.sqrt(2 * math.pi))

        # in both directions the loss is N(mu^2/2, mu^2) under the distribution drawn from. The filter sees
        # log dP/dQ, which has the opposite sign for "QP", so that it then overspends where this loss is large
        cut = self.below if direction == "PQ" else -self.below
        z, kink = ((loss - mu * mu / 2) / mu for loss in (cut, self.epsilon))
        # cut where the integrand changes scale, and where it has a kink
        ends = np.unique(np.clip([-40.0, 40.0, z, kink, *np.arange(-12.0, 12.5, 0.5)], -40.0, 40.0)).tolist()
        return math.fsum(
            integrate.fixed_quad(
                density, a, b, args=(self.granted if (b <= z) == (direction == "PQ") else self.due,), n=40
            )[0]
            for a, b in pairwise(ends)
        )


def _gaussians(first: float, then: float) -> tuple[fp.Gaussian, fp.Gaussian]:
    return fp.Gaussian(first), fp.Gaussian(then)


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
        *("2 times, infinite losses", 1.0, fp.KOV(0.1, 1e-3), fp.KOV(0.1, 1e-3), 4, 9),
        "approximate zCDP",
    ),
)
