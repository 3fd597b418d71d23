"""Results of `evaluate`: a value or bounds with their evidence, or a number computed on two grids.

>>> import filterproof as fp
>>> half = fp.evaluate(fp.ZCDPFilter(1.0), fp.Constant(fp.RandomizedResponse(0.5)), epsilon=1.0, rounds=3)
>>> half.evidence.name, f"{half.low:.6f}"
('CERTIFIED', '0.094895')
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Self

from filterproof.mc.losses.composition import checked_directions
from filterproof.mc.losses.epsilon_values import Epsilon, epsilon_table_cells
from filterproof.theory.display import Displayed, Plottable, Row, row_of
from filterproof.theory.evidence import Evidence
from filterproof.theory.numerics.decimals import format_up, interval
from filterproof.theory.pairs.base import Direction


def checked_directions_and_name(
    direction: str, evidence: Evidence | None
) -> tuple[tuple[Direction, ...], str]:
    """Return the directions and their name in a scope; raise ValueError for others."""
    ways = checked_directions(direction)
    if evidence not in (None, Evidence.EXACT, Evidence.CERTIFIED):
        raise ValueError(f"evidence must be EXACT, CERTIFIED or None, got evidence={evidence!r}; pass None")
    return ways, "both directions" if direction == "both" else f"direction {direction}"


@dataclass(frozen=True, slots=True, repr=False)
class Evaluation(Displayed):
    """Bounds on the hockey-stick divergence of the transcript for one adversary.

        low <= H_{e^epsilon}(transcript) <= high

    Parameters
    ----------
    epsilon : float or LogRatio
        In nats.
    value : Fraction or None
        The divergence itself if it was computed in rational arithmetic.
    low, high : float
        Bounds, every rounding error included.
    evidence : Evidence
        EXACT or CERTIFIED.
    direction : {"PQ", "QP"}
        The direction with the larger divergence: outputs drawn from P or from Q.
    rounds : int
        Number of rounds of the longest play.
    positions : int
        Number of pairs of filter state and loss at which the adversary made a request.
    scope : str
        The adversary and the rules, in words.

    Raises
    ------
    ValueError
        If low > high.
    """

    epsilon: Epsilon
    value: Fraction | None
    low: float
    high: float
    evidence: Evidence
    direction: Direction
    rounds: int
    positions: int
    scope: str

    def __post_init__(self) -> None:
        if not self.low <= self.high:
            raise ValueError(
                f"low must be <= high, got low={self.low!r}, high={self.high!r}; pass them in order"
            )

    @classmethod
    def from_worse_direction(
        cls,
        epsilon: Epsilon,
        bounds: Mapping[Direction, tuple[float, float]],
        value: Fraction | None,
        rounds: int,
        positions: int,
        scope: str,
    ) -> Self:
        """Return the evaluation of the direction with the larger upper bound."""
        direction = max(bounds, key=lambda way: bounds[way][1])
        low, high = max(low for low, _ in bounds.values()), bounds[direction][1]
        evidence = Evidence.CERTIFIED if value is None else Evidence.EXACT
        return cls(epsilon, value, low, high, evidence, direction, rounds, positions, scope)

    def rows(self) -> list[Row]:
        """Return one row; an exact `value` is the text of a fraction."""
        return [_row_of(self)]

    def __str__(self) -> str:
        number = f"{self.value} = " if self.value is not None and self.value.denominator < 10**12 else ""
        return (
            f"{number}{interval(self.low, self.high, 9)} at epsilon={self.epsilon} "
            f"({self.evidence.name}; {self.scope})"
        )


@dataclass(frozen=True, slots=True, repr=False)
class NumericalEvaluation(Displayed):
    """The hockey-stick divergence of the transcript for one adversary, integrated numerically on two grids.

    No theorem bounds the error. The result therefore has no evidence and decides no verdict.

    Parameters
    ----------
    epsilon : float or LogRatio
        In nats.
    value : float
        The divergence on the finer grid.
    difference : float
        Absolute difference between the values on the two grids.
    direction : {"PQ", "QP"}
        The direction with the larger divergence.
    rounds : int
        Number of rounds of the longest play.
    positions : int
        Number of grid points at which the adversary made a request.
    scope : str
        The adversary and the rules, in words.
    """

    epsilon: Epsilon
    value: float
    difference: float
    direction: Direction
    rounds: int
    positions: int
    scope: str

    def rows(self) -> list[Row]:
        """Return one row, whose evidence is None."""
        return [_row_of(self) | {"evidence": None}]

    def __str__(self) -> str:
        return (
            f"{self.value:.6g} at epsilon={self.epsilon} "
            f"(NUMERICAL, two grids differ by {format_up(self.difference, 2)}; {self.scope})"
        )


def _row_of(evaluation: Evaluation | NumericalEvaluation) -> Row:
    """Return one evaluation as a row of a table."""
    epsilon = epsilon_table_cells(evaluation.epsilon)
    return epsilon | row_of(evaluation) | epsilon


class Evaluations(tuple[Evaluation | NumericalEvaluation, ...], Plottable):
    """A tuple of evaluations of one adversary, one for each epsilon in the order of the call."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"Evaluations({len(self)}: {self[0]!r:.140}...)" if self else "Evaluations()"

    def rows(self) -> list[Row]:
        """Return a row for each epsilon."""
        return [row for evaluation in self for row in evaluation.rows()]
