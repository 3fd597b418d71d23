"""The Clopper-Pearson interval: an exact confidence interval for the p of a Binomial(n, p) count.

>>> import filterproof as fp
>>> round(fp.clopper_pearson(0, 1000, failure=0.01).high, 6)
0.005284
"""

from __future__ import annotations

from scipy import special

from mc.intervals.estimate import Estimate
from mc.intervals.moments import ROUNDING
from theory.arguments import check_count, check_delta

__all__ = ["clopper_pearson"]


def clopper_pearson(successes: int, n: int, *, failure: float) -> Estimate:
    """[low, high] with P(X >= successes; low) = P(X <= successes; high) = failure/2, X ~ Binomial(n, p).

    Each side misses with probability at most failure/2; low = 0 if successes = 0, and high = 1 if successes = n.
    Source: Clopper and Pearson, Biometrika 26 (1934); the tails are regularised incomplete beta functions.
    """
    n = check_count("n", n)
    successes = check_count("successes", successes, least=0)
    if successes > n:
        raise ValueError(
            f"successes must be <= n={n}, got successes={successes}; pass the count of successes"
        )
    failure = float(check_delta("failure", failure))
    misses = n - successes
    tail = failure / 2
    low = float(special.betaincinv(successes, misses + 1, tail)) if successes else 0.0
    high = float(special.betainccinv(successes + 1, misses, tail)) if misses else 1.0
    value = successes / n
    return Estimate(
        value,
        max(min(low * (1 - ROUNDING), value), 0.0),
        min(max(high * (1 + ROUNDING), value), 1.0),
        failure,
        n,
        "Clopper-Pearson",
    )
