"""The approximate-DP filter of paper 000, Theorem 4.9: sum e_t^2 / 2 <= B."""

from __future__ import annotations

import sympy as sp

from theory.proofs.engines import Sides, in_kernel, nonnegative, zero
from theory.proofs.expressions import as_written
from theory.proofs.notations import Formula
from theory.proofs.theorem import Step, Theorem

__all__ = ["THEOREM"]

alpha, b, m, t, k, e, budget, total = sp.symbols("alpha b m t k e B S", positive=True)
HALF = sp.Rational(1, 2)


def _condition(allowed: sp.Expr) -> Sides:
    # S = sum e_t^2/2, so round t declares rho_t = alpha e_t^2/2 at order alpha
    return (alpha * total - allowed) / alpha, total - budget


@as_written
def _rate(half: sp.Expr = HALF) -> Sides:
    root = sp.sqrt(k * e**2 / 2)
    return root**2 + 2 * root * m, half * k * e**2 + sp.sqrt(2 * k) * m * e


def _fixed_order(sign: int = 1) -> sp.Expr:
    # epsilon of a filter that fixes t = alpha - 1 in advance, minus epsilon at the best t = m/b
    at_order = (1 + t) * b**2 + m**2 / t
    return sign * (at_order - (b**2 + 2 * b * m))


def _fixed_terms(sign: int = 1) -> tuple[sp.Expr, ...]:
    return (sign * (b * sp.sqrt(t) - m / sp.sqrt(t)) ** 2,)


_B_STAR = Formula(
    "(sqrt(log(1/delta) + epsilon) - sqrt(log(1/delta)))**2",
    rocq="(sqrt (ln (/ delta) + epsilon) - sqrt (ln (/ delta))) ^ 2",
    epsilon=("1/10", "8"),
    delta=("1/1000000", "1/2"),
)

THEOREM = Theorem(
    name="approximate-DP filter",
    title="The approximate-DP filter",
    source="Feldman & Zrnic, Theorem 4.9",
    hypotheses="epsilon > 0, 0 < delta < 1; adaptive e_t-DP mechanisms with finitely many outcomes, finitely many "
    "rounds, a filter that admits while sum e_t^2/2 <= B and decides before the release, B any budget "
    "whose zCDP implies (epsilon, delta)-DP",
    claim="The transcript is (epsilon, delta)-DP; B = B* is one such budget",
    claim_latex=rf"\tfrac12\sum_{{t\le T}}\varepsilon_t^2 \le B^*(\varepsilon,\delta) = {_B_STAR.latex}",
    formulas=(_B_STAR,),
    uses=("RR zCDP", "RDP filter", "B*"),
    steps=(
        in_kernel("theorem_4_9"),
        in_kernel("approximate_dp_filter"),
        in_kernel("cks_filter"),
        in_kernel("at_one_and_1e_5_cks", decides=False),
        in_kernel("at_one_and_1e_5_simple", decides=False),
        Step(
            "With rho_t = alpha e_t^2/2 the Rényi filter with budget alpha B reads sum e_t^2/2 <= B, "
            "the same "
            "condition at every order (the paper prints the budget B, which depends on the order).",
            zero(lambda: _condition(alpha * budget)),
            {"the printed budget B at order alpha": zero(lambda: _condition(budget))},
            r"\frac{\sum_t\alpha\varepsilon_t^2/2 - \alpha B}{\alpha} = \tfrac12\sum_t\varepsilon_t^2 - B",
        ),
        Step(
            "A filter that fixed one order in advance would lose a square against B*.",
            nonnegative(_fixed_order, _fixed_terms),
            {"gain": nonnegative(lambda: _fixed_order(-1), lambda: _fixed_terms(-1))},
            r"\alpha B + \frac{\log(1/\delta)}{\alpha-1} - \left(B + 2\sqrt{B\log(1/\delta)}\right) \ge 0",
        ),
        Step(
            "With k rounds of e-DP, each (e^2/2)-zCDP, this is the rate that the paper states.",
            zero(_rate),
            {"k e^2 without the half": zero(lambda: _rate(sp.Integer(1)))},
            r"\left(\tfrac12 k\varepsilon^2 + \sqrt{2k\log(1/\delta)}\,\varepsilon,\ \delta\right)",
        ),
    ),
)
