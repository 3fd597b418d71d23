"""Two sharper conversions to approximate DP, Bun-Steinke 3.6 and the best at one order, and their rank."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import sympy as sp

from theory.claims.formula import Formula
from theory.claims.theorem import Step, Theorem, beside
from theory.evidence import Checked
from theory.proofs.engines import certified, certified_each
from theory.proofs.symbolic import Sides, as_written, identity, signed

# r the zCDP budget, x a level of the loss, s = 1 + (epsilon - r)/(2r); u = epsilon - r >= 0.
r, x, s, u, y, v, c = sp.symbols("r x s u y v c", positive=True)
over = sp.Symbol("o", nonnegative=True)


def _mills(at: sp.Expr) -> sp.Expr:
    return sp.sqrt(sp.pi / 2) * sp.exp(at**2 / 2) * sp.erfc(at / sp.sqrt(2))


def _chernoff() -> Sides:
    order = (x - r) / (2 * r)
    return order * (1 + order) * r - order * x, -((x - r) ** 2) / (4 * r)


def _integral() -> Sides:
    # y = sqrt(2r) v turns the integrand into that of the Mills ratio at s sqrt(2r)
    tail = sp.Integral(sp.exp(-x * v - v**2 / 2), (v, 0, sp.oo)) - _mills(x)
    scaled = (s * y + y**2 / (4 * r)).subs(y, sp.sqrt(2 * r) * v)
    return tail + scaled, s * sp.sqrt(2 * r) * v + v**2 / 2


def _mills_slope() -> Sides:
    slope = sp.diff(_mills(x), x)
    with sp.evaluate(False):
        return slope, x * _mills(x) - 1


def _pollak(at: sp.Expr, constant: sp.Expr = 8 / sp.pi) -> sp.Expr:
    return 2 / (at + sp.sqrt(at**2 + constant))


def _pollak_slope() -> Sides:
    root, bound = sp.sqrt(x**2 + c), _pollak(x, c)
    return sp.diff(bound, x) - x * bound + 1, (root**2 - x * root - 2) / (root * (x + root))


_TERMS = (
    "1",
    "sqrt(pi*{r})",
    "1/(1 + (1 - {r})/(2*{r}))",
    "2/(1 + (1 - {r})/(2*{r}) + sqrt((1 + (1 - {r})/(2*{r}))**2 + 4/(pi*{r})))",
)


def _bun_steinke(term: str, budget: str) -> str:
    """Formula: one of the four bounds on delta at epsilon = 1."""
    return f"exp(-(1 - {budget})**2/(4*{budget}))*({term.format(r=budget)})"


def _all_above(budget: str) -> Callable[[], Iterator[str]]:
    return lambda: (f"{_bun_steinke(term, budget)} - 1/10**5" for term in _TERMS)


_BUN_STEINKE = Formula("exp(-(epsilon - r)**2/(4*r))*2/(s + sqrt(s**2 + 4/(pi*r)))")

THEOREM = Theorem(
    name="conversions",
    title="Sharper conversions: Bun-Steinke and the best at one order",
    source="Bun & Steinke, Lemma 3.6; Asoodeh et al.",
    hypotheses="epsilon >= r > 0 for Bun-Steinke, 0 < delta < 1, every order alpha > 1; any r-zCDP mechanism, for the "
    "best at one order one with finitely many outcomes; the order of the budgets at epsilon = 1, delta = 1e-5",
    claim="Both conversions are valid at every order; at the one point (1, 1e-5) the budgets rank: simple, "
    "Bun-Steinke, CKS, best at one order, Gaussian ceiling",
    stated=(
        r"\delta_{\mathrm{BS}} = ",
        _BUN_STEINKE,
        r",\ s = 1 + \tfrac{\varepsilon-r}{2r};\qquad"
        r" 0.02082 < 0.0276 < 0.0305565953 < 0.030556950 < \tfrac12\mu^2",
    ),
    uses=("B*", "CKS", "Gaussian hockey-stick"),
    steps=(
        *beside("slopes_conversion", "one_order_largest", "b_star_above", "cks_at_one_and_1e_5"),
        Step(
            "Chernoff at alpha - 1 = (x - r)/(2r): P(L > x) <= e^(-(x-r)^2/(4r)).",
            *identity(_chernoff),
            r"(\alpha-1)\alpha r - (\alpha-1)x = -\frac{(x-r)^2}{4r}",
        ),
        Step(
            "The integrand 1 - e^-x is an integral of e^-y, so delta is the mean of e^-y P(L > epsilon + y).",
            *identity(lambda: (sp.Integral(sp.exp(-y), (y, 0, x)), 1 - sp.exp(-x))),
            r"1 - e^{-x} = \int_0^x e^{-y}\,dy",
        ),
        Step(
            "The exponents, with u = epsilon - r and s = 1 + u/(2r).",
            *identity(
                lambda: (
                    -y - (u + y) ** 2 / (4 * r),
                    -(u**2) / (4 * r) - (1 + u / (2 * r)) * y - y**2 / (4 * r),
                )
            ),
            r"-y - \frac{(u+y)^2}{4r} = -\frac{u^2}{4r} - sy - \frac{y^2}{4r}",
        ),
        Step(
            "What remains is sqrt(2r) times the Mills ratio at s sqrt(2r).",
            *identity(_integral),
            r"\int_0^\infty e^{-sy-y^2/4r}\,dy = \sqrt{2r}\,R\left(s\sqrt{2r}\right)",
        ),
        Step(
            "R(x) <= R(0) = sqrt(pi/2) gives the bound sqrt(pi r).",
            *identity(as_written(lambda: (sp.sqrt(2 * r) * _mills(sp.Integer(0)), sp.sqrt(sp.pi * r)))),
            r"\sqrt{2r}\sqrt{\pi/2} = \sqrt{\pi r}",
        ),
        Step(
            "R(x) <= 1/x, since e^(-xv) (1 - e^(-v^2/2)) >= 0 with e^(-v^2/2) = 1/(1 + o), o >= 0: the bound 1/s.",
            *signed(
                lambda: sp.exp(-x * v) - sp.exp(-x * v) / (1 + over),
                lambda: (sp.exp(-x * v) * over / (1 + over),),
            ),
            r"\frac1x - R(x) = \int_0^\infty e^{-xv}\left(1-e^{-v^2/2}\right)dv \ge 0",
        ),
        Step(
            "The fourth: R' = x R - 1.",
            *identity(_mills_slope),
            r"R'(x) = xR(x) - 1",
        ),
        Step(
            "g = 2/(x + sqrt(x^2 + c)) exceeds that equation by (k^2 - x k - 2)/(k (x + k)), k = "
            "sqrt(x^2 + c).",
            *identity(_pollak_slope),
            r"g' - xg + 1 = \frac{k^2-xk-2}{k(x+k)}",
        ),
        Step(
            "With c = 8/pi in (2, 4) that is positive up to x^2 = (c-2)^2/(4-c) and negative after: "
            "e^(-x^2/2) (g - R) "
            "rises from 0 and then falls to 0, so it is never below 0.",
            *identity(
                lambda: ((x**2 + c - 2) ** 2 - x**2 * (x**2 + c), (c - 2) ** 2 - (4 - c) * x**2),
            ),
            r"(x^2+c-2)^2 - x^2(x^2+c) = (c-2)^2 - (4-c)x^2",
        ),
        Step(
            "At 0 the two agree.",
            *identity(as_written(lambda: (_pollak(sp.Integer(0)), _mills(sp.Integer(0))))),
            r"g(0) = \frac{2}{\sqrt{8/\pi}} = \sqrt{\pi/2} = R(0)",
            checked=Checked.POINT,
        ),
        Step(
            "At s sqrt(2r) this is the bound 2/(s + sqrt(s^2 + 4/(pi r))).",
            *identity(
                lambda: (
                    sp.sqrt(2 * r) * _pollak(s * sp.sqrt(2 * r)),
                    2 / (s + sp.sqrt(s**2 + 4 / (sp.pi * r))),
                )
            ),
            r"\sqrt{2r}\,g\left(s\sqrt{2r}\right) = \frac{2}{s+\sqrt{s^2+4/(\pi r)}}",
        ),
        Step(
            "At (1, 1e-5) Bun-Steinke certifies the budget 0.0276, above B* = 0.0208.",
            certified(f"1/10**5 - {_bun_steinke(_TERMS[3], '(276/10**4)')}"),
            {"0.0277": certified(f"1/10**5 - {_bun_steinke(_TERMS[3], '(277/10**4)')}")},
            r"r_{\mathrm{BS}}(1,10^{-5}) > 0.0276",
        ),
        Step(
            "And no longer 0.0277, by any of its four bounds: it is below CKS.",
            certified_each(_all_above("(277/10**4)")),
            {"0.0276": certified_each(_all_above("(276/10**4)"))},
            r"r_{\mathrm{BS}}(1,10^{-5}) < 0.0277",
        ),
        Step(
            "And the Gaussian ceiling is a sixth above: mu = sqrt(2 * 0.0359) still keeps 1e-5.",
            certified(
                "1/10**5 - (tail(1/sqrt(718/10**4) - sqrt(718/10**4)/2)"
                " - exp(1)*tail(1/sqrt(718/10**4) + sqrt(718/10**4)/2))"
            ),
            {
                "sqrt(2 * 0.036)": certified(
                    "1/10**5 - (tail(1/sqrt(720/10**4) - sqrt(720/10**4)/2)"
                    " - exp(1)*tail(1/sqrt(720/10**4) + sqrt(720/10**4)/2))"
                )
            },
            r"\delta_{\sqrt{2\cdot0.0359}}(1) < 10^{-5}",
        ),
    ),
)
