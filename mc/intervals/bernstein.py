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


def outward(moments: Moments, low: float, high: float, failure: float, method: str) -> Estimate:
    """The estimate with unit endpoints [low, high], moved outward by `ROUNDING` times high and clipped to [0, 1]."""
    pad = ROUNDING * high
    least = max(low - pad, 0.0) * moments.upper
    most = min(high + pad, 1.0) * moments.upper
    # min and max: at the ends of the range the product with `upper` may round past the mean
    return Estimate(
        moments.mean, min(least, moments.mean), max(most, moments.mean), failure, moments.n, method
    )


def empirical_bernstein(moments: Moments, *, failure: float) -> Estimate:
    """mean +- (sqrt(2 V l / n) + 2 l / sqrt(n (n-1)) + l / (3 n)), l = log(3/failure), V the sample variance.

    For n >= 2 i.i.d. values in [0, upper]; V and the mean in units of upper. Three events may fail, with probability
    failure/3 each: Bennett's inequality above and below, both in terms of the true standard deviation, and
    sqrt(true variance) <= sqrt(V) + sqrt(2 l / (n-1)). Both sides share the third event: two copies of the one-sided
    theorem would need four events and log(4/failure).
    Source: Maurer and Pontil, "Empirical Bernstein bounds and sample variance penalization" (2009),
    Theorems 3, 4 and 10, before their last step rounds the lower-order terms up to 7 l / (3 (n-1)).
    """
    failure = float(check_delta("failure", failure))
    n, variance = moments.n, moments.unit_variance
    log_term = math.log(3) - math.log(failure)
    half = math.sqrt(2 * variance * log_term / n) + 2 * log_term / math.sqrt(n * (n - 1)) + log_term / (3 * n)
    mean = moments.unit_mean
    return outward(moments, mean - half, mean + half, failure, "empirical Bernstein")
