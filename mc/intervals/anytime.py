"""Betting: a sequential test of a mean, and an interval for a mean, valid at every stopping time.

>>> import filterproof as fp
>>> test = fp.intervals.BettingTest(threshold=0.1, upper=1.0, failure=0.01)
>>> test.decision(test.wealth([0.0, 1.0] * 50)).side
<ThresholdSide.ABOVE: 'the mean is above'>
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import ArrayLike, NDArray

from filterproof.mc.intervals.estimate import PLAIN_DRAWS, Estimate
from filterproof.mc.intervals.moments import unit_values
from filterproof.theory.argument_checks import check_count, check_delta, check_positive, check_real
from filterproof.theory.display import Displayed
from filterproof.theory.numerics.decimals import format_failure

_BLOCK = 8  # the number of factors before one logarithm: none overflows down to m = 1e-30
_MIN_RATIO = 1e-30
_MIN_BET = 2.0**-12


class ThresholdSide(Enum):
    """The side of the threshold on which the mean lies: ABOVE, BELOW or UNDECIDED."""

    ABOVE = "the mean is above"
    BELOW = "the mean is below"
    UNDECIDED = "the samples so far do not distinguish the mean from"


@dataclass(frozen=True, slots=True)
class LogCapital:
    """The log-capital of each constant bet after n samples, which adds up over batches.

    `above` has one number for each bet on larger values, `below` one for each bet on smaller values.
    """

    n: int
    above: tuple[float, ...]
    below: tuple[float, ...]

    @classmethod
    def merge(cls, batches: Iterable[LogCapital]) -> LogCapital:
        """Return the sum of the batches' log-capitals, independent of their order to the last bit."""
        parts = list(batches)
        if not parts:
            raise ValueError("batches must contain at least one batch, got none; run at least one batch")
        return cls(
            sum(part.n for part in parts),
            tuple(math.fsum(column) for column in zip(*(part.above for part in parts), strict=True)),
            tuple(math.fsum(column) for column in zip(*(part.below for part in parts), strict=True)),
        )


@dataclass(frozen=True, slots=True, repr=False)
class Decision(Displayed):
    """The decision of a sequential test; it is wrong with probability at most `failure` at any stopping time.

    Attributes
    ----------
    side : ThresholdSide
        ABOVE, BELOW or UNDECIDED.
    threshold : float
        The number that the mean is compared with.
    log_e_above, log_e_below : float
        Logarithms of the e-values against "mean <= threshold" and against "mean >= threshold".
    failure : float
        Probability of a wrong decision, in (0, 1).
    n : int
        Number of samples.
    rests_on : str
        What the decision assumes besides the draws.
    """

    side: ThresholdSide
    threshold: float
    log_e_above: float
    log_e_below: float
    failure: float
    n: int
    rests_on: str = PLAIN_DRAWS

    def __str__(self) -> str:
        return (
            f"{self.side.value} {self.threshold:.6g} (n={self.n:,}, log e-values {self.log_e_above:.3g} "
            f"above and {self.log_e_below:.3g} below, failure {format_failure(self.failure)} at any stopping time; "
            f"rests on {self.rests_on})"
        )


@dataclass(frozen=True, slots=True)
class BettingTest:
    """Sequential test of the mean of i.i.d. values in [0, upper] against a threshold.

    With m = threshold / upper and the mean taken over a grid of constant bets lambda, the two e-processes are

        E_above = mean over lambda of prod_i (1 + lambda (x_i/upper - m)),  0 < lambda < 1/m
        E_below = mean over lambda of prod_i (1 - lambda (x_i/upper - m)),  0 < lambda < 1/(1-m)

    Parameters
    ----------
    threshold : float
        The threshold, in [1e-30 upper, upper).
    upper : float
        The largest value of a sample, > 0.
    failure : float
        Probability of a wrong decision, in (0, 1).

    Raises
    ------
    ValueError
        If an argument is out of range.

    Notes
    -----
    E_above is a nonnegative supermartingale with E_above = 1 at the start if mean <= threshold, and so is E_below if
    mean >= threshold. By Ville's inequality each exceeds 2/failure at any time with probability at most failure/2. The
    stopping rule may depend on all batches so far. The order of the batches must be fixed before the run: the order of
    arrival may depend on the values.
    Source: Ville (1939); Waudby-Smith & Ramdas (2024), "Estimating means of bounded random variables by betting",
    JRSS B 86, Section 4.
    """

    threshold: float
    upper: float
    failure: float

    def __post_init__(self) -> None:
        check_positive("threshold", self.threshold)
        check_positive("upper", self.upper)
        check_delta("failure", self.failure)
        if not _MIN_RATIO * self.upper <= self.threshold < self.upper:
            raise ValueError(
                f"threshold must be in [{_MIN_RATIO:g} upper, upper), got threshold={self.threshold!r} "
                f"with upper={self.upper!r}; no sample can decide otherwise"
            )

    @property
    def number_of_bets_above(self) -> int:
        """The number of bets on larger values."""
        return len(self._bet_grid(self.upper / self.threshold))

    def wealth(self, values: ArrayLike, *, zeros: int = 0) -> LogCapital:
        """Return the log-capital of each bet after some samples.

        Parameters
        ----------
        values : array_like
            Samples in [0, upper].
        zeros : int, default 0
            Number of further samples with value 0.

        Returns
        -------
        Wealth
            Wealth of different batches can be merged by `LogCapital.merge`.

        Raises
        ------
        ValueError
            If a value is outside [0, upper].
        """
        centre = self.threshold / self.upper
        zeros = check_count("zeros", zeros, least=0)
        values = np.asarray(values, dtype=np.float64)
        shift = unit_values(values, self.upper) - centre if values.size or not zeros else np.empty(0)
        n = shift.size
        shift = np.pad(shift, (0, -n % _BLOCK)).reshape(_BLOCK, -1)  # a shift of 0 is a factor of 1

        def log_capitals(bets: NDArray[np.float64]) -> tuple[float, ...]:
            logs = np.log(np.multiply.reduce(1 + bets[:, None, None] * shift, axis=1)).sum(axis=1)
            return tuple((logs + zeros * np.log1p(-bets * centre)).tolist())

        above, below = self._bet_grid(self.upper / self.threshold), -self._bet_grid(1 / (1 - centre))
        return LogCapital(n + zeros, log_capitals(above), log_capitals(below))

    def _bet_grid(self, largest: float) -> NDArray[np.float64]:
        """Return the constant bets, as shares of the largest one."""
        halvings = max(1, math.ceil(math.log2(largest / _MIN_BET)))
        shares = [15 / 16, 7 / 8, 3 / 4, *(0.5**d for d in range(1, halvings + 1))]
        return largest * np.array(shares)

    def log_e_needed(self, n: int) -> float:
        """Return the log e-value that decides after n samples."""
        # One product per sample and one logarithm per block lose about 2^-50 per sample: the target includes twice
        # that.
        return math.log(2) - math.log(self.failure) + 2 * (n * 2.0**-50)

    def decision(self, wealth: LogCapital) -> Decision:
        """Return the decision after the batches merged in `wealth`."""
        log_above = log_mean_exp(wealth.above)
        log_below = log_mean_exp(wealth.below)
        wanted = self.log_e_needed(wealth.n)
        if log_above >= wanted:
            side = ThresholdSide.ABOVE
        elif log_below >= wanted:
            side = ThresholdSide.BELOW
        else:
            side = ThresholdSide.UNDECIDED
        return Decision(side, self.threshold, log_above, log_below, self.failure, wealth.n)


