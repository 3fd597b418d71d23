"""The Gaussian pair N(mu, 1) against N(0, 1), the reference pair of Gaussian differential privacy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import special

from filterproof.theory import fast
from filterproof.theory.argument_checks import Real, check_positive, check_probability
from filterproof.theory.numerics import reproducible_math as rm
from filterproof.theory.numerics.mills_ratio import LOG_SQRT_TWO_PI, mills, mills_drop
from filterproof.theory.numerics.stable import float_if_scalar
from filterproof.theory.pairs.base import (
    ALL_CHARGES,
    ITSELF,
    DominatingPair,
    alias_property,
    half_square_property,
)
from filterproof.theory.pairs.reference_values import Exact, PairReferenceValues, ball_of

if TYPE_CHECKING:
    from flint import arb


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Gaussian(DominatingPair):
    """Gaussian pair: P = N(mu, 1), Q = N(0, 1).

    It dominates the Gaussian mechanism f(x) + N(0, sigma^2) with mu = sensitivity / sigma. Under P, the loss is
    L ~ N(mu^2/2, mu^2), and D_a = a mu^2/2.

    Parameters
    ----------
    mu : float or ndarray of shape (n,)
        Sensitivity over the standard deviation of the noise, above zero.

    Raises
    ------
    ValueError
        If `mu` is zero, negative or not finite.

    Notes
    -----
    `zcdp_rho` = mu^2/2 and `gdp_mu` = mu are the smallest values; `pure_epsilon` is inf. Source: Koskela, Tobaben &
    Honkela (2023), "Individual Privacy Accounting with Gaussian Differential Privacy", equation (2.2).

    Examples
    --------
    >>> import filterproof as fp
    >>> round(fp.Gaussian(mu=1.0).hockey_stick(epsilon=1.0), 6)
    0.126937
    """

    mu: Real
    monotone_parameters: ClassVar = {"mu": 1}
    closed_least: ClassVar = ALL_CHARGES
    domination_parameter: ClassVar = "gdp_mu"

    def __post_init__(self) -> None:
        self._set_checked("mu", check_positive, "pass sensitivity / sigma, a number above zero")

    @property
    def pure_epsilon(self) -> Real:
        return np.full_like(self.mu, np.inf) if isinstance(self.mu, np.ndarray) else np.inf

    sqrt_twice_zcdp_rho = gdp_mu = normal_mu = alias_property("mu")
    zcdp_rho = half_square_property("mu")
    swapped = ITSELF

    def hockey_stick(self, epsilon: Real) -> Real:
        size = np.abs(epsilon)
        with np.errstate(over="ignore", invalid="ignore"):
            centre, half = _broadcast_to_1d(size / self.mu, self.mu / 2)
            delta = rm.exp(_log_density(centre - half)) * mills_drop(centre, half)
            # far below zero R overflows while Phi(half - centre) is near one
            low = centre - half < -1
            if low.any():
                c, h = centre[low], half[low]
                # Phi(h - c) = 1 - phi(h - c) R(h - c)
                delta[low] = 1 - rm.exp(_log_density(c - h)) * (mills(h - c) + mills(c + h))
            delta[centre - half > 100] = 0.0  # e^-5000, for any value of R
        delta = delta.reshape(np.broadcast_shapes(np.shape(size), np.shape(self.mu)))
        if np.less(epsilon, 0).any():
            # H_{e^eps}(P||Q) = 1 - e^eps + e^eps H_{e^-eps}(Q||P), two terms >= 0
            delta = np.where(
                np.less(epsilon, 0),
                -rm.expm1(-size) + rm.exp(-size) * delta,
                delta,
            )
        return float_if_scalar(delta)

    def log_hockey_stick(self, epsilon: Real) -> Real:
        """Logarithm of H_{e^eps}(P||Q), also where the divergence underflows.

        Parameters
        ----------
        epsilon : float or ndarray
            Any real numbers, in nats.

        Returns
        -------
        float or ndarray
            Logarithm, with the broadcast shape of mu and `epsilon`.

        Notes
        -----
        The error is below 1e-12 plus 1e-12 of the value.
        """
        size = np.abs(epsilon)
        with np.errstate(divide="ignore", over="ignore"):
            centre, half = _broadcast_to_1d(size / self.mu, self.mu / 2)
            plain = rm.log(np.reshape(self.hockey_stick(epsilon), centre.shape))
            tail = (centre - half >= 0) & np.broadcast_to(np.greater_equal(epsilon, 0), centre.shape)
            tail &= centre < 1e150
            if tail.any():
                c, h = centre[tail], half[tail]
                plain[tail] = _log_density(c - h) + rm.log(mills_drop(c, h))
        return float_if_scalar(plain.reshape(np.broadcast_shapes(np.shape(size), np.shape(self.mu))))

    def trade_off(self, alpha: Real) -> Real:
        """Smallest type II error of a test with type I error `alpha`: Phi(Phi^-1(1 - alpha) - mu).

        Parameters
        ----------
        alpha : float or ndarray
            Type I error, in [0, 1].

        Returns
        -------
        float or ndarray
            Type II error, with the broadcast shape of mu and `alpha`.

        Notes
        -----
        Source: Dong, Roth & Su (2022), "Gaussian Differential Privacy", Section 2.2.
        """
        # -ndtri(alpha) rather than ndtri(1 - alpha): small errors stay accurate
        return float_if_scalar(special.ndtr(-special.ndtri(check_probability("alpha", alpha)) - self.mu))

    def renyi(self, alpha: Real) -> Real:
        return alpha * (self.mu * self.mu / 2)

    def loss_cdf(self, x: Real) -> Real:
        cdf: Real = special.ndtr(x / self.mu - self.mu / 2)
        return cdf

    def loss_isf(self, tail: Real) -> Real:
        # -ndtri(tail) rather than ndtri(1 - tail): the upper tail stays accurate
        z = special.ndtri(tail)
        with np.errstate(over="ignore", invalid="ignore"):
            quantile = self.mu * self.mu / 2 - self.mu * z
        # a loss beyond the doubles counts as inf; so does the loss for a mu that no pair has
        quantile = np.where(np.isnan(quantile) | np.less(self.mu, 0), np.inf, quantile)
        return float_if_scalar(np.where(np.isposinf(z), -np.inf, quantile))

    @property
    def reference_values(self) -> PairReferenceValues:
        return _GaussianReferenceValues(self)

    def sample(self, rng: np.random.Generator, n: int, order: float = 1.0) -> NDArray[np.float64]:
        if self.shape not in ((), (1,), (n,)):
            raise ValueError(
                f"n must be the number of runs {self.shape[0]}, got n={n}; "
                "take the live runs with pair.take(runs) first"
            )
        drawn = fast.losses(rng, self.mu, order - 0.5, n)
        if drawn is not None:
            return drawn
        loss = rng.standard_normal(n)
        loss += (order - 0.5) * self.mu
        loss *= self.mu
        return loss


def _broadcast_to_1d(centre: Real, half: Real) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    first, second = np.broadcast_arrays(np.atleast_1d(centre), np.atleast_1d(half))
    return first, second


def _log_density(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return log phi(x)."""
    return -0.5 * x * x - LOG_SQRT_TWO_PI


class _GaussianReferenceValues(PairReferenceValues):
    """L ~ N(mu^2/2, mu^2), in formulas of the normal distribution."""

    zcdp_theorem = "Rényi divergences"
    formulas: ClassVar = {
        "pure_epsilon": None,
        "zcdp_rho": "mu**2/2",
        "gdp_mu": "mu",
        "renyi": "alpha*mu**2/2",
        "hockey_stick": "tail(eps/mu - mu/2) - exp(eps)*tail(eps/mu + mu/2)",
        "loss_cdf": "1 - tail(level/mu - mu/2)",
        "loss_isf": "mu**2/2 + mu*quantile(p)",
    }

    def above(self, x: Exact) -> tuple[arb, arb]:
        from filterproof.theory.pairs.normal_distribution import tail

        mu = ball_of(float(self.pair.mu))
        far = ball_of(x) / mu
        return tail(far - mu / 2), tail(far + mu / 2)
