"""What a training run has cost each person: epsilon and delta by the privacy loss distributions of its steps.

>>> import filterproof as fp
>>> import numpy as np
>>> accountant = fp.people.IndividualAccountant(people=2, q=0.005, sigma=2.0)
>>> accountant.add(np.array([1.0, 0.0]), steps=10_000)  # clipped in every step, and no gradient at all
>>> accountant.epsilon(1e-5).made_public().round(6)  # low and high
array([[1.004113, 0.      ],
       [1.004113, 0.      ]])
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from operator import methodcaller

import numpy as np
from numpy.typing import NDArray

from filterproof.filters.accountants.personal_reports import ForOnePerson, Personal, check_person
from filterproof.mc.losses.composition import Bounds
from filterproof.mc.losses.inversion import worse
from filterproof.mc.losses.step_moments import StepMoments
from filterproof.theory.argument_checks import (
    check_at_least_zero,
    check_count,
    check_delta,
    check_positive,
    check_probability,
    own,
)
from filterproof.theory.evidence import Evidence
from filterproof.theory.numerics.decimals import interval

Array = NDArray[np.float64]

#: The least level of the grid that is made, and the most levels.
_LEAST, _MOST = 2.0**-8, 100_000
#: The numbers that the bounds were tried with: rates, noise, and levels. With less noise the tilted losses lie further
#: out than anybody needs.
_RAREST, _QUIETEST, _LOUDEST, _SMALLEST = 1e-6, 0.2, 1000.0, 1e-6
#: Most counts that are kept, people times levels.
_COUNTS = 2**32
#: Counts are unsigned integers of 32 bits.
_STEPS = 2**32 - 1


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


class IndividualAccountant:
    """Each person's privacy loss in DP-SGD with parameters fixed in advance, by the loss distribution of every step.

        accountant = IndividualAccountant(people=1000, q=0.005, sigma=2.0)
        for norms in run:  # each person's gradient norm after clipping, shape (people,)
            accountant.add(norms / C)
        found = accountant.epsilon(delta=1e-5)
        print(found.report_for(3))

    A step releases the sum of clipped gradients over a Poisson sample of rate q, with Gaussian noise of standard
    deviation sigma C. A person whose gradient has norm `share` x C in it has the loss of
    `SubsampledGaussian(q, sigma / share)`, by removal or by addition; epsilon and delta are those of the worse.

    **What a value means.** It is the exact cost of a run in which all shares were fixed in advance, between two
    bounds. In training the shares follow from what was released before, and then no theorem makes the value a
    guarantee for that person: it describes the run (and 003's condition (5.1), which would turn it into one, fails as
    printed for DP-SGD). What does hold for shares chosen on the way is a filter on the sum of Renyi divergences at an
    order fixed in advance (000, Corollary 3.3 and Theorem 4.5), or on the sum of squares mu^2 of full batches (003,
    Theorem 12): `IndividualFilter`.

    **The grid.** Counts of steps per level of share are kept, people x 2 levels of them, and no history. Shares
    between two levels count at the upper one in upper bounds, because more share is less noise and dominates, and at
    the lower one in lower bounds; a share that is a level counts as itself. `levels` is a number of levels, or the
    levels, ascending to 1. Without one they are 100 in a geometric sequence from 1/256 to 1: epsilon is about
    proportional to the share, so that equal ratios, here 1.058, are equal relative errors, where 003's equal steps
    of sigma would be coarse for people near the clipping norm. Smaller shares count as 1/256 above, and as 0 below.

    Bounds take in every error: of rounding, of quadrature, of frequencies left out and of periods. They assume that
    NumPy's elementary functions err by less than 2^-44. After fewer than about ten steps at a small rate they may be
    wide, and take longer: there the law of the loss is far from smooth. Adding 0 costs nothing. Everything returned is
    personal data, and hides itself.
    Raises ValueError for q outside [1e-6, 1], sigma outside [0.2, 1000], levels that do not ascend to 1 from 1e-6 or
    more, and more than 2^32 counts; TypeError for what is no number. At the corners of that domain epsilon and delta
    were seen to answer, if with bounds as wide as [0, what a moment gives] where too little is known.
    Source: paper 003, Section 5 and Appendix D (Theorem D.2 for the grid).
    """

    __slots__ = ("_counts", "_grid", "_laws", "_q", "_sigma", "_steps")

    def __init__(self, people: int, *, q: float, sigma: float, levels: int | Sequence[float] = 100) -> None:
        people = check_count("people", people)
        self._q = float(check_positive("q", check_probability("q", q), "pass a sampling rate in (0, 1]"))
        if self._q < _RAREST:
            raise ValueError(f"q must be >= {_RAREST:g}, got q={q!r}; a larger rate covers a smaller one")
        self._sigma = float(check_positive("sigma", sigma))
        if not _QUIETEST <= self._sigma <= _LOUDEST:
            raise ValueError(
                f"sigma must be in [{_QUIETEST:g}, {_LOUDEST:g}], got sigma={sigma!r}; less noise protects hardly "
                f"anybody, and what holds at {_LOUDEST:g} holds with more noise"
            )
        self._grid = _grid(levels)
        if people * len(self._grid) > _COUNTS:
            raise ValueError(
                f"people must be at most {_COUNTS // len(self._grid)} with {len(self._grid)} levels, got "
                f"people={people}; account for them in parts"
            )
        self._laws = [StepMoments(self._q, share, self._sigma) for share in self._grid.tolist()]
        #: column 2 i: shares between levels i - 1 and i; column 2 i + 1: level i itself
        self._counts = np.zeros((people, 2 * len(self._grid)), dtype=np.uint32)
        self._steps = 0

    @property
    def people(self) -> int:
        """The number of people."""
        return len(self._counts)

    @property
    def levels(self) -> NDArray[np.float64]:
        """The shares that are told apart, ascending to 1."""
        return self._grid.copy()

    def add(self, shares: NDArray[np.float64] | Sequence[float], *, steps: int = 1) -> None:
        """Count `steps` steps in which each person had this share of the clipping norm: shape (people,), in [0, 1].

        Shares of more than 64 bits are rounded up to doubles. Raises ValueError, and counts nothing, for another shape
        and for shares that are not in [0, 1], and TypeError for masked ones and for what is no row of numbers.
        """
        checked = _row("shares", shares, "divide norms after clipping by the clipping norm, 0 without a part")
        if checked.shape != (self.people,):
            raise ValueError(
                f"shares must have one number per person, got shape {checked.shape} for {self.people} people; pass 0 "
                "for those who took no part"
            )
        steps = check_count("steps", steps)
        if self._steps + steps > _STEPS:
            raise ValueError(
                f"steps must be at most {_STEPS - self._steps} more, got steps={steps}; add fewer"
            )
        here = np.flatnonzero(checked)
        place = np.searchsorted(self._grid, checked[here]) + np.searchsorted(
            self._grid, checked[here], side="right"
        )
        self._counts[here, place] += np.uint32(steps)
        self._steps += steps

    def epsilon(self, delta: float) -> PersonalBounds:
        """Bounds on each person's least epsilon >= 0 at which the steps so far are (epsilon, delta)-DP for them."""
        delta = float(check_delta("delta", delta))
        return self._between(
            f"epsilon at delta={delta:g}", partial(worse, bounds=methodcaller("epsilon", delta))
        )

    def delta(self, epsilon: float) -> PersonalBounds:
        """Bounds on each person's hockey-stick divergence at epsilon >= 0, in nats."""
        epsilon = float(check_at_least_zero("epsilon", epsilon))
        return self._between(
            f"delta at epsilon={epsilon:g}", partial(worse, bounds=methodcaller("delta", epsilon))
        )

    def _between(self, quantity: str, composed: Callable[..., tuple[Array, Array]]) -> PersonalBounds:
        """The lower bounds with every share rounded down to a level, and the upper ones with each rounded up."""
        below, above = self._counts[:, 1::2].copy(), self._counts[:, 0::2] + self._counts[:, 1::2]
        below[:, :-1] += self._counts[:, 2::2]
        low, _ = composed(self._laws, below)
        _, high = composed(self._laws, above)
        return PersonalBounds.of(quantity, low, high)

    def __repr__(self) -> str:
        return (
            f"IndividualAccountant(people={self.people}, q={self._q}, sigma={self._sigma}, "
            f"levels={len(self._grid)}; hidden)"
        )