def log_mean_exp(logs: tuple[float, ...]) -> float:
    """Return log of the mean of e^x over the logs x."""
    top = max(logs)
    return top + math.log(math.fsum(math.exp(x - top) for x in logs) / len(logs))


#: The bets of `anytime_mean`, as shares of the largest one.
_BET_SHARES = np.array([63 / 64, 15 / 16, 7 / 8, 3 / 4, *(0.5**d for d in range(1, 21))])


def anytime_mean(
    values: ArrayLike, counts: ArrayLike, *, least: float, most: float, failure: float
) -> Estimate:
    """Return an interval for a mean that is valid at every stopping time.

        low = max {m : mean over c of prod_i (1 + c (x_i - m) / (m - least)) >= 2/failure},  0 < c < 1

    Parameters
    ----------
    values : array_like
        The distinct values of the samples so far, in [least, most].
    counts : array_like
        How often each value occurred: integers >= 0, in total at least 1 and below 2^53.
    least, most : float
        The finite ends of the range of a sample, least < most.
    failure : float
        Probability that any of the intervals after the successive samples misses, in (0, 1).

    Returns
    -------
    Estimate
        The interval, within [least, most].

    Raises
    ------
    ValueError
        If an argument is out of range.

    Notes
    -----
    The bets c are a fixed grid. Each product is a nonnegative supermartingale if the mean is at most m, and it
    decreases in m, so that the excluded m form an interval. `high` is that of the negated samples.
    Source: as for `BettingTest`.

    Examples
    --------
    >>> import filterproof as fp
    >>> fp.intervals.anytime_mean([0.0, 1.0], [500, 500], least=0.0, most=1.0, failure=0.01).low > 0.43
    True
    """
    least, most = float(check_real("least", least)), float(check_real("most", most))
    if not least < most:
        raise ValueError(f"least must be below most, got least={least!r} and most={most!r}; pass the range")
    values, counts = (np.asarray(column, dtype=np.float64) for column in (values, counts))
    if values.shape != counts.shape or values.ndim != 1 or not ((values >= least) & (values <= most)).all():
        raise ValueError(
            f"values must lie in [least, most] and have a count each, got {values!r} and {counts!r} for "
            f"[{least!r}, {most!r}]; pass two sequences of one length"
        )
    if not ((counts >= 0) & (counts == np.floor(counts))).all() or not 1 <= counts.sum() < 2**53:
        raise ValueError(
            f"counts must be integers >= 0 with a sum in [1, 2^53), got {counts!r}; pass the number of each value"
        )
    n = int(counts.sum())
    wanted = math.log(2) - math.log(check_delta("failure", failure)) + 2 * (n * 2.0**-50)
    mean = min(max(float(values @ counts / n), least), most)
    low, mirrored = (
        _lower_mean(sign * values, counts, end, sign * mean, wanted)
        for sign, end in ((1, least), (-1, -most))
    )
    return Estimate(mean, low, -mirrored, failure, n, "betting, at any stopping time")


def _lower_mean(
    values: NDArray[np.float64], counts: NDArray[np.float64], least: float, mean: float, wanted: float
) -> float:
    """Return the largest mean below the observed one that the test excludes, or `least`."""
    low, high = least, mean
    for _ in range(64):
        middle = low + (high - low) / 2
        if not low < middle < high:
            break
        shifts = (values - middle) / (middle - least)
        logs = np.log1p(np.maximum(_BET_SHARES[:, None] * shifts, -_BET_SHARES[:, None])) @ counts
        low, high = (middle, high) if log_mean_exp(tuple(logs.tolist())) >= wanted else (low, middle)
    return low
