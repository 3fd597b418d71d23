"""What comes of many tiles: their sums, and how far a run is with them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from mc.engine.streams import Tile

__all__ = ["Progress", "Report", "Tally"]


@dataclass(frozen=True, slots=True)
class Tally:
    """What a functional summed: row i of `rows`, shape (tiles, k), is over the sizes[i] paths of tile i."""

    sizes: NDArray[np.int64]
    rows: NDArray[np.float64]

    @staticmethod
    def of(work: Sequence[Tile], rows: Sequence[NDArray[np.float64]]) -> Tally:
        """The tally of tiles and their sums."""
        return Tally(np.array([tile.size for tile in work]), np.array(rows))

    @property
    def n(self) -> int:
        """The number of paths."""
        return int(self.sizes.sum())

    @property
    def sums(self) -> NDArray[np.float64]:
        """The columns' sums over all paths, correctly rounded: the same bits in whatever order tiles came."""
        return np.array([math.fsum(column) for column in self.rows.T])


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run is: paths done of total, of which `kept` came from the store, after so many seconds."""

    done: int
    total: int
    kept: int
    seconds: float
    so_far: Tally

    def of(self, before: int, total: int) -> Progress:
        """This part's progress as that of a whole of `total` paths, `before` of them played earlier."""
        return replace(self, done=self.done + before, total=total, kept=self.kept + before)

    @property
    def rate(self) -> float:
        """Paths per second played in this process and its workers."""
        return (self.done - self.kept) / self.seconds if self.seconds > 0 else 0.0

    @property
    def remaining_seconds(self) -> float:
        """Seconds to the end at this rate; inf before the first tile."""
        return (self.total - self.done) / self.rate if self.rate > 0 else math.inf


#: Called in the driver a few times a second; what it raises ends the run.
Report: TypeAlias = Callable[[Progress], object]
