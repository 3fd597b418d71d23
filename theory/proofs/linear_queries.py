"""Adaptive linear queries under individual filters: paper 000, Corollary 4.7 and Propositions 5.1, 5.2."""

from __future__ import annotations

import sympy as sp

from theory.claims.notations import Formula
from theory.claims.table import in_kernel
from theory.claims.theorem import Step, Theorem
from theory.proofs.expressions import as_written
from theory.proofs.symbolic import Sides, signed, zero

__all__ = ["THEOREM"]

# kappa the zCDP level, norm the budget B_norm of squared norms, d the dimension.
alpha, kappa, norm, spent, sigma, clip, x = sp.symbols("alpha kappa B spent sigma C x", positive=True)
d, delta, n, k = sp.symbols("d delta n k", positive=True)
v = sp.Symbol("v", nonnegative=True)
PERCENT = sp.Rational(101, 100)


@as_written
def _charge(variance: sp.Expr) -> Sides:
    # the sum of rho_t = alpha |q_t|^2/(2 sigma^2) for one person, and alpha kappa times the share spent
    return alpha * spent / (2 * variance), alpha * kappa * spent / norm


def _mills_at(factor: sp.Expr | int = 1) -> Sides:
    tail = sp.exp(x**2 / 2) * sp.erfc(x / sp.sqrt(2))
    laplace = sp.sqrt(2 / sp.pi) * sp.Integral(sp.exp(-x * v - v**2 / 2), (v, 0, sp.oo))
    return tail, factor * laplace


def _tail_terms() -> tuple[sp.Expr, ...]:
    inner = sp.Symbol("y", nonnegative=True)
    return (sp.exp(-(v**2) / 2) * sp.Integral(sp.exp(-inner), (inner, 0, x * v)),)


def _tail_gap() -> sp.Expr:
    # integrands of the scaled tail at 0 and at x
    return sp.exp(-(v**2) / 2) - sp.exp(-x * v - v**2 / 2)


@as_written
def _union(log_of: sp.Expr) -> Sides:
    # d coordinates, each outside sigma x with probability at most e^{-x^2/2} = delta/d
    radius = sp.sqrt(norm * log_of / kappa)
    standard = radius / sp.sqrt(norm / (2 * kappa))
    return d * sp.exp(-(standard**2) / 2), delta


_VARIANCE = Formula("B/(2*kappa)", B=("1/8", "3"), kappa=("1/64", "1"))
_RADIUS = Formula(
    "sqrt(B*log(d/delta)/kappa)", B=("1/8", "3"), d=("1", "100"), delta=("1/1024", "1/2"), kappa=("1/64", "1")
)

THEOREM = Theorem(
    name="linear queries",
    title="Adaptive linear queries under individual budgets",
    source="Feldman & Zrnic, Corollary 4.7, Propositions 5.1 and 5.2",
    hypotheses="kappa, B_norm > 0, 0 < delta < 1, d coordinates, every order alpha >= 1; Gaussian noise of variance "
    "B_norm/(2 kappa) on the sum over the persons whose squared norms stay within B_norm, finitely many queries",
    claim="The answers are kappa-zCDP for each person, and each answer is within sqrt(B_norm log(d/delta)/kappa) of "
    "the truth on the active persons but for probability delta; noisy gradient descent with filtering is "
    "B_norm/(2 sigma^2 C^2)-zCDP",
    stated=(
        r"\sigma^2 = ",
        _VARIANCE,
        r",\quad P\left(\|a_t - q_t(S_t)\|_\infty > ",
        _RADIUS,
        r"\right) \le \delta,\quad B = B_{\mathrm{norm}}",
    ),
    uses=("individual filter", "Rényi divergences"),
    steps=(
        *in_kernel("linear_queries"),
        Step(
            "A person who spent the squared norm s was charged alpha kappa s/B_norm: the filter with budget "
            "alpha kappa reads s <= B_norm at every order.",
            zero(as_written(lambda: _charge(norm / (2 * kappa)))),
            {"variance B_norm/kappa": zero(lambda: _charge(norm / kappa))},
            r"\frac{\alpha s}{2\sigma^2} = \alpha\kappa\frac{s}{B_{\mathrm{norm}}}",
        ),
        Step(
            "The scaled two-sided tail is a Laplace transform.",
            zero(_mills_at),
            {"1 % more": zero(lambda: _mills_at(PERCENT))},
            r"e^{x^2/2}\,\mathrm{erfc}\frac{x}{\sqrt2} = \sqrt{\tfrac2\pi}\int_0^\infty e^{-xv-v^2/2}\,dv",
        ),
        Step(
            "Its integrand is largest at x = 0, where it is 1: erfc(x/sqrt 2) <= e^(-x^2/2) for "
            "every x >= 0.",
            *signed(_tail_gap, _tail_terms, wrong="wrong sign"),
            r"e^{-v^2/2} - e^{-xv-v^2/2} = e^{-v^2/2}\int_0^{xv}e^{-y}\,dy \ge 0",
        ),
        Step(
            "Union bound: d coordinates at the radius of the corollary fail with probability delta.",
            zero(lambda: _union(sp.log(d / delta))),
            {"log(1/delta), without d": zero(lambda: _union(sp.log(1 / delta)))},
            r"d\,e^{-x^2/2} = \delta \text{ at } \sigma x = \sqrt{B_{\mathrm{norm}}\log(d/\delta)/\kappa}",
        ),
        Step(
            "With B_norm = k C^2 it is the k/(2 sigma^2) of k unfiltered steps (Proposition 5.1).",
            zero(as_written(lambda: ((k * clip**2) / (2 * sigma**2 * clip**2), k / (2 * sigma**2)))),
            {"k/sigma^2": zero(as_written(lambda: ((k * clip**2) / (2 * sigma**2 * clip**2), k / sigma**2)))},
            r"B_{\mathrm{norm}} = kC^2 \implies \rho = \frac{k}{2\sigma^2}",
        ),
    ),
)
