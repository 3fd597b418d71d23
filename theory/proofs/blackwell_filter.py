"""The Blackwell filter: it goes on while the mechanisms so far, composed as if fixed, stay below one Gaussian."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from itertools import product
from math import prod

import sympy as sp

from theory.evidence import Checked
from theory.proofs.engines import Inequality, Sides, exact, in_kernel, nonnegative, zero
from theory.proofs.expressions import as_written
from theory.proofs.notations import Formula
from theory.proofs.theorem import Step, Theorem
from theory.proofs.trees import all_trees, bernoulli, moment, play

__all__ = ["THEOREM"]

t, ratio, mu, alpha, p, q, a, b = sp.symbols("t x mu alpha p q a b", positive=True)
own, left = sp.symbols("m left", nonnegative=True)


def _weights(sign: int = 1) -> sp.Expr:
    # the second derivative of x^alpha, alpha = 1 + t
    return sign * sp.diff(ratio ** (1 + t), ratio, 2)


def _weight(sign: int = 1) -> tuple[sp.Expr, ...]:
    return (sign * t * (1 + t) * ratio ** (t - 1),)


@as_written
def _adds(swapped: bool = False) -> Sides:
    # the term of one outcome of two mechanisms composed as if fixed, and the product of the terms of each
    def term(x: sp.Expr, y: sp.Expr) -> sp.Expr:
        return x ** (1 + t) * y ** (-t)

    return term(p * a, q * b), term(p, q) * (term(b, a) if swapped else term(a, b))


def _budget(sign: int = 1) -> sp.Expr:
    # Gaussians of squares mu^2 - m^2 - left beside finite mechanisms dominated by Gaussian(m)
    spent = mu**2 - own**2 - left
    return sign * (alpha * mu**2 / 2 - (alpha * own**2 / 2 + alpha * spent / 2))


# -- the finite game: a pair on finitely many outcomes in the place of the Gaussian -----------------------------

_MENU = (bernoulli("2/3", "1/3"), bernoulli("1/2", "1/3"))
_TARGET = (0, 0)


@cache
def _law(asked: tuple[int, ...]) -> tuple[tuple[Fraction, Fraction], ...]:
    """(P, Q)-masses of the requests composed as if fixed in advance."""
    outcomes = product((0, 1), repeat=len(asked))
    found: Counter[tuple[Fraction, Fraction]] = Counter()
    for ys in outcomes:
        p = prod((_MENU[i].p[y] for i, y in zip(asked, ys, strict=True)), start=Fraction(1))
        q = prod((_MENU[i].q[y] for i, y in zip(asked, ys, strict=True)), start=Fraction(1))
        found[p, q] += 1
    return tuple((p * n, q * n) for (p, q), n in found.items())


def _stick(law: tuple[tuple[Fraction, Fraction], ...], g: Fraction) -> Fraction:
    return sum((max(p - g * q, Fraction(0)) for p, q in law), Fraction(0))


@cache
def _dominated(asked: tuple[int, ...], only: Fraction | None = None) -> bool:
    """Whether the composition stays below the target at each order: enough at the corners of the target's curve."""
    target = _law(_TARGET)
    corners = sorted({p / q for p, q in target})
    ways = (
        (_law(asked), target),
        (tuple((q, p) for p, q in _law(asked)), tuple((q, p) for p, q in target)),
    )
    at = corners if only is None else [only]
    return all(_stick(law, g) <= _stick(most, g) for law, most in ways for g in at)


def _games(
    share: Fraction = Fraction(1), late: bool = False, only: Fraction | None = None
) -> Callable[[], Iterator[Inequality]]:
    """Every strategy, both directions: the moments at orders 2 and 3 are at most `share` of the target's."""

    @cache
    def admits(released: tuple[int, ...], request: int) -> bool:
        return _dominated(tuple(sorted(released if late else (*released, request))), only)

    def comparisons() -> Iterator[Inequality]:
        for turned in (False, True):
            menu = tuple(pair.swapped for pair in _MENU) if turned else _MENU
            for tree in all_trees(len(menu), 3):
                ends = list(play(tree, menu, admits))
                for order in (2, 3):
                    most = prod((menu[i].moment(order) for i in _TARGET), start=Fraction(1))
                    yield moment(ends, order), "<=", most * share

    return comparisons


