"""Reference digits by mpmath, each quantity from its definition rather than from the formula used in doubles.

Every function takes `digits`, works at that precision (more where something cancels) and leaves the global
precision of mpmath as it was. It is slow: thousandths to tenths of a second per number. A search for a root
starts at the double, but solves the mpmath function, and its residual is checked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

from mpmath import mp

from theory import conversions
from theory.conversions import CKS, SIMPLE, Conversion
from theory.pairs import (
    KOV,
    DiscreteGaussian,
    DiscreteLaplace,
    DominatingPair,
    Erasure,
    FinitePair,
    Gaussian,
    Laplace,
    RandomizedResponse,
    SubsampledGaussian,
)
from theory.pairs.finite import Finite

__all__ = [
    "conversion_budget",
    "conversion_delta",
    "conversion_epsilon",
    "gaussian_epsilon",
    "gaussian_mu",
    "gdp_mu",
    "hockey_stick",
    "kappa",
    "optimal_split",
    "renyi",
]

#: An mpmath number: mpmath has no types.
Number: TypeAlias = Any


def hockey_stick(pair: DominatingPair, epsilon: float, digits: int = 30) -> Number:
    """E_P[(1 - e^{eps - L})_+], by quadrature, or by the sum over the outcomes of a finite pair."""
    # 1 - p must keep the digits of a mass p as small as the least double
    with mp.workdps(digits + (660 if isinstance(pair, Finite) else 20)):
        eps = mp.mpf(epsilon)
        if isinstance(pair, Gaussian):
            mu = mp.mpf(pair.mu)
            edge = eps / mu - mu / 2  # L = mu z + mu^2/2 under P exceeds eps for z > edge
            return _normal_mean_beyond(edge, lambda z: -mp.expm1(mu * (edge - z)))
        if isinstance(pair, Laplace):
            b = mp.mpf(pair.b)
            # at 0 <= x <= 1 the loss is (1 - 2x)/b: the integral ends where the loss has fallen to eps
            last = min(max((1 - eps * b) / 2, mp.zero), mp.one)
            inner = mp.quad(lambda x: mp.exp(-x / b) * -mp.expm1(eps - (1 - 2 * x) / b), [0, last / 2, last])
            ends = [
                max(-mp.expm1(eps - 1 / b), mp.zero),
                max(-mp.expm1(eps + 1 / b), mp.zero) * mp.exp(-1 / b),
            ]
            return inner / (2 * b) + sum(ends) / 2
        if isinstance(pair, SubsampledGaussian):
            return _subsampled_hockey_stick(pair, eps)
        return mp.fsum(max(p - mp.exp(eps) * q, mp.zero) for p, q in _masses(pair))


def renyi(pair: DominatingPair, alpha: float, digits: int = 30) -> Number:
    """log E_Q[(dP/dQ)^alpha] / (alpha - 1), by quadrature, or by the sum over the outcomes of a finite pair."""
    # a moment near one differs from it by about (alpha - 1) epsilon^2: its logarithm needs twice the digits
    with mp.workdps(2 * digits + 60):
        a = mp.mpf(alpha)
        if isinstance(pair, Gaussian):
            # E_Q[e^{a L}], L = mu y - mu^2/2, integrated around y = a mu, where the integrand is largest; the
            # trapezoidal rule of step h has error e^{-2 pi^2 / h^2} on e^{-z^2/2}
            mu, reach = mp.mpf(pair.mu), mp.sqrt(2 * mp.dps * mp.log(10)) + 1
            step = 2 * mp.pi / reach
            points = (a * mu + step * k for k in range(-int(reach / step) - 1, int(reach / step) + 2))
            moment = step * mp.fsum(mp.npdf(y) * mp.exp(a * (mu * y - mu * mu / 2)) for y in points)
            return mp.log(moment) / (a - 1)
        if isinstance(pair, Laplace):
            b = mp.mpf(pair.b)
            inner = mp.quad(lambda x: mp.exp(-x / b + (a - 1) * (1 - 2 * x) / b) / (2 * b), [0, 0.25, 0.5, 1])
            return mp.log(mp.exp((a - 1) / b) / 2 + mp.exp(-a / b) / 2 + inner) / (a - 1)
        if isinstance(pair, SubsampledGaussian):
            return mp.log(_subsampled_moment(pair, a)) / (a - 1)
        masses = _masses(pair)
        if any(p > 0 and q == 0 for p, q in masses):
            return mp.inf
        return mp.log(mp.fsum(p * mp.exp((a - 1) * mp.log(p / q)) for p, q in masses if p > 0)) / (a - 1)


def gdp_mu(pair: RandomizedResponse, digits: int = 30) -> Number:
    """The mu at which the trade-off curve of Gaussian(mu) meets the corner (a, a), a = 1/(1+e^eps)."""
    with mp.workdps(digits + 20):
        return 2 * _upper_normal_quantile(1 / (1 + mp.exp(mp.mpf(pair.epsilon))))


def conversion_delta(conversion: Conversion, rho: float, epsilon: float, digits: int = 30) -> Number:
    """The conversion's infimum over the order, by golden-section search."""
    with mp.workdps(digits + 20):
        return mp.exp(_log_conversion_delta(conversion, mp.mpf(rho), mp.mpf(epsilon)))


