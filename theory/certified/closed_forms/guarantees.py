"""The delta of every guarantee at doubles, the drift, and the least delta that a divergence of order 1 implies."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial

from flint import arb, ctx

from theory.certified.closed_forms import cks
from theory.certified.closed_forms.balls import CLOSE, LEAST, called, gaussian_stick, grid, positive_part
from theory.certified.running_number import RunningNumber, at_least, near
from theory.drift import drift
from theory.guarantees import ZCDP, ApproxDP, GaussianDP, PureDP, RenyiDP
from theory.relative_entropy import entropy_delta

__all__ = ["numbers"]

_EPSILONS = (0.0, 1e-9, 0.1, 0.5, 1.0, 2.0, 7.0, 30.0)
_ENTROPIES = (
    (1e-100, 0.0),
    (1e-9, 0.0),
    (1e-9, 0.1),
    (1e-3, 1e-6),
    (0.02, 0.0),
    (0.02, 0.1),
    (0.5, 0.0),
    (0.5, 1.0),
    (3.0, 0.1),
    (3.0, 5.0),
    (20.0, 18.0),
    (30.0, 1.0),
)
#: Halvings of the bracket around the multiplier s: the bounds differ by less than its square, or its width.
_HALVINGS = 64


def numbers() -> Iterator[RunningNumber]:
    """PureDP, ApproxDP, RenyiDP, ZCDP, GaussianDP: delta(epsilon); drift; entropy_delta."""
    for bound in (1e-6, 0.3, 1.0, 4.0, 50.0):
        # below the kink, where what is left of the difference is of the size of its rounding, points are kept off it
        for (x,), value in called(PureDP(bound).delta, [(x * bound,) for x in (0.0, 0.25, 0.875, 1.25)]):
            yield near(
                "RR zCDP",
                f"PureDP({bound!r}).delta({x!r})",
                value,
                partial(_response, bound, 0.0, x),
                slack=CLOSE,
            )
        for delta in (1e-300, 1e-5, 0.25):
            for (x,), value in called(
                ApproxDP(bound, delta).delta, [(x * bound,) for x in (0.0, 0.5, 1.0, 2.0)]
            ):
                says = f"ApproxDP({bound!r}, {delta!r}).delta({x!r})"
                yield near("Rényi divergences", says, value, partial(_response, bound, delta, x), slack=CLOSE)
    for alpha in (1.001, 1.5, 2.0, 8.0, 256.0):
        for rho in (1e-6, 0.05, 1.0, 20.0):
            for (x,), value in called(RenyiDP(alpha, rho).delta, grid(_EPSILONS)):
                says = f"RenyiDP({alpha!r}, {rho!r}).delta({x!r})"
                yield near("CKS", says, value, partial(_at_order, alpha, rho, x), slack=CLOSE, least=LEAST)
    for rho in (1e-6, 0.02, 1.0):
        for (x,), value in called(ZCDP(rho).delta, grid(_EPSILONS)):
            yield near(
                "CKS", f"ZCDP({rho!r}).delta({x!r})", value, partial(_zcdp, rho, x), slack=CLOSE, least=LEAST
            )
    for mu in (1e-3, 0.5, 1.0, 6.0):
        for (x,), value in called(GaussianDP(mu).delta, grid(_EPSILONS)):
            truth = partial(_gaussian, mu, x)
            says = f"GaussianDP({mu!r}).delta({x!r})"
            yield near("Gaussian hockey-stick", says, value, truth, slack=CLOSE, least=LEAST)
    half, shifted = float(GaussianDP(1.5).trade_off(0.25)), 1.5
    yield near(
        "Gaussian hockey-stick",
        "GaussianDP(1.5).trade_off(0.25)",
        half,
        partial(_trade_off, shifted),
        slack=CLOSE,
    )
    yield from _drift()
    yield from _entropy()


def _drift() -> Iterator[RunningNumber]:
    sizes = [*(10.0**k for k in range(-12, 3)), *(0.1 * k for k in range(1, 41)), 1e-300, 700.0]
    for (epsilon,), value in called(drift, grid(sizes)):
        # "rounded up": by the 2^-50 that it is raised by, and roundings below that
        says, truth = f"drift({epsilon!r})", partial(_half_drift, epsilon)
        yield at_least("RR zCDP", says, value, truth, slack=2.0**-49, least=2.0**-1020)


def _entropy() -> Iterator[RunningNumber]:
    for (rho, epsilon), value in called(entropy_delta, _ENTROPIES):
        says = f"entropy_delta({rho!r}, {epsilon!r})"
        yield near("RDP filter", says, value, partial(_coins, rho, epsilon), slack=CLOSE, least=LEAST)
    for rho, epsilon in ((0.5, 1.0), (0.02, 0.0)):
        says, value = f"RenyiDP(1.0, {rho!r}).delta({epsilon!r})", float(RenyiDP(1.0, rho).delta(epsilon))
        yield near("RDP filter", says, value, partial(_coins, rho, epsilon), slack=CLOSE)


def _response(bound: float, delta: float, epsilon: float) -> arb:
    """delta + (1 - delta) (e^bound - e^eps)_+ / (1 + e^bound)."""
    with ctx.workprec(ctx.prec + 1200):  # 1 - delta for the least delta here
        odds, d = arb(bound).exp(), arb(delta)
        return d + (1 - d) * positive_part(odds - arb(epsilon).exp()) / (1 + odds)


def _at_order(alpha: float, rho: float, epsilon: float) -> arb:
    a = arb(alpha)
    exponent = (a - 1) * (arb(rho) - arb(epsilon)) + a * (1 - 1 / a).log() - (a - 1).log()
    return exponent.min(arb(0)).exp()


def _zcdp(rho: float, epsilon: float) -> arb:
    return cks.log_delta(arb(rho), arb(epsilon)).exp()


def _gaussian(mu: float, epsilon: float) -> arb:
    return gaussian_stick(arb(mu), arb(epsilon))


def _trade_off(mu: float) -> arb:
    root = arb(2).sqrt()
    z = root * arb(0.5).erfcinv()  # P(N > z) = 1/4
    return ((arb(mu) - z) / root).erfc() / 2


def _half_drift(epsilon: float) -> arb:
    e = arb(epsilon)
    return e * e.expm1() / 2


def _coins(rho: float, epsilon: float) -> arb:
    """sup of p - e^eps q over coins with divergence at most rho: between that of such a coin and a dual bound.

    The dual bound is (rho + h(a))/s for any s, see `theory.relative_entropy`. The coin with odds e^s apart and
    q = 1/(c s) - 1/(e^s - 1) attains it where its divergence is rho; one of slightly less is within the budget.
    """
    with ctx.workprec(2 * ctx.prec + 128 + int(8 * abs(math.log2(rho)))):
        budget, c = arb(rho), arb(epsilon).exp()

        def coin(s: arb) -> tuple[arb, arb]:
            q = 1 / (c * s) - 1 / s.expm1()
            odds = s.exp() * q / (1 - q)
            return odds / (1 + odds), q

        def divergence(s: arb) -> arb:
            p, q = coin(s)
            if not 0 < q < 1:
                return arb(0)  # below the least s
            rest = 1 / (1 + s.exp() * q / (1 - q))  # 1 - p, with its digits
            return p * (p / q).log() + rest * (rest / (1 - q)).log()

        low, high = (
            -int(2 * abs(math.log2(rho))) - 8,
            12 + int(1.5 * rho),
        )  # powers of two around the s whose coin has the budget
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if divergence(arb(2) ** middle) > budget else (middle, high)
        below, above = arb(2) ** low, arb(2) ** high
        for _ in range(_HALVINGS):
            half = ((below + above) / 2).mid()
            below, above = (below, half) if divergence(half) > budget else (half, above)
        p, q = coin(below)
        if not (divergence(below) < budget < divergence(above) and q > 0):
            return arb.nan()
        a = positive_part((above.expm1() / above).log() - arb(epsilon))
        dual = ((budget + (-a).exp() - 1 + a) / above).min(arb(1))
        return (p - c * q).union(dual)
