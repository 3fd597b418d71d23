"""Routes to the true values of findings about diffprivlib: losses of its mechanisms and models, and what tells."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from math import cbrt, ceil, exp, log, log2
from typing import Any, TypeAlias

import numpy as np
from mpmath import mp

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

        def loss(
            scale: Number,
        ) -> Number:
            mass = [
                mp.quad(
                    lambda z, x=x: mp.exp(-abs(z - x) / scale),
                    sorted({0, x, 10 * scale, 60 * scale, records}),
                )
                for x in (0, 1)
            ]
            return 1 / scale + mp.log(mass[1] / mass[0])

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

        def noise(w: Number, x: Number) -> Number:  # the noise that makes w the minimum
            return (1 - 1 / (1 + mp.exp(-w * x))) * x - regularised * w

        logs = [
            mp.log(abs(mp.diff(lambda w, x=x: noise(w, x), 0, h=1e-12)))
            - abs(noise(mp.mpf(0), x)) / (4 * mp.mpf(norm))
            for x in (mp.mpf(norm), mp.mpf(0))
        ]
        return float(logs[0] - logs[1])


def minima_alike() -> float:
    """How much oftener the minima of three classes are alike under one noise, records all 0, than with one record 1."""

    def minimum(label: int, entry: float, noise: float) -> float:
        low, high = -100.0, 100.0
        for _ in range(200):
            w = (low + high) / 2
            slope = w + noise + (1 / (1 + exp(-w * entry)) - label) * entry
            low, high = (w, high) if slope < 0 else (low, w)
        return high

    noises = np.linspace(-20, 20, 41)
    alike = [
        [len({minimum(label, entry, b) for label in (1, 0, 0)}) == 1 for b in noises] for entry in (0.0, 1.0)
    ]
    return float(np.mean(alike[0]) - np.mean(alike[1]))


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

        def noise(x: int, w: Number, b: Number) -> list[Number]:
            first, second = 1 / (1 + mp.exp(-(w * x + b))) - 1, 1 / (1 + mp.exp(-b))
            return [-(first * x + w), -(first + second)]

        def logarithm(x: int) -> Number:
            slopes = mp.matrix(
                [
                    [mp.diff(lambda w, b, i=i: noise(x, w, b)[i], (6, -6), (1 - j, j)) for j in range(2)]
                    for i in range(2)
                ]
            )
            return mp.log(abs(mp.det(slopes))) - mp.norm(noise(x, mp.mpf(6), mp.mpf(-6))) / scale

        return float(logarithm(1) - logarithm(0))


def bingham_loss(top: float = 100.0, size: int = 50) -> float:
    """Loss orthogonal to the top eigenvector of the density that Bingham draws from, between top and top + 1."""
    with mp.workdps(30):

        def log_density(top: float) -> Number:
            t = mp.mpf(top) / 4
            b = mp.findroot(lambda b: 1 / b + (size - 1) / (b + 2 * t) - 1, (1.0001, size), solver="anderson")

            def drawn(z: Number) -> Number:
                return mp.exp(-t * (1 - z * z)) * (1 + 2 * t * (1 - z * z) / b) ** -size

            mass = mp.quad(
                lambda z: drawn(z) * (1 - z * z) ** (mp.mpf(size - 3) / 2),
                [mp.mpf(k) / 40 for k in range(41)],
            )
            return mp.log(drawn(mp.mpf(0)) / mass)

        return float(log_density(top) - log_density(top + 1))


def bingham_loss_by_angle(top: float = 100.0, size: int = 50) -> float:
    """The same by a sum over the angle to that eigenvector, in doubles, b by bisection."""
    angles = (np.arange(200_000) + 0.5) / 200_000 * np.pi / 2
    logs = []
    for t in (top / 4, (top + 1) / 4):
        low, high = 1.0, float(size)
        for _ in range(200):
            b = (low + high) / 2
            low, high = (b, high) if 1 / b + (size - 1) / (b + 2 * t) > 1 else (low, b)
        away = t * np.sin(angles) ** 2
        whole = np.logaddexp.reduce(
            -away - size * np.log1p(2 * away / b) + (size - 2) * np.log(np.sin(angles))
        )
        logs.append(-t - size * np.log1p(2 * t / b) - whole)
    return float(logs[0] - logs[1])


def categorical_loss() -> float:
    """log(P(a | a) / P(a | y)) = 4 + log of the normalisers' ratio, for the weights of the script at epsilon 4."""
    low, high = exp(-2), 0.99
    return 4 + log((1 + 2 * high**2 + 3 * low**2) / (1 + low**2 + 4 * ((high + low) / 2) ** 2))


