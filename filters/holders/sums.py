"""The sums of people who come and go: what each was charged, exactly, and who takes part no more."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Sums:
    """Everybody's sum of charges, high + low in a budget's units, and whether they left: three arrays of shape (n,).

    17 bytes a person: two doubles and a flag. The arrays are changed in place, by their one holder.
    """

    high: NDArray[np.float64]
    low: NDArray[np.float64]
    left: NDArray[np.bool_]

    @classmethod
    def fresh(cls, people: int) -> Sums:
        """So many people who were charged nothing."""
        return cls(np.zeros(people), np.zeros(people), np.zeros(people, dtype=np.bool_))

    def __len__(self) -> int:
        return len(self.high)

    def part(self, people: slice) -> Sums:
        """Those people's sums, in the same memory."""
        return Sums(self.high[people], self.low[people], self.left[people])

    def with_more(self, people: int) -> Sums:
        """These sums and after them those of so many new people, in arrays of their own."""
        new = Sums.fresh(people)
        return Sums(
            np.append(self.high, new.high), np.append(self.low, new.low), np.append(self.left, new.left)
        )
