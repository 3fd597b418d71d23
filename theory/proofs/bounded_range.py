"""Bounded range: one pair dominates the exponential mechanism, and its charges."""

from __future__ import annotations

import sympy as sp

from theory.claims.notations import Formula
from theory.claims.theorem import Step, Theorem
from theory.proofs.symbolic import Sides, nonnegative, signed, zero

__all__ = ["THEOREM"]

e, t, y, u, a = sp.symbols("epsilon t y u alpha", positive=True)
r, v = sp.symbols("r v", nonnegative=True)
loss, x = sp.symbols("l x", real=True)
HALF, SIXTH = sp.Rational(1, 2), sp.Rational(1, 6)
ALL = 1 - sp.exp(-e)
#: Q-probability of the outcome of ratio e^t where the other has e^(t - epsilon).
WEIGHT = (1 - sp.exp(t - e)) / (sp.exp(t) - sp.exp(t - e))


def _mean(weight: sp.Expr = WEIGHT) -> Sides:
    return weight * sp.exp(t) + (1 - weight) * sp.exp(t - e), sp.Integer(1)


def _two_outcomes(power: int = 1) -> Sides:
    held = 1 + sp.exp(x - e) - sp.exp(t - e) - sp.exp(x - t)
    return WEIGHT * (sp.exp(t) - sp.exp(x)), held / ALL**power


def _gap(middle: sp.Expr = HALF) -> sp.Expr:
    return sp.exp(t - e) + sp.exp(x - t) - 2 * sp.exp((x - e) * middle)


def _stick(share: sp.Expr = HALF) -> sp.Expr:
    return (1 - sp.exp(-y * share)) ** 2 / ALL


def _hockey_stick(share: sp.Expr = HALF) -> Sides:
    total = 2 * (sp.exp(e / 2) - sp.exp(-e / 2))
    kept = sp.exp(loss / 2) - sp.exp(e - y - loss / 2)
    return sp.Integral(kept / total, (loss, e - y, e)), _stick(share)


def _moment(shift: sp.Expr = HALF) -> Sides:
    # of order 1 + u: the integrand e^{(u + 1/2) l}, and the two sides in exponentials
    power = u + HALF
    density = 1 / (2 * (sp.exp(e / 2) - sp.exp(-e / 2)))
    moment = sp.Integral(sp.exp(power * loss) * density, (loss, -e, e))
    top = (sp.exp((u + shift) * e) - sp.exp(-(u + shift) * e)) / (2 * u + 1)
    return moment, top / (sp.exp(e / 2) - sp.exp(-e / 2))


def _claim(constant: sp.Expr = SIXTH) -> Sides:
    # alpha (e^2/6) (alpha - 1) minus the log-moment, and g(e/2) - g((alpha - 1/2) e), alpha = 1 + u
    low, high = e / 2, (u + HALF) * e
    log_moment = sp.log(sp.sinh(high)) - sp.log(sp.sinh(low)) - sp.log(2 * u + 1)
    parts = (sp.log(sp.sinh(low)) - sp.log(low) - low**2 / 6) - (
        sp.log(sp.sinh(high)) - sp.log(e) - sp.log(2 * u + 1) + sp.log(2) - high**2 / 6
    )
    return constant * e**2 * (1 + u) * u - log_moment, parts


def _falling(constant: sp.Expr = SIXTH) -> Sides:
    g = sp.log(sp.sinh(a)) - sp.log(a) - constant * a**2
    return -3 * a * sp.sinh(a) * sp.diff(g, a), _top().subs(v, a)


def _top(times: int = 3) -> sp.Expr:
    return v**2 * sp.sinh(v) - times * v * sp.cosh(v) + times * sp.sinh(v)


def _rate(claimed: sp.Expr) -> Sides:
    grown, shrunk = sp.exp(v), sp.exp(-v)
    return sp.diff((v * (grown + shrunk) - grown + shrunk) / 2, v), claimed


_STICK = Formula("(1 - exp((x - epsilon)/2))**2/(1 - exp(-epsilon))", x=("-1/8", "1/8"), epsilon=("1/4", "3"))
_RHO = Formula("alpha*epsilon**2/6", alpha=("1", "9"), epsilon=("1/8", "3"))

