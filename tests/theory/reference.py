"""Reference digits by mpmath, each quantity from its definition rather than from the formula used in doubles.

Every function takes `digits`, works at that precision (more where something cancels) and leaves the global
precision of mpmath as it was. It is slow: thousandths to tenths of a second per number.
"""

from typing import Any, TypeAlias

from mpmath import mp

from filterproof.theory.conversions import BUN_STEINKE, CKS, Conversion
from filterproof.theory.numerics.golden_section import lowest_at

#: An mpmath number: mpmath has no types.
Number: TypeAlias = Any


def conversion_delta(conversion: Conversion, rho: float, epsilon: float, digits: int = 30) -> Number:
    """The conversion's infimum over the order, by golden-section search."""
    with mp.workdps(digits + 20):
        return mp.exp(_log_conversion_delta(conversion, mp.mpf(rho), mp.mpf(epsilon)))


def _log_conversion_delta(conversion: Conversion, rho: Number, epsilon: Number) -> Number:
    if conversion not in (BUN_STEINKE, CKS):
        raise ValueError(f"conversion must be one that is known here, got {conversion}; add its objective")

    def objective(x: Number) -> Number:
        t = mp.exp(x)
        markov = t * ((t + 1) * rho - epsilon)
        return markov + (t * mp.log(t / (1 + t)) - mp.log1p(t) if conversion is CKS else 0)

    # to half of the working digits, for the objective is flat there
    at = lowest_at(objective, mp.mpf(-750), mp.mpf(750), steps=3 * mp.dps)
    return min(objective(at), mp.zero)
