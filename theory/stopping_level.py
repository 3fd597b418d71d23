"""The realisation-level filter on Gaussian requests: its stopping level kappa and the split of delta."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import NDArray
from scipy import special

from filterproof.theory.argument_checks import Real, check_count, check_delta, check_positive, check_real
from filterproof.theory.numerics.gauss_legendre import gauss_legendre_for_normal_steps
from filterproof.theory.pairs.gaussian import Gaussian

_MIN_DELTA = 2.0**-1000  # a fraction of a smaller delta may underflow to zero, whose quantile is infinite

#: Steps further than this many standard deviations from their mean are neglected: their probability is below 1e-32.
_MAX_DEVIATIONS = 12.0
#: Default number of nodes.
_NODES = 256


@dataclass(frozen=True, slots=True)
class DeltaSplit:
    """A split of delta into the two failure probabilities of a realisation-level filter with N rounds.

    dhat + theta (1 - dhat) N <= delta.

    Parameters
    ----------
    dhat, theta : float
        Failure probabilities, in (0, 1).

    Notes
    -----
    Source: Taylor, Vippathalla & Coon (2025), "Realisation-Level Privacy Filtering", Algorithm 1.

    Examples
    --------
    >>> import filterproof as fp
    >>> split = fp.conversions.optimal_split(rounds=48, delta=1e-5)
    >>> round(split.dhat * 1e6, 4)
    5.389
    """

    dhat: float
    theta: float


def kappa(epsilon: Real, sigma: Real, dhat: Real, theta: Real) -> Real:
    """Stopping level of the realisation-level filter on i.i.d. Gaussian mechanisms of unit sensitivity.

    kappa = epsilon - 1/sigma^2 - (Phi^-1(1 - dhat) + Phi^-1(1 - theta)) / sigma.

    The filter releases output i+1 if and only if `|l^(i-1)| <= kappa`, where l^(i-1) is the privacy loss of the first
    i-1 outputs.

    Parameters
    ----------
    epsilon : float or ndarray
        Any real numbers, in nats.
    sigma : float or ndarray
        Standard deviation of the noise, above zero.
    dhat, theta : float or ndarray
        Failure probabilities, in (0, 1).

    Returns
    -------
    float or ndarray
        Level in nats, with the broadcast shape of the arguments.

    Raises
    ------
    ValueError
        If an argument is out of range.

    Notes
    -----
    The error is below `1e-14 (|epsilon| + 1/sigma^2 + 80/sigma)`. Source: Taylor, Vippathalla & Coon (2025),
    "Realisation-Level Privacy Filtering", Proposition 1.

    Examples
    --------
    >>> import filterproof as fp
    >>> split = fp.conversions.optimal_split(rounds=48, delta=1e-5)
    >>> round(float(fp.conversions.kappa(10.0, 2.0, split.dhat, split.theta)), 4)
    4.9461
    """
    epsilon, sigma = check_real("epsilon", epsilon), check_positive("sigma", sigma)
    dhat, theta = check_delta("dhat", dhat), check_delta("theta", theta)
    # Phi^-1(1 - p) = -Phi^-1(p) keeps the accuracy of a small p
    limit: Real = epsilon - 1 / (sigma * sigma) + (special.ndtri(dhat) + special.ndtri(theta)) / sigma
    return limit


def optimal_split(rounds: int, delta: float) -> DeltaSplit:
    """Split delta so that kappa is largest.

    The split minimises Phi^-1(1-dhat) + Phi^-1(1-theta) subject to dhat + theta (1-dhat) N = delta, where N = rounds.
    It is optimal for every sigma.

    Parameters
    ----------
    rounds : int
        Number N of rounds, 1 or more.
    delta : float
        Total failure probability, at least 2^-1000 and below 1/2.

    Returns
    -------
    Split
        dhat and theta, both rounded down, so that dhat + theta (1-dhat) N <= delta in exact arithmetic.

    Raises
    ------
    ValueError
        If an argument is out of range or not one number.

    Notes
    -----
    On the constraint there is one stationary point, with N (1-dhat)^2 phi(z_theta) = (1-delta) phi(z_dhat) and z_p =
    Phi^-1(1-p). Ball arithmetic computes it with the same bits on every machine. Derived from Taylor, Vippathalla &
    Coon (2025), "Realisation-Level Privacy Filtering", Section V-B. The split printed there is optimal for no delta.

    Examples
    --------
    >>> import filterproof as fp
    >>> fp.conversions.optimal_split(rounds=48, delta=1e-5).dhat < 1e-5
    True
    """
    n = check_count("rounds", rounds)
    total = check_delta("delta", delta)
    if not isinstance(total, float) or total >= 0.5:
        raise ValueError(f"delta must be one number below 1/2, got delta={delta!r}; pass a small probability")
    if total < _MIN_DELTA:
        raise ValueError(f"delta must be at least 2^-1000, got delta={delta!r}; pass a larger delta")

    from filterproof.theory.thresholds.budgets import (
        optimal_split_round_down,  # imported here because it loads ball arithmetic
    )

    return DeltaSplit(*optimal_split_round_down(n, total))


def kappa_survival(kappa: float, *, sigma: float, rounds: int) -> NDArray[np.float64]:
    """Return P(T >= t), t = 1..rounds, of a filter that releases output i+1 while `|l^(i-1)| <= kappa` (rounds,).

    Outputs come from Gaussian mechanisms of unit sensitivity and noise sigma. kappa and the losses are in nats. The
    losses of releases 1..t-2 decide release t. The error is below 1e-12 and 1e-13 per round. Raises ValueError if kappa
    exceeds 51 steps of 1/sigma. Source: Taylor, Vippathalla & Coon (2025), "Realisation-Level Privacy Filtering",
    Proposition 1 and Figure 2.

    Notes
    -----
    The losses of repeated Gaussian requests are a random walk that stops where it leaves an interval. Nyström's method
    on Gauss-Legendre nodes follows it. Its kernel is entire, so the error decreases faster than geometrically once
    nodes are closer than a step. Nothing is subtracted, so errors stay relative.

    Examples
    --------
    >>> kappa_survival(1.0, sigma=2.0, rounds=4).round(4)
    array([1.    , 1.    , 0.9477, 0.8005])
    """
    if rounds <= 2:  # both releases are decided before any loss is known
        return np.ones(rounds)
    mu = 1 / sigma
    unit, share = gauss_legendre_for_normal_steps(_NODES, kappa, mu)
    inside, weight = kappa * unit, kappa * share
    left = [
        float(density @ weight) for density in islice(_survivor_densities(inside, weight, mu), rounds - 2)
    ]
    return np.minimum([1.0, 1.0, *left], 1.0)  # rounding may exceed a probability by an ulp


def realisation_filter_hockey_stick(
    limit: float, *, mu: float, rounds: int, epsilon: float, nodes: int = _NODES
) -> float:
    """Return H_{e^epsilon} of the transcript of a realisation-level filter when every request is Gaussian(mu).

    S_k, the loss of the first k outputs, is a random walk of steps N(mu^2/2, mu^2). The filter releases output t + 1
    while |S_{t-1}| < limit and t < `rounds`, so it never reads the loss of the last output or two. Given the earlier S,
    these add the hockey-stick divergence of one Gaussian at epsilon - S. The relative error is below 1e-9. Raises
    ValueError if there are fewer than 5 `nodes` for each mu of `limit`.
    """
    if rounds <= 2:  # both releases are decided before any loss is known
        return float(Gaussian(math.sqrt(rounds) * mu).hockey_stick(epsilon))
    reach = _MAX_DEVIATIONS * mu + mu * mu / 2
    unit, share = gauss_legendre_for_normal_steps(nodes, max(limit, reach / 2), mu)
    inside, weight = limit * unit, limit * share
    upper_side = limit + reach * (1 + unit) / 2
    outside, area = np.concatenate([upper_side, -upper_side]), np.tile(reach * share / 2, 2)
    one_more = np.asarray(Gaussian(mu).hockey_stick(epsilon - outside)) * area
    two_more = np.asarray(Gaussian(math.sqrt(2) * mu).hockey_stick(epsilon - inside)) * weight
    # from each node inside: the expected divergence at the end if the next step leaves the interval
    leaving = _step_density(outside[None, :] - inside[:, None], mu) @ one_more * weight
    *before, last = islice(_survivor_densities(inside, weight, mu), rounds - 2)
    total = float(_step_density(outside, mu) @ one_more)
    total += sum(float(density @ leaving) for density in before)
    return total + float(last @ two_more)


def _survivor_densities(
    inside: NDArray[np.float64], weight: NDArray[np.float64], mu: float
) -> Iterator[NDArray[np.float64]]:
    """Yield the density of the walk at the nodes inside, given that it has not left, after one step, two, and so on."""
    density, onwards = _step_density(inside, mu), _step_density(inside[None, :] - inside[:, None], mu)
    while True:
        yield density
        density = (density * weight) @ onwards


def _step_density(step: NDArray[np.float64], mu: float) -> NDArray[np.float64]:
    z = (step - mu * mu / 2) / mu
    density: NDArray[np.float64] = np.exp(-z * z / 2) / (mu * math.sqrt(2 * math.pi))
    return density
