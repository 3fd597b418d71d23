"""An estimate: a value together with a confidence interval and its failure probability.

>>> import filterproof as fp
>>> fp.Estimate(0.5, low=0.25, high=0.75, failure=0.01, n=100, method="KL-Chernoff").relative_half_width
0.5
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from filterproof.theory.argument_checks import check_delta
from filterproof.theory.display import Displayed
from filterproof.theory.numerics.decimals import below, chance, interval, near

#: The default confidence of an interval.
CONFIDENCE = 1 - 1e-6
#: The `rests_on` of an estimate that assumes nothing besides its draws.
PLAIN_DRAWS = "the draws alone"


@dataclass(frozen=True, slots=True, repr=False)
class Estimate(Displayed):
    """A value and an interval [low, high] that contains the true value except with probability at most `failure`.

    failure is stored instead of the confidence 1 - failure, which would lose the digits of 1e-12.
    n is the number of independent runs, method names the estimator and the interval.
    rests_on says what the interval assumes besides the draws: a theorem about the rule whose code ran, the list of
    the adversary's requests, an expansion of the filter's states, or a guard, which the engine itself enforces.
    beyond counts the paths that passed the bound used for the estimate. Where that is a guard at what the filter
    states in `holds`, a count above 0 shows that the statement is false.
    Raises ValueError for a value outside [low, high] or a failure outside (0, 1).
    """

    value: float
    low: float
    high: float
    failure: float
    n: int
    method: str
    rests_on: str = PLAIN_DRAWS
    beyond: int = 0

    def __post_init__(self) -> None:
        if not self.low <= self.value <= self.high:
            raise ValueError(
                f"value must lie in [low, high], got value={self.value!r} outside "
                f"[{self.low!r}, {self.high!r}]; clip the estimate to its interval"
            )
        if not 0 < self.failure < 1:
            raise ValueError(
                f"failure must be in (0, 1), got failure={self.failure!r}; pass the probability of a miss"
            )

    @property
    def confidence(self) -> float:
        """1 - failure."""
        return 1 - self.failure

    @property
    def relative_half_width(self) -> float:
        """(high - low) / (2 value), the relative precision; inf for a value of 0."""
        return (self.high - self.low) / (2 * self.value) if self.value > 0 else float("inf")

    @property
    def at_most_one(self) -> Estimate:
        """The same of a number that is known to be at most one: value and ends are cut there."""
        value, low, high = (min(end, 1.0) for end in (self.value, self.low, self.high))
        return replace(self, value=value, low=low, high=high)

    def __contains__(self, number: float) -> bool:
        return self.low <= number <= self.high

    def __str__(self) -> str:
        confidence = f"1 - {chance(self.failure)}" if self.failure < 1e-3 else below(1 - self.failure, 4)
        return (
            f"{near(self.value)} in {interval(self.low, self.high)} "
            f"at confidence {confidence} (n={self.n:,}, {self.method}; rests on {self.rests_on}"
            f"{f', which {self.beyond:,} plain paths passed' * (self.beyond > 0)})"
        )


def stated_failure(confidence: float, failure: float | None) -> float:
    """`failure`, or 1 - confidence if failure is None; ValueError if both are given, since they could disagree."""
    if failure is None:
        return 1 - float(check_delta("confidence", confidence))
    if confidence != CONFIDENCE:
        raise ValueError(
            f"failure must stand alone, got failure={failure!r} and confidence={confidence!r}; pass one of them"
        )
    return float(check_delta("failure", failure))
