"""A setting of private gradient descent: the promise, and how its budget is spent.

>>> setting = Setting(epsilon=1.0, clip=1.0, steps=100, rate=1.0)
>>> round(setting.sigma, 2), round(setting.clip_enlarged(3.0).sigma, 2)
(49.01, 16.25)
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any

from theory.arguments import check_count, check_delta, check_positive
from theory.conversions import SIMPLE

__all__ = ["Setting"]

#: More steps than this take minutes for each trial.
_MOST_STEPS = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """(epsilon, delta) is promised; without filtering `steps` steps are taken, each sum clipped to `clip`.

    The promise is kept by rho-zCDP with rho by 000's simple conversion. A share `asked` of rho is set aside where one
    asks by private counts when to stop: `looks` times, before the first further step and then every `every` steps.
    Raises ValueError for a number out of range.
    """

    epsilon: float
    clip: float
    steps: int
    rate: float
    delta: float = 1e-5
    asked: float = 0.1
    looks: int = 8
    every: int = 5

    def __post_init__(self) -> None:
        for name in ("epsilon", "clip", "rate"):
            object.__setattr__(self, name, float(check_positive(name, getattr(self, name))))
        for name in ("steps", "looks", "every"):
            object.__setattr__(self, name, check_count(name, getattr(self, name)))
        object.__setattr__(self, "delta", float(check_delta("delta", self.delta)))
        if self.steps + self.further > _MOST_STEPS:
            raise ValueError(
                f"steps must be at most {_MOST_STEPS} with those between looks, got {self.steps} and {self.further}; "
                "pass fewer"
            )
        if not 0 < self.asked <= 0.5:
            raise ValueError(
                f"asked must be above 0 and at most 0.5, got asked={self.asked!r}; pass the share of the budget that "
                "the counts may cost"
            )

    @property
    def rho(self) -> float:
        """The budget of everyone: the largest rho for which rho-zCDP is (epsilon, delta)-DP by the simple theorem."""
        return float(SIMPLE.budget(self.epsilon, self.delta))

    @property
    def descent_rho(self) -> float:
        """What of rho the steps may cost where counts are asked for."""
        return self.rho * (1 - self.asked)

    @property
    def counts_rho(self) -> float:
        """What of rho the counts may cost; with `descent_rho` it is rho exactly, the difference being exact."""
        return self.rho - self.descent_rho

    @property
    def sigma(self) -> float:
        """The noise without filtering, in units of the clip: `steps` steps cost rho (000, Proposition 5.1)."""
        return float((self.steps / (2 * self.rho)) ** 0.5)

    @property
    def filtered_sigma(self) -> float:
        """The noise with filtering: `steps` steps clipped to the most cost what is left for them."""
        return float((self.steps / (2 * self.descent_rho)) ** 0.5)

    @property
    def count_sigma(self) -> float:
        """The noise of each count, in people: `looks` of them, in each of which everyone counts, cost their share."""
        return float((self.looks / (2 * self.counts_rho)) ** 0.5)

    @property
    def further(self) -> int:
        """The steps after the first `steps`: `every` between two looks."""
        return self.every * (self.looks - 1)

    def clip_enlarged(self, factor: float) -> Setting:
        """A clip too large by `factor` at the same noise: fewer steps keep the promise (000, Appendix A)."""
        return replace(self, clip=self.clip * factor, steps=_fewer(self.steps, factor))

    def noise_reduced(self, factor: float) -> Setting:
        """A noise too small by `factor` at the same clip: fewer steps keep the promise (000, Appendix A)."""
        return replace(self, steps=_fewer(self.steps, factor))

    def parameters(self) -> dict[str, Any]:
        """The setting as JSON-able values."""
        return asdict(self)


def _fewer(steps: int, factor: float) -> int:
    return max(round(steps / factor**2), 1)
