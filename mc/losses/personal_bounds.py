"""Two bounds for each of many people, hidden unless asked for one person's or declared public.

>>> found = PersonalBounds.of("epsilon at delta=1e-05", np.array([0.5, 0.0]), np.array([0.6, 0.0]))
>>> found
PersonalBounds(epsilon at delta=1e-05 of 2 people; hidden)
>>> print(found.report_for(0))
For person 0 only, not to be shown to anyone else: epsilon at delta=1e-05 in [0.5, 0.6]
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from filters.holders.personal import ForOnePerson, Personal, check_person
from mc.losses.composition import Bounds
from theory.evidence import Evidence
from theory.numerics.decimals import interval


@dataclass(frozen=True, slots=True, repr=False)
class PersonalRange(ForOnePerson):
    """Two bounds on a number about one person. FOR THAT PERSON'S EYES ONLY.

    See `ForOnePerson` for who may see them. `bounds` are the same for further computing.
    """

    quantity: str
    low: float
    high: float

    @property
    def bounds(self) -> Bounds:
        """low and high; the theorems on the error of the trapezoidal rule and on Poisson summation are cited."""
        return Bounds(self.low, self.high, Evidence.CITED)

    def told(self) -> str:
        return f"{self.quantity} in {interval(self.low, self.high, 9)}"


@dataclass(frozen=True, slots=True, repr=False)
class PersonalBounds:
    """low <= the number of each person <= high; every rounding, truncation and wrap-around is in them.

    `report_for(person)` is for that person. `low` and `high` hide themselves and have `made_public()`, for data that
    are public anyway or made up.
    """

    quantity: str
    low: Personal[PersonalRange]
    high: Personal[PersonalRange]

    @classmethod
    def of(cls, quantity: str, low: NDArray[np.float64], high: NDArray[np.float64]) -> PersonalBounds:
        """Of two arrays of shape (people,)."""
        below, above = np.array(low), np.array(high)

        def told(person: int, _: float) -> PersonalRange:
            return PersonalRange(person, quantity, float(below[person]), float(above[person]))

        return cls(quantity, Personal(below, told), Personal(above, told))

    def __len__(self) -> int:
        return len(self.low)

    def report_for(self, person: int) -> PersonalRange:
        """Both bounds of one person; IndexError beyond the last person."""
        return self.low.report_for(check_person(person, len(self)))

    def made_public(self) -> NDArray[np.float64]:
        """All bounds, shape (2, people): a release without any protection, unless the data are public already."""
        return np.array([self.low.made_public(), self.high.made_public()])

    def __repr__(self) -> str:
        return f"PersonalBounds({self.quantity} of {len(self)} people; hidden)"
