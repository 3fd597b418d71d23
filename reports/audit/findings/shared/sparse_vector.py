"""The log ratio of an output of the sparse vector technique with Laplace noise, in two ways that share no code."""

from math import exp, log

import mpmath
from scipy.integrate import quad
from scipy.stats import laplace


def log_ratio_by_scipy(below: int) -> float:
    """The log ratio of `below` answers below the threshold and one above, when each query has changed by 1."""

    def probability(low: float, high: float) -> float:
        def run(t: float) -> float:
            return float(exp(-abs(t)) / 2 * laplace.cdf(t - low) ** below * laplace.sf(t - high))

        return sum(quad(run, a, b, epsabs=1e-14)[0] for a, b in ((-40, 0), (0, 1), (1, 10), (10, 60)))

    return log(probability(0, 1) / probability(1, 0))


def log_ratio_by_expansion(below: int) -> float:
    """The same with the power of the distribution function expanded, so that each integral is elementary."""
    with mpmath.workdps(80):
        half, e = mpmath.mpf(1) / 2, mpmath.exp(1)

        def line(a: mpmath.mpf, lo: mpmath.mpf, hi: mpmath.mpf | None) -> mpmath.mpf:
            top = mpmath.mpf(0) if hi is None else mpmath.exp(a * hi)
            return hi - lo if a == 0 and hi is not None else (top - mpmath.exp(a * lo)) / a

        def ratio(low: int, high: int) -> mpmath.mpf:
            # t < 0: e^((below + 1) t), times the last one
            start = half ** (below + 1) * mpmath.exp(-below * low)
            total = start / (below + 1) - start * half * mpmath.exp(-high) / (below + 2)
            for k in range(below + 1):
                sign = mpmath.binomial(below, k) * (-half) ** k
                if low == 0:  # the queries below are beyond their kink, the last is not
                    total += (
                        half * sign * (line(mpmath.mpf(-1 - k), 0, 1) - half / e * line(mpmath.mpf(-k), 0, 1))
                    )
                rest = mpmath.exp(k * low) * half * half * mpmath.exp(high)
                total += sign * rest * line(mpmath.mpf(-2 - k), 1, None)
            if low == 1:  # 0 < t < 1, where one of the two kinks is at 1
                total += start * half * line(mpmath.mpf(below - 2), 0, 1)
            return total

        return float(mpmath.log(ratio(0, 1) / ratio(1, 0)))
