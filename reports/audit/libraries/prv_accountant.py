"""prv-accountant: numerical composition of privacy random variables, by the authors of the method."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from math import comb, cosh, exp, expm1, log, log1p, sqrt

import mpmath
from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.stats import norm

from reports.audit.fault import EntryPoint, Fault, Kind, Library, Route
from reports.audit.routes.gaussian import epsilon_by_erfcx, epsilon_by_mpmath
from reports.audit.subjects import prv_accountant as subjects

__all__ = ["LIBRARY"]


def _responses_by_sum(level: float, count: int, delta: float) -> float:
    """The epsilon of `count` randomized responses at delta, from the binomial law in doubles."""
    p = 1 / (1 + exp(-level))
    law = [
        (level * (2 * k - count), comb(count, k) * p**k * (1 - p) ** (count - k)) for k in range(count + 1)
    ]

    def gap(epsilon: float) -> float:
        return sum(-weight * expm1(epsilon - loss) for loss, weight in law if loss > epsilon) - delta

    return float(brentq(gap, 0.0, level * count - 1e-9, xtol=1e-12))


def _responses_by_interval(level: float, count: int, delta: float) -> float:
    """The same on the last interval of epsilon, where one loss is left and the equation is solved in closed form."""
    with mpmath.workdps(40):
        top = mpmath.mpf(level) * count
        p = 1 / (1 + mpmath.exp(-mpmath.mpf(level)))
        epsilon = top + mpmath.log1p(-mpmath.mpf(delta) / p**count)
        if epsilon < top - 2 * level:
            raise ValueError(
                f"delta must leave one loss above epsilon, got delta={delta}; take a smaller one"
            )
        return float(epsilon)


def _subsampled_by_cut(q: float, sigma: float, delta: float) -> float:
    """The epsilon of one Poisson subsampled Gaussian, removal, where the loss passes epsilon at one point."""

    def gap(epsilon: float) -> float:
        cut = sigma * sigma * log((expm1(epsilon) + q) / q) + 0.5
        return float(q * norm.sf((cut - 1) / sigma) + (1 - q - exp(epsilon)) * norm.sf(cut / sigma) - delta)

    return float(brentq(gap, 1e-9, 60.0, xtol=1e-12))


def _subsampled_by_integral(q: float, sigma: float, delta: float) -> float:
    """The same by quadrature of the positive part of the difference of the two densities."""

    def gap(epsilon: float) -> float:
        def excess(x: float) -> float:
            base = exp(-x * x / (2 * sigma * sigma)) / (sigma * sqrt(2 * 3.141592653589793))
            mixed = (1 - q) * base + q * exp(-((x - 1) ** 2) / (2 * sigma * sigma)) / (
                sigma * sqrt(2 * 3.141592653589793)
            )
            return max(mixed - exp(epsilon) * base, 0.0)

        edges = [-2.0, 0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0]
        return sum(quad(excess, a, b, epsabs=1e-14, limit=400)[0] for a, b in pairwise(edges)) - delta

    return float(brentq(gap, 5.0, 40.0, xtol=1e-9))


LIBRARY = Library(
    key="prv_accountant",
    distribution="prv-accountant",
    entries=(
        EntryPoint(
            name="prv_accountant.PRVAccountant",
            rule="epsilon, or delta, of a composition with fixed counts: lower bound, estimate, upper bound",
            where="accountant.py, PRVAccountant.compute_epsilon and compute_delta",
            theorem="Gopi, Lee & Wutschitz 2021, Theorem 5.5 and Remark 5.6",
            promises="bounds with errors of at most eps_error and delta_error; mechanisms may differ",
            subject=subjects.prv,
        ),
        EntryPoint(
            name="prv_accountant.dpsgd.DPSGDAccountant",
            rule="the same for one Poisson subsampled Gaussian and a number of steps",
            where="dpsgd.py, DPSGDAccountant.compute_epsilon",
            theorem="as PRVAccountant",
            promises="bounds for a number of steps of DP-SGD up to max_steps",
        ),
        EntryPoint(
            name="prv_accountant.dpsgd.find_noise_multiplier",
            rule="a noise multiplier whose upper bound is below target_epsilon + eps_error",
            where="dpsgd.py, find_noise_multiplier",
            theorem="as PRVAccountant",
            promises="a noise multiplier for a target, with an error of eps_error in the final epsilon",
        ),
    ),
    faults=(
        Fault(
            key="pure_dp_domain",
            kind=Kind.WRONG_NUMBER,
            entry="prv_accountant.PRVAccountant.compute_epsilon",
            says="The upper bound for 20 compositions of PureDPMechanism(5.0) at delta = 1e-6 is about 70. "
            "Randomized response with epsilon 5 composes to an exact epsilon of 99.999999. Also 50 "
            "compositions of epsilon 2 are bounded by 72.1 and need 99.999, and 100 of epsilon 1 are bounded "
            "by 72.1 and need 83.5.",
            why="The domain of the discretisation is chosen from PureDPMechanism.rdp, which is below the true "
            "Renyi divergence. Loss beyond the domain wraps around in the Fourier transform, so that epsilon "
            "is too small. Nothing warns of it, and the default eps_max=None is used.",
            fix="Give PureDPMechanism.rdp the divergence of randomized response, log(cosh((alpha - 1/2) "
            "epsilon) / cosh(epsilon / 2)) / (alpha - 1), and ApproximateDPMechanism with it. A check that "
            "the mass near both ends of the composed domain is below delta_error would catch such cases.",
            routes=(
                Route("the binomial law of the loss, summed", lambda: _responses_by_sum(5.0, 20, 1e-6)),
                Route("closed form where one loss is left", lambda: _responses_by_interval(5.0, 20, 1e-6)),
            ),
        ),
        Fault(
            key="pure_dp_renyi",
            kind=Kind.WRONG_NUMBER,
            entry="prv_accountant.PureDPMechanism.rdp",
            says="PureDPMechanism(1.0).rdp(2.0) is 0.5. The Renyi divergence of order 2 of randomized "
            "response with epsilon 1, which is (1, 0)-DP, is 0.735. The formula in use is (alpha - 1) epsilon "
            "/ alpha, which goes to 0 as alpha goes to 1.",
            why="The value is documented as the Renyi DP of the mechanism and decides the domain of the "
            "computation.",
            fix="Use log(cosh((alpha - 1/2) epsilon) / cosh(epsilon / 2)) / (alpha - 1), which every "
            "epsilon-DP mechanism obeys.",
            routes=(
                Route("hyperbolic form", lambda: log(cosh(1.5) / cosh(0.5))),
                Route(
                    "sum over both answers",
                    lambda: log((exp(1.0) ** 2 + exp(-1.0)) / (1 + exp(1.0))),
                ),
            ),
        ),
        Fault(
            key="tiny_delta",
            kind=Kind.WRONG_NUMBER,
            entry="prv_accountant.PRVAccountant.compute_epsilon",
            says="For 3000 Gaussians of noise 30 at delta = 2e-13 the upper bound is about 14.30 with "
            "eps_error = 0.01 and delta_error = 2e-16. The exact epsilon is 14.5105. For 30 000 Gaussians of "
            "noise 100 at delta = 1e-12 the lower bound is 13.67, above the exact 13.29.",
            why="compute_epsilon refuses a delta that rounding would dominate, but measures rounding by the "
            "precision of long doubles. Gaussian and pure mechanisms are discretised and transformed in "
            "doubles, whose rounding is two thousand times that of the 80-bit long doubles of x86, so that "
            "the check passes where it should not. On a small grid no such case was found at delta = 1e-10.",
            fix="Compare with the precision of the array that was transformed, np.finfo(self.pmf.dtype).eps, "
            "or compute these mechanisms in long doubles too; and let the bounds include a multiple of the "
            "rounding error.",
            routes=(
                Route("normal tails by erfcx in doubles", lambda: epsilon_by_erfcx(sqrt(3000) / 30, 2e-13)),
                Route("normal tails in 60 digits", lambda: epsilon_by_mpmath(sqrt(3000) / 30, 2e-13)),
            ),
        ),
        Fault(
            key="approximate_dp_small_delta",
            kind=Kind.WRONG_NUMBER,
            entry="prv_accountant.ApproximateDPMechanism",
            says="1000 compositions of ApproximateDPMechanism(1e-4, 5e-17) have delta about 5e-14 at every "
            "epsilon. compute_delta(20, 1000) with delta_error = 1e-15 answers an estimate of 0 and an upper "
            "bound of 1e-15.",
            why="The mass at infinity is kept as log(1 - delta), which rounds to 0 for a delta below 5.5e-17, "
            "whatever the count. The upper bound is too small by a factor of 50 here. Only such tiny deltas "
            "are affected, with counts that make their sum matter.",
            fix="Use log1p(-delta), and -expm1(log_pmc_inf) where the mass is read again.",
            routes=(
                Route("1 - (1 - delta)^n in fractions", lambda: float(1 - (1 - Fraction(5e-17)) ** 1000)),
                Route("expm1 and log1p", lambda: -expm1(1000 * log1p(-5e-17))),
            ),
        ),
        Fault(
            key="forgetful_tree",
            kind=Kind.WRONG_NUMBER,
            entry="prv_accountant.composers.ConvolutionTree.compute_composition",
            says="A tree over three Gaussians of noise 1 answers an epsilon of 8.385 at delta = 1e-5, and "
            "when it is asked again 6.573, which is that of two. PRVAccountant is not affected, as it makes a "
            "new tree for each answer; the README does not show this class.",
            why="compute_composition takes the first of an odd number from self.prvs itself. Whoever keeps a "
            "tree loses a mechanism with the first answer.",
            fix="prvs = list(self.prvs) at the start.",
            routes=(
                Route("N(sqrt 3, 1) against N(0, 1) by erfcx", lambda: epsilon_by_erfcx(sqrt(3), 1e-5)),
                Route("N(sqrt 3, 1) against N(0, 1) in 60 digits", lambda: epsilon_by_mpmath(sqrt(3), 1e-5)),
            ),
        ),
        Fault(
            key="readme_order",
            kind=Kind.MISUSE,
            entry="prv_accountant.PoissonSubsampledGaussianMechanism",
            says="The README calls PoissonSubsampledGaussianMechanism(noise_multiplier, sampling_probability) "
            "by position. The constructor takes the sampling probability first. With a noise multiplier of "
            "0.3 and a probability of 0.9 the call from the README answers an upper bound of 3.5 at delta = "
            "1e-5 for one step; the exact epsilon is 18.9.",
            why="Where both numbers are at most 1 the exchange may go unnoticed. Epsilon is too small where the "
            "probability is above the noise multiplier. In the more usual case that it is below, epsilon is "
            "too large or an error is raised.",
            fix="Make both arguments keyword-only and correct the README. It also shows DPSGDAccountant with "
            "delta and max_compositions, which the constructor does not take.",
            routes=(
                Route(
                    "normal tails beyond the point of loss epsilon",
                    lambda: _subsampled_by_cut(0.9, 0.3, 1e-5),
                ),
                Route("quadrature of the excess density", lambda: _subsampled_by_integral(0.9, 0.3, 1e-5)),
            ),
        ),
    ),
    held=(
        "compute_epsilon: the interval met an independent composition on a grid of 2e-4, rounded up and down, "
        "at delta 1e-5 to 1e-6 for 20 and 100 Laplace, 200 and 30 Poisson subsampled Gaussians (q 0.01 and "
        "0.5), a mix of three kinds, and pure mechanisms with epsilon up to 0.5",
        "compute_epsilon of 1 to 1000 Gaussians: the exact value was inside the interval for delta from 1e-5 "
        "to 1e-10",
        "LaplaceMechanism.rdp agreed with the closed form of Mironov 2017 as read",
        "eps_max comes with a warning that the answer may be off above it",
    ),
    left_out=(
        "whether removal dominates addition for compositions of subsampled Gaussians; only removal is computed",
        "find_noise_multiplier beyond two targets, which it kept; its result may exceed the target by "
        "eps_error, as it says",
        "mechanisms of one's own, the command line, and the notebooks",
        "the class Accountant, which announces its deprecation",
    ),
)