THEOREM = Theorem(
    name="bounded range",
    title="One pair for all mechanisms of bounded range, the exponential mechanism among them",
    source="Dong, Durfee & Rogers (2020) for bounded range; the pair and its charge are this project's",
    hypotheses="epsilon > 0; a mechanism whose loss, between any two neighbours, takes values in an interval of length "
    "at most epsilon; every real order x of the hockey-stick in [-epsilon, epsilon], outside of which those of "
    "epsilon-DP are met; every order alpha >= 1",
    claim="The pair with loss density e^(l/2)/(4 sinh(epsilon/2)) on [-epsilon, epsilon] dominates the mechanism, and "
    "no smaller hockey-stick dominates all such; it is (epsilon^2/6)-zCDP",
    stated=(r"H_{e^x}(M(S)\|M(S')) \le ", _STICK, r",\qquad D_\alpha \le ", _RHO),
    steps=(
        Step(
            "Where the ratio of the laws stays between e^(t - epsilon) and e^t, the mean of (ratio - e^x)_+ , which is "
            "convex, is at most that of the chord; the only weights on the two ends with mean 1 are these.",
            zero(_mean),
            {"weights exchanged": zero(lambda: _mean(1 - WEIGHT))},
            r"w e^t + (1-w) e^{t-\varepsilon} = 1",
        ),
        Step(
            "That mean over two outcomes, where t - epsilon <= x <= t.",
            zero(_two_outcomes),
            {"the total squared": zero(lambda: _two_outcomes(2))},
            r"w (e^t - e^x) = \frac{1 + e^{x-\varepsilon} - e^{t-\varepsilon} - e^{x-t}}{1-e^{-\varepsilon}}",
        ),
        Step(
            "It is largest over t at t = (x + epsilon)/2: the two terms that t moves are at least twice their "
            "geometric mean. That t is between 0 and epsilon, so some mechanism of range epsilon meets the bound.",
            nonnegative(_gap, lambda: ((sp.exp((t - e) / 2) - sp.exp((x - t) / 2)) ** 2,)),
            {
                "the arithmetic mean's exponent doubled": nonnegative(
                    lambda: _gap(sp.Integer(1)),
                    lambda: ((sp.exp((t - e) / 2) - sp.exp((x - t) / 2)) ** 2,),
                )
            },
            r"e^{t-\varepsilon} + e^{x-t} - 2e^{(x-\varepsilon)/2} = "
            r"\left(e^{(t-\varepsilon)/2} - e^{(x-t)/2}\right)^2",
        ),
        Step(
            "So no hockey-stick at x = epsilon - y is above (1 - e^(-y/2))^2/(1 - e^(-epsilon)), and the pair has it: "
            "the integral of 1 - e^(x - l) over its density.",
            zero(_hockey_stick),
            {"e^-y": zero(lambda: _hockey_stick(sp.Integer(1)))},
            r"\int_x^\varepsilon (1-e^{x-l})\frac{e^{l/2}}{4\sinh(\varepsilon/2)}\,dl = "
            r"\frac{(1-e^{(x-\varepsilon)/2})^2}{1-e^{-\varepsilon}}",
        ),
        Step(
            "Its moment of order alpha = 1 + u is a ratio of hyperbolic sines.",
            zero(_moment),
            {"alpha in place of alpha - 1/2": zero(lambda: _moment(sp.Integer(1)))},
            r"\mathbb{E}_P e^{(\alpha-1)L} = "
            r"\frac{\sinh((\alpha-\frac12)\varepsilon)}{(2\alpha-1)\sinh(\varepsilon/2)}",
        ),
        Step(
            "With g(v) = log(sinh(v)/v) - v^2/6 the claim is g((alpha - 1/2) epsilon) <= g(epsilon/2).",
            zero(_claim),
            {"1 % less budget": zero(lambda: _claim(sp.Rational(99, 600)))},
            r"(\alpha-1)\left(\frac{\alpha\varepsilon^2}{6} - D_\alpha\right) = "
            r"g\left(\tfrac\varepsilon2\right) - g\left((\alpha-\tfrac12)\varepsilon\right)",
        ),
        Step(
            "The points are in order.",
            *signed(lambda: (u + HALF) * e - e / 2, lambda: (u * e,), strict=True, wrong="the other order"),
            r"\left(\alpha-\tfrac12\right)\varepsilon > \tfrac\varepsilon2",
        ),
        Step(
            "g falls where v^2 sinh v - 3 v cosh v + 3 sinh v is above 0: that is -3 v sinh(v) g'(v).",
            zero(_falling),
            {"1 % less than v^2/6": zero(lambda: _falling(sp.Rational(99, 600)))},
            r"-3v\sinh(v)\,g'(v) = v^2\sinh v - 3v\cosh v + 3\sinh v",
        ),
        Step(
            "That is 0 at v = 0, and rises at the rate v (v cosh v - sinh v), ...",
            zero(lambda: (sp.diff(_top(), v), v * (v * sp.cosh(v) - sp.sinh(v)))),
            {"3 v sinh v left out": zero(lambda: (sp.diff(_top(0), v), v * (v * sp.cosh(v) - sp.sinh(v))))},
            r"\frac{d}{dv}\left(v^2\sinh v - 3v\cosh v + 3\sinh v\right) = v\,(v\cosh v - \sinh v)",
        ),
        Step(
            "... where v cosh v - sinh v is 0 at v = 0 and rises at the rate v sinh v ...",
            zero(lambda: _rate(v * sp.sinh(v))),
            {"at the rate v cosh v": zero(lambda: _rate(v * sp.cosh(v)))},
            r"\frac{d}{dv}(v\cosh v - \sinh v) = v\sinh v",
        ),
        Step(
            "... and sinh v, an integral of cosh from 0, is nowhere below 0.",
            *signed(
                lambda: sp.sinh(v),
                lambda: (sp.Integral(sp.exp(r) / 2, (r, 0, v)), sp.Integral(sp.exp(-r) / 2, (r, 0, v))),
                wrong="below 0",
            ),
            r"\sinh v = \int_0^v \cosh r\,dr \ge 0",
        ),
    ),
)
