"""Finished paths, and what is measured on them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from theory.arguments import Real

__all__ = ["Functional", "Paths"]


@dataclass(frozen=True, slots=True)
class Paths:
    """Finished paths of one tile, each array of shape (n,).

    loss is the log-likelihood ratio of the transcript, towards the law that outputs were drawn from:
    log dP/dQ for "PQ", log dQ/dP for "QP". log_weight is log of that law over the tilted one, 0 if untilted.
    releases counts the outputs released, the stopping time T. log_kept is log prod_t P(L_t < inf) over the
    released rounds where erasures are weighed, 0 where they are drawn. beyond says which paths the guard stopped
    or marked, False where none acts.
    """

    loss: NDArray[np.float64]
    log_weight: NDArray[np.float64]
    releases: NDArray[np.int64]
    log_kept: Real = 0.0
    beyond: NDArray[np.bool_] | bool = False


class Functional(Protocol):
    """What is measured: a picklable value that turns the paths of a tile into sums over them."""

    def __call__(self, paths: Paths) -> NDArray[np.float64]:
        """Sums over the paths, shape (k,) with the same k for every tile."""
