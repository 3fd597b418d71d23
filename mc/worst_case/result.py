"""The result of a solved game: bounds on the worst-case divergence, and the scope that they hold for."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Protocol

from mc.engine.adversary import Adversary
from mc.losses.log_ratio import Epsilon, epsilon_cells
from theory.evidence import Evidence
from theory.pairs.base import Direction
from theory.shown import Row, Shown, row_of

__all__ = ["NOTHING_ADMITTED", "Certificate", "WorstCase"]

#: The end of the scope of a game in which the filter admits no request.
NOTHING_ADMITTED = "the filter admits none of these at its start, so nothing was tried"


class Certificate(Protocol):
    """What is claimed of a worst case: it lies in [low, high], and the longest play has `rounds` rounds."""

    @property
    def epsilon(self) -> Epsilon: ...
    @property
    def low(self) -> float: ...
    @property
    def high(self) -> float: ...
    @property
    def rounds(self) -> int: ...
    @property
    def evidence(self) -> Evidence: ...
    @property
    def tried(self) -> bool: ...


@dataclass(frozen=True, slots=True)
class WorstCase(Shown):
    """sup H_{e^epsilon} of the released transcript over the adversaries of `scope` lies in [low, high].

    value is the supremum itself where it was found in rational arithmetic, else None. direction is where it
    is attained: outputs drawn from P ("PQ") or from Q ("QP"). strategy attains it (at least `low`, where
    value is None) and plays like any adversary. rounds is the longest play; positions counts the pairs of a
    filter state and a loss that were solved, per round where rounds are limited. Where rounds is 0 the filter
    admits nothing of the menu: no request was tried, and the bounds are those of doing nothing.
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

    @property
    def tried(self) -> bool:
        """Whether the filter admits anything of the menu; if not, the bounds say nothing about it."""
        return self.rounds > 0

    def rows(self) -> list[Row]:
        """One row, with everything but the strategy."""
        return [epsilon_cells(self.epsilon) | {k: v for k, v in row_of(self).items() if k != "epsilon"}]

    def __str__(self) -> str:
        number = f"{self.value} = " if self.value is not None and self.value.denominator < 10**12 else ""
        return (
            f"{number}[{self.low:.9g}, {self.high:.9g}] at epsilon={self.epsilon} "
            f"({self.evidence.name}; {self.scope})"
        )
