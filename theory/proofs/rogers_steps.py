"""Steps of the odometers: the loss of (epsilon, delta)-DP rounds above its drift, and the mixture of Rogers et al."""

from __future__ import annotations

import sympy as sp

from theory.claims.theorem import Step
from theory.proofs.expressions import as_written
from theory.proofs.symbolic import Sides, nonnegative, signed, zero

__all__ = ["ROGERS"]

# spread is H, squares is S, gain the loss less its conditional means
e, spread, squares, k = sp.symbols("e H S k", positive=True)
gain, x, u = sp.symbols("y x u", real=True)
c = sp.Symbol("c", positive=True)


def _cumulant() -> sp.Expr:
    # log of the mean of e^{u (X - mean)}, X 1 with odds c against 1, else 0: a loss of two values e and -e, u = 2 k e
    return sp.log((1 + c * sp.exp(u)) / (1 + c)) - u * c / (1 + c)


@as_written
def _starts(constant: int = 0) -> Sides:
    nothing = sp.Integer(0)
    return sp.log((1 + c * sp.exp(nothing)) / (1 + c)) - nothing * c / (1 + c), sp.Integer(constant)


def _slope(sign: int = -1) -> Sides:
    return sp.diff(_cumulant(), u), c * (sp.exp(u) + sign) / ((1 + c * sp.exp(u)) * (1 + c))


def _curvature(most: sp.Expr) -> tuple[sp.Expr, tuple[sp.Expr, ...]]:
    # 1/4 less the second derivative, a square
    z = c * sp.exp(u)
    return most - sp.diff(_cumulant(), u, 2), ((1 - z) ** 2 / (4 * (1 + z) ** 2),)


def _drift() -> sp.Expr:
    # e (E - 1)/2 less e tanh(e/2) = e (E - 1)/(E + 1), E = e^e
    big = sp.exp(e)
    return e * (big - 1) / 2 - e * (big - 1) / (big + 1)


def _mixed(factor: sp.Expr | int = 1) -> Sides:
    """The mixture of e^(k y - k^2 S/2) over k ~ N(0, 1/H), and its closed form."""
    at = sp.Symbol("z", real=True)
    inside = sp.exp(sp.expand(at * gain - at**2 * squares / 2 - spread * at**2 / 2))
    scale = sp.sqrt(spread) / sp.sqrt(2 * sp.pi)
    closed = sp.sqrt(spread / (squares + spread)) * sp.exp(gain**2 / (2 * (squares + spread)))
    return scale * sp.Integral(inside, (at, -sp.oo, sp.oo)), factor * closed


_QUARTER = sp.Rational(1, 4)

ROGERS = (
    Step(
        "The mean of e^(k L) of a loss between -e and e is at most that of the two-valued loss with the same mean, "
        "for e^(k x) is convex: it stays below its chord.",
        *signed(
            lambda: sp.diff(sp.exp(k * x), x, 2),
            lambda: (k**2 * sp.exp(k * x),),
            strict=True,
            wrong="concave",
        ),
        r"\frac{d^2}{dx^2}e^{kx} = k^2e^{kx} > 0",
    ),
    Step(
        "The log-mean of the two-valued loss less its mean, as a function of u = 2 k e, is 0 at u = 0, ...",
        zero(_starts),
        {"1": zero(lambda: _starts(1))},
        r"\psi(u) = \log\frac{1+ce^u}{1+c} - \frac{uc}{1+c},\quad \psi(0) = 0",
    ),
    Step(
        "... its slope has the factor e^u - 1, so it is 0 there, ...",
        zero(_slope),
        {"the factor e^u + 1": zero(lambda: _slope(1))},
        r"\psi'(u) = \frac{c(e^u-1)}{(1+ce^u)(1+c)}",
    ),
    Step(
        "... and its second derivative is at most 1/4: so it is at most u^2/8 = k^2 e^2/2 (Hoeffding's lemma), for "
        "negative u too.",
        nonnegative(lambda: _curvature(_QUARTER)[0], lambda: _curvature(_QUARTER)[1]),
        {"1/5": nonnegative(lambda: _curvature(sp.Rational(1, 5))[0], lambda: _curvature(_QUARTER)[1])},
        r"\tfrac14 - \psi''(u) = \left(\frac{1-ce^u}{2(1+ce^u)}\right)^2 \ge 0",
    ),
    Step(
        "The conditional mean of the loss of an e-DP round is at most e tanh(e/2) (RR zCDP), which is at most the "
        "drift e (e^e - 1)/2.",
        *signed(_drift, lambda: (e * (sp.exp(e) - 1) ** 2 / (2 * (sp.exp(e) + 1)),), wrong="at least"),
        r"\frac{e(E-1)}2 - \frac{e(E-1)}{E+1} = \frac{e(E-1)^2}{2(E+1)} \ge 0,\quad E = e^e",
    ),
    Step(
        "So e^(k y - k^2 S/2), y the loss less its conditional means, is a supermartingale for each real k. Its "
        "mixture over k with the law N(0, 1/H) is one too, and has a closed form.",
        zero(_mixed),
        {"1 % more": zero(lambda: _mixed(sp.Rational(101, 100)))},
        r"\int e^{ky-k^2S/2}\,\sqrt{\tfrac{H}{2\pi}}e^{-Hk^2/2}\,dk = "
        r"\sqrt{\tfrac{H}{S+H}}\,e^{y^2/(2(S+H))}",
    ),
)
