"""The Gaussian pair, the yardstick of Gaussian differential privacy."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special

from theory.arguments import Real, check_positive
from theory.fast import WORTH_IT, kernels
from theory.mills import LOG_SQRT_TWO_PI, mills, mills_drop
from theory.pairs.base import DominatingPair
from theory.stable import as_real

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
        size = np.abs(epsilon)
        centre, half = _one_shape(size / self.mu, self.mu / 2)
        with np.errstate(over="ignore", invalid="ignore"):
            delta = np.exp(_log_density(centre - half)) * mills_drop(centre, half)
        # far below zero R overflows while Phi(half - centre) is near one
        low = centre - half < -1
        if low.any():
            c, h = centre[low], half[low]
            delta[low] = special.ndtr(h - c) - np.exp(_log_density(c - h)) * mills(c + h)
        delta = delta.reshape(np.broadcast_shapes(np.shape(size), np.shape(self.mu)))
        if np.less(epsilon, 0).any():
            # H_{e^eps}(P||Q) = 1 - e^eps + e^eps H_{e^-eps}(Q||P), two terms >= 0
            delta = np.where(np.less(epsilon, 0), -np.expm1(-size) + np.exp(-size) * delta, delta)
        return as_real(delta)

    def log_hockey_stick(self, epsilon: Real) -> Real:
        """log H_{e^eps}(P||Q), also where H underflows."""
        size = np.abs(epsilon)
        centre, half = _one_shape(size / self.mu, self.mu / 2)
        with np.errstate(divide="ignore"):
            plain = np.log(np.reshape(self.hockey_stick(epsilon), centre.shape))
        tail = (centre - half >= 0) & np.broadcast_to(np.greater_equal(epsilon, 0), centre.shape)
        if tail.any():
            c, h = centre[tail], half[tail]
            plain[tail] = _log_density(c - h) + np.log(mills_drop(c, h))
        return as_real(plain.reshape(np.broadcast_shapes(np.shape(size), np.shape(self.mu))))

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
        fast = kernels() if n >= WORTH_IT else None
        if fast is not None:
            loss = np.empty(n)
            fast.gaussian_losses(rng, np.atleast_1d(self.mu), order - 0.5, loss)
            return loss
        loss = rng.standard_normal(n)
        loss += (order - 0.5) * self.mu
        loss *= self.mu
        return loss


def _one_shape(centre: Real, half: Real) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    one, other = np.broadcast_arrays(np.atleast_1d(centre), np.atleast_1d(half))
    return one, other


def _log_density(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """log phi(x)."""
    return -0.5 * x * x - LOG_SQRT_TWO_PI