def categorical_loss_by_table() -> float:
    """The same from the whole table of chances, of utilities that were rounded to doubles."""
    low, high, epsilon = exp(-2), 0.99, 4.0
    weights = {"ay": low, "yp": high, "yq": high, "yr": low, "ys": low} | {
        "a" + o: (high + low) / 2 for o in "pqrs"
    }
    utility = {frozenset(two): abs(-2 * log(w) / epsilon) for two, w in weights.items()}
    chance = {}
    with mp.workdps(_DIGITS):
        for x in "ay":
            row = {z: mp.exp(-epsilon * utility.get(frozenset({x, z}), 0)) for z in "aypqrs"}
            chance[x] = row["a"] / mp.fsum(row.values())
        return float(mp.log(chance["a"] / chance["y"]))


def forest_loss_by_orders() -> float:
    """Loss of the outcome where all ten trees turn, 20 records and 21: chances of permute-and-flip, over all orders."""

    def turned(records: list[int]) -> float:
        """The chance that each tree answers the other label than it has in the first case."""
        chance = 1.0
        for tree in range(10):
            mine = [y for i, y in enumerate(records) if int(i // (len(records) / 10)) == tree]
            counts = [mine.count(0), mine.count(1)]
            wins = [0.0, 0.0]
            for order in ((0, 1), (1, 0)):
                left = 0.5
                for label in order:
                    heads = exp(counts[label] - max(counts))
                    wins[label] += left * heads
                    left *= 1 - heads
            chance *= wins[1 - tree % 2]
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
        over = [max(mp.mpf(0), one - mp.exp(epsilon) * other) for one, other in itertools.pairwise(mass)]
        return mp.fsum(over) / mp.fsum(mass)

    return _discrete_root(excess, epsilon, delta)


def discrete_deviation_by_tails(epsilon: float, delta: float) -> float:
    """The same by P(Y > e s^2 - 1/2) - e^epsilon P(Y > e s^2 + 1/2) (Canonne et al. 2020, Theorem 7), by theta."""

    def profile(scale: Number) -> Number:
        first = mp.floor(epsilon * scale**2 - mp.mpf(1) / 2) + 1
        tails = [
            mp.nsum(lambda k: mp.exp(-(k**2) / (2 * scale**2)), [start, start + 30])
            for start in (first, first + 1)
        ]
        return (tails[0] - mp.exp(epsilon) * tails[1]) / mp.jtheta(3, 0, mp.exp(-1 / (2 * scale**2)))

    return _discrete_root(profile, epsilon, delta)


def _discrete_root(profile: Callable[[Number], Number], epsilon: float, delta: float) -> float:
    """The scale near sqrt(3 / (2 epsilon)), where the first tail loses its first term, at which a profile is delta."""
    with mp.workdps(_DIGITS):
        middle = mp.sqrt(mp.mpf(3) / (2 * epsilon))
        low, high = middle * (1 - mp.mpf("1e-3")), middle
        for _ in range(100):
            half = (low + high) / 2
            low, high = (half, high) if profile(half) > delta else (low, half)
        return float(high)


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


def is_nan_for_one(statistic: str) -> float:
    """1 if the mean, or the sorted gaps, of clipped data are NaN for an entry NaN, and not for 0.5; else 0."""
    asked: Any = {"mean": np.mean, "gaps": lambda data: np.diff(np.sort(data)).sum()}[statistic]
    told = [asked(np.clip(np.array([0.5] * 9 + [entry]), 0, 1)) for entry in (np.nan, 0.5)]
    return float(np.isnan(told[0]) and not np.isnan(told[1]))


def bins_of_sturges() -> float:
    """The bins of Sturges' width on the smaller extent of the script's samples."""
    return float(ceil((log2(4) + 1) / (1 - 1 / 27)))


def bins_of_numpy() -> float:
    """The bins that NumPy chooses for the script's second sample."""
    data = np.append(1.0, np.linspace(0, 1, 4)[1:] ** 3)
    return float(len(np.histogram_bin_edges(data, "auto", (0, 1))) - 1)


def largest_square() -> float:
    """The largest square within (0, 1)."""
    return max(0.0**2, 1.0**2)


def change_of_square() -> float:
    """The largest change of a square, over a grid of pairs."""
    return float(np.ptp(np.linspace(0, 1, 101) ** 2))


def change_of_sum_of_squares(entry: float) -> float:
    """How much the sum of squares changes where an entry becomes 0."""
    return float(np.dot([0, entry], [0, entry]) - np.dot([0, 0], [0, 0]))


def seeds_rule_out_closed() -> float:
    """The part of the forests that rule the wrong label out, in closed form."""
    return 1 - exp(-1) / 2


def read_off() -> float:
    """The record from sums of squared distances to a centre at 1/2."""
    return float(0.5 - ((99 * 0.25 + 0.13**2) - 99 * 0.25) ** 0.5)


def clipped() -> float:
    """The entry 1 clipped to a feature of bounds 0 and 1e-12."""
    return min(max(1.0, 0.0), 1e-12)


def clipped_by_numpy() -> float:
    """The same by numpy.clip, by columns."""
    return float(np.clip([1.0, 0.0], 0, [1e-12, 1e-8])[0])
