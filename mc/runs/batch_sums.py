"""The tally of a run: the sums of its finished tiles; and the progress of a run.

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

from filterproof.theory.display import one_line


@dataclass(frozen=True, slots=True)
class BatchSums:
    """The sums of a functional: row i of `rows`, shape (tiles, k), is its sum over the sizes[i] paths of tile i."""

    sizes: NDArray[np.int64]
    rows: NDArray[np.float64]

    __repr__ = one_line

    @property
    def n(self) -> int:
        """The number of paths."""
        return int(self.sizes.sum())

    @property
    def sums(self) -> NDArray[np.float64]:
        """The sums over all paths, shape (k,), correctly rounded: the order of the tiles changes no bit."""
        return np.array([math.fsum(column) for column in self.rows.T])


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of a run: `done` of `total` paths, `kept` of them from the store, after `seconds` of play."""

    done: int
    total: int
    kept: int
    seconds: float
    so_far: BatchSums

    __repr__ = one_line

    def of(self, before: int, total: int) -> Progress:
        """The progress of a whole of `total` paths of which `before` were finished before this part began."""
        return replace(self, done=self.done + before, total=total, kept=self.kept + before)

    @property
    def rate(self) -> float:
        """Paths per second played in this process and its workers."""
        return (self.done - self.kept) / self.seconds if self.seconds > 0 else 0.0

    @property
    def remaining_seconds(self) -> float:
        """Seconds to the end at this rate; inf before the first tile."""
        left = self.total - self.done
        return left / self.rate if self.rate > 0 else math.inf if left else 0.0


#: Called in the driver up to ten times a second; an exception that it raises ends the run.
Report: TypeAlias = Callable[[Progress], object]
