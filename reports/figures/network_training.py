"""A network's training in many worlds at once, for simulations and audits of what it releases.

>>> import numpy as np
>>> from mc.training.digits import digits
>>> training = NetworkTraining(digits(), Network(), rate=1.0, seed=0, people=5)
>>> training.vectors(training.start(2)).norms().shape
(2, 5)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mc.training.data import DataSet
from mc.training.network import Gradients, Network

__all__ = ["NetworkTraining"]

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class NetworkTraining:
    """theta - (rate / people) released, from the network's start by `seed`, on the first `people` rows of a data set.

    An `fp.Training`: parameters have shape (runs, d).
    """

    data: DataSet
    network: Network
    rate: float
    seed: int
    people: int

    def start(self, runs: int) -> Array:
        """The same start in every world."""
        theta = self.network.start(np.random.default_rng(self.seed))
        return np.tile(theta, (runs, 1))

    def vectors(self, parameters: Array) -> _Worlds:
        """Everyone's gradients in each world, in closed form."""
        x, y = self.data.features[: self.people], self.data.labels[: self.people]
        return _Worlds(tuple(self.network.gradients(theta, x, y) for theta in parameters))

    def step(self, parameters: Array, released: Array) -> Array:
        """The step of a descent that takes the number of people as known."""
        return parameters - (self.rate / self.people) * released


@dataclass(frozen=True, slots=True, eq=False)
class _Worlds:
    """The gradients of each world."""

    each: tuple[Gradients, ...]

    def norms(self) -> Array:
        return np.stack([gradients.norms() for gradients in self.each])

    def weighted(self, factors: Array) -> Array:
        return np.stack([gradients.weighted(row) for gradients, row in zip(self.each, factors, strict=True)])
