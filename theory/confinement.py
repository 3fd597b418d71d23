"""The confinement probability: the chance that a Gaussian random walk has not yet left an interval.

>>> confinement(1.0, drift=0.0, scale=1.0, steps=2, nodes=32).round(4)
array([1.    , 0.6827, 0.4222])
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from theory.arguments import check_count, check_positive, check_real
from theory.numerics.legendre import steps_rule

__all__ = ["confinement", "kappa_survival"]


def confinement(
    limit: float, *, drift: float, scale: float, steps: int, nodes: int = 256
) -> NDArray[np.float64]:
    """P(|S_1| < limit, ..., |S_k| < limit) for k = 0..steps, shape (steps+1,).

    S_k is the sum of k independent draws of N(drift, scale^2).
    Nyström's method on Gauss-Legendre nodes: g_k(x), the probability of k more steps inside from x, satisfies
    g_k(x) = integral over |y| < limit of phi((y - x - drift) / scale) / scale g_{k-1}(y) dy. The kernel is
    entire, so the error falls faster than geometrically once nodes are closer than `scale`: below 1e-12 and
    1e-13 a step. Raises ValueError for fewer nodes than 5 limit / scale.
    The loss under the realisation filter on i.i.d. Gaussians is a walk of drift mu^2/2 and scale mu = 1/sigma,
    and the limit is kappa: see `kappa_survival`.
    """
    limit = float(check_positive("limit", limit))
    scale = float(check_positive("scale", scale))
    drift = float(check_real("drift", drift))
    steps = check_count("steps", steps, least=0)
    x, weight = steps_rule(nodes, limit if steps else 0.0, scale)
    x, weight = limit * x, limit * weight
    z = (x[None, :] - x[:, None] - drift) / scale
    kernel = np.exp(-z * z / 2) / (scale * np.sqrt(2 * np.pi)) * weight
    start = np.exp(-(((x - drift) / scale) ** 2) / 2) / (scale * np.sqrt(2 * np.pi)) * weight
    inside = np.ones(steps + 1)
    ahead = np.ones(len(x))
    for k in range(1, steps + 1):
        inside[k] = start @ ahead
        ahead = kernel @ ahead
    return np.minimum(inside, 1.0)  # rounding may exceed a probability by an ulp


def kappa_survival(kappa: float, *, sigma: float, rounds: int) -> NDArray[np.float64]:
    """P(T >= t), t = 1..rounds, of the filter that releases output i+1 while |l^(i-1)| < kappa: shape (rounds,).

    Outputs are those of Gaussian mechanisms of unit sensitivity and noise sigma; kappa and the losses are in nats.
    Release t is decided from the losses of releases 1..t-2 only. Source: paper 004, Proposition 1 and Figure 2.
    """
    sigma = float(check_positive("sigma", sigma))
    rounds = check_count("rounds", rounds)
    inside = confinement(kappa, drift=1 / (2 * sigma**2), scale=1 / sigma, steps=max(rounds - 2, 0))
    return np.concatenate([[1.0], inside])[:rounds]
