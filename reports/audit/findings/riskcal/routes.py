"""Two routes to the true value of each finding about riskcal, which share no code."""

from mpmath import mp
from scipy.stats import norm


def gaussian_rate_by_digits(rho: float, fpr: float) -> float:
    """The least false negative rate at a false positive rate of Gaussian noise that is rho-zCDP."""
    with mp.workdps(40):
        threshold = mp.sqrt(2) * mp.erfinv(1 - 2 * mp.mpf(fpr))
        return float(mp.ncdf(threshold - mp.sqrt(2 * mp.mpf(rho))))


def sampled_rate_by_tails(rate: float, fpr: float) -> float:
    """The least false negative rate where a record with noise 1 is in the sample with a chance, and is removed."""
    threshold = norm.isf(fpr)
    return float((1 - rate) * norm.cdf(threshold) + rate * norm.cdf(threshold - 1))


def sampled_rate_by_integral(rate: float, fpr: float) -> float:
    """The same by a root and an integral."""
    with mp.workdps(30):
        threshold = mp.findroot(lambda x: mp.erfc(x / mp.sqrt(2)) / 2 - mp.mpf(fpr), 3)
        return float(
            mp.quad(lambda x: (1 - rate) * mp.npdf(x) + rate * mp.npdf(x, 1), [-mp.inf, -4, 0, threshold])
        )
