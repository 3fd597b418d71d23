"""The betting interval: the means under which neither of two gamblers reaches capital 2/failure.

>>> import filterproof as fp
>>> interval = fp.intervals.betting([0.0, 1.0] * 50, failure=0.01)
>>> round(interval.low, 4), round(interval.high, 4)
(0.3426, 0.6562)
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from filterproof.mc.intervals.bernstein import outward_estimate
from filterproof.mc.intervals.estimate import Estimate
from filterproof.mc.intervals.moments import Moments, unit_values
from filterproof.theory.argument_checks import check_delta

#: The largest share c of the capital that one bet can lose. Any number below 1 is valid.
_STAKE = 0.75


def plug_in_bets(unit: NDArray[np.float64], log_term: float) -> NDArray[np.float64]:
    """Return lambda_t = sqrt(2 l / (n V_{t-1})), V_{t-1} a running variance of x_1..x_{t-1} only: shape (n,)."""
    count = np.arange(2.0, unit.size + 2)
    mean = (0.5 + np.cumsum(unit)) / count
    spread = (0.25 + np.cumsum((unit - mean) ** 2)) / count
    before = np.concatenate(([0.25], spread[:-1]))
    bets: NDArray[np.float64] = np.sqrt(2 * log_term / (unit.size * before))
    return bets


def _mean_at_capital_level(
    unit: NDArray[np.float64], bets: NDArray[np.float64], log_term: float, *, larger: bool
) -> float:
    """Return the root m of max_t log K_t(m) = l; 0 or 1 if no m gives so large a capital.

    K_t(m) = prod_{i<=t} (1 + min(lambda_i, c/m)(x_i - m)) for bets on larger values, which decreases in m; K_t(m) =
    prod_{i<=t} (1 + min(lambda_i, c/(1-m))(m - x_i)) for smaller ones, which increases. Both are continuous.
    """

    def log_capital_above_level(m: float) -> float:
        cap, sign = (_STAKE / m, 1.0) if larger else (_STAKE / (1 - m), -1.0)
        gain = np.minimum(bets, cap) * (sign * (unit - m))
        return float(np.cumsum(np.log1p(gain, out=gain), out=gain).max()) - log_term

    edge = 1e-3 / unit.size  # an endpoint closer than this to 0 or 1 excludes too little to matter
    rich = edge if larger else 1 - edge
    if log_capital_above_level(rich) <= 0:
        return 0.0 if larger else 1.0
    from scipy import optimize

    return float(optimize.brentq(log_capital_above_level, edge, 1 - edge, xtol=1e-300, rtol=1e-14))


def betting(values: ArrayLike, upper: float = 1.0, *, failure: float) -> Estimate:
    """Return the betting interval for the mean of i.i.d. values in [0, upper].

        {m : max_t K_t(m) < 2/failure for both gamblers},  K_t(m) = prod_{i<=t} (1 +- lambda_i (x_i - m))

    Parameters
    ----------
    values : array_like
        Samples in [0, upper], in the order of the draws.
    upper : float, default 1.0
        The largest value of a sample, > 0.
    failure : float
        Probability that the interval misses, in (0, 1).

    Returns
    -------
    Estimate
        The interval. Each side misses with probability at most failure/2.

    Raises
    ------
    ValueError
        If an argument is out of range, or a value is outside [0, upper].

    Notes
    -----
    The bet lambda_i depends on earlier values only, and is truncated at c/m and c/(1-m) with c = 3/4, so that capital
    stays positive. At the true mean both capitals are martingales, and Ville's inequality bounds their maximum. Means
    of equal blocks of values may replace the values. With few blocks the truncation widens the interval. Source:
    Waudby-Smith & Ramdas (2024), "Estimating means of bounded random variables by betting", JRSS B 86, Theorem 3.
    """
    failure = float(check_delta("failure", failure))
    unit = unit_values(values, upper)
    log_term = math.log(2) - math.log(failure)
    bets = plug_in_bets(unit, log_term)
    low = _mean_at_capital_level(unit, bets, log_term, larger=True)
    high = _mean_at_capital_level(unit, bets, log_term, larger=False)
    return outward_estimate(Moments.of(unit * upper, upper), low, high, failure, "betting")
