"""The sums of a run's finished batches, and the progress of a run.

>>> import numpy as np
>>> import filterproof as fp
>>> fp.runs.BatchSums(np.array([2, 1]), np.array([[0.5], [0.25]])).sums
array([0.75])
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from filterproof.theory.display import one_line_repr


@dataclass(frozen=True, slots=True)
class BatchSums:
    """The sums of a functional over the runs of each batch.

    Attributes
    ----------
    sizes : ndarray of int, shape (batches,)
        Number of runs of each batch.
    rows : ndarray, shape (batches, k)
        The functional's sums over each batch.
    """

    sizes: NDArray[np.int64]
    rows: NDArray[np.float64]

    __repr__ = one_line_repr

    @property
    def n(self) -> int:
        """The number of runs."""
        return int(self.sizes.sum())

    @property
    def sums(self) -> NDArray[np.float64]:
        """The sums over all runs, shape (k,), correctly rounded: the order of the batches changes no bit."""
        return np.array([math.fsum(column) for column in self.rows.T])


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of a simulation.

    Attributes
    ----------
    done, total : int
        Finished runs and all runs.
    restored : int
        Finished runs that came from the store.
    seconds : float
        Time since the start of play.
    so_far : BatchSums
        The sums of the finished batches.
    """

    done: int
    total: int
    restored: int
    seconds: float
    so_far: BatchSums

    __repr__ = one_line_repr

    def of(self, before: int, total: int) -> Progress:
        """Return the progress of a simulation of `total` runs, `before` of which finished before this part began."""
        return replace(self, done=self.done + before, total=total, restored=self.restored + before)

    @property
    def rate(self) -> float:
        """The runs per second played in this process and its workers."""
        return (self.done - self.restored) / self.seconds if self.seconds > 0 else 0.0

    @property
    def remaining_seconds(self) -> float:
        """The seconds to the end at this rate; inf before the first batch."""
        left = self.total - self.done
        return left / self.rate if self.rate > 0 else math.inf if left else 0.0


#: Called in the driver up to ten times a second; an exception that it raises ends the run.
Report: TypeAlias = Callable[[Progress], object]
