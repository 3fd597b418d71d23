"""Two routes to the true value of each finding about PLD_accounting, which share no code."""

import math
from itertools import combinations

import numpy as np
from scipy.optimize import brentq
from scipy.stats import norm


def two_of_three_closed(delta: float) -> float:
    """The epsilon at delta of noise 1 where the record removed takes part in two of three steps, chosen at random.

    The density ratio is (ab + c(a + b)) / 3 for those of single steps; over c it is an option's price, in closed form.
    """
    x = np.linspace(-8, 10, 721)
    single = np.exp(x - 0.5)[:, None]
    product, total = single * single.T, single + single.T
    mass = np.outer(norm.pdf(x), norm.pdf(x)) / 40**2

    def log_excess(epsilon: float) -> float:
        strike = 3 * math.exp(epsilon)
        edge = np.log(np.maximum(strike - product, 1e-300) / total) + 0.5
        excess = mass * ((product - strike) * norm.sf(edge) + total * norm.sf(edge - 1))
        return math.log(float(excess.sum()) / 3 / delta)

    return float(brentq(log_excess, 1.0, 12.0, xtol=1e-12))


def two_of_three_summed(delta: float) -> float:
    """The same from the definition: the excess of one density over e^epsilon the other, summed over a grid."""
    step = 1 / 16
    x = np.arange(-6, 8 + step, step)
    axes = np.meshgrid(x, x, x, indexing="ij", sparse=True)

    def density(*moved: int) -> np.ndarray:
        return np.asarray(np.exp(-sum((a - (i in moved)) ** 2 for i, a in enumerate(axes)) / 2))

    without, with_it = density(), sum(density(*chosen) for chosen in combinations(range(3), 2)) / 3
    scale = (step / math.sqrt(2 * math.pi)) ** 3

    def log_excess(epsilon: float) -> float:
        return math.log(float(np.maximum(with_it - math.exp(epsilon) * without, 0).sum()) * scale / delta)

    return float(brentq(log_excess, 1.0, 12.0, xtol=1e-9))
