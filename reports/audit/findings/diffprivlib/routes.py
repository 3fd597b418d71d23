"""Routes to the true values of findings about diffprivlib: losses of its mechanisms and models, and what tells."""

import itertools
from math import cbrt, ceil, exp, log, log2
from typing import Any, TypeAlias

import numpy as np
from mpmath import mp
from scipy.optimize import brentq

from theory.pairs import DiscreteGaussian

#: An mpmath number: mpmath has no types.
Number: TypeAlias = Any

_DIGITS = 40


def kmeans_sums(dimensions: int) -> float:
    """What the sums of KMeans spend of epsilon 1: d c / (d + c), c = (4 d 0.225^2)^(1/3), the epsilons exchanged."""
    c = cbrt(4 * dimensions * 0.225**2)
    return dimensions * c / (dimensions + c)


def kmeans_sums_by_density(dimensions: int, rounds: int = 2, records: int = 2000) -> float:
    """The loss at the outcome 0 of bounded Laplace noise on each sum, where one record moves from corner to
    corner."""
    with mp.workdps(_DIGITS):
        c = mp.cbrt(4 * dimensions * mp.mpf("0.225") ** 2)
        epsilon = c / (dimensions + c) / rounds

        def mass(scale: Number, x: int) -> Number:
            cuts = sorted({0, x, 10 * scale, 60 * scale, records})
            return mp.quad(lambda z: mp.exp(-abs(z - x) / scale), cuts)

        def loss(scale: Number) -> Number:
            return 1 / scale + mp.log(mass(scale, 1) / mass(scale, 0))

        scale = mp.findroot(lambda b: loss(b) - epsilon, 2 / epsilon)
        return float(dimensions * rounds * loss(scale))


def norm_loss(norm: float) -> float:
    """log density ratio at 0 of logistic regression at epsilon 1 with and without the record `norm`, by its
    slopes."""
    # at least norm / 4 / (e^(1/4) - 1) is what the library regularises with, and 4 norm the scale of its noise
    return log(1 + norm * (exp(0.25) - 1)) - (norm / 2) / (4 * norm)


def norm_loss_by_slope(norm: float) -> float:
    """The same with the noise as a function of the coefficient, differentiated numerically."""
    with mp.workdps(_DIGITS):
        regularised = mp.mpf(norm) / 4 / mp.expm1(mp.mpf(1) / 4)

        def logarithm(x: Number) -> Number:
            def noise(w: Number) -> Number:  # the noise that makes w the minimum
                return (1 - 1 / (1 + mp.exp(-w * x))) * x - regularised * w

            return mp.log(abs(mp.diff(noise, 0, h=1e-12))) - abs(noise(mp.mpf(0))) / (4 * mp.mpf(norm))

        return float(logarithm(mp.mpf(norm)) - logarithm(mp.mpf(0)))


def minima_alike() -> float:
    """How much oftener the minima of three classes are alike under one noise, records all 0, than with one record 1."""

    def minimum(label: int, entry: float, noise: float) -> float:
        def slope(w: float) -> float:
            return w + noise + (1 / (1 + exp(-w * entry)) - label) * entry

        return float(brentq(slope, -100.0, 100.0))

    def alike(entry: float) -> float:
        noises = np.linspace(-20, 20, 41)
        return float(np.mean([minimum(1, entry, b) == minimum(0, entry, b) for b in noises]))

    return alike(0.0) - alike(1.0)


def seeds_rule_out() -> float:
    """1 less the chance that the wrong label replays a tree: the coin of e^-1 shows heads, and an empty leaf agrees."""
    with mp.workdps(_DIGITS):  # the coin draws until a draw is above 1 / k, and shows heads if k is odd
        heads = mp.fsum((-1) ** k / mp.factorial(k) for k in range(40))
        return float(1 - heads / 2)


def intercept_loss() -> float:
    """log density ratio at (6, -6) of logistic regression at epsilon 1 with the record 1 and with 0 in its place."""
    s = 1 / (1 + exp(6))
    t = s * (1 - s)
    scale = 2 * 2**0.5 / (1 - 2 * log(1 + 2**0.5 / 4))
    volumes = 1.25 * (0.25 + t) - 0.0625, 2 * t
    norms = (5.5**2 + (0.5 - s) ** 2) ** 0.5, (6**2 + (1 - 2 * s) ** 2) ** 0.5
    return float(log(volumes[0] / volumes[1]) - (norms[0] - norms[1]) / scale)