def conversion_epsilon(conversion: Conversion, rho: float, delta: float, digits: int = 30) -> Number:
    """The epsilon at which `conversion_delta` is delta, by root finding."""
    with mp.workdps(digits + 20):
        r, goal = mp.mpf(rho), mp.log(mp.mpf(delta))
        return _root(lambda e: _log_conversion_delta(conversion, r, e) - goal, conversion.epsilon(rho, delta))


def conversion_budget(conversion: Conversion, epsilon: float, delta: float, digits: int = 30) -> Number:
    """The rho at which `conversion_delta` is delta, by root finding."""
    with mp.workdps(digits + 20):
        eps, goal = mp.mpf(epsilon), mp.log(mp.mpf(delta))
        return _root(
            lambda r: _log_conversion_delta(conversion, r, eps) - goal, conversion.budget(epsilon, delta)
        )


def gaussian_mu(epsilon: float, delta: float, digits: int = 30) -> Number:
    """The mu at which the hockey-stick of Gaussian(mu), Phi(-t) - e^eps Phi(-t - mu), is delta."""
    with mp.workdps(digits + 20):
        eps, goal = mp.mpf(epsilon), mp.mpf(delta)
        return _root(lambda m: mp.log(_closed_form(m, eps) / goal), conversions.gaussian_mu(epsilon, delta))


def gaussian_epsilon(mu: float, delta: float, digits: int = 30) -> Number:
    """The epsilon >= 0 at which the hockey-stick of Gaussian(mu) is delta, 0 if there is none."""
    with mp.workdps(digits + 20):
        size, goal = mp.mpf(mu), mp.mpf(delta)
        if _closed_form(size, mp.zero) <= goal:
            return mp.zero
        start = conversions.gaussian_epsilon(mu, delta)
        return _root(lambda e: mp.log(_closed_form(size, e) / goal), start)


def kappa(epsilon: float, sigma: float, dhat: float, theta: float, digits: int = 30) -> Number:
    """The limit of paper 004, Proposition 1, from its two quantiles."""
    with mp.workdps(digits + 20):
        s = mp.mpf(sigma)
        return mp.mpf(epsilon) - (1 / s + sum(_upper_normal_quantile(mp.mpf(p)) for p in (dhat, theta))) / s


def optimal_split(rounds: int, delta: float, digits: int = 30) -> tuple[Number, Number]:
    """(dhat, theta) that minimise the sum of the two upper quantiles, by golden-section search."""
    with mp.workdps(2 * digits + 20):
        total = mp.mpf(delta)

        def theta(dhat: Number) -> Number:
            return (total - dhat) / ((1 - dhat) * rounds)

        def objective(x: Number) -> Number:
            dhat = total / (1 + mp.exp(-x))
            return _upper_normal_quantile(dhat) + _upper_normal_quantile(theta(dhat))

        best = total / (1 + mp.exp(-_minimum(objective, mp.mpf(-30), mp.mpf(30))))
        return best, theta(best)


