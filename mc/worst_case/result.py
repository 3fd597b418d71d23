"""What the solved game says."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

from mc.adversary import Adversary
from mc.worst_case.log_ratio import Epsilon
from mc.worst_case.outcomes import Direction
from theory.evidence import Evidence

__all__ = ["WorstCase"]


@dataclass(frozen=True, slots=True)
class WorstCase:
    """sup H_{e^epsilon} of the released transcript over the adversaries of `scope` lies in [low, high].

    value is the supremum itself where it was found in rational arithmetic, else None. direction is where it
    is attained: outputs drawn from P ("PQ") or from Q ("QP"). strategy attains it (at least `low`, where
    value is None) and plays like any adversary. rounds is the longest play; positions counts the pairs of a
    filter state and a loss that were solved, per round where rounds are limited.
    """

    epsilon: Epsilon
    value: Fraction | None
    low: float
    high: float
    evidence: Evidence
    direction: Direction
    strategy: Adversary = field(repr=False)
    rounds: int
    positions: int
    scope: str

    def __post_init__(self) -> None:
        if not self.low <= self.high:
            raise ValueError(
                f"low must be <= high, got low={self.low!r}, high={self.high!r}; pass them in order"
            )

    def __str__(self) -> str:
        number = f"{self.value} = " if self.value is not None and self.value.denominator < 10**12 else ""
        return (
            f"{number}[{self.low:.9g}, {self.high:.9g}] at epsilon={self.epsilon} "
            f"({self.evidence.name}; {self.scope})"
        )
