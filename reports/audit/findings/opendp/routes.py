"""Two routes or more to the true value of each finding about opendp, which share no code."""

import itertools
import math
from fractions import Fraction

import mpmath
import numpy as np
from numpy.typing import NDArray
from scipy import integrate, optimize, stats


def released_by_threshold(power: int, scale: int, threshold: int) -> float:
    """P(1 + Z >= threshold) for the discrete Laplace (power 1) or Gaussian (power 2) Z, summed term by term."""
    with mpmath.workdps(40):
        weight = {z: mpmath.exp(-(mpmath.mpf(abs(z) / scale) ** power) / power) for z in range(-300, 301)}
        return float(mpmath.fsum(weight[z] for z in range(threshold - 1, 301)) / mpmath.fsum(weight.values()))


def discrete_laplace_tail() -> float:
    """The geometric series, by scipy's own discrete Laplace."""
    return float(stats.dlaplace(1.0).sf(8))


def discrete_gaussian_tail() -> float:
    """By theta functions: the whole mass is theta_3(0, q) with q = exp(-1/2), and three terms are taken off."""
    with mpmath.workdps(40):
        q = mpmath.exp(mpmath.mpf(-1) / 2)
        whole = mpmath.jtheta(3, 0, q)
        return float(((whole + 1) / 2 - 1 - q) / whole)


def hit_by_two() -> float:
    """ln(1 + h (e - 1)), h the chance that two of six records are in a sample of two, by binomial coefficients."""
    hit = 1 - Fraction(math.comb(4, 2), math.comb(6, 2))
    return math.log1p(float(hit) * math.expm1(1.0))


def hit_by_samples() -> float:
    """The same with the samples counted."""
    samples = list(itertools.combinations(range(6), 2))
    share = sum(bool({0, 1} & {*sample}) for sample in samples) / len(samples)
    lie = 1 / (1 + math.e)
    return math.log((share * (1 - lie) + (1 - share) * lie) / lie)


def asked_twice() -> float:
    """ln(1 + n/N (exp(2 epsilon) - 1)), what amplification makes of the sum."""
    return math.log1p(math.expm1(2.0) * 2 / 6)


def asked_twice_by_outcomes() -> float:
    """The largest log-ratio of the four pairs of answers, over all samples of two of six records, one of them a 1."""
    truth = math.e / (1 + math.e)

    def chance(answers: tuple[bool, ...], holds: bool) -> float:
        return math.prod(truth if answer is holds else 1 - truth for answer in answers)

    def loss(answers: tuple[bool, ...]) -> float:
        samples = list(itertools.combinations(range(6), 2))
        mean = math.fsum(chance(answers, 0 in sample) for sample in samples) / len(samples)
        return abs(math.log(mean / chance(answers, False)))

    return max(map(loss, itertools.product((False, True), repeat=2)))


#: Two neighbouring matrices of sums of squares, on the diagonal: a record e1 became e2.
_GRAMS = ((104.0, 100.0, 0.0), (103.0, 101.0, 0.0))
_E2 = np.array([0.0, 1.0, 0.0])


def accepted(gram: tuple[float, float, float], points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Up to a factor, the density of what the sampler accepts at unit vectors, shape (..., 3), at epsilon = 1."""
    eigenvalues = (max(gram) - np.array(gram)) / 4
    b = optimize.brentq(lambda b: sum(1 / (b + 2 * eigenvalues)) - 1, 0.5, 3.0)
    form = points**2 @ eigenvalues
    # the proposal and the chance of acceptance each hold (1 + 2 form / b)^(-3/2)
    return np.asarray(np.exp(-form) * (1 + 2 * form / b) ** -3.0)


def loss_by_nodes() -> float:
    """The log-ratio of the two densities at e2, normalised in height and angle by Gauss-Legendre nodes."""
    node, weight = np.polynomial.legendre.leggauss(60)
    z, angle = np.meshgrid((1 + node) / 2, (1 + node) * np.pi / 4, indexing="ij")
    radius = np.sqrt(1 - z**2)
    points = np.stack([radius * np.cos(angle), radius * np.sin(angle), z], axis=-1)
    ends = [float(accepted(gram, _E2) / (weight @ accepted(gram, points) @ weight)) for gram in _GRAMS]
    return math.log(ends[1] / ends[0])


def loss_by_adaptive_quadrature() -> float:
    """The same, normalised in the colatitude about e1 and the angle around it by scipy's adaptive rule."""

    def end(gram: tuple[float, float, float]) -> float:
        def at(angle: float, colatitude: float) -> float:
            s = math.sin(colatitude)
            point = np.array([math.cos(colatitude), s * math.cos(angle), s * math.sin(angle)])
            return float(accepted(gram, point)) * s

        mass, _ = integrate.dblquad(at, 0, math.pi / 2, 0, math.pi / 2, epsabs=1e-10)
        return float(accepted(gram, _E2)) / mass

    return math.log(end(_GRAMS[1]) / end(_GRAMS[0]))


def median_losses_closed() -> float:
    """2 ln((1 - (1 - a)^100) / a^2) with a = exp(-1): one candidate of 100 is worst, then best, in both medians."""
    with mpmath.workdps(30):
        a = mpmath.exp(-1)
        return float(2 * mpmath.log((1 - (1 - a) ** 100) / a**2))


def median_losses_by_orders() -> float:
    """The same from the order of the flips: the candidate after j of the others that are all refused, summed over j."""
    a = math.exp(-1.0)
    worst = a / 100  # every other one is accepted at once: it must come first
    best = math.fsum((1 - a) ** j / 100 for j in range(100))
    return 2 * math.log(best / worst)
