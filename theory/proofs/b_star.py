"""B*: the zCDP budget that paper 000, Theorem 4.9, takes from Fact 2.4."""

from __future__ import annotations

import sympy as sp

from theory.claims.formula import Formula
from theory.claims.theorem import Step, Theorem
from theory.proofs.engines import rounded
from theory.proofs.symbolic import Sides, as_written, identity, signed

# In b = sqrt B, m = sqrt(log(1/delta)) and t = alpha - 1 every claim is algebraic; s = e^{tx} - 1 and w = e^{-x}, where
# x = L - eps > 0.
b, m, t, s, w, h, eps = sp.symbols("b m t s w h epsilon", positive=True)


def _cost(order_minus_one: sp.Expr) -> sp.Expr:
    """The epsilon that Fact 2.4 gives for b^2-zCDP at one order: alpha B + log(1/delta)/(alpha-1)."""
    return (1 + order_minus_one) * b**2 + m**2 / order_minus_one


def _best(root: sp.Expr) -> sp.Expr:
    return root**2 + 2 * root * m


@as_written
def _exponent() -> Sides:
    # the log of the bound e^{t(D - eps)}, at D = alpha B and the epsilon of Fact 2.4, and log delta = -m^2
    return t * ((1 + t) * b**2 - _cost(t)), -(m**2)


def _stationary() -> Sides:
    slope = sp.diff(_cost(t), t)
    with sp.evaluate(False):
        return slope.subs(t, m / b), sp.Integer(0)


_B_STAR = Formula("(sqrt(log(1/delta) + epsilon) - sqrt(log(1/delta)))**2")

THEOREM = Theorem(
    name="B*",
    title="The zCDP budget B*",
    source="Feldman & Zrnic, Theorem 4.9 and Fact 2.4",
    hypotheses="epsilon > 0, 0 < delta < 1, every order alpha > 1; any mechanism that is B-zCDP, B <= B*",
    claim="B*-zCDP implies (epsilon, delta)-DP, and no larger budget does by Fact 2.4 at any order",
    stated=("B^* = ", _B_STAR),
    steps=(
        Step(
            "Where the loss exceeds epsilon by x > 0, the hockey-stick integrand 1 - e^(-x) is below e^(t x) "
            "with t = alpha - 1: for s = e^(t x) - 1 > 0 and w = e^(-x) > 0 the gap is s + w.",
            *signed(lambda: 1 + s - (1 - w), lambda: (s, w), strict=True),
            r"(1 - e^{-x})_+ \le e^{tx} \implies "
            r"H_{e^\varepsilon}(P\|Q) \le \mathbb{E}_P e^{t(L-\varepsilon)} = e^{t(D_\alpha - \varepsilon)}",
        ),
        Step(
            "With D_alpha = alpha B the bound e^(t (D_alpha - epsilon)) equals delta at Fact 2.4's epsilon.",
            *identity(_exponent),
            r"t\left(\alpha B - \alpha B - \tfrac{\log(1/\delta)}{t}\right) = -\log(1/\delta)",
        ),
        Step(
            "Sum of squares: at every order Fact 2.4 costs B + 2 sqrt(B log(1/delta)) and a square more.",
            *identity(lambda: (_cost(t) - _best(b), (b * sp.sqrt(t) - m / sp.sqrt(t)) ** 2)),
            r"\alpha B + \frac{\log(1/\delta)}{\alpha-1} - \left(B + 2\sqrt{B\log(1/\delta)}\right) = "
            r"\left(\sqrt{B(\alpha-1)} - \sqrt{\tfrac{\log(1/\delta)}{\alpha-1}}\right)^2",
        ),
        Step(
            "First order: the derivative in alpha vanishes at alpha - 1 = sqrt(log(1/delta)/B).",
            *identity(_stationary),
            r"\alpha^* = 1 + \sqrt{\log(1/\delta)/B}",
        ),
        Step(
            "Second order: the cost is strictly convex in alpha, so this is its only minimum.",
            *signed(lambda: sp.diff(_cost(t), t, 2), lambda: (2 * m**2 / t**3,), strict=True),
            r"\frac{\partial^2}{\partial\alpha^2} = \frac{2\log(1/\delta)}{(\alpha-1)^3} > 0",
        ),
        Step(
            "The minimum is B + 2 sqrt(B log(1/delta)).",
            *identity(lambda: (_cost(m / b), _best(b))),
            r"\min_{\alpha>1} = B + 2\sqrt{B\log(1/\delta)}",
        ),
        Step(
            "Inversion: b = sqrt(log(1/delta) + epsilon) - sqrt(log(1/delta)) solves b^2 + 2 b m = epsilon.",
            *identity(lambda: (_best(sp.sqrt(m**2 + eps) - m), eps)),
            r"B^* + 2\sqrt{B^*\log(1/\delta)} = \varepsilon",
        ),
        Step(
            "That root is positive.",
            *signed(
                lambda: sp.sqrt(m**2 + eps) - m,
                lambda: (eps / (sp.sqrt(m**2 + eps) + m),),
                strict=True,
            ),
            r"\sqrt{\log(1/\delta)+\varepsilon} > \sqrt{\log(1/\delta)}",
        ),
        Step(
            "Monotone: raising b by any h > 0 raises the cost at the best order by h^2 + 2 h (b + m) > 0, so "
            "every smaller budget is covered and no larger one is.",
            *signed(lambda: _best(b + h) - _best(b), lambda: (h**2, 2 * h * b, 2 * h * m), strict=True),
            r"(b+h)^2 + 2(b+h)m > b^2 + 2bm",
        ),
        Step(
            "At epsilon = 1, delta = 1e-5: B* = 0.0208199383 to the last digit.",
            *rounded("(sqrt(log(100000) + 1) - sqrt(log(100000)))**2", 208199383, 10),
            r"B^*(1, 10^{-5}) = 0.0208199383\ldots",
        ),
    ),
)
