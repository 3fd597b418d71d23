"""A family of comparisons: their failure probabilities add up to at most one stated probability (union bound).

>>> import filterproof as fp
>>> fp.Family.crossing(0.01, adversaries=3, directions=("PQ", "QP")).size
6
"""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass

from theory.arguments import check_count, check_delta
from theory.numerics.decimals import chance


@dataclass(frozen=True, slots=True)
class Family:
    """A declared family of comparisons: with probability at least 1 - `failure`, all of them are right.

    axes are (name, number of members); the comparisons are all combinations of members, one from each axis:
    (("adversaries", 3), ("directions", 2)) makes 6. Declare a family before the run: it does not cover comparisons
    that are added after seeing results.
    """

    failure: float
    axes: tuple[tuple[str, int], ...]

    def __post_init__(self) -> None:
        check_delta("failure", self.failure)
        if not self.axes:
            raise ValueError("axes must name what is compared, got none; pass e.g. adversaries=3")
        for name, count in self.axes:
            check_count(name, count)

    @classmethod
    def crossing(cls, failure: float, **axes: int | Collection[object]) -> Family:
        """The family of all combinations: each axis is a collection of its members or their number."""
        return cls(
            failure,
            tuple((name, axis if isinstance(axis, int) else len(axis)) for name, axis in axes.items()),
        )

    @property
    def size(self) -> int:
        """The number of comparisons."""
        return math.prod(count for _, count in self.axes)

    @property
    def each(self) -> float:
        """failure / size, rounded down: the failure probability of one comparison."""
        return self.failure if self.size == 1 else math.nextafter(self.failure / self.size, 0.0)

    def __str__(self) -> str:
        if self.size == 1:
            return f"one comparison, failure probability {chance(self.failure)}"
        crossed = " x ".join(f"{count} {name}" for name, count in self.axes)
        return (
            f"failure probability {chance(self.failure)} divided equally over {crossed} = {self.size:,} "
            f"comparisons, {chance(self.each)} each (union bound, no independence assumed)"
        )