def _subsampled_ratio(pair: SubsampledGaussian, x: Number) -> Number:
    """dM/dN(0, sigma^2) at x, where M = q N(1, sigma^2) + (1 - q) N(0, sigma^2)."""
    q, sigma = mp.mpf(pair.q), mp.mpf(pair.sigma)
    return q * mp.exp((x - 0.5) / sigma**2) + (1 - q)


def _subsampled_hockey_stick(pair: SubsampledGaussian, eps: Number) -> Number:
    """The integral of (P - e^eps Q)_+ over the half-line where it is not zero, in units of sigma."""
    q, sigma, odds = mp.mpf(pair.q), mp.mpf(pair.sigma), mp.exp(eps)
    level = (odds if pair.adjacency == "removal" else 1 / odds) - (1 - q)
    if level <= 0:
        return 1 - odds if pair.adjacency == "removal" else mp.zero
    edge = (sigma**2 * mp.log(level / q) + 0.5) / sigma
    if pair.adjacency == "removal":
        return _normal_mean_beyond(edge, lambda z: _subsampled_ratio(pair, sigma * z) - odds)
    return _normal_mean_beyond(-edge, lambda z: 1 - odds * _subsampled_ratio(pair, -sigma * z))


def _subsampled_moment(pair: SubsampledGaussian, a: Number) -> Number:
    """E_Q[(dP/dQ)^a] by the trapezoidal rule in z = x / sigma."""
    sigma = mp.mpf(pair.sigma)
    power = a if pair.adjacency == "removal" else 1 - a
    reach = mp.sqrt(2 * mp.dps * mp.log(10)) + 1
    low, high = min(power, mp.zero) / sigma - reach, max(power, mp.zero) / sigma + reach
    # the integrand is analytic up to pi sigma from the real line: the rule errs by e^{-2 pi^2 sigma / step}
    step = min(sigma * 2 * mp.pi**2 / (mp.dps * mp.log(10) + 10 * sigma), 2 * mp.pi / reach)
    places = (low + step * k for k in range(int((high - low) / step) + 2))
    return step * mp.fsum(mp.npdf(z) * _subsampled_ratio(pair, sigma * z) ** power for z in places)


def _masses(pair: DominatingPair) -> list[tuple[Number, Number]]:
    """The outcomes' probabilities under P and Q."""
    if isinstance(pair, RandomizedResponse):
        keep, change = _kept(pair.epsilon)
        return [(keep, change), (change, keep)]
    if isinstance(pair, Erasure):
        p = mp.mpf(pair.p)
        return [(p, mp.zero), (1 - p, 1 - p), (mp.zero, p)]
    if isinstance(pair, KOV):
        (keep, change), d = _kept(pair.epsilon), mp.mpf(pair.delta)
        inner = [((1 - d) * keep, (1 - d) * change), ((1 - d) * change, (1 - d) * keep)]
        return [(d, mp.zero), *inner, (mp.zero, d)]
    if isinstance(pair, DiscreteLaplace):
        rate, s = 1 / mp.mpf(float(pair.scale)), pair.sensitivity
        reach = int((mp.dps + 10) * mp.log(10) / rate) + s
        law = [mp.exp(-rate * abs(x)) * mp.tanh(rate / 2) for x in range(-reach - s, reach + 1)]
        return list(zip(law[s:], law[: len(law) - s], strict=True))
    if isinstance(pair, DiscreteGaussian):
        sigma, s = mp.mpf(float(pair.sigma)), pair.sensitivity
        reach = int(sigma * mp.sqrt(2 * (mp.dps + 10) * mp.log(10))) + 5 * s + 2
        law = [mp.exp(-((x / sigma) ** 2) / 2) for x in range(-reach - s, reach + 1)]
        return [
            (p / mp.fsum(law), q / mp.fsum(law)) for p, q in zip(law[s:], law[: len(law) - s], strict=True)
        ]
    if isinstance(pair, FinitePair):
        return [(_exact(p), _exact(q)) for p, q in zip(pair.p, pair.q, strict=True)]
    raise TypeError(f"pair must be one whose outcomes are listed here, got {pair!r}; pass a finite pair")


