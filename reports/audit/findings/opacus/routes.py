"""Two routes or more to the true value of each finding about opacus, which share no code."""

from fractions import Fraction
from math import ceil, comb, exp, log, sqrt

import mpmath
import numpy as np
from scipy.optimize import brentq
from scipy.stats import binom, norm


def halved_noise_by_tails(delta: float) -> float:
    """The epsilon of N(0, 1) against N(0, 1/4) at delta: the loss is 3 x^2 / 2 - log 2."""

    def gap(epsilon: float) -> float:
        cut = sqrt((epsilon + log(2)) / 1.5)
        return float(2 * (norm.sf(cut) - exp(epsilon) * norm.sf(2 * cut)) - delta)

    return float(brentq(gap, 0.0, 50.0, xtol=1e-12))


def halved_noise_by_mpmath(delta: float) -> float:
    """The same by quadrature of E_P[(1 - e^(epsilon - loss))_+] over x beyond the cut, in 30 digits."""
    with mpmath.workdps(30):

        def gap(epsilon: mpmath.mpf) -> mpmath.mpf:
            cut = mpmath.sqrt((epsilon + mpmath.log(2)) * 2 / 3)

            def excess(x: mpmath.mpf) -> mpmath.mpf:
                return -mpmath.expm1(epsilon + mpmath.log(2) - 3 * x * x / 2) * mpmath.npdf(x)

            return 2 * mpmath.quad(excess, [cut, cut + 2, cut + 6, cut + 30]) - delta

        return float(mpmath.findroot(gap, (8, 9), solver="anderson"))


def steps_told_by_sum(draws: int) -> float:
    """The total variation of the number of empty batches among `draws`, for 4 and for 5 records at rate 1/2."""
    # the sum of 16^-n (15^(n-k) - 31^(n-k) / 2^n) over the ways, where positive
    excess = (comb(draws, k) * (2**draws * 15 ** (draws - k) - 31 ** (draws - k)) for k in range(draws + 1))
    return float(Fraction(sum(max(gain, 0) for gain in excess), 32**draws))


def steps_told_by_threshold(draws: int) -> float:
    """The same from distribution functions: the ratio is monotone, so that the best event is a threshold."""
    k = np.arange(draws + 1)
    return float(np.max(binom.sf(k, draws, 1 / 16) - binom.sf(k, draws, 1 / 32)))


def drawn_rate(rate: float) -> float:
    """The part of all 24-bit fractions that are below the rate, rounded to a single float."""
    return float(Fraction(ceil(Fraction(float(np.float32(rate))) * 2**24), 2**24))


def counted_rate(rate: float) -> float:
    """The same by counting them."""
    return float(np.mean(np.arange(2**24, dtype=np.float32) / np.float32(2**24) < np.float32(rate)))
