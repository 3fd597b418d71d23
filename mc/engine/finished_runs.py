"""Finished runs, each reduced to its privacy loss, its log-weight and its number of releases."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from filterproof.theory.argument_checks import Real
from filterproof.theory.display import one_line_repr


@dataclass(frozen=True, slots=True)
class FinishedRuns:
    """The finished runs of one batch.

    Attributes
    ----------
    loss : ndarray, shape (n,)
        Privacy loss of the transcript in nats, in the direction of play: log dP/dQ for "PQ", log dQ/dP for "QP".
    log_weight : ndarray, shape (n,)
        Log-likelihood ratio of the target distribution to the tilted one; 0 without a tilt.
    releases : ndarray of int, shape (n,)
        Number of released outputs.
    log_finite : float or ndarray, shape (n,)
        log prod_t P(L_t < inf) over the released rounds if infinite losses are excluded, and otherwise 0.
    over_bound : bool or ndarray of bool, shape (n,)
        Whether the budget monitor stopped or flagged the run.
    spent : float or ndarray, shape (n,)
        The budget monitor's first sum, 0 without a monitor that records, flags or truncates.
    """

    loss: NDArray[np.float64]
    log_weight: NDArray[np.float64]
    releases: NDArray[np.int64]
    log_finite: Real = 0.0
    over_bound: NDArray[np.bool_] | bool = False
    spent: Real = 0.0

    __repr__ = one_line_repr


class Functional(Protocol):
    """A functional: a picklable value that maps the paths of a batch to sums over these paths."""

    def __call__(self, paths: FinishedRuns) -> NDArray[np.float64]:
        """Return sums over the paths, shape (k,) with the same k for every batch."""
