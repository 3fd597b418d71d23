"""The conversion of Canonne, Kamath and Steinke from zCDP to approximate DP: paper 003, Lemma C.4."""

from __future__ import annotations

import sympy as sp

from theory.claims.notations import Formula
from theory.claims.table import in_kernel
from theory.claims.theorem import Step, Theorem
from theory.proofs.engines import certified
from theory.proofs.symbolic import Sides, nonnegative, signed, zero

__all__ = ["THEOREM"]

# t = alpha - 1, r the zCDP budget; w = e^{epsilon - L} < 1 where the integrand is positive, u = 1 - w.
t, r, eps, u, w = sp.symbols("t r epsilon u w", positive=True)
PERCENT = sp.Rational(101, 100)


def _log_weighted(at: sp.Expr = w, power: sp.Expr = t) -> sp.Expr:
    """log of (1-w) w^t, the integrand times e^{-t(L - epsilon)}."""
    return sp.log(1 - at) + power * sp.log(at)


def _peak(where: sp.Expr = t / (1 + t)) -> Sides:
    return sp.diff(_log_weighted(), w).subs(w, where), sp.Integer(0)


def _bends() -> sp.Expr:
    # u stands for 1 - w
    return -sp.diff(_log_weighted(), w, 2).subs(1 - w, u).subs(w - 1, -u)


def _log_constant() -> sp.Expr:
    return t * sp.log(t) - (1 + t) * sp.log(1 + t)


def _peak_value(constant: sp.Expr | int = 1) -> Sides:
    return _log_weighted(t / (1 + t)), constant * _log_constant()


def _other_form(power: sp.Expr = 1 + t) -> Sides:
    # (1-1/alpha)^alpha / (alpha-1), in logarithms
    return power * (sp.log(t) - sp.log(1 + t)) - sp.log(t), _log_constant()


def _objective(budget: sp.Expr = r) -> sp.Expr:
    """log of the bound on delta at order 1 + t."""
    return t * ((1 + t) * budget - eps) + _log_constant()


def _slope(factor: sp.Expr | int = 2) -> Sides:
    return sp.diff(_objective(), t), (factor * t + 1) * r - eps + sp.log(t) - sp.log(1 + t)


def _budget_at() -> sp.Expr:
    """The budget whose best order is 1 + t."""
    return (eps + sp.log(1 + t) - sp.log(t)) / (2 * t + 1)


def _along(factor: sp.Expr | int = 1) -> Sides:
    return sp.diff(_objective(_budget_at()), t), factor * t * (1 + t) * sp.diff(_budget_at(), t)


def _falls_terms() -> tuple[sp.Expr, ...]:
    return (
        2 * eps / (2 * t + 1) ** 2,
        2 * sp.log(1 + 1 / t) / (2 * t + 1) ** 2,
        1 / (t * (1 + t) * (2 * t + 1)),
    )


def _curve() -> sp.Expr:
    """log delta at the budget whose best order is 1 + t."""
    return _objective(_budget_at())


def _closed(power: int = 2) -> Sides:
    return _curve(), -(t**power) * _budget_at() - sp.log(1 + t)


def _starts_terms() -> tuple[sp.Expr, ...]:
    # t - log(1+t), and 1/t - log(1 + 1/t) times t^2/(2t+1)
    s = sp.Symbol("s", nonnegative=True)
    return (
        2 * t**3 * eps / (2 * t + 1),
        2 * t**2 / (2 * t + 1),
        sp.Integral(s / (1 + s), (s, 0, t)),
        t / (2 * t + 1) * sp.Integral(s / (t + s), (s, 0, 1)),
    )


#: At epsilon = 1, delta = 1e-5: the budget, and orders minus one on the two sides of the best.
_LEFT, _RIGHT = "(168087/10**4)", "(168088/10**4)"


def _log_bound(order: str, budget: str) -> str:
    """Formula: the log-objective at epsilon = 1."""
    return f"({order}*((1 + {order})*{budget} - 1) + {order}*log({order}) - (1 + {order})*log(1 + {order}))"


def _log_slope(order: str, budget: str) -> str:
    return f"((2*{order} + 1)*{budget} - 1 + log({order}/(1 + {order})))"


