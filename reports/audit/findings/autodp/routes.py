"""Two routes or more to the true value of each finding about autodp, which share no code."""

from math import comb, exp, log, log1p, sqrt

import mpmath
import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import gammaln, logsumexp
from scipy.stats import norm

from ..shared.noises import renyi_by_answers


def laplace_delta(b: float, epsilon: float) -> float:
    """The delta of two Laplace laws of scale b at distance 1, in closed form."""
    return 1 - exp((epsilon - 1 / b) / 2)


def votes_by_scipy(threshold: float, votes: int, sigma: float, alpha: float) -> float:
    """The Renyi divergence of whether noisy votes pass the threshold, with `votes` and with one fewer."""
    p, q = (norm.logsf(threshold - n, scale=sigma) for n in (votes, votes - 1))
    passes, fails = alpha * p - (alpha - 1) * q, alpha * log1p(-exp(p)) - (alpha - 1) * log1p(-exp(q))
    return float(np.logaddexp(passes, fails) / (alpha - 1))


def votes_by_mpmath(threshold: float, votes: int, sigma: float, alpha: float) -> float:
    """The same as a sum of two powers in 40 digits."""
    with mpmath.workdps(40):
        p, q = (mpmath.ncdf((n - mpmath.mpf(threshold)) / sigma) for n in (votes, votes - 1))
        return renyi_by_answers(alpha, p, q)


def two_rules_in_doubles(most: int) -> float:
    """The least over integer orders a < most of both rules for 100 Gaussians each, added, plus log(1/delta)/(a - 1)."""

    def total(a: int) -> float:
        j = np.arange(a + 1.0)
        ways = gammaln(a + 1) - gammaln(j + 1) - gammaln(a - j + 1) + j * log(0.05)
        poisson = logsumexp(ways + (a - j) * log(0.95) + j * (j - 1) / 8)
        second = ways[2] + min(log(4) + log(exp(0.25) - 1), 0.25 + log(2))
        fixed = logsumexp([0.0, second, *(ways[3:] + log(2) + (j[3:] - 1) * j[3:] / 8)])
        return float((100 * (poisson + fixed) + log(1e5)) / (a - 1))

    return min(total(a) for a in range(2, most))


def two_rules_in_digits(most: int) -> float:
    """The same with binomials in 40 digits and no logarithm of a sum of logarithms."""
    with mpmath.workdps(40):
        q, best = mpmath.mpf(5) / 100, mpmath.inf
        for a in range(2, most):
            terms = [
                (mpmath.binomial(a, j) * q**j, mpmath.exp(mpmath.mpf(j * (j - 1)) / 8), j)
                for j in range(a + 1)
            ]
            poisson = mpmath.fsum(w * e * (1 - q) ** (a - j) for w, e, j in terms)
            small = min(4 * (terms[2][1] - 1), 2 * terms[2][1])
            fixed = 1 + terms[2][0] * small + mpmath.fsum(2 * w * e for w, e, j in terms if j > 2)
            best = min(best, (100 * mpmath.log(poisson * fixed) + mpmath.log(10**5)) / (a - 1))
        return float(best)


def stages_at_the_end() -> float:
    """The source's formula for stages of 2, 2 and 1 answers of 10 queries, sigma 10, each with a third of 1e-6."""
    two, one = (
        rho + sqrt(rho * (log(ways) + log(3e6))) for rho, ways in ((3 / 200, comb(10, 2)), (2 / 200, 10))
    )
    return two + two + one


def stages_by_search() -> float:
    """The same as the least over the share of delta, by the bounded search that the library states."""
    answers = np.array([2, 2, 1])
    ways, rho = gammaln(11) - gammaln(answers + 1) - gammaln(11 - answers), (1 + answers) / 200
    found = minimize_scalar(
        lambda x: float(np.sum(rho + np.sqrt(rho * (ways - x)))),
        bounds=(log(1e-8), log(1e-6 / 3)),
        method="bounded",
        options={"xatol": 1e-10},
    )
    return float(found.fun)


def larger_log_ratio() -> float:
    """The larger log ratio of (1/2, 1/2) against (99/100, 1/100)."""
    return log(0.5) - log(0.01)
