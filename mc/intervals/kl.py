"""The Kullback-Leibler interval: a confidence interval for the mean of bounded values from the sample mean alone.

>>> import filterproof as fp
>>> interval = fp.intervals.kl_chernoff(fp.intervals.Moments.of([0.0, 1.0] * 50), failure=0.01)
>>> round(interval.low, 4), round(interval.high, 4)
(0.3415, 0.6585)
"""

from __future__ import annotations

import math
from collections.abc import Callable

from filterproof.mc.intervals.bernstein import outward_estimate
from filterproof.mc.intervals.estimate import Estimate
from filterproof.mc.intervals.moments import Moments
from filterproof.theory.argument_checks import check_delta


def _bernoulli_kl_term(p: float, q: float, shift: float) -> float:
    """Return p log(p/q), a term of the KL divergence; shift = q - p keeps it precise near q = p."""
    if p == 0:
        return 0.0
    if q == 0:
        return math.inf
    if abs(shift) < p / 2:
        return -p * math.log1p(shift / p)
    return p * (math.log(p) - math.log(q))


def bernoulli_kl(p: float, q: float) -> float:
    """Return KL(Bernoulli(p) || Bernoulli(q)) = p log(p/q) + (1-p) log((1-p)/(1-q)), in nats."""
    return max(_bernoulli_kl_term(p, q, q - p) + _bernoulli_kl_term(1 - p, 1 - q, p - q), 0.0)


def last_outside(outside: Callable[[float], bool], inner: float, outer: float) -> float:
    """Return the double next to the boundary of `outside`, on its outer side, or `outer` if there is none."""
    while True:
        middle = 0.5 * (inner + outer)
        if middle in (inner, outer):
            return outer
        if outside(middle):
            outer = middle
        else:
            inner = middle


def kl_chernoff(moments: Moments, *, failure: float) -> Estimate:
    """Return the Kullback-Leibler interval for the mean of i.i.d. values in [0, upper].

        {q : n KL(Bernoulli(mean) || Bernoulli(q)) <= log(2/failure)},  mean and q in units of upper

    Parameters
    ----------
    moments : Moments
        Count and mean of the values.
    failure : float
        Probability that the interval misses, in (0, 1).

    Returns
    -------
    Estimate
        The interval. Each side misses with probability at most failure/2.

    Raises
    ------
    ValueError
        If failure is outside (0, 1).

    Notes
    -----
    The interval ignores the variance. It is narrower than `empirical_bernstein` if most values are 0 or upper.
    Source: Hoeffding (1963), JASA 58, Theorem 1, inverted.
    """
    failure = float(check_delta("failure", failure))
    level = (math.log(2) - math.log(failure)) / moments.n
    mean = moments.unit_mean

    def outside(q: float) -> bool:
        return bernoulli_kl(mean, q) > level

    low = last_outside(outside, mean, 0.0)
    high = last_outside(outside, mean, 1.0)
    return outward_estimate(moments, low, high, failure, "KL-Chernoff")
