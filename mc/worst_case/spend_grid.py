"""Sums of charges rounded to a grid, so that filters whose sums seldom coincide have few states."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from filters.privacy_filter import PrivacyFilter
from filters.rules.additive import AdditiveFilter
from theory.arguments import check_count
from theory.numerics.error_free import Exact


@dataclass(frozen=True, slots=True)
class SpendGrid:
    """What an additive filter has spent, rounded after every request to a multiple of budget / steps.

    With sums rounded down the filter admits at least what it would admit, with sums rounded up at most that, so the
    values of the two games enclose the filter's value. The filter's own code adds and decides.
    """

    cell: float

    @classmethod
    def of(cls, filt: PrivacyFilter, steps: int) -> SpendGrid:
        """The grid of `steps` steps; TypeError for a filter that does not keep a sum of charges."""
        if not isinstance(filt, AdditiveFilter):
            raise TypeError(
                f"spend_steps needs a filter that compares a sum with a budget, got {type(filt).__name__}; "
                "leave spend_steps out"
            )
        return cls(filt.budget.high / check_count("spend_steps", steps))

    def down(self, state: Any) -> Exact:
        """The sums (high, low) as multiples of the cell, no larger than they were."""
        high, low = state
        near = np.floor((high + low) / self.cell) * self.cell
        # the quotient was rounded: step back where the product came out above the sum
        over = (near > high) | ((near == high) & (low < 0))
        return np.maximum(np.where(over, near - self.cell, near), 0.0), np.zeros_like(low)

    def up(self, state: Any) -> Exact:
        """The sums (high, low) as multiples of the cell, no smaller than they were."""
        high, low = state
        near = np.ceil((high + low) / self.cell) * self.cell
        under = (near < high) | ((near == high) & (low > 0))
        return np.where(under, near + self.cell, near), np.zeros_like(low)
