"""An accountant of DP-SGD for each person: epsilon and delta by privacy-loss distributions.

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

from filterproof.filters.accountants.personal_reports import ForOnePerson, PerPersonValues, check_person
from filterproof.mc.losses.composition import Bounds
from filterproof.mc.losses.fourier_inversion import bounds_of_worse_direction
from filterproof.mc.losses.step_moments import StepMoments
from filterproof.theory.argument_checks import (
    check_at_least_zero,
    check_count,
    check_delta,
    check_positive,
    check_probability,
    safe_double_copy,
)
from filterproof.theory.evidence import Evidence
from filterproof.theory.numerics.decimals import interval

Array = NDArray[np.float64]

#: The smallest level of a constructed grid, and the most levels.
_MIN_LEVEL, _MAX_LEVELS = 2.0**-8, 100_000
#: The tested ranges of rates, noise and levels. With less noise the tilted losses lie further out than necessary.
_RAREST, _QUIETEST, _LOUDEST, _SMALLEST = 1e-6, 0.2, 1000.0, 1e-6
#: The most counts in memory, people times levels.
_COUNTS = 2**32
#: Counts are unsigned integers of 32 bits.
_STEPS = 2**32 - 1


@dataclass(frozen=True, slots=True, repr=False)
class PersonalRange(ForOnePerson):
    """Bounds on a number about one person. FOR THAT PERSON'S EYES ONLY.

    See `ForOnePerson` for who may see them.

    Attributes
    ----------
    person : int
        Index of the person.
    quantity : str
        Name of the number.
    low, high : float
        The bounds.
    """

    quantity: str
    low: float
    high: float

    @property
    def bounds(self) -> Bounds:
        """The bounds with evidence CITED: the theorems on the trapezoidal rule and on Poisson summation."""
        return Bounds(self.low, self.high, Evidence.CITED)

    def text(self) -> str:
        """Return the quantity and its bounds as text for that person."""
        return f"{self.quantity} in {interval(self.low, self.high, 9)}"


@dataclass(frozen=True, slots=True, repr=False)
class PersonalBounds:
    """Bounds on a number for each person, every rounding, truncation and wrap-around error included.

    `report_for(person)` is for that person. `low` and `high` show no numbers in a repr. Use `made_public()` only for
    public or synthetic data.

    Attributes
    ----------
    quantity : str
        Name of the number.
    low, high : PerPersonValues
        The bounds of each person.
    """

    quantity: str
    low: PerPersonValues[PersonalRange]
    high: PerPersonValues[PersonalRange]

    @classmethod
    def of(cls, quantity: str, low: NDArray[np.float64], high: NDArray[np.float64]) -> PersonalBounds:
        """Return the bounds from two arrays of shape (people,)."""
        below, above = np.array(low), np.array(high)

        def person_range(person: int, _: float) -> PersonalRange:
            return PersonalRange(person, quantity, float(below[person]), float(above[person]))

        return cls(quantity, PerPersonValues(below, person_range), PerPersonValues(above, person_range))

    def __len__(self) -> int:
        return len(self.low)

    def report_for(self, person: int) -> PersonalRange:
        """Return both bounds of one person.

        Raises
        ------
        IndexError
            If there is no such person.
        """
        return self.low.report_for(check_person(person, len(self)))

    def made_public(self) -> NDArray[np.float64]:
        """Return all bounds, shape (2, people); this releases personal data without protection."""
        return np.array([self.low.made_public(), self.high.made_public()])

    def __repr__(self) -> str:
        return f"PersonalBounds({self.quantity} of {len(self)} people; hidden)"


class IndividualAccountant:
    """Accountant of each person's privacy loss in DP-SGD with parameters fixed in advance.

    A step releases the sum of clipped gradients over a Poisson sample of rate q, with Gaussian noise of standard
    deviation sigma C. A person whose gradient has norm `share` * C has the privacy-loss distribution of
    `SubsampledGaussian(q, sigma / share)`. Epsilon and delta are those of the worse of removal and addition.

    Parameters
    ----------
    people : int
        Number of people.
    q : float
        Sampling rate, in [1e-6, 1].
    sigma : float
        Noise multiplier, in [0.2, 1000].
    levels : int or sequence of float, default 100
        Number of levels of share, or the levels themselves, ascending to 1 from at least 1e-6. A number stands for a
        geometric sequence from 1/256 to 1.

    Raises
    ------
    ValueError
        If an argument is out of range, or people times levels exceeds 2^32.
    TypeError
        If an argument is no number.

    Notes
    -----
    The result is no guarantee for a person, if the shares depend on earlier releases. It describes the run. Condition
    (5.1) of Koskela, Tobaben & Honkela (2023) would turn it into a guarantee, but it fails as printed for DP-SGD. Use
    `IndividualFilter` for adaptive shares: it bounds the sum of Renyi divergences at a fixed order (Feldman & Zrnic
    2021, Corollary 3.3 and Theorem 4.5), or the sum of mu^2 for full batches (Koskela, Tobaben & Honkela 2023, Theorem
    12).

    The accountant stores counts of steps for each level and no history. Upper bounds round a share up to a level, lower
    bounds round it down. The bounds include errors of rounding, quadrature and truncation, and assume that NumPy's
    elementary functions err by less than 2^-44. They may be wide after fewer than about ten steps at a small rate.
    All results are personal data.
    Source: Koskela, Tobaben & Honkela (2023), Section 5 and Appendix D (Theorem D.2 for the grid).

    Examples
    --------
    >>> import filterproof as fp
    >>> accountant = fp.people.IndividualAccountant(people=3, q=0.005, sigma=2.0)
    >>> accountant.add([1.0, 0.5, 0.0], steps=100)  # norms after clipping / clipping norm
    >>> accountant.epsilon(delta=1e-5).report_for(2).high
    0.0
    """

    __slots__ = ("_counts", "_distributions", "_level_grid", "_q", "_sigma", "_steps")

    def __init__(self, people: int, *, q: float, sigma: float, levels: int | Sequence[float] = 100) -> None:
        people = check_count("people", people)
        self._q = float(check_positive("q", check_probability("q", q), "pass a sampling rate in (0, 1]"))
        if self._q < _RAREST:
            raise ValueError(
                f"q must be >= {_RAREST:g}, got q={q!r}; pass a larger rate, whose bounds are valid for a smaller one"
            )
        self._sigma = float(check_positive("sigma", sigma))
        if not _QUIETEST <= self._sigma <= _LOUDEST:
            raise ValueError(
                f"sigma must be in [{_QUIETEST:g}, {_LOUDEST:g}], got sigma={sigma!r}; pass a sigma in "
                f"this range, and {_LOUDEST:g} for any larger sigma"
            )
        self._level_grid = _level_grid(levels)
        if people * len(self._level_grid) > _COUNTS:
            raise ValueError(
                f"people must be at most {_COUNTS // len(self._level_grid)} with {len(self._level_grid)} levels, got "
                f"people={people}; use several accountants"
            )
        self._distributions = [
            StepMoments(self._q, share, self._sigma) for share in self._level_grid.tolist()
        ]
        #: column 2 i: shares between levels i - 1 and i; column 2 i + 1: level i itself
        self._counts = np.zeros((people, 2 * len(self._level_grid)), dtype=np.uint32)
        self._steps = 0

    @property
    def people(self) -> int:
        """The number of people."""
        return len(self._counts)

    @property
    def levels(self) -> NDArray[np.float64]:
        """The levels of share, ascending to 1."""
        return self._level_grid.copy()

    def add(self, shares: NDArray[np.float64] | Sequence[float], *, steps: int = 1) -> None:
        """Count steps with the given share of the clipping norm for each person.

        Parameters
        ----------
        shares : array_like, shape (people,)
            Gradient norms after clipping, divided by the clipping norm, in [0, 1]. 0 costs nothing.
        steps : int, default 1
            Number of steps with these shares.

        Raises
        ------
        ValueError
            If the shape is wrong or a share is outside [0, 1]. Then nothing is counted.
        TypeError
            If `shares` is masked or not a row of numbers.
        """
        checked = _probability_row(
            "shares", shares, "divide norms after clipping by the clipping norm, 0 for absent people"
        )
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
        place = np.searchsorted(self._level_grid, checked[here]) + np.searchsorted(
            self._level_grid, checked[here], side="right"
        )
        self._counts[here, place] += np.uint32(steps)
        self._steps += steps

    def epsilon(self, delta: float) -> PersonalBounds:
        """Bound each person's smallest epsilon >= 0 at which the steps so far are (epsilon, delta)-DP for that person.

        Parameters
        ----------
        delta : float
            In (0, 1).

        Returns
        -------
        PersonalBounds
            Bounds on epsilon, in nats.
        """
        delta = float(check_delta("delta", delta))
        return self._bounds_by_rounded_shares(
            f"epsilon at delta={delta:g}",
            partial(bounds_of_worse_direction, bounds=methodcaller("epsilon", delta)),
        )

    def delta(self, epsilon: float) -> PersonalBounds:
        """Bound each person's hockey-stick divergence at epsilon.

        Parameters
        ----------
        epsilon : float
            In nats, >= 0.

        Returns
        -------
        PersonalBounds
            Bounds on delta.
        """
        epsilon = float(check_at_least_zero("epsilon", epsilon))
        return self._bounds_by_rounded_shares(
            f"delta at epsilon={epsilon:g}",
            partial(bounds_of_worse_direction, bounds=methodcaller("delta", epsilon)),
        )

    def _bounds_by_rounded_shares(
        self, quantity: str, composed: Callable[..., tuple[Array, Array]]
    ) -> PersonalBounds:
        """Return lower bounds from shares rounded down to levels, upper ones from shares rounded up."""
        below, above = self._counts[:, 1::2].copy(), self._counts[:, 0::2] + self._counts[:, 1::2]
        below[:, :-1] += self._counts[:, 2::2]
        low, _ = composed(self._distributions, below)
        _, high = composed(self._distributions, above)
        return PersonalBounds.of(quantity, low, high)

    def __repr__(self) -> str:
        return (
            f"IndividualAccountant(people={self.people}, q={self._q}, sigma={self._sigma}, "
            f"levels={len(self._level_grid)}; hidden)"
        )


def _probability_row(name: str, value: object, remedy: str) -> Array:
    """Return `value` as probabilities in one row; numbers longer than a double are rounded up."""
    row = np.asarray(value) if np.iterable(value) and not isinstance(value, np.ma.MaskedArray) else None
    if row is None or row.ndim != 1 or row.dtype.kind not in "fiu":
        raise TypeError(f"{name} must be real numbers in one row, got {repr(value)[:60]}; {remedy}")
    return np.asarray(check_probability(name, safe_double_copy(row), remedy))


def _level_grid(levels: int | Sequence[float]) -> Array:
    """Return the levels of share: those given, or a number of them in a geometric grid to 1."""
    if isinstance(levels, (int, np.integer)):
        number = check_count("levels", levels, most=_MAX_LEVELS)
        grid = np.geomspace(_MIN_LEVEL, 1.0, number) if number > 1 else np.ones(1)
        grid[-1] = 1.0
        return grid
    remedy = "pass a number of levels, or e.g. [0.25, 0.5, 1.0]"
    grid = _probability_row("levels", levels, remedy)
    if not (
        0 < len(grid) <= _MAX_LEVELS and grid[0] >= _SMALLEST and grid[-1] == 1 and (np.diff(grid) > 0).all()
    ):
        raise ValueError(
            f"levels must ascend to 1 from {_SMALLEST:g} or more, at most {_MAX_LEVELS}, got {repr(levels)[:60]}; "
            f"{remedy}"
        )
    return grid
