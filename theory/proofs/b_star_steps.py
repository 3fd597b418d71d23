"""B* from its definition to the number: Feldman & Zrnic (2021), Theorem 4.9, with Fact 2.4."""

from __future__ import annotations

import sympy as sp

from filterproof.theory.proofs.ball_engine import rounding_check_and_control
from filterproof.theory.proofs.symbolic import identity_check_and_control, sign_check_and_controls
from filterproof.theory.theorems.formula import Formula
from filterproof.theory.theorems.theorem import ProofStep, Theorem

# t is the order minus 1, log_delta = log(1/delta), root the square root of the budget.
t, budget, log_delta, eps, root = sp.symbols("t B l epsilon root", positive=True)


def _markov_epsilon(at: sp.Expr) -> sp.Expr:
    """Return the epsilon that Markov's inequality gives a B-zCDP mechanism at order 1 + at."""
    return (1 + at) * budget + log_delta / at


def _solve_markov_for_epsilon() -> sp.Expr:
    """Return the epsilon at which e^{t (D - epsilon)} is delta, with D = (1 + t) B."""
    (solution,) = sp.solve(t * ((1 + t) * budget - eps) + log_delta, eps)
    return solution


def _best_order_minus_one() -> sp.Expr:
    (stationary,) = sp.solve(sp.diff(_markov_epsilon(t), t), t)
    return stationary


def _sqrt_budget_at_best_order() -> sp.Expr:
    """Return the square root of the budget that spends epsilon at the best order."""
    (positive,) = sp.solve(
        sp.expand(_markov_epsilon(_best_order_minus_one()).subs(budget, root**2)) - eps, root
    )
    return positive


_B_STAR = Formula("(sqrt(log(1/delta) + epsilon) - sqrt(log(1/delta)))**2")

THEOREM = Theorem(
    name="B*, line by line",
    title="The threshold B* from its definition to the number",
    source="Feldman & Zrnic, Theorem 4.9 with Fact 2.4",
    hypotheses="epsilon > 0, 0 < delta < 1, l = log(1/delta); B-zCDP mechanisms, D_a <= a B at every order a > 1",
    claim="By Markov's inequality at the best order, B-zCDP gives (epsilon, delta)-DP up to B = B*, in closed form",
    statement=("B^* = ", _B_STAR),
    uses=("RR zCDP", "RDP filter"),
    steps=(
        ProofStep(
            "Markov's inequality: e^(t (L - epsilon)) has the mean e^(t (D_a - epsilon)), t = a - 1. With D_a = a B it "
            "is delta at epsilon = a B + l/t.",
            *identity_check_and_control(lambda: (_solve_markov_for_epsilon(), _markov_epsilon(t))),
            r"\Pr(L > \varepsilon) \le e^{t(D_a-\varepsilon)} = \delta\iff\varepsilon = (1+t)B+\frac{l}{t}",
        ),
        ProofStep(
            "Its derivative in the order vanishes at t = sqrt(l/B).",
            *identity_check_and_control(lambda: (_best_order_minus_one(), sp.sqrt(log_delta / budget))),
            r"\frac{d}{dt}\left((1+t)B+\tfrac lt\right) = B-\tfrac l{t^2} = 0\iff t = \sqrt{l/B}",
        ),
        ProofStep(
            "There epsilon is B + 2 sqrt(B l).",
            *identity_check_and_control(
                lambda: (_markov_epsilon(_best_order_minus_one()), budget + 2 * sp.sqrt(budget * log_delta))
            ),
            r"\varepsilon(B) = B+2\sqrt{Bl}",
        ),
        ProofStep(
            "No order has a smaller epsilon: the difference is a square.",
            *sign_check_and_controls(
                lambda: _markov_epsilon(t) - (budget + 2 * sp.sqrt(budget * log_delta)),
                lambda: ((sp.sqrt(budget * t) - sp.sqrt(log_delta / t)) ** 2,),
            ),
            r"(1+t)B+\tfrac lt-\left(B+2\sqrt{Bl}\right) = \left(\sqrt{Bt}-\sqrt{l/t}\right)^2 \ge 0",
        ),
        ProofStep(
            "epsilon(B) grows strictly with B, so that the budgets within epsilon are those up to one number.",
            *sign_check_and_controls(
                lambda: sp.diff(budget + 2 * sp.sqrt(budget * log_delta), budget),
                lambda: (sp.Integer(1), sp.sqrt(log_delta / budget)),
                strict=True,
            ),
            r"\frac{d}{dB}\left(B+2\sqrt{Bl}\right) = 1+\sqrt{l/B} > 0",
        ),
        ProofStep(
            "Solved for B, whose square root is the positive root of a quadratic equation, this number is B*.",
            *identity_check_and_control(
                lambda: (
                    _sqrt_budget_at_best_order() ** 2,
                    (sp.sqrt(log_delta + eps) - sp.sqrt(log_delta)) ** 2,
                )
            ),
            r"B+2\sqrt{Bl} = \varepsilon\iff B = \left(\sqrt{l+\varepsilon}-\sqrt l\right)^2 = B^*",
        ),
        ProofStep(
            "At (epsilon, delta) = (1, 1e-5) it is 0.02081993834.",
            *rounding_check_and_control("(sqrt(5*log(10) + 1) - sqrt(5*log(10)))**2", 2081993834, 11),
            r"B^*(1, 10^{-5}) = 0.02081993834\ldots",
        ),
    ),
)
