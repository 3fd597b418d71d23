"""The betting test: decides whether a mean is above or below a threshold, valid at every stopping time.

>>> import filterproof as fp
>>> test = fp.intervals.BettingTest(threshold=0.1, upper=1.0, failure=0.01)
>>> test.decision(test.wealth([0.0, 1.0] * 50)).side
<Side.ABOVE: 'the mean is above'>
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import ArrayLike, NDArray

from filterproof.mc.intervals.estimate import PLAIN_DRAWS
from filterproof.mc.intervals.moments import unit_values
from filterproof.theory.argument_checks import check_count, check_delta, check_positive
from filterproof.theory.display import Displayed
from filterproof.theory.numerics.decimals import chance

_BLOCK = 8  # factors multiplied before one logarithm: none overflows down to m = 1e-30
_LEAST_RATIO = 1e-30
_LEAST_BET = 2.0**-12


class Side(Enum):
    """Where the mean lies relative to the threshold."""

    ABOVE = "the mean is above"
    BELOW = "the mean is below"
    UNDECIDED = "the samples so far do not tell the mean from"


@dataclass(frozen=True, slots=True)
class Wealth:
    """The log-capital of each constant bet after n samples: a statistic that adds up over tiles.

    above holds one number for each bet on larger values, below one for each bet on smaller values.
    """

    n: int
    above: tuple[float, ...]
    below: tuple[float, ...]

    @classmethod
    def merge(cls, tiles: Iterable[Wealth]) -> Wealth:
        """The wealth after all tiles; their order changes no bit."""
        parts = list(tiles)
        if not parts:
            raise ValueError("tiles must hold at least one tile, got none; run at least one tile")
        return cls(
            sum(part.n for part in parts),
            tuple(math.fsum(column) for column in zip(*(part.above for part in parts), strict=True)),
            tuple(math.fsum(column) for column in zip(*(part.below for part in parts), strict=True)),
        )


@dataclass(frozen=True, slots=True, repr=False)
class Decision(Displayed):
    """The decision after n samples: wrong with probability at most `failure`, at any stopping time.

    log_e_above is the log of an e-value against "mean <= threshold", log_e_below against "mean >= threshold".
    rests_on says what the decision assumes besides the draws.
    """

    side: Side
    threshold: float
    log_e_above: float
    log_e_below: float
    failure: float
    n: int
    rests_on: str = PLAIN_DRAWS

    def __str__(self) -> str:
        return (
            f"{self.side.value} {self.threshold:.6g} (n={self.n:,}, log e-values {self.log_e_above:.3g} "
            f"above and {self.log_e_below:.3g} below, failure {chance(self.failure)} at any stopping time; "
            f"rests on {self.rests_on})"
        )


@dataclass(frozen=True, slots=True)
class BettingTest:
    """Two e-processes for i.i.d. x in [0, upper], with m = threshold/upper and a grid of constant bets:

    E_above = mean over lambda of prod_i (1 + lambda (x_i/upper - m)), 0 < lambda < 1/m, and
    E_below = mean over lambda of prod_i (1 - lambda (x_i/upper - m)), 0 < lambda < 1/(1-m).
    Under "mean <= threshold" E_above is a non-negative supermartingale that starts at 1, under "mean >= threshold"
    E_below is; by Ville's inequality each ever reaches 2/failure with probability at most failure/2.
    The grid halves from 1/2 of the largest bet down to 2^-12 and has three bets above 1/2, since rare
    heavy values need bets near the largest; the best bet is about (mean - threshold) upper / variance.
    Constant bets need no memory of earlier tiles: workers compute the `wealth` of their tiles separately, and
    the logs add up. The log of the mean is below that of the best bet by at most the log of the grid's size.
    The stopping rule may depend on anything in the tiles already taken. Tiles are taken in an order fixed before
    the run, never in order of arrival, which may depend on the values.
    Source: Ville (1939); Waudby-Smith and Ramdas, JRSS B 86 (2024), Section 4 and the constant bets of
    their hedged grid.
    """

    threshold: float
    upper: float
    failure: float

    def __post_init__(self) -> None:
        check_positive("threshold", self.threshold)
        check_positive("upper", self.upper)
        check_delta("failure", self.failure)
        if not _LEAST_RATIO * self.upper <= self.threshold < self.upper:
            raise ValueError(
                f"threshold must be in [{_LEAST_RATIO:g} upper, upper), got threshold={self.threshold!r} "
                f"with upper={self.upper!r}; no sample can decide otherwise"
            )

    @property
    def bets_above(self) -> int:
        """The number of bets on larger values."""
        return len(self._grid(self.upper / self.threshold))

    def wealth(self, values: ArrayLike, *, zeros: int = 0) -> Wealth:
        """The wealth from these samples, each in [0, upper], and from `zeros` more samples of value 0."""
        centre = self.threshold / self.upper
        zeros = check_count("zeros", zeros, least=0)
        values = np.asarray(values, dtype=np.float64)
        shift = unit_values(values, self.upper) - centre if values.size or not zeros else np.empty(0)
        n = shift.size
        shift = np.pad(shift, (0, -n % _BLOCK)).reshape(_BLOCK, -1)  # a shift of 0 is a factor of 1

        def log_capitals(bets: NDArray[np.float64]) -> tuple[float, ...]:
            logs = np.log(np.multiply.reduce(1 + bets[:, None, None] * shift, axis=1)).sum(axis=1)
            return tuple((logs + zeros * np.log1p(-bets * centre)).tolist())

        above, below = self._grid(self.upper / self.threshold), -self._grid(1 / (1 - centre))
        return Wealth(n + zeros, log_capitals(above), log_capitals(below))

    def _grid(self, largest: float) -> NDArray[np.float64]:
        halvings = max(1, math.ceil(math.log2(largest / _LEAST_BET)))
        shares = [15 / 16, 7 / 8, 3 / 4, *(0.5**d for d in range(1, halvings + 1))]
        return largest * np.array(shares)

    def wanted(self, n: int) -> float:
        """The log e-value that decides after n samples."""
        # One product a sample and one logarithm a block lose about 2^-50 a sample: twice that is asked for.
        return math.log(2) - math.log(self.failure) + 2 * (n * 2.0**-50)

    def decision(self, wealth: Wealth) -> Decision:
        """The decision after the tiles merged in `wealth`."""
        log_above = log_mean_exp(wealth.above)
        log_below = log_mean_exp(wealth.below)
        wanted = self.wanted(wealth.n)
        if log_above >= wanted:
            side = Side.ABOVE
        elif log_below >= wanted:
            side = Side.BELOW
        else:
            side = Side.UNDECIDED
        return Decision(side, self.threshold, log_above, log_below, self.failure, wealth.n)


def log_mean_exp(logs: tuple[float, ...]) -> float:
    """log of the mean of e^x over the logs x."""
    top = max(logs)
    return top + math.log(math.fsum(math.exp(x - top) for x in logs) / len(logs))
