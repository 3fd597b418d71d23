"""Two sharper conversions to approximate DP, Bun-Steinke 3.6 and the best at one order, and their rank."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import sympy as sp

from theory.claims.theorem import Step, Theorem
from theory.evidence import Checked
from theory.proofs.engines import certified, certified_each
from theory.proofs.expressions import as_written
from theory.proofs.symbolic import Sides, signed, zero

__all__ = ["THEOREM"]

# r the zCDP budget, x a level of the loss, s = 1 + (epsilon - r)/(2r); t = alpha - 1; u = epsilon - r >= 0.
r, x, s, t, u, y, v = sp.symbols("r x s t u y v", positive=True)
p, q, d, a, c = sp.symbols("p q d a c", positive=True)
k, h, j, low, gap = sp.symbols("k h j low gap", positive=True)
up = sp.Symbol("up", nonnegative=True)
eps = sp.Symbol("epsilon", positive=True)
PERCENT = sp.Rational(101, 100)


# -- Bun-Steinke ------------------------------------------------------------------------------------


def _chernoff(divisor: int = 4) -> Sides:
    order = (x - r) / (2 * r)
    return order * (1 + order) * r - order * x, -((x - r) ** 2) / (divisor * r)


def _layers(sign: int = 1) -> Sides:
    return sp.Integral(sp.exp(-y), (y, 0, x)), 1 - sign * sp.exp(-x)


def _exponent(slope: sp.Expr | None = None) -> Sides:
    rate = 1 + u / (2 * r) if slope is None else slope
    return -y - (u + y) ** 2 / (4 * r), -(u**2) / (4 * r) - rate * y - y**2 / (4 * r)


def _mills(at: sp.Expr) -> sp.Expr:
    return sp.sqrt(sp.pi / 2) * sp.exp(at**2 / 2) * sp.erfc(at / sp.sqrt(2))


def _mills_slope(constant: int = -1) -> Sides:
    slope = sp.diff(_mills(x), x)
    with sp.evaluate(False):
        return slope, x * _mills(x) + constant


def _integral(width: sp.Expr | int = 2) -> Sides:
    # y = sqrt(2r) v turns the integrand into that of the Mills ratio at s sqrt(2r)
    tail = sp.Integral(sp.exp(-x * v - v**2 / 2), (v, 0, sp.oo)) - _mills(x)
    scaled = (s * y + y**2 / (4 * r)).subs(y, sp.sqrt(width * r) * v)
    return tail + scaled, s * sp.sqrt(2 * r) * v + v**2 / 2


def _pollak(at: sp.Expr, constant: sp.Expr = 8 / sp.pi) -> sp.Expr:
    return 2 / (at + sp.sqrt(at**2 + constant))


def _pollak_slope(sign: int = 1) -> Sides:
    root = sp.sqrt(x**2 + c)
    bound = 2 / (x + root)
    return sp.diff(bound, x) - x * bound + 1, sign * (root**2 - x * root - 2) / (root * (x + root))


def _pollak_sign(four: int = 4) -> Sides:
    # (x^2 + c - 2)^2 - x^2 (x^2 + c): positive exactly while x^2 < (c-2)^2/(4-c)
    return (x**2 + c - 2) ** 2 - x**2 * (x**2 + c), (c - 2) ** 2 - (four - c) * x**2


def _fourth(four: int = 4) -> Sides:
    bound = sp.sqrt(2 * r) * _pollak(s * sp.sqrt(2 * r))
    return bound, 2 / (s + sp.sqrt(s**2 + four / (sp.pi * r)))


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


# -- optimal per order ----------------------------------------------------------------------------


def _perspective() -> sp.Expr:
    return p ** (1 + t) * q ** (-t)


def _determinant(factor: sp.Expr | int = 1) -> Sides:
    f = _perspective()
    second, other, cross = sp.diff(f, p, 2), sp.diff(f, q, 2), sp.diff(f, p, q)
    with sp.evaluate(False):
        return second * other, factor * cross**2


def _in_q(sign: int = 1) -> Sides:
    # minus the derivative in q of the two-cell moment, with j = 1 - p and h = 1 - q, so that dh = -dq
    moment = p ** (1 + t) * q**-t + j ** (1 + t) * h**-t
    ratios = (p / q) ** (1 + t) - sign * (j / h) ** (1 + t)
    return -(sp.diff(moment, q) - sp.diff(moment, h)), t * ratios


def _falls() -> tuple[sp.Expr, tuple[sp.Expr, ...]]:
    # the difference of the two powers, at the ratio low + gap of the likelier cell and low of the other
    ratios = (low + gap) ** (1 + t) - low ** (1 + t)
    return ratios, (sp.Integral((1 + t) * up**t, (up, low, low + gap)),)


def _two_points(extra: int = 0) -> Sides:
    # k = p - d, j = 1 - p, h = e^epsilon - k, so q = k/(h + k), where the hockey-stick of the two cells is d
    moment = p ** (1 + t) * (k / (h + k)) ** -t + j ** (1 + t) * (h / (h + k)) ** -t
    bracket = p ** (1 + t) * k**-t + j ** (1 + t) * h**-t
    return moment, (h + k) ** (t + extra) * bracket


def _bends(part: int, factor: sp.Expr | int = 1) -> Sides:
    """Second derivative in p of a term, and its closed form times the term."""
    term, gap = ((p**a * (p - d) ** (1 - a)), d) if part == 0 else ((1 - p) ** a * (c - p) ** (1 - a), c - 1)
    closed = (
        a * (a - 1) * gap**2 / (p * (p - d)) ** 2
        if part == 0
        else a * (a - 1) * gap**2 / ((1 - p) * (c - p)) ** 2
    )
    return sp.diff(term, p, 2), factor * closed * term


_ORDER = "(178068/10**4)"
_D = "(1/10**5)"
_LEFT, _RIGHT = "(17806/10**8)", "(17807/10**8)"


def _psi(at: str) -> str:
    """Formula: the bracket of the two-point bound at epsilon = 1, delta = 1e-5."""
    return (
        f"({at}**{_ORDER}*({at} - {_D})**(1 - {_ORDER})"
        f" + (1 - {at})**{_ORDER}*(exp(1) - {at} + {_D})**(1 - {_ORDER}))"
    )


def _psi_slope(at: str) -> str:
    first = f"({at}**{_ORDER}*({at} - {_D})**(1 - {_ORDER})*({_ORDER}/{at} + (1 - {_ORDER})/({at} - {_D})))"
    second = (
        f"((1 - {at})**{_ORDER}*(exp(1) - {at} + {_D})**(1 - {_ORDER})"
        f"*(-{_ORDER}/(1 - {at}) - (1 - {_ORDER})/(exp(1) - {at} + {_D})))"
    )
    return f"({first} + {second})"


def _optimal(budget: str) -> str:
    """Formula, positive if zCDP with this budget implies (1, 1e-5)-DP by the two-point bound at _ORDER."""
    return (
        f"{_psi(_LEFT)} + {_psi_slope(_LEFT)}*({_RIGHT} - {_LEFT})"
        f" - exp(({_ORDER} - 1)*({_ORDER}*{budget} - 1))"
    )


_DOMAIN = {"p": "1/3", "d": "1/5", "a": "3", "c": "2"}

THEOREM = Theorem(
    name="conversions",
    title="Sharper conversions: Bun-Steinke and the best at one order",
    source="Bun & Steinke, Lemma 3.6; Asoodeh et al.",
    hypotheses="epsilon >= r > 0 for Bun-Steinke, 0 < delta < 1, every order alpha > 1; any r-zCDP "
    "mechanism; the "
    "order of the budgets at epsilon = 1, delta = 1e-5",
    claim="Both conversions are valid at every order; at the one point (1, 1e-5) the budgets rank: simple, "
    "Bun-Steinke, CKS, best at one order, Gaussian ceiling",
    stated=(r"0.02082 < 0.0276 < 0.0305565953 < 0.030556945 < \tfrac12\mu^2",),
    uses=("B*", "CKS", "Gaussian hockey-stick"),
    steps=(
        Step(
            "Chernoff at alpha - 1 = (x - r)/(2r): P(L > x) <= e^(-(x-r)^2/(4r)).",
            zero(_chernoff),
            {"over 2r": zero(lambda: _chernoff(2))},
            r"(\alpha-1)\alpha r - (\alpha-1)x = -\frac{(x-r)^2}{4r}",
        ),
        Step(
            "The integrand 1 - e^-x is an integral of e^-y, so delta is the mean of e^-y P(L > epsilon + y).",
            zero(_layers),
            {"wrong sign": zero(lambda: _layers(-1))},
            r"1 - e^{-x} = \int_0^x e^{-y}\,dy",
        ),
        Step(
            "The exponents, with u = epsilon - r and s = 1 + u/(2r).",
            zero(_exponent),
            {"s = 1 + u/r": zero(lambda: _exponent(1 + u / r))},
            r"-y - \frac{(u+y)^2}{4r} = -\frac{u^2}{4r} - sy - \frac{y^2}{4r}",
        ),
        Step(
            "What remains is sqrt(2r) times the Mills ratio at s sqrt(2r).",
            zero(_integral),
            {"width sqrt r": zero(lambda: _integral(1))},
            r"\int_0^\infty e^{-sy-y^2/4r}\,dy = \sqrt{2r}\,R\left(s\sqrt{2r}\right)",
        ),
        Step(
            "R(x) <= R(0) = sqrt(pi/2) gives the bound sqrt(pi r).",
            zero(as_written(lambda: (sp.sqrt(2 * r) * _mills(sp.Integer(0)), sp.sqrt(sp.pi * r)))),
            {"sqrt(2 r)": zero(as_written(lambda: (sp.sqrt(2 * r) * _mills(sp.Integer(0)), sp.sqrt(2 * r))))},
            r"\sqrt{2r}\sqrt{\pi/2} = \sqrt{\pi r}",
        ),
        Step(
            "R(x) <= 1/x, since e^(-xv) (1 - e^(-v^2/2)) >= 0, gives the bound 1/s.",
            *signed(
                lambda: sp.exp(-x * v) - sp.exp(-x * v - v**2 / 2),
                lambda: (sp.exp(-x * v) * sp.Integral(sp.exp(-y), (y, 0, v**2 / 2)),),
                wrong="wrong sign",
            ),
            r"\frac1x - R(x) = \int_0^\infty e^{-xv}\left(1-e^{-v^2/2}\right)dv \ge 0",
        ),
        Step(
            "The fourth: R' = x R - 1.",
            zero(_mills_slope),
            {"wrong sign": zero(lambda: _mills_slope(1))},
            r"R'(x) = xR(x) - 1",
        ),
        Step(
            "g = 2/(x + sqrt(x^2 + c)) exceeds that equation by (k^2 - x k - 2)/(k (x + k)), k = "
            "sqrt(x^2 + c).",
            zero(_pollak_slope),
            {"wrong sign": zero(lambda: _pollak_slope(-1))},
            r"g' - xg + 1 = \frac{k^2-xk-2}{k(x+k)}",
        ),
        Step(
            "With c = 8/pi in (2, 4) that is positive up to x^2 = (c-2)^2/(4-c) and negative after: "
            "e^(-x^2/2) (g - R) "
            "rises from 0 and then falls to 0, so it is never below 0.",
            zero(_pollak_sign),
            {"5 - c": zero(lambda: _pollak_sign(5))},
            r"(x^2+c-2)^2 - x^2(x^2+c) = (c-2)^2 - (4-c)x^2",
        ),
        Step(
            "At 0 the two agree.",
            zero(as_written(lambda: (_pollak(sp.Integer(0)), _mills(sp.Integer(0))))),
            {
                "c = 8": zero(
                    as_written(lambda: (_pollak(sp.Integer(0), sp.Integer(8)), _mills(sp.Integer(0))))
                )
            },
            r"g(0) = \frac{2}{\sqrt{8/\pi}} = \sqrt{\pi/2} = R(0)",
            checked=Checked.POINT,
        ),
        Step(
            "At s sqrt(2r) this is the bound 2/(s + sqrt(s^2 + 4/(pi r))).",
            zero(_fourth),
            {"8/(pi r)": zero(lambda: _fourth(8))},
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
            "Optimal per order: p^alpha q^(1-alpha) is convex in p ...",
            *signed(
                lambda: sp.diff(_perspective(), p, 2),
                lambda: (t * (1 + t) * p ** (t - 1) * q ** (-t),),
                strict=True,
                wrong="concave",
            ),
            r"\partial_p^2\left(p^\alpha q^{1-\alpha}\right) = \alpha(\alpha-1)p^{\alpha-2}q^{1-\alpha} > 0",
        ),
        Step(
            "... with Hessian determinant 0, so jointly convex and homogeneous: merging outcomes "
            "into the event "
            "L > epsilon and its complement cannot raise the moment.",
            zero(_determinant),
            {"1 % more cross term": zero(lambda: _determinant(PERCENT))},
            r"\det\nabla^2\left(p^\alpha q^{1-\alpha}\right) = 0",
        ),
        Step(
            "The moment of two cells of P-mass p, 1-p and Q-mass q, 1-q changes in q by the ratios of the cells ...",
            zero(_in_q),
            {"a plus": zero(lambda: _in_q(-1))},
            r"-\frac{d}{dq}\left(p^\alpha q^{1-\alpha} + (1-p)^\alpha(1-q)^{1-\alpha}\right) = (\alpha-1)"
            r"\left[\left(\tfrac pq\right)^\alpha - \left(\tfrac{1-p}{1-q}\right)^\alpha\right]",
        ),
        Step(
            "... and so falls while q < p: a hockey-stick of delta or more, q <= (p - delta) e^-epsilon, makes it "
            "at least what it is at q = (p - delta) e^-epsilon.",
            *signed(lambda: _falls()[0], lambda: _falls()[1], wrong="wrong sign"),
            r"(x+g)^\alpha - x^\alpha = \int_x^{x+g}\alpha v^{\alpha-1}\,dv \ge 0",
        ),
        Step(
            "There the two cells give e^((alpha-1) epsilon) times the bracket: (alpha-1) (R - epsilon) is at least "
            "the logarithm of its infimum over p.",
            zero(_two_points),
            {"one power more": zero(lambda: _two_points(1))},
            r"p^\alpha q^{1-\alpha} + (1-p)^\alpha(1-q)^{1-\alpha} = e^{(\alpha-1)\varepsilon}"
            r"\left[p^\alpha(p-\delta)^{1-\alpha} + (1-p)^\alpha(e^\varepsilon-p+\delta)^{1-\alpha}\right]",
        ),
        Step(
            "The first term of the bracket is convex in p ...",
            zero(lambda: _bends(0), at=_DOMAIN),
            {"1 % more": zero(lambda: _bends(0, PERCENT), at=_DOMAIN)},
            r"\frac{f''}{f} = \frac{\alpha(\alpha-1)\delta^2}{p^2(p-\delta)^2} > 0",
        ),
        Step(
            "... and so is the second, with c = e^epsilon + delta: tangents are lower bounds.",
            zero(lambda: _bends(1), at=_DOMAIN),
            {"1 % more": zero(lambda: _bends(1, PERCENT), at=_DOMAIN)},
            r"\frac{f''}{f} = \frac{\alpha(\alpha-1)(c-1)^2}{(1-p)^2(c-p)^2} > 0",
        ),
        Step(
            "At order 17.8068 the bracket still falls at p = 1.7806e-4 ...",
            certified(f"0 - {_psi_slope(_LEFT)}", precision=256),
            {"at p = 1.79e-4": certified(f"0 - {_psi_slope('(179/10**6)')}", precision=256)},
            r"p^* > 1.7806\times10^{-4}",
        ),
        Step(
            "... and rises at 1.7807e-4.",
            certified(_psi_slope(_RIGHT), precision=256),
            {"at p = 1.77e-4": certified(_psi_slope("(177/10**6)"), precision=256)},
            r"p^* < 1.7807\times10^{-4}",
        ),
        Step(
            "So the budget 0.030556945 keeps (1, 1e-5), beyond the 0.0305565953 that CKS cannot reach.",
            certified(_optimal("(30556945/10**9)"), precision=256),
            {"0.030556955": certified(_optimal("(30556955/10**9)"), precision=256)},
            r"r_{\mathrm{opt}}(1,10^{-5}) > 0.030556945 > r_{\mathrm{CKS}}",
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
