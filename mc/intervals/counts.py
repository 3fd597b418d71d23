"""The Clopper-Pearson interval: an exact confidence interval for the p of a Binomial(n, p) count.

>>> import filterproof as fp
>>> round(fp.intervals.clopper_pearson(0, 1000, failure=0.01).high, 6)
0.005284
"""

from __future__ import annotations

import math
from collections.abc import Callable

from scipy import special

from filterproof.mc.intervals.estimate import Estimate
from filterproof.mc.intervals.kl import kl_chernoff
from filterproof.mc.intervals.moments import ROUNDING, Moments
from filterproof.theory.argument_checks import check_count, check_delta

#: SciPy sums up to 40 powers; the first one is below the doubles only for tails below 1e-243.
_MIN_TAIL = 1e-240


def clopper_pearson(successes: int, n: int, *, failure: float) -> Estimate:
    """Return the Clopper-Pearson interval for the probability p of a binomial count.

        P(X >= successes; low) = P(X <= successes; high) = failure/2,  X ~ Binomial(n, p)

    Parameters
    ----------
    successes : int
        The count, in 0..n.
    n : int
        Number of trials, at least 1.
    failure : float
        Probability that the interval misses, in (0, 1).

    Returns
    -------
    Estimate
        The interval. `low` is 0 if successes = 0, and `high` is 1 if successes = n.

    Raises
    ------
    ValueError
        If an argument is out of range.

    Notes
    -----
    If failure/2 is below 1e-240, Chernoff's inequality replaces the binomial tails.
    Source: Clopper & Pearson (1934), Biometrika 26.
    """
    n = check_count("n", n)
    successes = check_count("successes", successes, least=0)
    if successes > n:
        raise ValueError(
            f"successes must be <= n={n}, got successes={successes}; pass the count of successes"
        )
    failure = float(check_delta("failure", failure))
    misses = n - successes
    tail, value = failure / 2, successes / n
    if tail < _MIN_TAIL:
        return kl_chernoff(Moments(n, float(successes), 0.0), failure=failure)
    # SciPy's functions have a relative error below 2^-46 sqrt(n), compared with balls, up to n = 10^13 and for tails
    # down to 1e-240. Its inverses are worse: a root may be next to the rounding of 1 - p, far off, or missing
    most = tail * (1 - ROUNDING) ** math.sqrt(n)
    low, high = 0.0, 1.0
    if successes:
        distribution = successes, misses + 1
        root = float(special.betaincinv(*distribution, tail))
        low = _moved_outwards(root, 0.0, lambda p: bool(special.betainc(*distribution, p) <= most))
    if misses:
        rest = successes + 1, misses
        root = float(special.betainccinv(*rest, tail))
        high = _moved_outwards(root, 1.0, lambda p: bool(special.betaincc(*rest, p) <= most))
    return Estimate(value, min(low, value), max(high, value), failure, n, "Clopper-Pearson")


def _moved_outwards(root: float, last: float, is_far: Callable[[float], bool]) -> float:
    """Return SciPy's root, moved towards `last` by small relative steps until it is far enough out."""
    for bits in range(40, 0, -1):
        end = min(root * (1 + math.copysign(2.0**-bits, last - 0.5)), 1.0)
        if is_far(end):
            return end
    return last
