"""One supermartingale of the privacy loss, at all times at once: what Whitehouse's filter and the odometers rest on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction

import sympy as sp

from theory.evidence import Checked
from theory.proofs.engines import Inequality, Sides, certified, exact, nonnegative, zero
from theory.proofs.expressions import as_written
from theory.proofs.notations import Formula
from theory.proofs.theorem import Step, Theorem
from theory.proofs.trees import Tree, all_trees, bernoulli

__all__ = ["THEOREM", "kept_half"]

k, past, rho, level, epsilon = sp.symbols("k M rho c epsilon", positive=True)
slack, over, v, bad, tail = sp.symbols("slack o v D d", nonnegative=True)
spent, divergence = sp.symbols("S L", real=True)


def _one_step(growth: sp.Expr) -> Sides:
    # M = e^{kL - k(k+1) S/2}, S = 2 sum rho; the round has D_{k+1} = (k+1) rho - slack, and E e^{kL} = e^{k D}
    moment = sp.exp(k * ((k + 1) * rho - slack))
    after = sp.exp(k * divergence - growth * (spent + 2 * rho) / 2) * moment
    return after, sp.exp(k * divergence - growth * spent / 2) * sp.exp(-k * slack)


def _shrinks(sign: int = 1) -> sp.Expr:
    return sign * (past - past * sp.exp(-k * slack))


def _shrinking(sign: int = 1) -> tuple[sp.Expr, ...]:
    return (sign * past * sp.Integral(sp.exp(-v), (v, 0, k * slack)),)


@as_written
def _reached(sign: int = 1) -> sp.Expr:
    # at or above the level: M = c + o, and the bound M/c of the probability is at least 1
    return sign * ((level + over) / level - 1)


def kept_half(sign: int = 1) -> sp.Expr:
    """(D + d) less 1 - (1 - D)(1 - d): what two failures cost at most, and what they cost."""
    return sign * ((bad + tail) - (1 - (1 - bad) * (1 - tail)))


# -- the finite game: M_t = prod ratio^k / charge, rational for whole k ------------------------------------------

_MENU = (bernoulli("2/3", "1/3"), bernoulli("1/2", "1/3"))


def _highest(tree: Tree | None, k: int, charges: tuple[Fraction, ...]) -> Iterator[tuple[Fraction, Fraction]]:
    """(P-probability, the largest M so far) of every full transcript of a strategy that nothing halts."""
    open_paths = [(tree, Fraction(1), Fraction(1), Fraction(1))]
    while open_paths:
        node, mass, now, most = open_paths.pop()
        if node is None:
            yield mass, most
            continue
        pair = _MENU[node.request]
        for p, q, below in zip(pair.p, pair.q, node.after, strict=True):
            then = now * (p / q) ** k / charges[node.request]
            open_paths.append((below, mass * p, then, max(most, then)))


def _ville(share: Fraction = Fraction(1)) -> Callable[[], Iterator[Inequality]]:
    """Every strategy, k = 1 and 2: x P(M reaches x) is at most 1 at each level x that M has; `share` of each charge."""

    def comparisons() -> Iterator[Inequality]:
        for power in (1, 2):
            charges = tuple(share * pair.moment(power + 1) for pair in _MENU)
            for tree in all_trees(len(_MENU), 3):
                found = list(_highest(tree, power, charges))
                for x in {most for _, most in found}:
                    yield x * sum((mass for mass, most in found if most >= x), Fraction(0)), "<=", 1

    return comparisons


_EXPONENT = Formula("k*L - k*(k + 1)*S/2", k=("1/4", "3"), L=("1/8", "2"), S=("1/16", "1"))

THEOREM = Theorem(
    name="loss supermartingale",
    title="The privacy loss under charges of zCDP, at all times at once",
    source="Whitehouse, Ramdas, Rogers & Wu; the inequality is Ville's, for finitely many rounds by induction",
    hypotheses="mechanisms with finitely many outcomes and finite losses, finitely many rounds chosen by the outputs "
    "so far, mechanism t rho_t-zCDP and S = 2 sum rho_t; k > 0, c > 0",
    claim="M = e^(k L - k (k+1) S/2) has mean at most 1 whenever the game is stopped, and the probability that it ever "
    "reaches c is at most 1/c. The exponent is the value below",
    claim_latex=rf"P\left(\sup_t M_t \ge c\right) \le \tfrac1c,\quad \log M = {_EXPONENT.latex}",
    formulas=(_EXPONENT,),
    uses=("RR zCDP",),
    steps=(
        Step(
            "A round of divergence (k+1) rho - slack at order k + 1 multiplies M by e^(-k slack) in the mean, since "
            "the mean of e^(k L) under P is the moment of order k + 1.",
            zero(lambda: _one_step(k * (k + 1))),
            {"k^2 for k (k+1)": zero(lambda: _one_step(k**2))},
            r"\mathbb{E}[M_t \mid a^{(t-1)}] = M_{t-1}\,e^{-k s}",
        ),
        Step(
            "The slack of a rho-zCDP round is at least 0, so the mean does not rise.",
            nonnegative(_shrinks, _shrinking),
            {"it falls": nonnegative(lambda: _shrinks(-1), lambda: _shrinking(-1))},
            r"M - Me^{-ks} = M\int_0^{ks}e^{-v}\,dv \ge 0",
        ),
        Step(
            "By induction on the rounds left, the probability that M, now c + o, reaches c is at most M/c: where M is "
            "at least c that is at least 1; where it is below, the means of the bounds after the round add to at most "
            "M/c.",
            nonnegative(_reached, lambda: (over / level,)),
            {"below 1": nonnegative(lambda: _reached(-1), lambda: (-over / level,))},
            r"\frac{c+o}{c} - 1 = \frac oc \ge 0",
        ),
        Step(
            "A round of randomised response, on a box of its epsilon and k: the moment is below the charge.",
            certified(
                "exp(k*(k + 1)*e**2/2) - cosh((k + 1/2)*e)/cosh(e/2)",
                e=("1/2", 2),
                k=("1/2", 3),
                precision=53,
            ),
            {
                "15 % less": certified(
                    "exp(17*k*(k + 1)*e**2/40) - cosh((k + 1/2)*e)/cosh(e/2)", e=("1/2", 2), k=("1/2", 3)
                )
            },
            r"\mathbb{E}\,e^{kL} = \frac{\cosh((k+\frac12)e)}{\cosh(e/2)} < e^{k(k+1)e^2/2},\quad"
            r" \tfrac12 \le e \le 2,\ \tfrac12 \le k \le 3",
        ),
        Step(
            "Finite game: a menu of two rational pairs charged their moments at order k + 1, k = 1 and 2, all 723 "
            "strategies of at most 3 rounds: x times the probability that M reaches x is at most 1, at each value x "
            "of M's maximum.",
            exact(_ville()),
            {"5 % less charged": exact(_ville(Fraction(95, 100)))},
            r"x\,P\left(\sup_t M_t \ge x\right) \le 1",
            checked=Checked.GAME,
        ),
    ),
)
