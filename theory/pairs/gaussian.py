"""The Gaussian pair, the yardstick of Gaussian differential privacy."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special

from theory.arguments import Real, check_positive
from theory.pairs.base import DominatingPair

__all__ = ["Gaussian"]


@dataclass(frozen=True, slots=True, eq=False)
class Gaussian(DominatingPair):
    """P = N(mu, 1), Q = N(0, 1): dominates N(f(x), sigma^2) of sensitivity mu sigma.

    L ~ N(mu^2/2, mu^2) under P; D_a = a mu^2/2. Source: paper 003, equation (2.2).
    """

    mu: Real

    def __post_init__(self) -> None:
        object.__setattr__(
            self, "mu", check_positive("mu", self.mu, "pass sensitivity / sigma, a number above zero")
        )

    @property
    def pure_epsilon(self) -> Real:
        return np.full_like(self.mu, np.inf) if isinstance(self.mu, np.ndarray) else np.inf

    @property
    def zcdp_rho(self) -> Real:
        return self.mu * self.mu / 2

    @property
    def gdp_mu(self) -> Real:
        return self.mu

    def hockey_stick(self, epsilon: Real) -> Real:
        t = epsilon / self.mu - self.mu / 2
        root = np.sqrt(2.0)
        # erfcx keeps the digits that Phi(-t) - e^eps Phi(-t - mu) loses to cancellation and underflow
        gap = special.erfcx(t / root) - special.erfcx((t + self.mu) / root)
        delta: Real = np.exp(-t * t / 2) / 2 * gap
        return delta

    def renyi(self, alpha: Real) -> Real:
        return alpha * (self.mu * self.mu / 2)

    def loss_cdf(self, x: Real) -> Real:
        cdf: Real = special.ndtr(x / self.mu - self.mu / 2)
        return cdf

    def loss_quantile(self, tail: Real) -> Real:
        # -ndtri(tail) rather than ndtri(1 - tail): the upper tail keeps its digits
        return self.mu * self.mu / 2 - self.mu * special.ndtri(tail)

    @property
    def swapped(self) -> Gaussian:
        return self

    def sample(self, rng: np.random.Generator, n: int, order: float = 1.0) -> NDArray[np.float64]:
        loss = rng.standard_normal(n)
        loss += (order - 0.5) * self.mu
        loss *= self.mu
        return loss

    def log_weight(self, loss: NDArray[np.float64], order: float) -> NDArray[np.float64]:
        return (order - 1) * (order * (self.mu * self.mu / 2) - loss)