def _kept(epsilon: Any) -> tuple[Number, Number]:
    odds = mp.exp(mp.mpf(epsilon))
    return odds / (1 + odds), 1 / (1 + odds)


def _exact(mass: Any) -> Number:
    numerator, denominator = mass.as_integer_ratio()
    return mp.mpf(numerator) / denominator


def _normal_mean_beyond(edge: Number, function: Callable[[Number], Number]) -> Number:
    """The integral of function(z) phi(z) over z > edge, panel by panel."""
    reach = mp.sqrt(2 * mp.dps * mp.log(10)) + 2
    if edge > -2:
        width = 1 / (1 + max(edge, mp.zero))  # phi(edge + u) falls like e^{-edge u}
        points = [width * step for step in _steps(reach / width)]
        # mp.quad stops at an absolute error, so the factor phi(edge) is taken out of the integrand
        inner = mp.quad(
            lambda u: mp.exp(-u * (edge + u / 2)) * function(edge + u), points, method="gauss-legendre"
        )
        return mp.npdf(edge) * inner
    low = max(edge, -reach)
    count = int((reach - low) / 2) + 1
    points = [low + (reach - low) * k / count for k in range(count + 1)]
    return mp.quad(lambda z: mp.npdf(z) * function(z), points, method="gauss-legendre")


def _steps(last: Number) -> Iterable[Number]:
    step = mp.zero
    while step < last:
        yield step
        step = step + 4 if step < 64 else step * 2
    yield last


def _closed_form(mu: Number, epsilon: Number) -> Number:
    with mp.extradps(30):  # for the cancellation between the two terms
        return mp.ncdf(mu / 2 - epsilon / mu) - mp.exp(epsilon) * mp.ncdf(-mu / 2 - epsilon / mu)


def _upper_normal_quantile(p: Number) -> Number:
    """z with Phi(-z) = p."""
    guess = mp.sqrt(max(-2 * mp.log(2 * min(p, 1 - p)), mp.zero)) * mp.sign(mp.mpf("0.5") - p)
    return _root(lambda z: mp.log(mp.erfc(z / mp.sqrt(2)) / (2 * p)), guess)


def _log_conversion_delta(conversion: Conversion, rho: Number, epsilon: Number) -> Number:
    if conversion not in (SIMPLE, CKS):
        raise ValueError(f"conversion must be one that is known here, got {conversion}; add its objective")

    def objective(x: Number) -> Number:
        t = mp.exp(x)
        markov = t * ((t + 1) * rho - epsilon)
        return markov + (t * mp.log(t / (1 + t)) - mp.log1p(t) if conversion is CKS else 0)

    return min(objective(_minimum(objective, mp.mpf(-750), mp.mpf(750))), mp.zero)


def _minimum(function: Callable[[Number], Number], low: Number, high: Number) -> Number:
    """The minimiser of a unimodal function, to half of the working digits."""
    golden = (mp.sqrt(5) - 1) / 2
    left, right = high - golden * (high - low), low + golden * (high - low)
    at_left, at_right = function(left), function(right)
    while high - low > mp.mpf(10) ** (-mp.dps // 2):
        if at_left < at_right:
            high, right, at_right = right, left, at_left
            left = high - golden * (high - low)
            at_left = function(left)
        else:
            low, left, at_left = left, right, at_right
            right = low + golden * (high - low)
            at_right = function(right)
    return (low + high) / 2


def _root(function: Callable[[Number], Number], start: Any) -> Number:
    """The root of a monotone function near `start`, by the secant method; mpmath checks its residual."""
    first = mp.mpf(start)
    return mp.findroot(
        function, (first, first + (abs(first) or 1) * mp.mpf("1e-6")), solver="secant", maxsteps=100
    )
