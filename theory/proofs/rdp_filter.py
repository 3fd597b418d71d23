"""The Rényi filter: paper 000, Theorems 3.1 and 4.3, the order 1 included."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from math import prod

import sympy as sp

from theory.proofs.engines import Comparison, cited, exact, nonnegative, zero
from theory.proofs.theorem import Step, Theorem
from theory.proofs.trees import all_trees, bernoulli, moment, play

__all__ = ["OPTIONAL_STOPPING", "THEOREM"]

OPTIONAL_STOPPING = (
    "Doob's optional stopping theorem; Lean 4 mathlib, Mathlib/Probability/Martingale/OptionalStopping.lean, "
    "MeasureTheory.Submartingale.expected_stoppedValue_mono applied to the negative"
)

# t = alpha - 1; rho declared and D true divergence of the round; slack = rho - D >= 0; spent = past sum.
t, past, p, q = sp.symbols("t past p q", positive=True)
slack, left, v = sp.symbols("slack left v", nonnegative=True)
divergence, spent, rho = sp.symbols("D spent rho", real=True)


def _one_step(sign: int = 1) -> sp.Expr:
    # E[M_t | past] for M_t = Loss^(t) e^{-(alpha-1) sum rho}, against M_{t-1} e^{-(alpha-1)(rho - D)}
    before = past * sp.exp(-t * spent)
    after = past * sp.exp(-t * (spent + rho)) * sp.exp(t * divergence)
    return after - before * sp.exp(-sign * t * (rho - divergence))


def _shrinks(sign: int = 1) -> sp.Expr:
    return sign * (past - past * sp.exp(-t * slack))


def _budget(sign: int = 1) -> sp.Expr:
    # at the stop the spend is B - left: e^{-(alpha-1) spent} >= e^{-(alpha-1) B}
    return sign * (sp.exp(-t * (rho - left)) - sp.exp(-t * rho))


def _log_moment(sign: int = 1) -> sp.Expr:
    budget = sp.Symbol("B", positive=True)
    return sp.log(sp.exp(t * budget)) / t - sign * budget


def _order_one(factor: sp.Expr | int = 1) -> sp.Expr:
    # E[L_1 + ... + L_t - sum rho | past]: the drift of the round is KL - rho = -slack
    drift = (divergence - rho).subs(rho, divergence + slack)
    return drift + factor * slack


def _limit(sign: int = 1) -> sp.Expr:
    alpha = sp.Symbol("alpha", positive=True)
    power = p**alpha * q ** (1 - alpha) + (1 - p) ** alpha * (1 - q) ** (1 - alpha)
    # the derivative of log power at alpha = 1 is the limit of log power / (alpha - 1)
    derivative = sp.diff(sp.log(power), alpha).subs(alpha, 1)
    kl = p * sp.log(p / q) + (1 - p) * sp.log((1 - p) / (1 - q))
    return sp.expand_log(sp.simplify(derivative), force=True) - sign * sp.expand_log(kl, force=True)


_MENU = (bernoulli("2/3", "1/3"), bernoulli("1/2", "1/3"))
_ORDERS = (2, 3, 5)


def _charge(request: int, order: int) -> Fraction:
    """e^{(order-1) rho} of a request, rho the larger divergence of the two directions."""
    return max(_MENU[request].moment(order), _MENU[request].swapped.moment(order))


def _games(
    rounds: int, late: bool = False, share: Fraction = Fraction(1)
) -> Callable[[], Iterator[Comparison]]:
    """Every strategy on the menu, both directions, three orders: moment <= budget, and E[M_T] <= 1.

    `late` lets the filter look at the past only; `share` of the budget is what the claim promises.
    """

    def comparisons() -> Iterator[Comparison]:
        for order in _ORDERS:
            charges = [_charge(request, order) for request in range(len(_MENU))]
            budget = charges[0] * charges[1]

            def admits(
                released: tuple[int, ...],
                request: int,
                charges: list[Fraction] = charges,
                budget: Fraction = budget,
            ) -> bool:
                asked = released if late else (*released, request)
                return prod((charges[r] for r in asked), start=Fraction(1)) <= budget

            for menu in (_MENU, tuple(pair.swapped for pair in _MENU)):
                for tree in all_trees(len(menu), rounds):
                    ends = list(play(tree, menu, admits))
                    yield moment(ends, order), "<=", budget * share
                    spent = [prod((charges[r] for r in end.released), start=Fraction(1)) for end in ends]
                    yield (
                        sum(
                            (e.p**order / e.q ** (order - 1) / s for e, s in zip(ends, spent, strict=True)),
                            Fraction(0),
                        ),
                        "<=",
                        1,
                    )

    return comparisons


THEOREM = Theorem(
    name="RDP filter",
    title="The Rényi filter: fully adaptive composition with a stopping rule",
    source="Feldman & Zrnic, Theorems 3.1 and 4.3, Remark 4.4",
    hypotheses="every order alpha >= 1; adaptive mechanisms with declared rho_t >= D_alpha both "
    "ways, a filter "
    "that admits while sum rho_t <= B and decides before the release, finitely many rounds",
    claim="The transcript, stopping time included, is (alpha, B)-RDP; so sum r_t <= r gives r-zCDP",
    claim_latex=r"\mathbb{E}_Q\left[\left(\frac{dP}{dQ}\right)^\alpha e^{-(\alpha-1)\sum_{t\le"
    r" T}\rho_t}\right]"
    r" \le 1 \implies D_\alpha(P\|Q) \le B",
    steps=(
        Step(
            "One round multiplies M_t = Loss^(t) e^(-(alpha-1) sum rho) by e^(-(alpha-1)(rho-D)) in "
            "the mean.",
            zero(_one_step),
            {"wrong sign": zero(lambda: _one_step(-1))},
            r"\mathbb{E}[M_t \mid a^{(t-1)}] = M_{t-1}\,e^{-(\alpha-1)(\rho_t - D_\alpha)}",
        ),
        Step(
            "A declared rho_t = D + slack with slack >= 0 makes it a supermartingale.",
            nonnegative(_shrinks, lambda: (past * sp.Integral(sp.exp(-v), (v, 0, t * slack)),)),
            {
                "a submartingale": nonnegative(
                    lambda: _shrinks(-1), lambda: (-past * sp.Integral(sp.exp(-v), (v, 0, t * slack)),)
                )
            },
            r"M_{t-1} - M_{t-1}e^{-(\alpha-1)s} = M_{t-1}\int_0^{(\alpha-1)s} e^{-v}\,dv \ge 0",
        ),
        Step(
            "Whether round t+1 is admitted is known after round t: T is a bounded stopping time, "
            "E[M_T] <= M_0.",
            cited(OPTIONAL_STOPPING),
            latex=r"\mathbb{E}[M_T] \le \mathbb{E}[M_0] = 1",
        ),
        Step(
            "At the stop sum rho = B - left with left >= 0, so M_T >= Loss^(T) e^(-(alpha-1) B).",
            nonnegative(
                _budget,
                lambda: (sp.exp(-t * rho) * sp.Integral(sp.exp(v), (v, 0, t * left)),),
            ),
            {
                "wrong sign": nonnegative(
                    lambda: _budget(-1),
                    lambda: (-sp.exp(-t * rho) * sp.Integral(sp.exp(v), (v, 0, t * left)),),
                )
            },
            r"e^{-(\alpha-1)(B-l)} - e^{-(\alpha-1)B} = e^{-(\alpha-1)B}\int_0^{(\alpha-1)l}e^v\,dv \ge 0",
        ),
        Step(
            "Taking logarithms, D_alpha of the transcript is at most B.",
            zero(_log_moment),
            {"wrong sign": zero(lambda: _log_moment(-1))},
            r"\frac1{\alpha-1}\log e^{(\alpha-1)B} = B",
        ),
        Step(
            "Order 1, which the paper's normalisation divides by zero: the sum of losses minus the "
            "sum of rho "
            "drifts by KL - rho = -slack, so it is a supermartingale under P and E[L_T] <= B.",
            zero(_order_one),
            {"twice the slack": zero(lambda: _order_one(2))},
            r"\mathbb{E}_P\left[L^{(t)} - \sum_{j\le t}\rho_j \,\middle|\, a^{(t-1)}\right]"
            r" = L^{(t-1)} - \sum_{j<t}\rho_j - (\rho_t - D_1)",
        ),
        Step(
            "And KL is the limit of the orders above it, here on two outcomes.",
            zero(_limit, at={"p": "1/3", "q": "1/5"}),
            {"wrong sign": zero(lambda: _limit(-1), at={"p": "1/3", "q": "1/5"})},
            r"\lim_{\alpha\to1}\frac1{\alpha-1}\log\sum_y p_y^\alpha q_y^{1-\alpha} = \sum_y"
            r" p_y\log\frac{p_y}{q_y}",
        ),
        Step(
            "Exact check: all 723 strategies of at most 3 rounds on a menu of two rational pairs, "
            "both directions, "
            "orders 2, 3 and 5, every transcript enumerated: moment <= budget and E[M_T] <= 1.",
            exact(_games(3)),
            {
                "1 % less than the budget": exact(_games(3, share=Fraction(99, 100))),
                "a filter that looks at the past only": exact(_games(3, late=True)),
            },
            r"\sum_\tau Q(\tau)\left(\frac{P(\tau)}{Q(\tau)}\right)^\alpha \le e^{(\alpha-1)B}",
        ),
    ),
)
