"""An agreement compares numbers that were found on two routes; it is no verdict on a promise.

>>> import filterproof as fp
>>> routes = fp.results.TwoRoutes("at epsilon 1", 0.12, 0.13, 0.127, 0.127)
>>> print(fp.results.Agreement((routes,), scope="one game", failure=1e-6))
AGREES within 0.007 (1 comparison; failure probability 1e-06; one game)
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import NoReturn

from filterproof.theory.display import Displayed, Row, row_of
from filterproof.theory.numerics.decimals import chance, interval


class Accord(Enum):
    """What came of comparing the same numbers on two routes. It says nothing of any promise."""

    AGREES = "each interval meets the same number found on another route; how far the two may be apart stands beside it"
    DISAGREES = "some interval excludes the number found on another route: one of the two routes is wrong"


@dataclass(frozen=True, slots=True)
class TwoRoutes:
    """An interval [low, high] of a simulation beside [least, most], an enclosure of the same number on another route.

    `what` says which number it is; a number that is known to its last digit is passed as both least and most.
    Raises ValueError where an end is NaN or an interval is empty.
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
        """Whether the two intervals have a number in common."""
        return self.low <= self.most and self.least <= self.high

    @property
    def apart(self) -> float:
        """The largest distance between a number of one interval and a number of the other."""
        return max(self.high - self.least, self.most - self.low)

    @property
    def share(self) -> float:
        """`apart` as a share of the other route's lower end; infinite where that is 0."""
        if self.apart <= 0:
            return 0.0
        return self.apart / abs(self.least) if self.least else math.inf


@dataclass(frozen=True, slots=True)
class Agreement(Displayed):
    """Comparisons of the same numbers on two routes, and what came of them, which is derived and never passed.

    `failure` is the probability that some interval of the simulations misses by chance. `witness` is plain data that
    shows a disagreement again. Raises ValueError without a comparison, without a scope, and for a disagreement without
    a witness. An agreement has no truth value: AGREES is not HOLDS, and `bool(agreement)` raises TypeError.
    """

    compared: tuple[TwoRoutes, ...] = field(repr=False)
    scope: str
    failure: float
    note: str = ""
    witness: Mapping[str, object] | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        if not self.compared or not self.scope:
            raise ValueError(
                f"compared and scope must not be empty, got {len(self.compared)} comparisons and "
                f"scope={self.scope!r}; pass at least one comparison, and name the games and methods"
            )
        if not 0 <= self.failure <= 1:
            raise ValueError(f"failure must be in [0, 1], got failure={self.failure}; pass a probability")
        if self.outcome is Accord.DISAGREES and self.witness is None:
            raise ValueError(
                "outcome DISAGREES needs a counterexample, got witness=None; pass the data that reproduces the numbers"
            )

    @property
    def outcome(self) -> Accord:
        """AGREES where every interval meets the other route's, else DISAGREES."""
        return Accord.AGREES if all(one.meets for one in self.compared) else Accord.DISAGREES

    @property
    def loosest(self) -> TwoRoutes:
        """The comparison that leaves most open between the two routes, of those that disagree if any does."""
        missed = [one for one in self.compared if not one.meets]
        shares = self.share <= 1
        return max(missed or self.compared, key=lambda one: one.share if shares else one.apart)

    @property
    def within(self) -> float:
        """The largest distance that the comparisons leave open between the two routes."""
        return max(one.apart for one in self.compared)

    @property
    def share(self) -> float:
        """The same as a share of each number; infinite where one of them is 0."""
        return max(one.share for one in self.compared)

    @property
    def detail(self) -> str:
        """The loosest comparison in a sentence, or one that disagrees, and the note."""
        loosest, count = self.loosest, len(self.compared)
        beside = f"{loosest.what}: {interval(loosest.low, loosest.high)} beside " + (
            f"{loosest.least:.6g}" if loosest.most <= loosest.least else interval(loosest.least, loosest.most)
        )
        if self.outcome is Accord.DISAGREES:
            missed = sum(not one.meets for one in self.compared)
            said = f"{missed} of {count} intervals exclude{'s' * (missed == 1)} the other number; {beside}."
        else:
            said = f"Of {count} interval{'s' * (count > 1)} none excludes the other number; the loosest, {beside}."
        return f"{said} {self.note}".rstrip()

    def __bool__(self) -> NoReturn:
        raise TypeError(
            f"an agreement has no truth value, got {self.outcome.name}; compare agreement.outcome with an Accord"
        )

    def rows(self) -> list[Row]:
        """A row for each comparison, with the outcome of all."""
        names = ("what", "low", "high", "least", "most", "meets", "apart")
        return [{"outcome": self.outcome.name, **row_of(one, *names)} for one in self.compared]

    def __str__(self) -> str:
        count = len(self.compared)
        within = f" within {self.within:.2g}" if self.outcome is Accord.AGREES else ""
        return (
            f"{self.outcome.name}{within} ({count} comparison{'s' * (count > 1)}; failure probability "
            f"{chance(self.failure)}; {self.scope})"
        )