_ZCDP = Formula("mu**2/2", rocq="mu ^ 2 / 2", mu=("1/8", "3"))

THEOREM = Theorem(
    name="Blackwell filter",
    title="A filter that stays below one Gaussian at every order of the hockey-stick",
    source="Koskela, Tobaben & Honkela, Section 5; Feldman & Zrnic, Remark 4.4",
    hypotheses="every order alpha > 1; mechanisms with finitely many outcomes, of finite losses or mu_t-GDP, finitely "
    "many rounds chosen by the outputs so far; a filter that admits while the hockey-sticks of the finite mechanisms "
    "so far and the next, composed as if fixed in advance, are both ways and at every real epsilon at most those of "
    "some Gaussian(m) with m^2 plus the sum of the mu_t^2 at most mu^2",
    claim="The transcript is (mu^2/2)-zCDP",
    claim_latex=rf"\rho = {_ZCDP.latex}",
    formulas=(_ZCDP,),
    uses=("RDP filter", "all orders", "Rényi divergences"),
    steps=(
        in_kernel("blackwell_filter"),
        Step(
            "A power x^alpha of the ratio is 0 with slope 0 at x = 0, so it is the mixture of the hockey-stick "
            "integrands (x - g)_+ with its second derivatives at g as weights. These are above 0: a moment rises with "
            "each hockey-stick, and what stays below Gaussian(m) at every real epsilon has divergences of at most "
            "alpha m^2/2.",
            nonnegative(_weights, _weight, strict=True),
            {"below 0": nonnegative(lambda: _weights(-1), lambda: _weight(-1), strict=True)},
            r"x^\alpha = \int_0^x \alpha(\alpha-1)g^{\alpha-2}(x-g)\,dg",
        ),
        Step(
            "Composed as if fixed, the terms of a moment multiply outcome by outcome, so the moments do and "
            "divergences add: what the filter looks at bounds the sum of the divergences on each path.",
            zero(_adds),
            {"the second turned round": zero(lambda: _adds(True))},
            r"(pa)^\alpha(qb)^{1-\alpha} = p^\alpha q^{1-\alpha}\,a^\alpha b^{1-\alpha}",
        ),
        Step(
            "With the Gaussians' squares the sum is at most alpha mu^2/2: a filter with this budget at each order goes "
            "on as well, and the theorem on the Rényi filter applies to it.",
            nonnegative(_budget, lambda: (alpha * left / 2,)),
            {"more": nonnegative(lambda: _budget(-1), lambda: (-alpha * left / 2,))},
            r"\frac{\alpha\mu^2}2 - \frac{\alpha m^2}2 - \frac{\alpha(\mu^2-m^2-l)}2 = \frac{\alpha l}2 \ge 0",
        ),
        Step(
            "Finite game with a pair in the place of the Gaussian, a coin twice: all 723 strategies of at most 3 "
            "rounds on a menu of two rational pairs, both directions, orders 2 and 3: a filter that stays below it at "
            "each order of the hockey-stick keeps the moments below its moments.",
            exact(_games()),
            {
                "1 % less": exact(_games(Fraction(99, 100))),
                "below it at order 8 only, where it is 0": exact(_games(only=Fraction(8))),
                "a filter that looks at the past only": exact(_games(late=True)),
            },
            r"e^{(\alpha-1)D_\alpha} \le e^{(\alpha-1)D_\alpha(R)},\quad \alpha = 2, 3",
            checked=Checked.GAME,
        ),
    ),
)
