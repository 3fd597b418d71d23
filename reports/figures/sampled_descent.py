"""DP-SGD on Poisson samples, and the norm of each person's clipped gradient on the way.

>>> from mc.training.digits import digits
>>> from mc.training.network import Network
>>> run = SampledDescent(Network(sizes=(64, 10)), q=0.005, sigma=2.0, clip=1.0, rate=0.05, every=5, seed=0)
>>> shares = run.shares(digits(), steps=10)
>>> shares.shape, bool((shares <= 1).all())
((2, 1437), True)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mc.training.data import DataSet
from mc.training.network import Network

__all__ = ["SampledDescent"]

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class SampledDescent:
    """theta_{t+1} = theta_t - rate (sum of clipped gradients over a sample + N(0, (sigma clip)^2 I)) / clip.

    A sample holds each person with probability q. Every `every` steps the gradients of all people are computed, sampled
    or not, which the descent itself does not need.
    Source: the training of paper 003's Figure 1.
    """

    network: Network
    q: float
    sigma: float
    clip: float
    rate: float
    every: int
    seed: int

    def shares(self, data: DataSet, *, steps: int) -> Array:
        """Norms after clipping, over the clip, at steps 0, every, 2 every, ...: shape (looks, people)."""
        rng = np.random.default_rng(self.seed)
        theta = self.network.start(rng)
        seen = []
        for step in range(steps):
            if step % self.every == 0:
                norms = self.network.gradients(theta, data.features, data.labels).norms()
                seen.append(np.minimum(norms / self.clip, 1.0))
            sampled = np.flatnonzero(rng.random(data.people) < self.q)
            total = self.sigma * rng.standard_normal(self.network.dimension)
            if len(sampled):
                gradients = self.network.gradients(theta, data.features[sampled], data.labels[sampled])
                total += gradients.weighted(1 / np.maximum(gradients.norms(), self.clip))
            theta = theta - self.rate * total
        return np.array(seen)