def _reaches(budget: str) -> str:
    """Formula, positive if some order certifies delta = 1e-5 at this budget."""
    return f"0 - log(100000) - {_log_bound(_LEFT, budget)}"


def _misses(budget: str) -> str:
    """Formula, positive if no order certifies delta = 1e-5: the objective is convex, so above its left tangent."""
    return f"{_log_bound(_LEFT, budget)} + {_log_slope(_LEFT, budget)}*({_RIGHT} - {_LEFT}) + log(100000)"


_BELOW, _ABOVE = "(305565951/10**10)", "(305565953/10**10)"


def _gaussian_delta(budget: str) -> str:
    mean = f"sqrt(2*{budget})"
    return f"(tail(1/{mean} - {mean}/2) - exp(1)*tail(1/{mean} + {mean}/2))"


_BOUND = Formula(
    "exp(t*((1 + t)*r - epsilon))*(t/(1 + t))**(1 + t)/t",
    t=("1/2", "8"),
    r=("1/64", "1/2"),
    epsilon=("1/2", "4"),
)

THEOREM = Theorem(
    name="CKS",
    title="The conversion of Canonne, Kamath and Steinke",
    source="Canonne, Kamath & Steinke; Koskela, Tobaben & Honkela, Lemma C.4",
    hypotheses="epsilon > 0, 0 < delta < 1, every order alpha > 1; any mechanism that is r-zCDP",
    claim="r-zCDP implies (epsilon, delta)-DP with the delta below; the best order is unique, and the "
    "largest budget is the root of a strictly falling function",
    stated=(r"\delta = \inf_{t>0} ", _BOUND, r",\quad \alpha = 1 + t"),
    steps=(
        *in_kernel("cks_conversion"),
        Step(
            "The hockey-stick integrand 1 - w, against w^(-t) whose mean is e^(t (D_alpha - epsilon)): "
            "(1-w) w^t is stationary at w = t/(1+t) = 1 - 1/alpha.",
            zero(_peak, at={"t": "3/2"}),
            {"at w = 1/(1+t)": zero(lambda: _peak(1 / (1 + t)), at={"t": "3/2"})},
            r"\frac{d}{dw}\left(\log(1-w) + t\log w\right) = 0 \iff w = 1 - \tfrac1\alpha",
        ),
        Step(
            "Its logarithm is strictly concave on (0, 1), so that is the maximum.",
            *signed(
                _bends,
                lambda: (t / w**2, 1 / u**2),
                strict=True,
                at={"t": "1", "w": "1/3", "u": "2/3"},
                wrong="convex",
            ),
            r"-\frac{d^2}{dw^2} = \frac{t}{w^2} + \frac1{(1-w)^2} > 0",
        ),
        Step(
            "The maximum is t^t/(1+t)^(1+t), the constant of Lemma C.4.",
            zero(_peak_value),
            {"1 % less": zero(lambda: _peak_value(PERCENT))},
            r"\max_w (1-w)w^t = \frac1\alpha\left(1-\frac1\alpha\right)^{\alpha-1}",
        ),
        Step(
            "Which is also (1-1/alpha)^alpha / (alpha-1).",
            zero(_other_form),
            {"power alpha - 1": zero(lambda: _other_form(t))},
            r"\frac1\alpha\left(1-\frac1\alpha\right)^{\alpha-1}"
            r" = \frac{1}{\alpha-1}\left(1-\frac1\alpha\right)^\alpha",
        ),
        Step(
            "The constant is below 1, so the conversion beats Fact 2.4 at every order.",
            *signed(
                lambda: -_log_constant(),
                lambda: (sp.log(1 + t), t * sp.log(1 + 1 / t)),
                strict=True,
                wrong="above 1",
            ),
            r"(1+t)\log(1+t) - t\log t = \log(1+t) + t\log\left(1+\tfrac1t\right) > 0",
        ),
        Step(
            "The log-objective has slope (2t+1) r - epsilon + log(t/(1+t)).",
            zero(_slope),
            {"t instead of 2t": zero(lambda: _slope(1))},
            r"\frac{d}{dt}\log\delta = (2t+1)r - \varepsilon + \log\frac{t}{1+t}",
        ),
        Step(
            "It is strictly convex, so the best order is unique.",
            nonnegative(lambda: sp.diff(_objective(), t, 2), lambda: (2 * r, 1 / (t * (1 + t))), strict=True),
            {
                "2r alone": nonnegative(lambda: sp.diff(_objective(), t, 2), lambda: (2 * r,), strict=True),
            },
            r"\frac{d^2}{dt^2}\log\delta = 2r + \frac1{t(1+t)} > 0",
        ),
        Step(
            "Order 1 + t is best for the budget r(t) = (epsilon + log(1 + 1/t))/(2t + 1), falling in t.",
            *signed(lambda: -sp.diff(_budget_at(), t), _falls_terms, strict=True, wrong="grows"),
            r"-(2t+1)^2 r'(t) = 2\varepsilon + 2\log\left(1+\tfrac1t\right) + \frac{2t+1}{t(1+t)} > 0",
        ),
        Step(
            "Along that curve log delta changes at the rate t (1+t) r'(t) < 0, so it falls strictly.",
            zero(_along),
            {"1 % off": zero(lambda: _along(PERCENT))},
            r"\frac{d}{dt}\log\delta\,(t, r(t)) = t(1+t)\,r'(t) < 0",
        ),
        Step(
            "On it log delta is -t^2 r(t) - log(1+t).",
            zero(_closed),
            {"t r(t)": zero(lambda: _closed(1))},
            r"\log\delta\,(t, r(t)) = -t^2r(t) - \log(1+t)",
        ),
        Step(
            "It starts from 0 at order 1: it is at least -(t^2 epsilon + 2 t) ...",
            *signed(lambda: t**2 * eps + 2 * t + _curve(), _starts_terms, wrong="at most"),
            r"t^2\varepsilon + 2t + \log\delta\,(t, r(t)) \ge 0",
        ),
        Step(
            "... and falls without end, below -t^2 epsilon/(2t + 1), so every delta in (0, 1) is met once.",
            *signed(
                lambda: -_curve() - t**2 * eps / (2 * t + 1),
                lambda: (t**2 * sp.log(1 + 1 / t) / (2 * t + 1), sp.log(1 + t)),
                strict=True,
                wrong="above",
            ),
            r"-\log\delta\,(t, r(t)) - \frac{t^2\varepsilon}{2t+1} = "
            r"\frac{t^2\log(1+1/t)}{2t+1} + \log(1+t) > 0",
        ),
        Step(
            "At epsilon = 1, delta = 1e-5 the budget 0.0305565951 is reached.",
            certified(_reaches(_BELOW), precision=128),
            {"1 % more budget": certified(_reaches("(308621611/10**10)"), precision=128)},
            r"r(1, 10^{-5}) > 0.0305565951",
        ),
        Step(
            "The best order at 0.0305565953 lies right of 17.8087: the slope is negative there.",
            certified(f"0 - {_log_slope(_LEFT, _ABOVE)}", precision=128),
            {"1 % more budget": certified(f"0 - {_log_slope(_LEFT, '(308621613/10**10)')}", precision=128)},
            r"\alpha^* > 17.8087",
        ),
        Step(
            "And left of 17.8088.",
            certified(_log_slope(_RIGHT, _ABOVE), precision=128),
            {"1 % less budget": certified(_log_slope(_RIGHT, "(302509394/10**10)"), precision=128)},
            r"\alpha^* < 17.8088",
        ),
        Step(
            "So no order reaches 0.0305565953, by the tangent at the left end.",
            certified(_misses(_ABOVE), precision=128),
            {"1 % less budget": certified(_misses("(302509394/10**10)"), precision=128)},
            r"r(1, 10^{-5}) < 0.0305565953",
        ),
        Step(
            "That is still below the Gaussian ceiling, where the conversion would be exact.",
            certified(f"1/10**5 - {_gaussian_delta(_ABOVE)}", precision=128),
            {
                "20 % more budget": certified(
                    f"1/10**5 - {_gaussian_delta('(366679143/10**10)')}", precision=128
                )
            },
            r"\delta_{\sqrt{2r}}(1) < 10^{-5}",
        ),
    ),
)
