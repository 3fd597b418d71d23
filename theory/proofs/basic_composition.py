"""Basic composition: epsilons add, and deltas add or, a little better, what they leave of 1 multiplies."""

from __future__ import annotations

from fractions import Fraction

import sympy as sp

from theory.evidence import Checked
from theory.proofs.engines import Sides, exact, in_kernel, nonnegative, zero
from theory.proofs.expressions import as_written
from theory.proofs.leaks import basic_rows
from theory.proofs.notations import Formula
from theory.proofs.theorem import Step, Theorem

__all__ = ["THEOREM"]

# common, common_after: the smaller of p and g q in the first round and after it; the others are what is above.
p, q, eps, first = sp.symbols("p q epsilon e", positive=True)
common, common_after, over, over_after = sp.symbols("m n x u", nonnegative=True)
below, below_after, d, total = sp.symbols("y w d D", nonnegative=True)


@as_written
def _overlap(sign: int = 1) -> Sides:
    # where p = q + x: p less the smaller of the two
    larger = q + over
    return larger - (larger + q - sp.Abs(larger - q)) / 2, sign * over


def _multiplies(one: sp.Expr, other: sp.Expr, sign: int = 1) -> sp.Expr:
    return sign * ((common + one) * (common_after + other) - common * common_after)


def _parts(one: sp.Expr, other: sp.Expr, sign: int = 1) -> tuple[sp.Expr, ...]:
    return (sign * common * other, sign * one * common_after, sign * one * other)


@as_written
def _ratios(rest: sp.Expr) -> Sides:
    # the ratio of the first round times that of the rounds after it, whose budget is what is left
    return sp.exp(first) * sp.exp(rest), sp.exp(eps)


@as_written
def _unions(sign: int = 1) -> sp.Expr:
    # what the sum of the deltas leaves is at most what the product leaves
    return sign * ((1 - d) * (1 - total) - (1 - d - total))


_CLAIM = Formula("exp(epsilon)*q + delta", epsilon=("1/8", "2"), q=("1/16", "1"), delta=("1/1024", "1/2"))
_PRODUCT = Formula("1 - (1 - delta)*(1 - d)", delta=("1/1024", "1/2"), d=("1/64", "3/4"))

THEOREM = Theorem(
    name="basic composition",
    title="Basic composition with a stopping rule",
    source="Rogers, Roth, Ullman & Vadhan; Taylor, Vippathalla & Coon, Section II-A; the product of deltas derived "
    "here",
    hypotheses="epsilon, delta >= 0, for the product delta < 1; mechanisms with finitely many outcomes, finitely "
    "many rounds, each mechanism (epsilon_t, delta_t)-DP both ways and chosen by the outputs so far; a "
    "filter that admits while sum epsilon_t <= epsilon and sum delta_t <= delta, or while sum epsilon_t "
    "<= epsilon and 1 - prod (1 - delta_t) <= delta, and decides before the release",
    claim="The transcript is (epsilon, delta)-DP; two deltas, delta and d, together cost what their product leaves. "
    "With all delta_t = 0 it is epsilon-DP",
    claim_latex=rf"P(S) \le {_CLAIM.latex},\quad q = Q(S),\qquad 1 - \prod_t(1-\delta_t)\text{{, for two: }}"
    rf"{_PRODUCT.latex}",
    formulas=(_CLAIM, _PRODUCT),
    steps=(
        in_kernel("basic_filter"),
        in_kernel("basic_product_filter"),
        in_kernel("pure_filter"),
        Step(
            "With q for g times the mass under Q, p less the smaller of the two is x where p = q + x, else 0: a "
            "hockey-stick is 1 less the overlap sum_y min(p_y, g q_y), so (e, d)-DP says that the overlap is at least "
            "1 - d.",
            zero(_overlap),
            {"what q has above p": zero(lambda: _overlap(-1))},
            r"(q+x) - \min(q+x, q) = x",
        ),
        Step(
            "The overlap of a transcript is at least the product of overlaps. With m and n the smaller masses of a "
            "first outcome and of what follows it, m n is at most the product of the P-masses m + x and n + u ...",
            nonnegative(lambda: _multiplies(over, over_after), lambda: _parts(over, over_after)),
            {
                "at least": nonnegative(
                    lambda: _multiplies(over, over_after, -1), lambda: _parts(over, over_after, -1)
                )
            },
            r"(m+x)(n+u) - mn = mu + xn + xu \ge 0",
        ),
        Step(
            "... and at most the product of the masses m + y and n + w under g Q.",
            nonnegative(lambda: _multiplies(below, below_after), lambda: _parts(below, below_after)),
            {
                "at least": nonnegative(
                    lambda: _multiplies(below, below_after, -1), lambda: _parts(below, below_after, -1)
                )
            },
            r"(m+y)(n+w) - mn = mw + yn + yw \ge 0",
        ),
        Step(
            "The rounds after one of epsilon_1 = e have the budget epsilon - e, so the ratios multiply to e^epsilon: "
            "by induction on the rounds the overlap is at least the smallest product of 1 - delta_t along a path.",
            zero(lambda: _ratios(eps - first)),
            {"the whole budget for the rounds that follow": zero(lambda: _ratios(eps))},
            r"e^{e}\,e^{\varepsilon-e} = e^\varepsilon",
        ),
        Step(
            "A product of 1 - delta_t is at least 1 less the sum, round by round with D the sum so far: the filter "
            "that adds deltas admits no more than the one that multiplies.",
            nonnegative(_unions, lambda: (d * total,)),
            {"at most": nonnegative(lambda: _unions(-1), lambda: (-d * total,))},
            r"(1-d)(1-D) - (1-d-D) = dD \ge 0",
        ),
        Step(
            "Finite game: a leak of probability 1/10 and a coin that is (log 3/2, 1/6)-DP, all 723 strategies of at "
            "most 3 rounds, both directions: under the filter of ratio 3/2 and delta = 1 - (9/10)(5/6) = 1/4 no "
            "hockey-stick at 3/2 is above 1/4.",
            exact(basic_rows()),
            {
                "15 % less": exact(basic_rows(Fraction(17, 20))),
                "a filter that looks at the past only": exact(basic_rows(late=True)),
            },
            r"H_{3/2} \le \tfrac14",
            checked=Checked.GAME,
        ),
    ),
)
