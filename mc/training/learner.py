"""What private gradient descent asks of a network: parameters as one vector, and everyone's gradient."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from filters.holders.clipped_sums import Vectors

__all__ = ["Learner"]

Array = NDArray[np.float64]


class Learner(Protocol):
    """The losses l_i(theta) of n people and their gradients, for parameters theta of shape (d,).

    Methods take rows x of shape (n, f) and labels y of shape (n, k). They raise ValueError for a wrong shape, and for
    numbers that are not finite.
    """

    @property
    def sizes(self) -> tuple[int, ...]:
        """The numbers of features f, of units in between, and of classes k."""

    @property
    def several(self) -> bool:
        """Whether a person may have several labels at once."""

    def start(self, rng: np.random.Generator) -> Array:
        """Parameters to start from, shape (d,)."""

    def gradients(self, theta: Array, x: Array, y: Array) -> Vectors:
        """The gradient of each person's loss by theta."""

    def losses(self, theta: Array, x: Array, y: Array) -> Array:
        """Each person's loss in nats, shape (n,)."""

    def right(self, theta: Array, x: Array, y: Array) -> Array:
        """1 for each row whose class is told rightly, else 0, shape (n,); with several, the share of its labels."""

    def accuracy(self, theta: Array, x: Array, y: Array) -> float:
        """The mean of `right`."""