def _row(name: str, value: object, remedy: str) -> Array:
    """`value` as probabilities in one row; what is longer than a double is rounded up."""
    row = np.asarray(value) if np.iterable(value) and not isinstance(value, np.ma.MaskedArray) else None
    if row is None or row.ndim != 1 or row.dtype.kind not in "fiu":
        raise TypeError(f"{name} must be real numbers in one row, got {repr(value)[:60]}; {remedy}")
    return np.asarray(check_probability(name, own(row), remedy))


def _grid(levels: int | Sequence[float]) -> Array:
    if isinstance(levels, (int, np.integer)):
        number = check_count("levels", levels, most=_MOST)
        grid = np.geomspace(_LEAST, 1.0, number) if number > 1 else np.ones(1)
        grid[-1] = 1.0
        return grid
    remedy = "pass a number of levels, or e.g. [0.25, 0.5, 1.0]"
    grid = _row("levels", levels, remedy)
    if not (0 < len(grid) <= _MOST and grid[0] >= _SMALLEST and grid[-1] == 1 and (np.diff(grid) > 0).all()):
        raise ValueError(
            f"levels must ascend to 1 from {_SMALLEST:g} or more, at most {_MOST}, got {repr(levels)[:60]}; "
            f"{remedy}"
        )
    return grid
