"""kappa is the realised loss at which the realisation filter on Gaussians stops; a split of delta determines it.

>>> import filterproof as fp
>>> split = fp.optimal_split(rounds=48, delta=1e-5)
>>> round(split.dhat * 1e6, 4), round(float(fp.kappa(10.0, 2.0, split.dhat, split.theta)), 4)
(5.389, 4.9461)
"""

from __future__ import annotations

from dataclasses import dataclass

from scipy import special

from theory.arguments import Real, check_count, check_delta, check_positive, check_real

__all__ = ["Split", "kappa", "optimal_split"]


_LEAST_DELTA = 2.0**-1000  # a share of a smaller delta may underflow to zero, whose quantile is infinite


@dataclass(frozen=True, slots=True)
class Split:
    """dhat and theta, the two failure probabilities of a realisation filter: dhat + theta (1 - dhat) N <= delta."""

    dhat: float
    theta: float


def kappa(epsilon: Real, sigma: Real, dhat: Real, theta: Real) -> Real:
    """epsilon - 1/sigma^2 - (Phi^-1(1 - dhat) + Phi^-1(1 - theta)) / sigma.

    On i.i.d. Gaussians of unit sensitivity the filter releases output i+1 when |l^(i-1)| < kappa, where
    l^(i-1) is the loss of the first i-1 outputs, in nats. Arguments are numbers or arrays that broadcast. The error is
    below 1e-14 (|epsilon| + 1/sigma^2 + 80/sigma).
    Raises ValueError for sigma <= 0 and for dhat or theta outside (0, 1). Source: paper 004, Proposition 1.
    """
    epsilon, sigma = check_real("epsilon", epsilon), check_positive("sigma", sigma)
    dhat, theta = check_delta("dhat", dhat), check_delta("theta", theta)
    # Phi^-1(1 - p) = -Phi^-1(p) keeps the digits of a small p
    limit: Real = epsilon - 1 / (sigma * sigma) + (special.ndtri(dhat) + special.ndtri(theta)) / sigma
    return limit


def optimal_split(rounds: int, delta: float) -> Split:
    """The minimiser of Phi^-1(1-dhat) + Phi^-1(1-theta) subject to dhat + theta (1-dhat) N = delta.

    This split maximises kappa at every sigma; N = `rounds`, 2^-1000 <= delta < 1/2. On the constraint the
    stationary point satisfies N (1-dhat)^2 phi(z_theta) = (1-delta) phi(z_dhat), z_p = Phi^-1(1-p), and there
    is only one. dhat is rounded down, and so is the theta that it leaves: dhat + theta (1-dhat) N <= delta in exact
    arithmetic. Computed in balls: the same bits on every machine.
    Source: derived from paper 004, Section V-B; the split printed there is optimal for no delta.
    """
    n = check_count("rounds", rounds)
    total = check_delta("delta", delta)
    if not isinstance(total, float) or total >= 0.5:
        raise ValueError(f"delta must be one number below 1/2, got delta={delta!r}; pass a small probability")
    if total < _LEAST_DELTA:
        raise ValueError(f"delta must be at least 2^-1000, got delta={delta!r}; pass one that can be split")

    from theory.thresholds.budgets import split_below  # balls are imported by those who ask for one

    return Split(*split_below(n, total))
