"""Comparisons of numbers that two methods computed. A comparison is no verdict on a guarantee."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import NoReturn

from filterproof.theory.display import Displayed, Row, row_of
from filterproof.theory.numerics.decimals import format_failure, interval


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
    """An interval [low, high] from a simulation, and an enclosure [least, most] of the same number by another method.

    Parameters
    ----------
    what : str
        Name of the number.
    low, high : float
        Ends of the interval.
    least, most : float
        Ends of the enclosure. Both are the number itself if it is known to the last digit.

    Raises
    ------
    ValueError
        If an end is NaN or an interval is empty.

    Examples
    --------
    >>> import filterproof as fp
    >>> fp.results.IntervalAndEnclosure("at epsilon 1", low=0.12, high=0.13, least=0.127, most=0.127).meets
    True
    """

    what: str
    low: float
    high: float
    least: float
    most: float

    def __post_init__(self) -> None:
        if not (self.low <= self.high and self.least <= self.most):
            raise ValueError(
                f"compared must have intervals that are not empty, got [{self.low}, {self.high}] and "
                f"[{self.least}, {self.most}]; pass the lower end first"
            )

    @property
    def meets(self) -> bool:
        """Whether the interval and the enclosure have a number in common."""
        return self.low <= self.most and self.least <= self.high

    @property
    def difference(self) -> float:
        """Largest distance between a number of the interval and a number of the enclosure."""
        return max(self.high - self.least, self.most - self.low)

    @property
    def relative_difference(self) -> float:
        """Largest distance between both intervals over |`least`|; inf where `least` is 0."""
        if self.difference <= 0:
            return 0.0
        return self.difference / abs(self.least) if self.least else math.inf


@dataclass(frozen=True, slots=True)
class Agreement(Displayed):
    """Comparisons of the same numbers by two methods, and their outcome.

    The comparisons determine the outcome. An agreement has no truth value because AGREES is not HOLDS:
    `bool(agreement)` raises TypeError.

    Parameters
    ----------
    compared : tuple of IntervalAndEnclosure
        The comparisons, at least one.
    scope : str
        The games and methods. It must not be empty.
    failure : float
        Probability, in [0, 1], that some interval of the simulations misses its number by chance.
    note : str, optional
        A sentence with more information.
    counterexample : Mapping or None, optional
        Plain data that reproduces a disagreement. DISAGREES requires it.

    Raises
    ------
    ValueError
        If there is no comparison or scope, if `failure` is outside [0, 1], or if a disagreement has no counterexample.

    Examples
    --------
    >>> import filterproof as fp
    >>> routes = fp.results.IntervalAndEnclosure("at epsilon 1", 0.12, 0.13, 0.127, 0.127)
    >>> print(fp.results.Agreement((routes,), scope="one game", failure=1e-6))
    AGREES within 0.007 (1 comparison; failure probability 1e-06; one game)
    """

    compared: tuple[IntervalAndEnclosure, ...] = field(repr=False)
    scope: str
    failure: float
    note: str = ""
    counterexample: Mapping[str, object] | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        if not self.compared or not self.scope:
            raise ValueError(
                f"compared and scope must not be empty, got {len(self.compared)} comparisons and "
                f"scope={self.scope!r}; pass at least one comparison, and name the games and methods"
            )
        if not 0 <= self.failure <= 1:
            raise ValueError(f"failure must be in [0, 1], got failure={self.failure}; pass a probability")
        if self.outcome is AgreementOutcome.DISAGREES and self.counterexample is None:
            raise ValueError(
                "outcome DISAGREES needs a counterexample, got counterexample=None; pass the data that reproduces "
                "the numbers"
            )

    @property
    def outcome(self) -> AgreementOutcome:
        """AGREES if every interval meets its enclosure, else DISAGREES."""
        return (
            AgreementOutcome.AGREES
            if all(compared.meets for compared in self.compared)
            else AgreementOutcome.DISAGREES
        )

    @property
    def farthest_apart(self) -> IntervalAndEnclosure:
        """The comparison with the largest distance; one that disagrees, if there is one."""
        missed = [compared for compared in self.compared if not compared.meets]
        shares = self.relative_difference <= 1
        return max(
            missed or self.compared,
            key=lambda compared: compared.relative_difference if shares else compared.difference,
        )

    @property
    def max_difference(self) -> float:
        """Largest distance `difference` of all comparisons."""
        return max(compared.difference for compared in self.compared)

    @property
    def relative_difference(self) -> float:
        """Largest relative distance of all comparisons; inf if a number is 0."""
        return max(compared.relative_difference for compared in self.compared)

    @property
    def detail(self) -> str:
        """A sentence about the loosest comparison, or about one that disagrees, and the note."""
        loosest, count = self.farthest_apart, len(self.compared)
        numbers = f"{loosest.what}: {interval(loosest.low, loosest.high)} beside " + (
            f"{loosest.least:.6g}" if loosest.most <= loosest.least else interval(loosest.least, loosest.most)
        )
        if self.outcome is AgreementOutcome.DISAGREES:
            missed = sum(not compared.meets for compared in self.compared)
            sentence = (
                f"{missed} of {count} intervals exclude{'s' * (missed == 1)} the other number; {numbers}."
            )
        else:
            sentence = f"Of {count} interval{'s' * (count > 1)} none excludes the other number; the loosest, {numbers}."
        return f"{sentence} {self.note}".rstrip()

    def __bool__(self) -> NoReturn:
        raise TypeError(
            f"an agreement has no truth value, got {self.outcome.name}; compare its `outcome` with an AgreementOutcome"
        )

    def rows(self) -> list[Row]:
        """Return one row for each comparison, with the outcome of all."""
        names = ("what", "low", "high", "least", "most", "meets", "difference")
        return [{"outcome": self.outcome.name, **row_of(compared, *names)} for compared in self.compared]

    def __str__(self) -> str:
        count = len(self.compared)
        distance = f" within {self.max_difference:.2g}" if self.outcome is AgreementOutcome.AGREES else ""
        return (
            f"{self.outcome.name}{distance} ({count} comparison{'s' * (count > 1)}; failure probability "
            f"{format_failure(self.failure)}; {self.scope})"
        )
