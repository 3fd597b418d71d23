"""Adaptive linear queries under individual filters: paper 000, Corollary 4.7 and Propositions 5.1, 5.2."""

from __future__ import annotations

import sympy as sp

from theory.claims.notations import Formula
from theory.claims.table import in_kernel
from theory.claims.theorem import Step, Theorem
from theory.proofs.engines import certified
from theory.proofs.expressions import as_written
from theory.proofs.symbolic import Sides, nonnegative, signed, zero

__all__ = ["THEOREM"]

# kappa the zCDP level, norm the budget B_norm of squared norms, d the dimension.
alpha, kappa, norm, spent, sigma, clip, x = sp.symbols("alpha kappa B spent sigma C x", positive=True)
d, delta, n, k = sp.symbols("d delta n k", positive=True)
others, shift, z = sp.symbols("y h z", real=True)
left, v, over = sp.symbols("left v over", nonnegative=True)
PERCENT = sp.Rational(101, 100)


@as_written
def _own_loss(without: sp.Expr) -> Sides:
    # the answer of the others, the person's coordinate and the noise, under both laws
    answer = others + shift + sigma * z
    loss = ((answer - without) ** 2 - (answer - others - shift) ** 2) / (2 * sigma**2)
    return loss, shift**2 / (2 * sigma**2) + shift * z / sigma


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


@as_written
def _clipped(noise: sp.Expr) -> Sides:
    # Algorithm 7: squared norms of one person's clipped gradients add to at most norm
    return alpha * norm / (2 * noise**2), alpha * norm / (2 * sigma**2 * clip**2)


@as_written
def _budget_left(clip_squared: sp.Expr, room: sp.Expr) -> sp.Expr:
    # what is left of norm after a gradient of squared norm min(C^2, what was left)
    return room - (clip_squared + room - sp.Abs(clip_squared - room)) / 2


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
            "Whether a person takes part depends on released answers alone, so the others add the same y with and "
            "without that person (individual filter), and the loss of a coordinate h at noise z does not depend on y.",
            zero(lambda: _own_loss(others)),
            {"the others differ": zero(lambda: _own_loss(others + 1))},
            r"\frac{(a-y)^2 - (a-y-h)^2}{2\sigma^2} = \frac{h^2}{2\sigma^2} + \frac{hz}\sigma,\quad a = y+h+\sigma z",
        ),
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
            "The same on [1/100, 40] in balls, a second route; at 0 both sides are 1.",
            certified("sqrt(pi/2) - mills(x)", x=("1/100", 40)),
            {"1 % less": certified("sqrt(pi/2)*99/100 - mills(x)", x=("1/100", 40))},
            r"\mathrm{erfc}\frac{x}{\sqrt2} < e^{-x^2/2},\quad \tfrac1{100} \le x \le 40",
        ),
        Step(
            "Union bound: d coordinates at the radius of the corollary fail with probability delta.",
            zero(lambda: _union(sp.log(d / delta))),
            {"log(1/delta), without d": zero(lambda: _union(sp.log(1 / delta)))},
            r"d\,e^{-x^2/2} = \delta \text{ at } \sigma x = \sqrt{B_{\mathrm{norm}}\log(d/\delta)/\kappa}",
        ),
        Step(
            "Gradient descent with filtering clips a squared norm to min(C^2, what is left): where C^2 is the larger, "
            "nothing is left after ...",
            zero(lambda: (_budget_left(left + over, left), sp.Integer(0))),
            {"clipped to C^2": zero(lambda: (left - (left + over), sp.Integer(0)))},
            r"l - \min(C^2, l) = 0,\quad C^2 \ge l",
        ),
        Step(
            "... and where it is the smaller, the difference: a person's squares add to B_norm at most.",
            nonnegative(lambda: _budget_left(left, left + over), lambda: (over,)),
            {
                "twice the square": nonnegative(
                    lambda: _budget_left(left, left + over) - left, lambda: (over,)
                )
            },
            r"l - \min(C^2, l) = l - C^2 \ge 0,\quad C^2 \le l",
        ),
        Step(
            "With noise of standard deviation sigma C on the sum this is B_norm/(2 sigma^2 C^2)-zCDP.",
            zero(lambda: _clipped(sigma * clip)),
            {"sigma, without C (as the proof of Proposition 5.2 has it)": zero(lambda: _clipped(sigma))},
            r"\rho = \frac{B_{\mathrm{norm}}}{2\sigma^2C^2}",
        ),
        Step(
            "With B_norm = k C^2 it is the k/(2 sigma^2) of k unfiltered steps (Proposition 5.1).",
            zero(as_written(lambda: ((k * clip**2) / (2 * sigma**2 * clip**2), k / (2 * sigma**2)))),
            {"k/sigma^2": zero(as_written(lambda: ((k * clip**2) / (2 * sigma**2 * clip**2), k / sigma**2)))},
            r"B_{\mathrm{norm}} = kC^2 \implies \rho = \frac{k}{2\sigma^2}",
        ),
    ),
)
