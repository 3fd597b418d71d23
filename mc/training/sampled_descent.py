"""DP-SGD: private gradient descent on Poisson samples of the people, for comparison with full batches.

>>> round(sampled_noise(1.0, 50, epsilon=0.5, delta=1e-5), 4)
49.7225
>>> sampled_noise(0.25, 200, epsilon=0.5, delta=1e-5) < 49.7225
True
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from filterproof.mc.losses.composition import Composition
from filterproof.mc.training.data_set import DataSet
from filterproof.mc.training.network import DenseNetwork
from filterproof.theory.conversions import max_gaussian_mu
from filterproof.theory.pairs import SubsampledGaussian

#: The relative precision of the noise of sampled steps.
_PRECISION = 1e-4


def sampled_noise(q: float, steps: int, *, epsilon: float, delta: float) -> float:
    """Return the noise, in units of the clip, with which `steps` sums over Poisson samples are (epsilon, delta)-DP.

    For q = 1 the bound is exact, by Gaussian differential privacy; for q < 1 certified composition finds it up to a
    relative 1e-4, from above. Neighbours differ by the addition or the removal of one person.
    """
    if q == 1:
        return math.sqrt(steps) / float(max_gaussian_mu(epsilon, delta))

    def suffices(sigma: float) -> bool:
        mechanisms = {SubsampledGaussian(q, sigma): steps}
        return Composition(mechanisms).delta(epsilon, relative=_PRECISION).high <= delta

    low = high = 1.0
    while not suffices(high):
        low, high = high, 2 * high
    while low == high or suffices(low):
        high, low = low, low / 2
    while high - low > _PRECISION * high:
        middle = (low + high) / 2
        low, high = (low, middle) if suffices(middle) else (middle, high)
    return high


def sampled_descent(
    data: DataSet,
    network: DenseNetwork,
    *,
    q: float,
    steps: int,
    clip: float,
    sigma: float,
    rate: float,
    rng: np.random.Generator,
    copies: int = 1,
) -> Iterator[NDArray[np.float64]]:
    """Yield the parameters of DP-SGD before the first of `steps` steps and after each, shape (d,).

        theta <- theta - rate / (q n) (sum over a Poisson sample of clipped gradients + N(0, (sigma clip)^2 I))

    Each row stands for `copies` people with the same data. With q = 1 it is Algorithm 6 of Feldman & Zrnic (2021).
    """
    theta, n = network.start(rng), data.people
    yield theta
    for _ in range(steps):
        times = (rng.random((copies, n)) < q).sum(axis=0)
        sample = np.flatnonzero(times)
        total = sigma * clip * rng.standard_normal(len(theta))
        if len(sample):
            gradients = network.gradients(theta, data.features[sample], data.labels[sample])
            norms = gradients.norms()
            total += gradients.weighted(times[sample] * np.minimum(1.0, clip / np.maximum(norms, 1e-300)))
        theta = theta - rate / (q * n * copies) * total
        yield theta