def intercept_loss_by_slope() -> float:
    """The same with the noise as a function of coefficient and intercept, differentiated numerically."""
    with mp.workdps(_DIGITS):
        scale = 2 * mp.sqrt(2) / (1 - 2 * mp.log(1 + mp.sqrt(2) / 4))

        def logarithm(x: int) -> Number:
            def noise(w: Number, b: Number) -> list[Number]:
                first, second = 1 / (1 + mp.exp(-(w * x + b))) - 1, 1 / (1 + mp.exp(-b))
                return [-(first * x + w), -(first + second)]

            at = mp.mpf(6), mp.mpf(-6)
            slopes = [
                [mp.diff(lambda w, b, i=i: noise(w, b)[i], at, order) for order in ((1, 0), (0, 1))]
                for i in range(2)
            ]
            return mp.log(abs(mp.det(mp.matrix(slopes)))) - mp.norm(noise(*at)) / scale

        return float(logarithm(1) - logarithm(0))


def bingham_loss(top: float = 100.0, size: int = 50) -> float:
    """Loss orthogonal to the top eigenvector of the density that Bingham draws from, between top and top + 1."""

    def log_density(top: float) -> Number:
        t = mp.mpf(top) / 4
        b = mp.findroot(lambda b: 1 / b + (size - 1) / (b + 2 * t) - 1, (1.0001, size), solver="anderson")

        def drawn(square: Number) -> Number:  # of the cosine
            return mp.exp(-t * (1 - square)) * (1 + 2 * t * (1 - square) / b) ** -size

        power = mp.mpf(size - 3) / 2
        mass = mp.quad(lambda z: drawn(z * z) * (1 - z * z) ** power, mp.linspace(0, 1, 41))
        return mp.log(drawn(mp.mpf(0)) / mass)

    with mp.workdps(30):
        return float(log_density(top) - log_density(top + 1))


def bingham_loss_by_angle(top: float = 100.0, size: int = 50) -> float:
    """The same by a sum over the angle to that eigenvector, in doubles."""
    sine = np.sin((np.arange(200_000) + 0.5) / 200_000 * np.pi / 2)

    def log_density(t: float) -> float:
        b = brentq(lambda b: 1 / b + (size - 1) / (b + 2 * t) - 1, 1.0, size)
        drawn = -t * sine**2 - size * np.log1p(2 * t * sine**2 / b)
        whole = np.logaddexp.reduce(drawn + (size - 2) * np.log(sine))
        return float(-t - size * np.log1p(2 * t / b) - whole)

    return log_density(top / 4) - log_density((top + 1) / 4)


def categorical_loss() -> float:
    """log(P(a | a) / P(a | y)) = 4 + log of the normalisers' ratio, for the weights of the script at epsilon 4."""
    low, high = exp(-2), 0.99
    return 4 + log((1 + 2 * high**2 + 3 * low**2) / (1 + low**2 + 4 * ((high + low) / 2) ** 2))


def categorical_loss_by_table() -> float:
    """The same from the whole table of chances, of utilities that were rounded to doubles."""
    low, high, epsilon = exp(-2), 0.99, 4.0
    weights = {"y": {"a": low, "p": high, "q": high, "r": low, "s": low}}
    weights["a"] = {"y": low} | dict.fromkeys("pqrs", (high + low) / 2)

    def chance(x: str) -> Number:  # of the answer a
        row = {z: mp.exp(-epsilon * abs(-2 * log(w) / epsilon)) for z, w in weights[x].items()} | {
            x: mp.mpf(1)
        }
        return row["a"] / mp.fsum(row.values())

    with mp.workdps(_DIGITS):
        return float(mp.log(chance("a") / chance("y")))


