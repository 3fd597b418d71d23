"""A number with error never travels without its interval."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Estimate"]


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value known to lie in [low, high] except with probability at most 1 - confidence.

    n is the number of independent runs behind it, method names estimator and interval.
    """

    value: float
    low: float
    high: float
    confidence: float
    n: int
    method: str

    def __post_init__(self) -> None:
        if not self.low <= self.value <= self.high:
            raise ValueError(
                f"value must lie in [low, high], got value={self.value!r} outside "
                f"[{self.low!r}, {self.high!r}]; clip the estimate to its interval"
            )
        if not 0 < self.confidence < 1:
            raise ValueError(
                f"confidence must be in (0, 1), got confidence={self.confidence!r}; pass 1 - error"
            )

    @property
    def relative_half_width(self) -> float:
        """(high - low) / (2 value), the relative precision; inf at value 0."""
        return (self.high - self.low) / (2 * self.value) if self.value > 0 else float("inf")

    def __contains__(self, number: float) -> bool:
        return self.low <= number <= self.high

    def __str__(self) -> str:
        return (
            f"{self.value:.6g} in [{self.low:.6g}, {self.high:.6g}] "
            f"at confidence {_confidence(self.confidence)} (n={self.n:,}, {self.method})"
        )


def _confidence(confidence: float) -> str:
    failure = 1 - confidence
    return f"1 - {failure:.0e}" if failure < 1e-3 else f"{confidence:.4g}"
