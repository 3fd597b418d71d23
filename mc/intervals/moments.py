"""Moments of a sample of bounded values: count, mean and variance, mergeable in any order.

>>> import filterproof as fp
>>> fp.intervals.Moments.merge([fp.intervals.Moments.of([0.0, 1.0]), fp.intervals.Moments.of([0.5])])
Moments(n=3, total=1.5, centred=0.5, upper=1.0, logs=())
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from filterproof.theory.argument_checks import check_count, check_positive

#: The relative rounding error allowed for: pairwise summation of n <= 2^50 non-negative doubles has less than 2^-46, a
#: quotient or a square root 2^-53; 2^-40 (1e-12) covers them all and adds no visible width.
ROUNDING = 2.0**-40


def unit_values(values: ArrayLike, upper: float) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Return values / upper, shape (n,), clipped to 1 if they exceed it by no more than `ROUNDING`.

    Raises ValueError for a value outside [0, upper]: either the bound is wrong, or the filter violated the guarantee
    that implies the bound. In both cases no interval would be valid.
    """
    bound = float(check_positive("upper", upper, "pass the largest value that a sample can take"))
    unit = np.asarray(values, dtype=np.float64).ravel() / bound
    if unit.size == 0:
        raise ValueError("values must hold at least one sample, got none; draw some runs first")
    least, most = float(unit.min()), float(unit.max())
    if not (least >= 0 and most <= 1 + ROUNDING):
        worst = least if not least >= 0 else most
        raise ValueError(
            f"values must lie in [0, upper={bound!r}], got {worst * bound!r}; "
            "pass a larger bound, or check why the filter let a run exceed it"
        )
    return np.minimum(unit, 1.0)


@dataclass(frozen=True, slots=True)
class Moments:
    """Count, sum and sum of squared deviations of values in [0, upper].

    Parameters
    ----------
    n : int
        Number of values, at least 1.
    total : float
        sum_i x_i / upper, in [0, n].
    centred : float
        sum_i (x_i / upper - total / n)^2, in [0, n].
    upper : float, default 1.0
        The largest value, > 0. Sums are in units of `upper`, because squares of tiny values underflow.
    logs : tuple of float
        Sums from `FixedBets.logs`, or empty.

    Raises
    ------
    ValueError
        If a sum is out of range.
    """

    n: int
    total: float
    centred: float
    upper: float = 1.0
    logs: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        check_count("n", self.n)
        check_positive("upper", self.upper)
        if not 0 <= self.total <= self.n * (1 + ROUNDING):
            raise ValueError(
                f"total must be in [0, n={self.n}], got total={self.total!r}; pass the sum of x/upper"
            )
        if not 0 <= self.centred <= self.n:
            raise ValueError(
                f"centred must be in [0, n={self.n}], got centred={self.centred!r}; pass a sum of squares"
            )

    @classmethod
    def of(cls, values: ArrayLike, upper: float = 1.0) -> Moments:
        """Return the moments of an array of samples in [0, upper]."""
        unit = unit_values(values, upper)
        total = float(unit.sum())
        unit -= total / unit.size
        # not np.dot: BLAS splits long sums by its number of threads, and the bits would depend on that
        return cls(unit.size, total, float(np.square(unit).sum()), float(upper))

    @classmethod
    def merge(cls, blocks: Iterable[Moments]) -> Moments:
        """Return the moments of all blocks together; the order of the blocks changes no bit.

        Each sum over the blocks is rounded once (`math.fsum`). Merge original blocks, not merged blocks.

        Raises
        ------
        ValueError
            If there is no block, or the blocks have different `upper` or `logs`.
        """
        parts = list(blocks)
        if not parts:
            raise ValueError("blocks must hold at least one block, got none; pass at least one")
        uppers = sorted({part.upper for part in parts})
        if len(uppers) > 1:
            raise ValueError(
                f"blocks must share one upper bound, got upper={uppers[0]!r} and {uppers[-1]!r}; "
                "fix the bound before the run"
            )
        lengths = sorted({len(part.logs) for part in parts})
        if len(lengths) > 1:
            raise ValueError(
                "blocks must all have logs of the same FixedBets or none, got "
                f"{' and '.join(map(str, lengths))} logs; set logs=bets.log_factor_sums(x) in every block, or "
                f"logs=() in all"
            )
        n = sum(part.n for part in parts)
        total = math.fsum(part.total for part in parts)
        mean = total / n
        centred = math.fsum(part.centred for part in parts)
        between = math.fsum(part.n * (part.total / part.n - mean) ** 2 for part in parts)
        logs = tuple(math.fsum(column) for column in zip(*(part.logs for part in parts), strict=True))
        return cls(n, total, centred + between, uppers[0], logs)

    def scaled_to_count(self, n: int) -> Moments:
        """Return the moments of n values with this mean and variance, for planning only."""
        return Moments(n, self.unit_mean * n, min(self.centred / self.n, 1.0) * n, self.upper)

    @property
    def mean(self) -> float:
        """The sample mean, in the units of the values."""
        return self.unit_mean * self.upper

    @property
    def unit_mean(self) -> float:
        """The sample mean divided by `upper`, in [0, 1]."""
        return min(self.total / self.n, 1.0)

    @property
    def unit_variance(self) -> float:
        """The unbiased sample variance of x/upper; needs n >= 2."""
        if self.n < 2:
            raise ValueError(f"n must be >= 2 for a variance, got n={self.n}; draw more runs")
        return self.centred / (self.n - 1)
