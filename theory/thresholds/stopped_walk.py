"""The divergence of what a realisation filter releases to repeated Gaussian requests, by numerical integration."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from theory.arguments import check_count, check_positive, check_real
from theory.numerics.legendre import steps_rule
from theory.pairs.gaussian import Gaussian

__all__ = ["stopped_hockey_stick"]

#: Steps further than this many standard deviations from their mean are neglected: their probability is below 1e-32.
_FAR = 12.0


def stopped_hockey_stick(limit: float, *, mu: float, rounds: int, epsilon: float, nodes: int = 256) -> float:
    """H_{e^epsilon} of the transcript of a realisation filter when every request is Gaussian(mu).

    S_k, the loss of the first k outputs, is a walk of steps N(mu^2/2, mu^2). Output t + 1 is released while
    |S_{t-1}| < limit and t < `rounds`, so the filter never looks at the loss of the last output or two; given the S
    before them they add the hockey-stick divergence of one Gaussian at epsilon - S. Nyström's method as in
    `confinement`, run forwards; nothing is subtracted, so errors stay relative, below 1e-9. Raises ValueError where
    `nodes` are fewer than 5 for each mu of `limit`. Derived from 004 Algorithm 1 and Proposition 1.
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
    leaving = _density(outside[None, :] - inside[:, None], mu) @ one_more
    onwards = _density(inside[None, :] - inside[:, None], mu)
    density = _density(inside, mu)
    total = float(_density(outside, mu) @ one_more)
    for _ in range(rounds - 3):
        total += float((density * weight) @ leaving)
        density = (density * weight) @ onwards
    return total + float(density @ two_more)


def _density(step: NDArray[np.float64], mu: float) -> NDArray[np.float64]:
    z = (step - mu * mu / 2) / mu
    density: NDArray[np.float64] = np.exp(-z * z / 2) / (mu * math.sqrt(2 * math.pi))
    return density
