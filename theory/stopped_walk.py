"""The losses of repeated Gaussian requests to a realisation filter: a walk that is stopped where it leaves an interval.

>>> kappa_survival(1.0, sigma=2.0, rounds=4).round(4)
array([1.    , 1.    , 0.9477, 0.8005])

The walk is followed by Nyström's method on Gauss-Legendre nodes. Its kernel is entire, so that the error falls faster
than geometrically once nodes are closer than a step; nothing is subtracted, so that errors stay relative.
Derived from 004, Algorithm 1 and Proposition 1.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from theory.arguments import check_count, check_positive, check_real
from theory.numerics.legendre import steps_rule
from theory.pairs.gaussian import Gaussian

__all__ = ["kappa_survival", "stopped_hockey_stick"]

#: Steps further than this many standard deviations from their mean are neglected: their probability is below 1e-32.
_FAR = 12.0
#: Nodes of the walk where nothing else is asked for.
_NODES = 256


def kappa_survival(kappa: float, *, sigma: float, rounds: int) -> NDArray[np.float64]:
    """P(T >= t), t = 1..rounds, of the filter that releases output i+1 while |l^(i-1)| < kappa: shape (rounds,).

    Outputs are those of Gaussian mechanisms of unit sensitivity and noise sigma; kappa and the losses are in nats.
    Release t is decided from the losses of releases 1..t-2 only. The error is below 1e-12 and 1e-13 a round. Raises
    ValueError where kappa is more than 51 steps of 1/sigma. Source: paper 004, Proposition 1 and Figure 2.
    """
    kappa = float(check_positive("kappa", kappa))
    mu = 1 / float(check_positive("sigma", sigma))
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
