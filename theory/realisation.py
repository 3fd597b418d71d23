"""The realisation filter on Gaussians: kappa, the loss at which it stops, the split of delta behind it, and its walk.

>>> import filterproof as fp
>>> split = fp.conversions.optimal_split(rounds=48, delta=1e-5)
>>> round(split.dhat * 1e6, 4), round(float(fp.conversions.kappa(10.0, 2.0, split.dhat, split.theta)), 4)
(5.389, 4.9461)
>>> kappa_survival(1.0, sigma=2.0, rounds=4).round(4)
array([1.    , 1.    , 0.9477, 0.8005])

The losses of repeated Gaussian requests are a walk, which is stopped where it leaves an interval. It is followed by
Nyström's method on Gauss-Legendre nodes. Its kernel is entire, so that the error falls faster than geometrically once
nodes are closer than a step; nothing is subtracted, so that errors stay relative. Derived from 004, Algorithm 1.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import NDArray
from scipy import special

from filterproof.theory.argument_checks import Real, check_count, check_delta, check_positive, check_real
from filterproof.theory.numerics.gauss_legendre import steps_rule
from filterproof.theory.pairs.gaussian import Gaussian

_LEAST_DELTA = 2.0**-1000  # a share of a smaller delta may underflow to zero, whose quantile is infinite

#: Steps further than this many standard deviations from their mean are neglected: their probability is below 1e-32.
_FAR = 12.0
#: Nodes of the walk where nothing else is asked for.
_NODES = 256


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
        raise ValueError(f"delta must be at least 2^-1000, got delta={delta!r}; pass a larger delta")

    from filterproof.theory.thresholds.budgets import (
        split_below,  # balls are imported by those who ask for one
    )

    return Split(*split_below(n, total))


def kappa_survival(kappa: float, *, sigma: float, rounds: int) -> NDArray[np.float64]:
    """P(T >= t), t = 1..rounds, of the filter that releases output i+1 while |l^(i-1)| < kappa: shape (rounds,).

    Outputs are those of Gaussian mechanisms of unit sensitivity and noise sigma; kappa and the losses are in nats.
    Release t is decided from the losses of releases 1..t-2 only. The error is below 1e-12 and 1e-13 a round. Raises
    ValueError where kappa is more than 51 steps of 1/sigma. Source: paper 004, Proposition 1 and Figure 2.
    """
    kappa = float(check_positive("kappa", kappa))
    mu = float(check_positive("1 / sigma", 1 / float(check_positive("sigma", sigma))))
    rounds = check_count("rounds", rounds)
    if rounds <= 2:  # both releases are decided before any loss is known
        return np.ones(rounds)
    unit, share = steps_rule(_NODES, kappa, mu)
    inside, weight = kappa * unit, kappa * share
    left = [float(density @ weight) for density in islice(_densities(inside, weight, mu), rounds - 2)]
    return np.minimum([1.0, 1.0, *left], 1.0)  # rounding may exceed a probability by an ulp


def stopped_hockey_stick(
    limit: float, *, mu: float, rounds: int, epsilon: float, nodes: int = _NODES
) -> float:
    """H_{e^epsilon} of the transcript of a realisation filter when every request is Gaussian(mu).

    S_k, the loss of the first k outputs, is a walk of steps N(mu^2/2, mu^2). Output t + 1 is released while
    |S_{t-1}| < limit and t < `rounds`, so the filter never looks at the loss of the last output or two; given the S
    before them they add the hockey-stick divergence of one Gaussian at epsilon - S. The relative error is below 1e-9.
    Raises ValueError where `nodes` are fewer than 5 for each mu of `limit`.
    """
    limit = float(check_positive("limit", limit))
    mu = float(check_positive("mu", mu))
    epsilon = float(check_real("epsilon", epsilon))
    rounds = check_count("rounds", rounds)
    if rounds <= 2:  # both releases are decided before any loss is known
        return float(Gaussian(math.sqrt(rounds) * mu).hockey_stick(epsilon))
    reach = _FAR * mu + mu * mu / 2
    unit, share = steps_rule(nodes, max(limit, reach / 2), mu)
    inside, weight = limit * unit, limit * share
    beyond = limit + reach * (1 + unit) / 2
    outside, area = np.concatenate([beyond, -beyond]), np.tile(reach * share / 2, 2)
    one_more = np.asarray(Gaussian(mu).hockey_stick(epsilon - outside)) * area
    two_more = np.asarray(Gaussian(math.sqrt(2) * mu).hockey_stick(epsilon - inside)) * weight
    # from each node inside: the expected divergence at the end if the next step leaves the interval
    leaving = _density(outside[None, :] - inside[:, None], mu) @ one_more * weight
    *before, last = islice(_densities(inside, weight, mu), rounds - 2)
    total = float(_density(outside, mu) @ one_more)
    total += sum(float(density @ leaving) for density in before)
    return total + float(last @ two_more)


def _densities(
    inside: NDArray[np.float64], weight: NDArray[np.float64], mu: float
) -> Iterator[NDArray[np.float64]]:
    """The density at nodes inside of the walk that has not left yet, after one step, two, and so on."""
    density, onwards = _density(inside, mu), _density(inside[None, :] - inside[:, None], mu)
    while True:
        yield density
        density = (density * weight) @ onwards


def _density(step: NDArray[np.float64], mu: float) -> NDArray[np.float64]:
    z = (step - mu * mu / 2) / mu
    density: NDArray[np.float64] = np.exp(-z * z / 2) / (mu * math.sqrt(2 * math.pi))
    return density
