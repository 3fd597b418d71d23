"""Paper 003's (5.1) "for all epsilon" asks of DP-SGD at any rate what it asks at rate 1: mu >= sqrt(T)/sigma.

T rounds at rate q in (0, 1) and noise sigma compare the product of q a + (1 - q) b with that of b, a = N(1, sigma^2)
and b = N(0, sigma^2).
"""

from __future__ import annotations

import sympy as sp

from theory.claims.theorem import Check, Step
from theory.proofs.symbolic import Sides, identity, nonnegative

__all__ = ["DP_SGD"]

alpha, sigma = sp.symbols("alpha sigma", positive=True)


def _hockey_sticks() -> Sides:
    # order alpha = k + 2; the integral of the right side over u from 0 to x is what is differentiated, at u = x
    x, k, u = sp.symbols("x k u", positive=True)
    integral = (k + 2) * x * u ** (k + 1) - (k + 1) * u ** (k + 2)
    return sp.diff(integral, u), (k + 2) * (k + 1) * u**k * (x - u)


def _one_round(share: sp.Expr) -> Check:
    # if the rounds before have density before + more >= before, one round more keeps the order; q = 1/(1 + r)
    before, more, a, b, r = sp.symbols("before more a b r", positive=True)
    q = 1 / (1 + r)
    mixed = q * a + (1 - q) * b
    kept = share.subs(sp.Symbol("q", positive=True), q)
    return nonnegative(
        lambda: (before + more) * mixed - before * kept * a, lambda: (more * mixed, before * b * r / (1 + r))
    )


def _square() -> Sides:
    x = sp.Symbol("x", real=True)
    density = alpha * (x - 1) ** 2 + (1 - alpha) * x**2
    return -density / (2 * sigma**2), -((x - alpha) ** 2) / (2 * sigma**2) + alpha * (alpha - 1) / (
        2 * sigma**2
    )


def _above(gap: sp.Expr | int) -> Check:
    """The log-moment of T rounds at a large order is above that of Gaussian(mu), mu^2 = T/sigma^2 - gap.

    The order is 2 + 4 T log(1/q)/g, and the rate of sampling e^-rate.
    """
    rounds, rate, g = sp.symbols("T rate g", positive=True)
    order = 2 + 4 * rounds * rate / g
    square = rounds / sigma**2 - gap
    reached = rounds * (order * (order - 1) / (2 * sigma**2) - order * rate)
    return nonnegative(
        lambda: reached - order * (order - 1) * square / 2,
        lambda: (order * rounds * rate, order * g / 2),
        strict=True,
    )


DP_SGD = (
    Step(
        '003, (5.1): "for all epsilon" it asks for mu >= sqrt(T)/sigma on T rounds of DP-SGD, whatever the rate q in '
        "(0, 1); the mu of the central limit does not meet it. (5.1) compares hockey-sticks, of which the moment "
        "at order alpha > 2 is an integral with weights above 0: alpha x t^(alpha-1) - (alpha-1) t^alpha, which is "
        "x^alpha at t = x and 0 at t = 0, grows at the rate alpha (alpha-1) t^(alpha-2) (x-t). So (5.1) "
        "compares moments.",
        *identity(_hockey_sticks),
        r"x^\alpha = \int_0^\infty \alpha(\alpha-1)\,t^{\alpha-2}(x-t)_+\,dt",
    ),
    Step(
        "The same: the density of T rounds is at least q^T times that of T Gaussians, by induction on the rounds, "
        "and so their moment is at least q^(T alpha) times theirs.",
        _one_round(sp.Symbol("q", positive=True)),
        {"without q": _one_round(sp.Integer(1))},
        r"\prod_t\left(q a_t + (1-q) b_t\right) \ge q^T\prod_t a_t",
    ),
    Step(
        "The same: the moment of one Gaussian round is e^(alpha (alpha-1)/(2 sigma^2)), by completing the square.",
        *identity(_square),
        r"\mathbb{E}_Q\left(\tfrac{a}{b}\right)^\alpha = e^{\alpha(\alpha-1)/(2\sigma^2)}",
    ),
    Step(
        "The same: if mu^2 = T/sigma^2 - g with g > 0, then at alpha = 2 + 4 T log(1/q)/g the moment of the T "
        "rounds is above that of Gaussian(mu), and (5.1) fails at some epsilon.",
        _above(sp.Symbol("g", positive=True)),
        {"mu = sqrt(T)/sigma": _above(0)},
        r"T\left(\tfrac{\alpha(\alpha-1)}{2\sigma^2} - \alpha\log\tfrac1q\right) > "
        r"\tfrac{\alpha(\alpha-1)}2\mu^2",
    ),
)
