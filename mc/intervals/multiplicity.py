"""Many comparisons share one failure probability, and the sharing is put in words."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from theory.arguments import check_count, check_delta

__all__ = ["Family"]


@dataclass(frozen=True, slots=True)
class Family:
    """A declared family of comparisons, of which any is wrong with probability at most `failure`.

    axes name what is crossed and how many there are of each, e.g. (("adversaries", 3), ("directions", 2)).
    Declare it before the run: comparisons added after seeing results are not covered.
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
        """failure / size, rounded down: what one comparison may spend."""
        return self.failure if self.size == 1 else math.nextafter(self.failure / self.size, 0.0)

    def shares(self, weights: Mapping[str, float]) -> dict[str, float]:
        """failure divided in proportion to positive weights that were fixed before the run, rounded down."""
        if len(weights) != self.size or not all(w > 0 and math.isfinite(w) for w in weights.values()):
            raise ValueError(
                f"weights must be {self.size} finite numbers > 0, got weights={dict(weights)!r}; "
                "pass one for each comparison"
            )
        total = math.fsum(weights.values())
        return {name: self.failure * (weight / total) * (1 - 2.0**-50) for name, weight in weights.items()}

    def __str__(self) -> str:
        if self.size == 1:
            return f"one comparison, failure probability {self.failure:.2g}"
        crossed = " x ".join(f"{count} {name}" for name, count in self.axes)
        return (
            f"failure probability {self.failure:.2g} divided equally over {crossed} = {self.size:,} "
            f"comparisons, {self.each:.2g} each (union bound, no independence assumed)"
        )
