"""How far trials differ: mean, standard deviation, and an interval for the mean.

>>> found = Spread.of([1.0, 2.0, 3.0])
>>> found.mean, found.sd, round(found.low, 3), round(found.high, 3)
(2.0, 1.0, -0.484, 4.484)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import special

__all__ = ["CONFIDENCE", "Spread"]

#: Of the intervals, each for itself.
CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True)
class Spread:
    """The mean, the standard deviation (over n - 1), and Student's interval for the mean, low to high.

    The interval has confidence 0.95 where the trials are independent and normal, which is assumed and not checked.
    """

    mean: float
    sd: float
    low: float
    high: float
    n: int

    @classmethod
    def of(cls, values: Sequence[float]) -> Spread:
        """The spread of at least two numbers; ValueError for fewer."""
        n = len(values)
        if n < 2:
            raise ValueError(f"values must be two or more, got {n}; a single trial has no spread")
        mean, sd = float(np.mean(values)), float(np.std(values, ddof=1))
        half = float(special.stdtrit(n - 1, (1 + CONFIDENCE) / 2)) * sd / n**0.5
        return cls(mean, sd, mean - half, mean + half, n)

    def ends(self, name: str, of: str = "") -> dict[str, float]:
        """The ends of the interval under the names of columns: `name_low` and `name_high`, each followed by `of`."""
        return {f"{name}_low{of}": self.low, f"{name}_high{of}": self.high}

    def columns(self, name: str, of: str = "") -> dict[str, float]:
        """The mean as `name` followed by `of`, and the ends of its interval."""
        return {f"{name}{of}": self.mean, **self.ends(name, of)}
