"""The Rényi filter: paper 000, Theorems 3.1 and 4.3, the order 1 included."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from functools import cache
from math import prod

import sympy as sp

from theory.evidence import Checked
from theory.proofs.engines import Inequality, Sides, certified_each, exact, in_kernel, nonnegative, zero
from theory.proofs.expressions import as_written
from theory.proofs.notations import Formula
from theory.proofs.theorem import Step, Theorem
from theory.proofs.trees import Transcript, added, all_trees, bernoulli, moment, play

__all__ = ["THEOREM"]

# t = alpha - 1; rho is the declared and D the true divergence of the round; slack = rho - D >= 0; spent = past sum.
t, past, p, q = sp.symbols("t past p q", positive=True)
slack, left, v = sp.symbols("slack left v", nonnegative=True)
divergence, spent, rho = sp.symbols("D spent rho", real=True)


def _one_step(sign: int = 1) -> Sides:
    # E[M_t | past] for M_t = Loss^(t) e^{-(alpha-1) sum rho}, and M_{t-1} e^{-(alpha-1)(rho - D)}
    before = past * sp.exp(-t * spent)
    after = past * sp.exp(-t * (spent + rho)) * sp.exp(t * divergence)
    return after, before * sp.exp(-sign * t * (rho - divergence))


def _shrinks(sign: int = 1) -> sp.Expr:
    return sign * (past - past * sp.exp(-t * slack))


def _budget(sign: int = 1) -> sp.Expr:
    # at the stop the spend is B - left: e^{-(alpha-1) spent} >= e^{-(alpha-1) B}
    return sign * (sp.exp(-t * (rho - left)) - sp.exp(-t * rho))


@as_written
def _drift(sign: int = 1) -> sp.Expr:
    # L less what was declared, before a round and in the mean after it
    loss = sp.Symbol("L", real=True)
    return sign * ((loss - spent) - ((loss + divergence) - (spent + (divergence + slack))))


def _chain(drawn_from_p: bool = True) -> Sides:
    # two rounds of two outcomes, the second pair chosen by the first outcome: KL of the transcript, and KL of the
    # first round plus the mean of KL of the second
    first = (p, q)
    second = (sp.symbols("a b", positive=True), sp.symbols("c d", positive=True))

    def kl(pair: tuple[sp.Expr, sp.Expr]) -> sp.Expr:
        x, y = pair
        return x * sp.log(x / y) + (1 - x) * sp.log((1 - x) / (1 - y))

    transcript = sp.Integer(0)
    for x, y, (a, b) in ((*first, second[0]), (1 - p, 1 - q, second[1])):
        for u, w in ((a, b), (1 - a, 1 - b)):
            transcript += x * u * (sp.log(x / y) + sp.log(u / w))
    weight = p if drawn_from_p else q
    return transcript, kl(first) + weight * kl(second[0]) + (1 - weight) * kl(second[1])


def _limit(sign: int = 1) -> Sides:
    alpha = sp.Symbol("alpha", positive=True)
    power = p**alpha * q ** (1 - alpha) + (1 - p) ** alpha * (1 - q) ** (1 - alpha)
    # the derivative of log power at alpha = 1 is the limit of log power / (alpha - 1)
    derivative = sp.diff(sp.log(power), alpha).subs(alpha, 1)
    kl = p * (sp.log(p) - sp.log(q)) + (1 - p) * (sp.log(1 - p) - sp.log(1 - q))
    return derivative, sign * kl


_MENU = (bernoulli("2/3", "1/3"), bernoulli("1/2", "1/3"))
_ORDERS = (2, 3, 5)
#: A point of the domain of the chain rule.
_INSIDE = {"p": "1/3", "q": "1/5", "a": "1/2", "b": "1/4", "c": "2/3", "d": "2/5"}


def _charge(request: int, order: int) -> Fraction:
    """e^{(order-1) rho} of a request, where rho is the larger divergence of the two directions."""
    return max(_MENU[request].moment(order), _MENU[request].swapped.moment(order))


def _games(
    rounds: int, late: bool = False, share: Fraction = Fraction(1)
) -> Callable[[], Iterator[Inequality]]:
    """Every strategy on the menu, both directions, three orders: moment <= `share` of the budget, and E[M_T] <= 1.

    With `late` the filter checks the released requests only, not the next one.
    """

    def comparisons() -> Iterator[Inequality]:
        for order in _ORDERS:
            charges = tuple(_charge(request, order) for request in range(len(_MENU)))
            budget = charges[0] * charges[1]

            @cache
            def admits(
                released: tuple[int, ...],
                request: int,
                charges: tuple[Fraction, ...] = charges,
                budget: Fraction = budget,
            ) -> bool:
                asked = released if late else (*released, request)
                return prod((charges[r] for r in asked), start=Fraction(1)) <= budget

            for menu in (_MENU, tuple(pair.swapped for pair in _MENU)):
                weights: dict[tuple[tuple[int, ...], tuple[int, ...]], Fraction] = {}

                def scaled(
                    end: Transcript,
                    order: int = order,
                    charges: tuple[Fraction, ...] = charges,
                    weights: dict[tuple[tuple[int, ...], tuple[int, ...]], Fraction] = weights,
                ) -> Fraction:
                    path = end.released, end.outcomes
                    if path not in weights:
                        spent = prod((charges[r] for r in end.released), start=Fraction(1))
                        weights[path] = end.p**order / end.q ** (order - 1) / spent
                    return weights[path]

                for tree in all_trees(len(menu), rounds):
                    ends = list(play(tree, menu, admits))
                    yield moment(ends, order), "<=", budget * share
                    yield added(scaled(end) for end in ends), "<=", 1

    return comparisons


#: Rational upper bounds of the KL divergence of each request in both directions, and the budget, their sum.
_KL_CHARGES, _KL_BUDGET = (Fraction(24, 100), Fraction(6, 100)), Fraction(30, 100)


def _order_one(share: Fraction = Fraction(1), late: bool = False) -> Callable[[], Iterator[str]]:
    """Formulas: the charge minus KL for each request, and `share` of the budget minus KL for each distinct law of
    the transcript, over every strategy in both directions.
    """

    @cache
    def admits(released: tuple[int, ...], request: int) -> bool:
        asked = released if late else (*released, request)
        return sum((_KL_CHARGES[r] for r in asked), Fraction(0)) <= _KL_BUDGET

    def above_kl(charge: Fraction, law: Iterable[tuple[Fraction, Fraction]]) -> str:
        return f"{charge} - ({' + '.join(f'{a}*log({a / b})' for a, b in law if a != b) or '0'})"

    def formulas() -> Iterator[str]:
        menus = (_MENU, tuple(pair.swapped for pair in _MENU))
        for menu in menus:
            for charge, pair in zip(_KL_CHARGES, menu, strict=True):
                yield above_kl(charge, sorted(zip(pair.p, pair.q, strict=True)))
        laws = {
            tuple(sorted((end.p, end.q) for end in play(tree, menu, admits) if end.p != end.q))
            for menu in menus
            for tree in all_trees(len(menu), 3)
        }
        for law in sorted(laws):
            yield above_kl(share * _KL_BUDGET, law)

    return formulas


_BOUND = Formula(
    "exp((alpha - 1) * B)",
    rocq="exp ((alpha - 1) * rho)",
    alpha=("3/2", "64"),
    B=("1/64", "4"),
    names={"rho": "B"},
)

THEOREM = Theorem(
    name="RDP filter",
    title="The Rényi filter: fully adaptive composition with a stopping rule",
    source="Feldman & Zrnic, Theorems 3.1 and 4.3, Remark 4.4",
    hypotheses="every order alpha >= 1; adaptive mechanisms with finitely many outcomes and declared "
    "rho_t >= D_alpha both ways, a filter that admits while sum rho_t <= B and decides before the release, finitely "
    "many rounds",
    claim="The transcript, stopping time included, is (alpha, B)-RDP; with rho_t = alpha r_t and B = alpha r the "
    "condition is the same at every order, so sum r_t <= r gives r-zCDP",
    claim_latex=r"\sum_{t\le T}\rho_t \le B \implies \sum_\tau P(\tau)^\alpha Q(\tau)^{1-\alpha} \le "
    + _BOUND.latex,
    formulas=(_BOUND,),
    steps=(
        in_kernel("renyi_filter_both_ways"),
        in_kernel("kl_filter"),
        in_kernel("zcdp_filter"),
        in_kernel("zcdp_filter_kl"),
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
            "At the stop sum rho = B - left with left >= 0, so M_T >= Loss^(T) e^(-(alpha-1) B), and the mean of "
            "Loss^(T) is at most e^((alpha-1) B): that is (alpha, B)-RDP by definition.",
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
            "Order 1, which the paper's normalisation divides by zero: KL of a transcript is KL of its first round "
            "and the P-mean of KL of what follows, here for two rounds of two outcomes.",
            zero(_chain, at=_INSIDE),
            {"the mean under Q": zero(lambda: _chain(drawn_from_p=False), at=_INSIDE)},
            r"D_1(P_{12}\|Q_{12}) = D_1(P_1\|Q_1) + \mathbb{E}_{P_1}D_1(P_{2|1}\|Q_{2|1})",
            checked=Checked.POINT,
        ),
        Step(
            "With a declared rho_t = D_1 + slack the mean of L^(t) - sum rho falls by the slack in a round.",
            nonnegative(_drift, lambda: (slack,)),
            {"it rises": nonnegative(lambda: _drift(-1), lambda: (-slack,))},
            r"\left(L - \sum_{j<t}\rho_j\right) - \left(L + D_1 - \sum_{j<t}\rho_j - (D_1+s)\right) = s \ge 0",
        ),
        Step(
            "Finite game at order 1: all 723 strategies of at most 3 rounds on a menu of two rational pairs, both "
            "directions: KL of a request is below its charge, and KL of the transcript below the budget.",
            certified_each(_order_one()),
            {
                "10 % less than the budget": certified_each(_order_one(Fraction(9, 10))),
                "a filter that looks at the past only": certified_each(_order_one(late=True)),
            },
            r"\mathbb{E}_P[L^{(T)}] < B",
            checked=Checked.GAME,
        ),
        Step(
            "And KL is the limit of the orders above it, here for a pair on two outcomes.",
            zero(_limit, at={"p": "1/3", "q": "1/5"}),
            {"wrong sign": zero(lambda: _limit(-1), at={"p": "1/3", "q": "1/5"})},
            r"\lim_{\alpha\to1}\frac1{\alpha-1}\log\sum_y p_y^\alpha q_y^{1-\alpha} = \sum_y"
            r" p_y\log\frac{p_y}{q_y}",
            checked=Checked.POINT,
        ),
        Step(
            "Finite game: all 723 strategies of at most 3 rounds on a menu of two rational pairs, both directions, "
            "orders 2, 3 and 5, every transcript enumerated: moment <= budget and E[M_T] <= 1.",
            exact(_games(3)),
            {
                "1 % less than the budget": exact(_games(3, share=Fraction(99, 100))),
                "a filter that looks at the past only": exact(_games(3, late=True)),
            },
            r"\sum_\tau Q(\tau)\left(\frac{P(\tau)}{Q(\tau)}\right)^\alpha \le e^{(\alpha-1)B}",
            checked=Checked.GAME,
        ),
    ),
)
