"""A budget that may be nothing.

>>> from filters.accounting.amounts import Plain
>>> nothing = Allowance(0.0)
>>> [bool(nothing.fits(nothing.start(1), Plain(delta))[0]) for delta in (0.0, 1e-300)]
[True, False]
"""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from reprlib import repr as short
from typing import Any

import numpy as np
from numpy.typing import NDArray

from filters.accounting.amounts import Charge
from filters.accounting.directed import within
from filters.accounting.ledger import Budget
from theory.numerics.error_free import Exact


@dataclass(frozen=True, slots=True)
class Allowance:
    """The rule: sum of charges <= value, exactly, where value may be zero: then nothing but charges of zero fit.

    A value that is no double counts as the largest one below it. Its states and methods are those of `Budget`.
    """

    value: float

    def __post_init__(self) -> None:
        given: Any = self.value
        if not (isinstance(given, Real) and given >= 0):  # type: ignore[operator]
            raise ValueError(f"allowance must be >= 0, got {short(self.value)}; pass 0 for nothing")
        object.__setattr__(self, "value", within(self.value) if self.value > 0 else 0.0)

    @property
    def _budget(self) -> Budget:
        return Budget.of(self.value) if self.value > 0 else Budget(0.0, 0.0, 0)

    def start(self, n: int) -> Exact:
        """n empty sums."""
        return self._budget.start(n)

    def step(self, state: Exact, charge: Charge) -> tuple[NDArray[np.bool_], Exact]:
        """(Whether each sum stays within the allowance with `charge` added, the sums with it added)."""
        return self._budget.step(state, charge)

    def fits(self, state: Exact, charge: Charge) -> NDArray[np.bool_]:
        """Whether each sum stays within the allowance with `charge` added."""
        return self._budget.fits(state, charge)

    def add(self, state: Exact, charge: Charge) -> Exact:
        """The sums with `charge` added, within the allowance or not."""
        return self._budget.add(state, charge)

    def reaches(self, state: Exact) -> NDArray[np.bool_]:
        """Whether each pair is a sum that charges within the allowance can come to."""
        return self._budget.reaches(state)

    def holds(self, state: Exact) -> NDArray[np.bool_]:
        """Whether each sum, in units of one, is at most the allowance."""
        most = self.value
        held: NDArray[np.bool_] = (state[0] < most) | ((state[0] == most) & (state[1] <= 0))
        return held
