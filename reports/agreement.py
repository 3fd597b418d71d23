"""Comparisons of numbers that two methods computed. A comparison is no verdict on a guarantee."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from filterproof.theory.numerics.decimals import interval


class AgreementOutcome(Enum):
    """AGREES or DISAGREES: outcome of a comparison of the same numbers by two methods.

    Attributes
    ----------
    AGREES
        Every interval contains a number of the other method's enclosure.
    DISAGREES
        Some interval excludes the other method's enclosure, so one of the two methods is wrong.
    """

    AGREES = "each interval contains the same number from another method, within the stated distance"
    DISAGREES = "some interval excludes the same number from another method: one of the two methods is wrong"


@dataclass(frozen=True, slots=True)
class IntervalAndEnclosure:
    """An interval [low, high] from a simulation, and an enclosure [least, most] by another method."""

    what: str
    low: float
    high: float
    least: float
    most: float

    @property
    def meets(self) -> bool:
        """Whether the interval and the enclosure have a number in common."""
        return self.low <= self.most and self.least <= self.high

    @property
    def difference(self) -> float:
        """Largest distance between a number of the interval and a number of the enclosure."""
        return max(self.high - self.least, self.most - self.low)


@dataclass(frozen=True, slots=True)
class Agreement:
    """Comparisons of the same numbers by two methods, at least one, and their outcome.

    `failure` is the probability that some interval of the simulations misses its number by chance.
    """

    compared: tuple[IntervalAndEnclosure, ...]
    scope: str
    failure: float

    @property
    def farthest_apart(self) -> IntervalAndEnclosure:
        """The comparison with the largest distance; one that disagrees, if there is one."""
        return max(self.compared, key=lambda compared: (not compared.meets, compared.difference))

    @property
    def outcome(self) -> AgreementOutcome:
        """AGREES if every interval meets its enclosure, else DISAGREES."""
        return AgreementOutcome.AGREES if self.farthest_apart.meets else AgreementOutcome.DISAGREES

    @property
    def counterexample(self) -> Mapping[str, object] | None:
        """The interval that is farthest from its enclosure, of those that disagree."""
        farthest = self.farthest_apart
        return None if farthest.meets else {name: getattr(farthest, name) for name in ("what", "low", "high")}

    @property
    def detail(self) -> str:
        """A sentence about the loosest comparison, or about one that disagrees."""
        farthest, count = self.farthest_apart, len(self.compared)
        numbers = (
            f"{farthest.what}: {interval(farthest.low, farthest.high)} beside "
            f"{interval(farthest.least, farthest.most)}"
        )
        if farthest.meets:
            return f"Of {count} interval{'s' * (count > 1)} none excludes the other number; the loosest, {numbers}."
        missed = sum(not compared.meets for compared in self.compared)
        return f"{missed} of {count} intervals exclude{'s' * (missed == 1)} the other number; {numbers}."
