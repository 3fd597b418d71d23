"""The subsampled Gaussian at doubles, against its definition: sums over its two Gaussians, and integrals in balls."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Literal, TypeAlias

from flint import acb, arb, ctx

from theory.certified.closed_forms.balls import CLOSE, LEAST, called, cdf, tail
from theory.certified.running_number import RunningNumber, near
from theory.pairs.subsampled_gaussian import SubsampledGaussian

__all__ = ["numbers"]

_Side: TypeAlias = Literal["removal", "addition"]
_SIDES: tuple[_Side, _Side] = ("removal", "addition")
_THEOREM = "Gaussian hockey-stick"
_POINTS = ((0.01, 0.8), (0.2, 2.0), (0.7, 1.0), (1.0, 3.0))


def numbers() -> Iterator[RunningNumber]:
    """hockey_stick, renyi, charges, loss_cdf and loss_quantile, for removal and addition."""
    for side in _SIDES:
        says = f"SubsampledGaussian, {side}"
        points = [(q, s, x) for q, s in _POINTS for x in (-0.6, -1e-3, 0.0, 1e-3, 0.05, 0.6, 4.0)]
        points += [(0.5, 1.0, 31.0)] * (side == "removal")
        sticks = called(
            lambda q, s, x, side=side: SubsampledGaussian(q, s, adjacency=side).hockey_stick(x), points
        )
        for at, value in sticks:
            # tested to 1e-11 since it was written: epsilon is turned into that of the full batch
            truth = partial(_stick, side, *at)
            yield near(_THEOREM, f"{says}: hockey_stick at {at!r}", value, truth, slack=1e-11, least=LEAST)
        orders = [(q, s, a) for q, s in _POINTS for a in (1.0, 1.5, 2.0, 5.5)]
        for at, value in called(
            lambda q, s, a, side=side: SubsampledGaussian(q, s, adjacency=side).renyi(a), orders
        ):
            truth = partial(_divergence, side, *at)
            yield near(_THEOREM, f"{says}: renyi at {at!r}", value, truth, slack=CLOSE, least=LEAST)
        if side == "removal":
            for at in ((0.01, 0.8, 40.0), (0.2, 0.5, 200.0), (0.7, 1.0, 700.0)):
                value = float(SubsampledGaussian(at[0], at[1]).renyi(at[2]))
                truth = partial(_binomial, *at)
                yield near(_THEOREM, f"{says}: renyi at {at!r}", value, truth, slack=CLOSE, least=LEAST)
        points = [(q, s, x) for q, s in _POINTS for x in (-0.2, 0.05, 0.3)]
        for at, value in called(
            lambda q, s, x, side=side: SubsampledGaussian(q, s, adjacency=side).loss_cdf(x), points
        ):
            truth = partial(_cdf, side, *at)
            yield near(_THEOREM, f"{says}: loss_cdf at {at!r}", value, truth, slack=0, least=CLOSE)
        for at in [(q, s, t) for q, s in _POINTS for t in (1e-9, 0.3, 0.8)]:
            q, s, t = at
            value = float(SubsampledGaussian(q, s, adjacency=side).loss_quantile(t))
            yield _quantile_number(side, q, s, t, value)
    for (q, s), value in called(lambda q, s: SubsampledGaussian(q, s).zcdp_rho, _POINTS):
        yield near(
            _THEOREM, f"SubsampledGaussian({q!r}, {s!r}).zcdp_rho", value, "1/(2*s**2)", slack=CLOSE, s=s
        )
    for (q, s), value in called(lambda q, s: SubsampledGaussian(q, s).gdp_mu, _POINTS):
        yield near(_THEOREM, f"SubsampledGaussian({q!r}, {s!r}).gdp_mu", value, "1/s", slack=CLOSE, s=s)


def _quantile_number(side: _Side, q: float, s: float, t: float, value: float) -> RunningNumber:
    """The quantile, as the x at which P(L > x) falls below the tail."""

    def margin(x: arb) -> arb:  # zero or more where x is at most the quantile: more than the tail is above it
        return (1 - _cdf_at(side, q, s, x)) - arb(t)

    from fractions import Fraction

    says = f"SubsampledGaussian({q!r}, {s!r}), {side}: loss_quantile({t!r})"
    slack, least = Fraction(CLOSE), Fraction(CLOSE * (1 + 1 / s + 1 / s**2))
    return RunningNumber(_THEOREM, says, Fraction(value), "=", margin, {}, slack, least)


def _ratio(q: arb, s: arb, x: arb) -> arb:
    return 1 - q + q * ((x - arb(0.5)) / s**2).exp()


def _crossing(q: arb, s: arb, odds: arb) -> arb | None:
    """The x at which the mixture over N(0, s^2) is `odds`; None where it is above that everywhere."""
    share = (odds - (1 - q)) / q
    return arb(0.5) + s**2 * share.log() if share > 0 else None


def _stick(side: _Side, q_: float, s_: float, epsilon: float) -> arb:
    with ctx.workprec(ctx.prec + 200):
        q, s, odds = arb(q_), arb(s_), arb(epsilon).exp()
        at = _crossing(q, s, odds if side == "removal" else 1 / odds)
        if at is None:
            return 1 - odds if side == "removal" else arb(0)
        if side == "removal":
            return q * tail((at - 1) / s) + (1 - q) * tail(at / s) - odds * tail(at / s)
        return cdf(at / s) - odds * (q * cdf((at - 1) / s) + (1 - q) * cdf(at / s))


def _cdf(side: _Side, q: float, s: float, x: float) -> arb:
    return _cdf_at(side, q, s, arb(x))


def _cdf_at(side: _Side, q_: float, s_: float, x: arb) -> arb:
    q, s = arb(q_), arb(s_)
    at = _crossing(q, s, x.exp() if side == "removal" else (-x).exp())
    if side == "removal":
        return arb(0) if at is None else q * cdf((at - 1) / s) + (1 - q) * cdf(at / s)
    return arb(1) if at is None else tail(at / s)


def _divergence(side: _Side, q_: float, s_: float, alpha: float) -> arb:
    """By an integral of e^{(a-1) L} over x in units of s, cut off where what is left out is bounded by e^-1000."""
    q, s, power = arb(q_), arb(s_), arb(alpha)
    sign = 1 if side == "removal" else -1

    def integrand(z: acb, _: bool) -> acb:
        x = s * z
        ratio = 1 - q + q * ((x - acb(0.5)) / s**2).exp()
        if not ratio.real > 0:
            return acb(float("nan"))  # log is not analytic there
        loss = ratio.log()
        phi = (-z * z / 2).exp() / (2 * acb.pi()).sqrt()
        if alpha == 1:  # E_P[L]: under the mixture for removal, under N(0) for addition
            return phi * ratio * loss if sign > 0 else -phi * loss
        return phi * (power * loss if sign > 0 else (1 - power) * loss).exp()

    reach = arb(46) + power / s
    low, high = (-arb(46), reach) if sign > 0 else (-reach, arb(46))
    with ctx.workprec(max(ctx.prec, 128)):
        # in panels: on a long one the ball of e^x reaches below zero, where there is no logarithm
        count, total = 24, arb(0)
        for k in range(count):
            ends = (acb(low + (high - low) * i / count) for i in (k, k + 1))
            total += acb.integral(integrand, *ends, rel_tol=arb(2) ** -80, abs_tol=arb(2) ** -110).real
        total += (
            arb(0, 1) * arb(2) ** -1000
        )  # beyond 46 deviations of the tilted law: e^-1058 times less than the rest
    return total if alpha == 1 else total.log() / (power - 1)


def _binomial(q_: float, s_: float, alpha: float) -> arb:
    """At a whole order the moment of removal is a sum over the subsets of its factors."""
    with ctx.workprec(ctx.prec + 100):
        q, s, order = arb(q_), arb(s_), int(alpha)
        total, choose = arb(0), 1
        for k in range(order + 1):
            total += choose * q**k * (1 - q) ** (order - k) * (arb(k * (k - 1)) / (2 * s**2)).exp()
            choose = choose * (order - k) // (k + 1)
        return total.log() / (order - 1)
