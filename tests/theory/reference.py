"""Reference digits by mpmath, each quantity from its definition rather than from the formula used in doubles.

Every function takes `digits`, works at that precision (more where something cancels) and leaves the global
precision of mpmath as it was. It is slow: thousandths to tenths of a second per number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

from mpmath import mp

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

__all__ = ["conversion_delta", "hockey_stick", "masses"]

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
        return mp.fsum(max(p - mp.exp(eps) * q, mp.zero) for p, q in masses(pair))


def conversion_delta(conversion: Conversion, rho: float, epsilon: float, digits: int = 30) -> Number:
    """The conversion's infimum over the order, by golden-section search."""
    with mp.workdps(digits + 20):
        return mp.exp(_log_conversion_delta(conversion, mp.mpf(rho), mp.mpf(epsilon)))


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


def masses(pair: DominatingPair) -> list[tuple[Number, Number]]:
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
