"""An estimate: a value with a confidence interval and its failure probability.

>>> import filterproof as fp
>>> fp.Estimate(0.5, low=0.25, high=0.75, failure=0.01, n=100, method="KL-Chernoff").relative_half_width
0.5
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from filterproof.theory.display import Displayed
from filterproof.theory.numerics.decimals import format_down, format_failure, format_nearest, interval

#: The default failure probability of an interval: that of a confidence of 1 - 1e-6 in doubles.
FAILURE = 1 - (1 - 1e-6)
#: The `rests_on` of an estimate without assumptions besides its draws.
PLAIN_DRAWS = "the draws alone"


@dataclass(frozen=True, slots=True, repr=False)
class Estimate(Displayed):
    """A value with a confidence interval.

        P(low <= true value <= high) >= 1 - failure

    Parameters
    ----------
    value : float
        The point estimate, in [low, high].
    low, high : float
        Ends of the interval.
    failure : float
        Probability that the interval misses, in (0, 1). It is stored instead of 1 - failure, which loses digits.
    n : int
        Number of independent runs.
    method : str
        Name of the estimator and of the interval.
    rests_on : str
        What the interval assumes besides the draws: a theorem, the list of the adversary's requests, an expansion of
        the filter's states, or a budget monitor that the engine enforces.
    over_bound : int
        Number of runs that exceeded the bound of the estimator. If this bound is the filter's own statement in `holds`,
        a positive number refutes the statement.

    Raises
    ------
    ValueError
        If value is outside [low, high] or failure is outside (0, 1).
    """

    value: float
    low: float
    high: float
    failure: float
    n: int
    method: str
    rests_on: str = PLAIN_DRAWS
    over_bound: int = 0

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
    def relative_half_width(self) -> float:
        """The relative precision (high - low) / (2 value); inf if the value is 0."""
        return (self.high - self.low) / (2 * self.value) if self.value > 0 else float("inf")

    @property
    def at_most_one(self) -> Estimate:
        """The estimate with value, low and high clipped to at most 1."""
        value, low, high = (min(end, 1.0) for end in (self.value, self.low, self.high))
        return replace(self, value=value, low=low, high=high)

    def __contains__(self, number: float) -> bool:
        return self.low <= number <= self.high

    def __str__(self) -> str:
        confidence = (
            f"1 - {format_failure(self.failure)}" if self.failure < 1e-3 else format_down(1 - self.failure, 4)
        )
        return (
            f"{format_nearest(self.value)} in {interval(self.low, self.high)} "
            f"at confidence {confidence} (n={self.n:,}, {self.method}; rests on {self.rests_on}"
            f"{f', which {self.over_bound:,} plain paths passed' * (self.over_bound > 0)})"
        )
