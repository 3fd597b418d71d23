"""Pure DP implies zCDP: epsilon-DP is (epsilon^2/2)-zCDP, paper 000, proof of Theorem 4.9."""

from __future__ import annotations

import sympy as sp

from theory.claims.notations import Formula
from theory.claims.table import in_kernel
from theory.claims.theorem import Step, Theorem
from theory.proofs.symbolic import Sides, nonnegative, signed, zero

__all__ = ["THEOREM"]

eps, t, y = sp.symbols("epsilon t y", positive=True)
s, x = sp.symbols("s x", nonnegative=True)
alpha = 1 + t
HALF = sp.Rational(1, 2)
#: Q-probability of the outcome with ratio e^eps under randomised response.
WEIGHT = 1 / (1 + sp.exp(eps))


def _mean(weight: sp.Expr = WEIGHT) -> Sides:
    return weight * sp.exp(eps) + (1 - weight) * sp.exp(-eps), sp.Integer(1)


def _moment(shift: sp.Expr = HALF) -> Sides:
    moment = WEIGHT * sp.exp(alpha * eps) + (1 - WEIGHT) * sp.exp(-alpha * eps)
    return moment, sp.cosh((alpha - shift) * eps) / sp.cosh(eps / 2)


def _log_cosh(v: sp.Expr, constant: sp.Expr = HALF) -> sp.Expr:
    return sp.log(sp.cosh(v)) - constant * v**2


def _gap(constant: sp.Expr = HALF) -> Sides:
    # alpha (eps^2/2) (alpha - 1) minus the log-moment, and g(eps/2) - g((alpha - 1/2) eps)
    log_moment = sp.log(sp.cosh((alpha - HALF) * eps)) - sp.log(sp.cosh(eps / 2))
    return constant * eps**2 * alpha * t - log_moment, _log_cosh(eps / 2) - _log_cosh((alpha - HALF) * eps)


def _falling(constant: sp.Expr = HALF) -> sp.Expr:
    return -sp.diff(_log_cosh(x, constant), x)


def _small(factor: sp.Expr | int = 1) -> Sides:
    renyi = sp.log(sp.cosh((alpha - HALF) * eps) / sp.cosh(eps / 2)) / t
    return sp.limit(renyi / eps**2, eps, 0), factor * alpha / 2


def _divergence_at_one(argument: sp.Expr = eps / 2) -> Sides:
    return eps * (1 - 2 * WEIGHT), eps * sp.tanh(argument)


_COSINES = Formula(
    "log(cosh((alpha - 1/2)*epsilon)/cosh(epsilon/2))/(alpha - 1)", alpha=("3/2", "9"), epsilon=("1/8", "3")
)
_RHO = Formula("alpha*epsilon**2/2", alpha=("3/2", "9"), epsilon=("1/8", "3"))

