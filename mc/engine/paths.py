"""A path: one finished run, reduced to its privacy loss, its log-weight and its number of releases."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from filterproof.theory.argument_checks import Real
from filterproof.theory.display import one_line


@dataclass(frozen=True, slots=True)
class Paths:
    """Finished paths of one tile, each array of shape (n,).

    loss is the privacy loss of the transcript in nats, in the direction of play: log dP/dQ for "PQ", log dQ/dP
    for "QP". log_weight is the log of the likelihood-ratio weight of that law over the tilted law, 0 if untilted.
    releases is the number T of released outputs. log_kept is log prod_t P(L_t < inf) over the released rounds
    where erasures are weighed, 0 where they are drawn. beyond says which paths the guard stopped or marked, and
    is False where no guard acts.
    """

    loss: NDArray[np.float64]
    log_weight: NDArray[np.float64]
    releases: NDArray[np.int64]
    log_kept: Real = 0.0
    beyond: NDArray[np.bool_] | bool = False

    __repr__ = one_line


class Functional(Protocol):
    """A functional: a picklable value that maps the paths of a tile to sums over these paths."""

    def __call__(self, paths: Paths) -> NDArray[np.float64]:
        """Sums over the paths, shape (k,) with the same k for every tile."""
