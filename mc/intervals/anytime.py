"""An interval for a mean that is valid at every stopping time, by betting.

>>> import filterproof as fp
>>> interval = fp.intervals.anytime_mean([0.0, 1.0], [50, 50], least=0.0, most=1.0, failure=0.01)
>>> 0.3 < interval.low < 0.5 < interval.high < 0.7
True
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from filterproof.mc.intervals.estimate import Estimate
from filterproof.theory.argument_checks import check_delta, check_real

#: The bets, as shares of the largest one.
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
    decreases in m, so that the excluded m form an interval. `high` is that of the negated samples. By Ville's
    inequality each end misses at any time with probability at most failure/2.
    Source: Ville (1939); Waudby-Smith & Ramdas (2024), "Estimating means of bounded random variables by betting",
    JRSS B 86, Section 4.

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
    # logarithms and products lose about 2^-50 a sample
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
        low, high = (middle, high) if _log_mean_exp(logs.tolist()) >= wanted else (low, middle)
    return low


def _log_mean_exp(logs: list[float]) -> float:
    """Return log of the mean of e^x over the logs x."""
    top = max(logs)
    return top + math.log(math.fsum(math.exp(x - top) for x in logs) / len(logs))
