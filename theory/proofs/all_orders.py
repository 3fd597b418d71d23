"""A filter that keeps a budget at every order of a set: what it keeps at each of them, and the curve that follows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from math import prod

import sympy as sp

from theory.evidence import Checked
from theory.proofs.engines import Inequality, Sides, exact, in_kernel, nonnegative, zero
from theory.proofs.expressions import as_written
from theory.proofs.notations import Formula
from theory.proofs.theorem import Step, Theorem
from theory.proofs.trees import all_trees, bernoulli, hockey_stick, moment, play

__all__ = ["THEOREM"]

t, budget, eps = sp.symbols("t B epsilon", positive=True)
one, other, left, past, v = sp.symbols("x y left past v", nonnegative=True)


@as_written
def _least(sign: int = 1) -> sp.Expr:
    # each of two bounds less the smaller of them
    smaller = (one + (one + other) - sp.Abs(one - (one + other))) / 2
    return sign * ((one + other) - smaller)


@as_written
def _restricted(charge: sp.Expr) -> Sides:
    # what is left of one order's budget after its own charges, whatever the other orders are charged
    return (budget - past) - charge, budget - (past + charge)


def _converted(power: sp.Expr) -> Sides:
    # log of e^{(a-1)(B-eps)} (1-1/a)^a/(a-1), and of the bound of CKS at order a = 1 + t for the divergence B
    bound = t * (budget - eps) + power * (sp.log(t) - sp.log(1 + t)) - sp.log(t)
    return bound, t * (budget - eps) + t * sp.log(t) - (1 + t) * sp.log(1 + t)


_MENU = (bernoulli("2/3", "1/3"), bernoulli("1/20", "1/100"))
_ORDERS = (2, 4)
_CHARGES = {
    order: [max(pair.moment(order), pair.swapped.moment(order)) for pair in _MENU] for order in _ORDERS
}
#: Two of the first at order 2, one of each at order 4.
_BUDGETS = {2: _CHARGES[2][0] ** 2, 4: _CHARGES[4][0] * _CHARGES[4][1]}


def _games(
    share: Fraction = Fraction(1), needed: Callable[[list[bool]], bool] = all, late: bool = False
) -> Callable[[], Iterator[Inequality]]:
    """Every strategy, both directions: the moment at each order, and the hockey-stick at 3 under each conversion."""
    ratio = Fraction(3)

    @cache
    def admits(released: tuple[int, ...], request: int) -> bool:
        asked = released if late else (*released, request)
        return needed(
            [
                prod((_CHARGES[order][i] for i in asked), start=Fraction(1)) <= _BUDGETS[order]
                for order in _ORDERS
            ]
        )

    def comparisons() -> Iterator[Inequality]:
        for menu in (_MENU, tuple(pair.swapped for pair in _MENU)):
            for tree in all_trees(len(menu), 3):
                ends = list(play(tree, menu, admits))
                stick = hockey_stick(ends, ratio)
                for order in _ORDERS:
                    power = order - 1
                    allowed = _BUDGETS[order] / ratio**power * Fraction(power, order) ** order / power
                    yield moment(ends, order), "<=", _BUDGETS[order] * share
                    yield stick, "<=", allowed

    return comparisons


_BOUND = Formula(
    "exp(t*(B - epsilon))*(t/(1 + t))**(1 + t)/t",
    rocq="cks_bound alpha rho epsilon",
    names={"alpha": "1 + t", "rho": "B"},
    t=("1/2", "8"),
    B=("1/16", "1"),
    epsilon=("1/2", "4"),
)

THEOREM = Theorem(
    name="all orders",
    title="A filter with a budget at every order of a set",
    source="Feldman & Zrnic, Theorem 4.3 and Remark 4.4",
    hypotheses="finitely many orders alpha_j > 1 fixed in advance; mechanisms with finitely many outcomes, finitely "
    "many rounds chosen by the outputs so far, declared divergences at least the true ones both ways; a filter that "
    "admits while the declared divergences sum to at most B_j at each order alpha_j, and decides before the release",
    claim="The transcript is (alpha_j, B_j)-RDP at each of the orders, so (epsilon, delta)-DP with delta the least of "
    "the values below, t = alpha_j - 1 and B = B_j",
    claim_latex=rf"D_{{\alpha_j}} \le B_j \text{{ for all }} j,\qquad \delta(\varepsilon) \le \min_j {_BOUND.latex}",
    formulas=(_BOUND,),
    uses=("RDP filter", "CKS"),
    steps=(
        in_kernel("all_orders_filter"),
        in_kernel("cks_conversion"),
        Step(
            "What the other orders are charged does not enter what is left of one order's budget: on each path the "
            "filter admits no more than the filter of that order alone, to which the theorem RDP filter applies.",
            zero(lambda: _restricted(left)),
            {"charged twice": zero(lambda: ((budget - past) - 2 * left, budget - (past + left)))},
            r"(B_j - s_j) - \rho_j = B_j - (s_j + \rho_j)",
        ),
        Step(
            "The bound at one order is that of the CKS conversion with B in the place of alpha rho.",
            zero(lambda: _converted(1 + t)),
            {"power alpha - 1": zero(lambda: _converted(t))},
            r"\log\delta_j = (\alpha-1)(B-\varepsilon) + (\alpha-1)\log(\alpha-1) - \alpha\log\alpha",
        ),
        Step(
            "One transcript keeps them all, so it keeps the least of them.",
            nonnegative(_least, lambda: (other,)),
            {"the larger": nonnegative(lambda: _least(-1), lambda: (-other,))},
            r"(x+y) - \min(x, x+y) = y \ge 0",
        ),
        Step(
            "Finite game: all 723 strategies of at most 3 rounds on a menu of a coin and a rare outcome, both "
            "directions, orders 2 and 4: the moment at each order is within its budget, and the hockey-stick at 3 "
            "below the least of the bounds.",
            exact(_games()),
            {
                "1 % less than the budgets": exact(_games(Fraction(99, 100))),
                "within the budget of some order": exact(_games(needed=any)),
                "a filter that looks at the past only": exact(_games(late=True)),
            },
            r"e^{(\alpha_j-1)D_{\alpha_j}} \le e^{(\alpha_j-1)B_j},\quad \alpha_j = 2, 4",
            checked=Checked.GAME,
        ),
    ),
)