def forest_loss_by_orders() -> float:
    """Loss of the outcome where all ten trees turn, 20 records and 21: chances of permute-and-flip, over all orders."""

    def wrong(counts: list[int], label: int) -> float:
        """The chance of the other label: it comes first and shows heads, or second, after tails."""
        heads = [exp(count - max(counts)) for count in counts]
        return heads[1 - label] * (1 + (1 - heads[label])) / 2

    def turned(records: list[int]) -> float:
        """The chance that each tree answers the other label than it has in the first case."""
        chance = 1.0
        for tree in range(10):
            mine = [y for i, y in enumerate(records) if int(i // (len(records) / 10)) == tree]
            chance *= wrong([mine.count(0), mine.count(1)], tree % 2)
        return chance

    labels = [label for label in (0, 1) * 5 for _ in range(2)]
    return log(turned([*labels, 0]) / turned(labels))


def truncated_count_mass(epsilon: float = 1 / 3, total: int = 20) -> float:
    """The chance of a count from 1 to the total, where 1 gets two-sided geometric noise and is then cut to these."""
    with mp.workdps(_DIGITS):
        ratio = mp.exp(-mp.mpf(epsilon))
        inner = [(1 - ratio) / (1 + ratio) * ratio ** (k - 1) for k in range(2, total)]
        ends = 1 / (1 + ratio), ratio ** (total - 1) / (1 + ratio)  # P(noise <= 0), P(noise >= total - 1)
        return float(mp.fsum([*inner, *ends]))


def geometric_rounding() -> float:
    """Loss at the answer 2^60 of geometric noise at epsilon 1 that is rounded to multiples of 256 on its way."""
    # 2^60 + 128 is rounded to 2^60, which stays for noise from -64 to 128; 2^60 + 129 needs noise from -320 to -128
    ratio = exp(-1)
    kept = 1 - (ratio**65 + ratio**129) / (1 + ratio)
    return log(kept * (1 + ratio)) + 128 - log(1 - ratio**193)


def geometric_rounding_by_sum() -> float:
    """The same by adding every noise up to 1000 to both values as doubles."""
    with mp.workdps(200):
        ratio, totals = mp.exp(-1), []
        for value in (2**60 + 128, 2**60 + 129):
            kept = [n for n in range(-1000, 1001) if int(float(value) + float(n)) == 2**60]
            totals.append(mp.fsum((1 - ratio) / (1 + ratio) * ratio ** abs(n) for n in kept))
        return float(mp.log(totals[0] / totals[1]))


def discrete_deviation(epsilon: float, delta: float) -> float:
    """The scale at which the discrete Gaussian of sensitivity 1 has delta, the masses' excess added one by one."""

    def excess(scale: Number) -> Number:
        mass = [mp.exp(-(mp.mpf(k) ** 2) / (2 * scale**2)) for k in range(-40, 42)]
        over = (one - mp.exp(epsilon) * other for one, other in itertools.pairwise(mass))
        return mp.fsum(max(mp.mpf(0), gain) for gain in over) / mp.fsum(mass) - delta

    with mp.workdps(_DIGITS):
        return float(mp.findroot(excess, _near_first_tail(epsilon), solver="bisect", tol=1e-60))


def discrete_deviation_by_pair(epsilon: float, delta: float) -> float:
    """The same by the pair of this house."""
    ends = _near_first_tail(epsilon)
    return float(
        brentq(lambda scale: float(DiscreteGaussian(scale).hockey_stick(epsilon)) - delta, *ends, xtol=1e-15)
    )


def _near_first_tail(epsilon: float) -> tuple[float, float]:
    """An interval up to sqrt(3 / (2 epsilon)), the scale at which the first tail loses its first term."""
    high = (3 / (2 * epsilon)) ** 0.5
    return high * (1 - 1e-3), high


def underflow() -> float:
    """1 if the weights of the median are 0 in doubles for 2982 entries 500, and not where one is 900; else 0."""
    smallest = mp.ldexp(1, -1075)  # half the least double above 0
    with mp.workdps(_DIGITS):
        alike = mp.exp(-mp.mpf(2982) / 4)  # of the ranks 0 and 2982, where alone there is room
        other = mp.exp(-(mp.mpf(2982) / 2 - 1) / 2)  # of the rank 2981, between 500 and 900
        return float(alike < smallest < other)


def median_fails() -> float:
    """1 if the weights of the median are all 0 where all entries are 500, and not where one is 900; else 0."""
    failed = []
    for last in (500.0, 900.0):
        edges = np.array([0.0] + [500.0] * 2981 + [last, 1000.0])
        worth = -np.abs(np.arange(2983) - 0.5 * 2982)
        failed.append(float((np.exp(0.5 * (worth - worth.max())) * np.diff(edges)).sum()) == 0)
    return float(failed == [True, False])


def bins_of_sturges() -> float:
    """The bins of Sturges' width on the smaller extent of the script's samples."""
    return float(ceil((log2(4) + 1) / (1 - 1 / 27)))


def bins_of_numpy() -> float:
    """The bins that NumPy chooses for the script's second sample."""
    data = np.append(1.0, np.linspace(0, 1, 4)[1:] ** 3)
    return float(len(np.histogram_bin_edges(data, "auto", (0, 1))) - 1)


def change_of_sum_of_squares(entry: float) -> float:
    """How much the sum of squares changes where an entry becomes 0."""
    return float(np.dot([0, entry], [0, entry]) - np.dot([0, 0], [0, 0]))


def seeds_rule_out_closed() -> float:
    """The part of the forests that rule the wrong label out, in closed form."""
    return 1 - exp(-1) / 2
