"""The filter of approximate zCDP: rho adds, and so does the mass xi outside the good parts."""

from __future__ import annotations

from fractions import Fraction

import sympy as sp

from theory.evidence import Checked
from theory.proofs.engines import Sides, exact, in_kernel, nonnegative, zero
from theory.proofs.expressions import as_written
from theory.proofs.leaks import good_rows
from theory.proofs.notations import Formula
from theory.proofs.theorem import Step, Theorem

__all__ = ["THEOREM"]

# w the mass of the good part, m the smaller of its two probabilities, x and y what they have above it.
w = sp.Symbol("w", positive=True)
m, x, y, rest, h, less = sp.symbols("m x y b h s", nonnegative=True)
xi, d, total, e = sp.symbols("xi d D e", positive=True)


def _above(over: sp.Expr, sign: int = 1) -> sp.Expr:
    return sign * (w * (m + over) + rest - w * m)


@as_written
def _converted(kept: sp.Expr) -> Sides:
    # 1 less the overlap, which is at least 1 - xi times that of the good parts
    return 1 - kept * (1 - h), xi + (1 - xi) * h


def _rises(sign: int = 1) -> sp.Expr:
    # with more mass in the good part, w = 1 - xi + s, the bound is smaller: it is that of the least mass on a path
    return sign * ((1 - (1 - xi) * (1 - h / (1 + h))) - (1 - (1 - xi + less) * (1 - h / (1 + h))))


@as_written
def _kov(share: sp.Expr) -> Sides:
    # KOV(e, d): outcome 0 shows P, outcomes 1 and 2 are 1 - d times randomised response; these masses add to 1
    response = sp.exp(e) / (1 + sp.exp(e))
    return d + share * response + share * (1 - response), sp.Integer(1)


_DELTA = Formula(
    "xi + (1 - xi)*exp(t*((1 + t)*rho - epsilon))*(t/(1 + t))**(1 + t)/t",
    rocq="xi + (1 - xi) * delta",
    names={"delta": "exp(t*((1 + t)*rho - epsilon))*(t/(1 + t))**(1 + t)/t"},
    xi=("1/1024", "1/4"),
    rho=("1/64", "1/2"),
    epsilon=("1/2", "4"),
    t=("1/2", "8"),
)

THEOREM = Theorem(
    name="approximate zCDP filter",
    title="The filter of approximate zCDP",
    source="Whitehouse, Ramdas, Rogers & Wu; derived here",
    hypotheses="rho > 0; mechanisms with finitely many outcomes, finitely many rounds chosen by the outputs so "
    "far, mechanism t being 1 - xi_t times a good part plus a rest in both worlds, the good parts "
    "rho_t-zCDP both ways; a filter that admits while sum rho_t <= rho and sum xi_t <= xi < 1 and "
    "decides before the release",
    claim="The transcript is (epsilon, xi + (1 - xi) d)-DP with d the bound of CKS for rho at epsilon, here at order "
    "1 + t",
    claim_latex=rf"\delta(\varepsilon) \le {_DELTA.latex}",
    formulas=(_DELTA,),
    uses=("RDP filter", "CKS", "basic composition", "good part"),
    steps=(
        in_kernel("approximate_zcdp_filter"),
        Step(
            "KOV(e, d) is 1 - d times randomised response at e, which is (e^2/2)-zCDP, plus the mass d: it is charged "
            "(e^2/2, d), and so may be each (e, d)-DP mechanism (good part). An erasure is 1 - p times a sure outcome "
            "and is charged (0, p).",
            zero(lambda: _kov(1 - d)),
            {"randomised response in full": zero(lambda: _kov(sp.Integer(1)))},
            r"d + (1-d)\frac{e^e}{1+e^e} + (1-d)\frac{1}{1+e^e} = 1",
        ),
        Step(
            "Along a path the good masses multiply to w, and the good parts are a game of their own whose charges sum "
            "to at most rho: the theorem RDP filter. A transcript has P-mass w (m + x) + b with the good part's m + x "
            "and a rest b, so at least w m, m the smaller of the good parts' probabilities, ...",
            nonnegative(lambda: _above(x), lambda: (w * x, rest)),
            {"at most": nonnegative(lambda: _above(x, -1), lambda: (-w * x, -rest))},
            r"w(m+x) + b - wm = wx + b \ge 0",
        ),
        Step(
            "... and so has g Q: the overlap of P and g Q is at least w times that of the good parts.",
            nonnegative(lambda: _above(y), lambda: (w * y, rest)),
            {"at most": nonnegative(lambda: _above(y, -1), lambda: (-w * y, -rest))},
            r"w(m+y) + b - wm = wy + b \ge 0",
        ),
        Step(
            "On every path w is at least 1 - xi, as 1 - sum xi_t is less than the product (basic composition); more "
            "mass s in the good part only helps, here with a hockey-stick h/(1 + h) of the good parts.",
            nonnegative(_rises, lambda: (less / (1 + h),)),
            {"it hurts": nonnegative(lambda: _rises(-1), lambda: (-less / (1 + h),))},
            r"\left(1-(1-\xi)o\right) - \left(1-(1-\xi+s)o\right) = s\,o \ge 0,\quad o = \tfrac1{1+h}",
        ),
        Step(
            "So a hockey-stick h of the good parts becomes xi + (1 - xi) h, and h is at most the bound of CKS.",
            zero(lambda: _converted(1 - xi)),
            {"the good part in full": zero(lambda: _converted(sp.Integer(1)))},
            r"1 - (1-\xi)(1-h) = \xi + (1-\xi)h",
        ),
        Step(
            "Finite game: a leak of probability 1/10 and a coin, all 723 strategies of at most 3 rounds under a filter "
            "that admits two leaks and one coin, both directions: the good mass is at least 81/100 on each path, the "
            "moment of the good parts at order 2 at most the coin's, and the hockey-stick at 1 at most the bound.",
            exact(good_rows()),
            {
                "10 % less": exact(good_rows(Fraction(9, 10))),
                "a filter that looks at the past only": exact(good_rows(late=True)),
            },
            r"H_1(P\|Q) \le 1 - \tfrac{81}{100}\left(1 - H_1(P'\|Q')\right)",
            checked=Checked.GAME,
        ),
    ),
)