THEOREM = Theorem(
    name="RR zCDP",
    title="Pure differential privacy implies zCDP",
    source="Bun & Steinke; Feldman & Zrnic, proof of Theorem 4.9",
    hypotheses="epsilon > 0, every order alpha >= 1; any pair whose ratio stays in [e^-epsilon, e^epsilon]",
    claim="epsilon-DP implies (epsilon^2/2)-zCDP, and no smaller constant than 1/2 will do",
    stated=(r"D_\alpha(P\|Q) \le ", _COSINES, r" \le ", _RHO),
    steps=(
        *in_kernel("pure_is_zcdp"),
        Step(
            "The power y^alpha is convex in the ratio y, so its mean under Q is at most that of the chord, "
            "which is the mean over the two end points.",
            *signed(
                lambda: sp.diff(y**alpha, y, 2),
                lambda: (alpha * t * y ** (alpha - 2),),
                strict=True,
                wrong="concave",
            ),
            r"\frac{d^2}{dy^2}y^\alpha = \alpha(\alpha-1)y^{\alpha-2} > 0",
        ),
        Step(
            "Only the weights of randomised response, 1/(1 + e^epsilon) on e^epsilon, give the ratio mean 1.",
            zero(_mean),
            {"weights exchanged": zero(lambda: _mean(1 - WEIGHT))},
            r"\frac{e^\varepsilon + e^\varepsilon e^{-\varepsilon}}{1+e^\varepsilon} = 1",
        ),
        Step(
            "The moment of randomised response is a ratio of hyperbolic cosines.",
            zero(_moment),
            {"alpha - 1 instead of alpha - 1/2": zero(lambda: _moment(sp.Integer(1)))},
            r"\mathbb{E}_Q\left(\frac{dP}{dQ}\right)^\alpha = "
            r"\frac{\cosh((\alpha-\frac12)\varepsilon)}{\cosh(\varepsilon/2)}",
        ),
        Step(
            "With g(x) = log cosh x - x^2/2 the claim is g((alpha - 1/2) epsilon) <= g(epsilon/2).",
            zero(_gap),
            {
                "1 % less budget": zero(lambda: _gap(HALF * sp.Rational(99, 100))),
                "epsilon^2 instead of epsilon^2/2": zero(lambda: _gap(sp.Integer(1))),
            },
            r"(\alpha-1)\left(\frac{\alpha\varepsilon^2}{2} - D_\alpha\right) = "
            r"g\left(\tfrac\varepsilon2\right) - g\left((\alpha-\tfrac12)\varepsilon\right)",
        ),
        Step(
            "g falls on x >= 0: -g'(x) = x - tanh x is the integral of tanh^2 from 0 to x.",
            nonnegative(_falling, lambda: (sp.Integral(sp.tanh(s) ** 2, (s, 0, x)),)),
            {
                "wrong sign": nonnegative(
                    lambda: -_falling(), lambda: (sp.Integral(-(sp.tanh(s) ** 2), (s, 0, x)),)
                ),
                "1 % less than x^2/2": nonnegative(
                    lambda: _falling(HALF * sp.Rational(99, 100)),
                    lambda: (sp.Integral(sp.tanh(s) ** 2 - sp.Rational(1, 100), (s, 0, x)),),
                ),
            },
            r"-g'(x) = x - \tanh x = \int_0^x \tanh^2 s\,ds \ge 0",
        ),
        Step(
            "The points are in order: (alpha - 1/2) epsilon - epsilon/2 = (alpha - 1) epsilon > 0.",
            *signed(
                lambda: (alpha - HALF) * eps - eps / 2,
                lambda: (t * eps,),
                strict=True,
                wrong="the other order",
            ),
            r"\left(\alpha-\tfrac12\right)\varepsilon \ge \tfrac\varepsilon2",
        ),
        Step(
            "At alpha = 1 the function is y log y, convex too, so randomised response is again the worst.",
            *signed(lambda: sp.diff(y * sp.log(y), y, 2), lambda: (1 / y,), strict=True, wrong="concave"),
            r"\frac{d^2}{dy^2}\,y\log y = \frac1y > 0",
        ),
        Step(
            "At alpha = 1 the divergence of randomised response is epsilon tanh(epsilon/2).",
            zero(_divergence_at_one),
            {"tanh epsilon": zero(lambda: _divergence_at_one(eps))},
            r"D_1 = \varepsilon\tanh\frac\varepsilon2",
        ),
        Step(
            "Which is at most epsilon^2/2, by the same integral.",
            nonnegative(
                lambda: eps**2 / 2 - eps * sp.tanh(eps / 2),
                lambda: (sp.Integral(eps * sp.tanh(s) ** 2, (s, 0, eps / 2)),),
            ),
            {
                "1 % less budget": nonnegative(
                    lambda: sp.Rational(99, 100) * eps**2 / 2 - eps * sp.tanh(eps / 2),
                    lambda: (sp.Integral(eps * (sp.tanh(s) ** 2 - sp.Rational(1, 100)), (s, 0, eps / 2)),),
                )
            },
            r"\frac{\varepsilon^2}{2} - D_1 = \varepsilon\int_0^{\varepsilon/2}\tanh^2 s\,ds \ge 0",
        ),
        Step(
            "Sharp at every order: D_alpha / epsilon^2 of randomised response starts at alpha/2.",
            zero(_small),
            {"1 % less": zero(lambda: _small(sp.Rational(99, 100)))},
            r"\lim_{\varepsilon\to0} \frac{D_\alpha}{\varepsilon^2} = \frac\alpha2",
        ),
    ),
)
