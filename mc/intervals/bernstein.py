"""The empirical Bernstein interval: a confidence interval for the mean whose width follows the sample variance.

>>> import filterproof as fp
>>> interval = fp.intervals.empirical_bernstein(fp.intervals.Moments.of([0.0, 1.0] * 50), failure=0.01)
>>> round(interval.low, 4), round(interval.high, 4)
(0.1966, 0.8034)
"""

from __future__ import annotations

import math

from filterproof.mc.intervals.estimate import Estimate
from filterproof.mc.intervals.moments import ROUNDING, Moments
from filterproof.theory.argument_checks import check_delta


def outward_estimate(moments: Moments, low: float, high: float, failure: float, method: str) -> Estimate:
    """Return the estimate with endpoints [low, high], moved outward by `ROUNDING` high and clipped to [0, 1]."""
    pad = ROUNDING * high
    least = max(low - pad, 0.0) * moments.upper
    most = min(high + pad, 1.0) * moments.upper
    # min and max: at the ends of the range the product with `upper` may round past the mean
    return Estimate(
        moments.mean, min(least, moments.mean), max(most, moments.mean), failure, moments.n, method
    )


def empirical_bernstein(moments: Moments, *, failure: float) -> Estimate:
    """Return the empirical Bernstein interval for the mean of i.i.d. values in [0, upper].

        mean +- (sqrt(2 V l / n) + 2 l / sqrt(n (n-1)) + l / (3 n)),  l = log(3/failure)

    V is the sample variance; V and the mean are in units of upper and upper^2.

    Parameters
    ----------
    moments : Moments
        Count, mean and variance of at least 2 values.
    failure : float
        Probability that the interval misses, in (0, 1).

    Returns
    -------
    Estimate
        The interval, clipped to [0, upper].

    Raises
    ------
    ValueError
        If failure is outside (0, 1) or n < 2.

    Notes
    -----
    Three events fail with probability failure/3 each: Bennett's inequality above and below with the true standard
    deviation, and sqrt(true variance) <= sqrt(V) + sqrt(2 l / (n-1)). Both sides share the third event.
    Source: Maurer & Pontil (2009), "Empirical Bernstein bounds and sample variance penalization", Theorems 3, 4 and 10,
    before the last step, which rounds the lower-order terms up to 7 l / (3 (n-1)).
    """
    failure = float(check_delta("failure", failure))
    n, variance = moments.n, moments.unit_variance
    log_term = math.log(3) - math.log(failure)
    half = math.sqrt(2 * variance * log_term / n) + 2 * log_term / math.sqrt(n * (n - 1)) + log_term / (3 * n)
    mean = moments.unit_mean
    return outward_estimate(moments, mean - half, mean + half, failure, "empirical Bernstein")
