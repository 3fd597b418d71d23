"""B* is sound for Gaussian rounds; the Mills ratio gives the share of delta that it leaves unused."""

from __future__ import annotations

import sympy as sp

from theory.claims.formula import Formula
from theory.claims.theorem import Check, Step, Theorem, beside
from theory.proofs.engines import certified
from theory.proofs.symbolic import Sides, identity

# b = sqrt B*, m = sqrt(log(1/delta)), t = sqrt 2 m, mu = sqrt 2 b: epsilon = b^2 + 2 b m.
b, m, mu, t = sp.symbols("b m mu t", positive=True)
SQRT2 = sp.sqrt(2)


def _mills(at: sp.Expr) -> sp.Expr:
    return sp.sqrt(sp.pi / 2) * sp.exp(at**2 / 2) * sp.erfc(at / SQRT2)


def _ratio() -> Sides:
    # delta_mu = Phi(-t) - e^eps Phi(-t - mu) at epsilon = mu^2/2 + mu t, over delta = e^{-t^2/2}
    eps = mu**2 / 2 + mu * t
    delta = (sp.erfc(t / SQRT2) - sp.exp(eps) * sp.erfc((t + mu) / SQRT2)) / 2
    return sp.exp(t**2 / 2) * delta, (_mills(t) - _mills(t + mu)) / sp.sqrt(2 * sp.pi)


#: The whole box in epsilon and l = log(1/delta): it covers delta in [1e-30, 1/2].
_BOX = {"e": ("1/1024", 50), "l": ("693/1000", "6908/100")}
_T = "sqrt(2*l)"
_MU = "(sqrt(2)*e/(sqrt(l + e) + sqrt(l)))"


def _on_the_box(formula: str) -> Check:
    return certified(formula, **_BOX)  # type: ignore[arg-type]


def _below(share: str) -> str:
    return f"sqrt(2*pi)*{share} - (mills({_T}) - mills({_T} + {_MU}))"


def _raised(c: str) -> str:
    """Formula, positive if Gaussians with the budget c B* are (epsilon, delta)-DP.

    The loss reaches epsilon at (t - mu (c-1)/2)/sqrt c instead of t.
    """
    moved = f"(({_T} - {_MU}*({c} - 1)/2)/sqrt({c}))"
    return f"sqrt(2*pi) - exp(l - {moved}**2/2)*(mills({moved}) - mills({moved} + {_MU}*sqrt({c})))"


_BY_MU = Formula("mu/(sqrt(2*pi)*t*(t + mu))")

THEOREM = Theorem(
    name="Gaussian slack",
    title="What B* leaves unused on Gaussian rounds",
    source="Feldman & Zrnic, Theorem 4.9, against Koskela, Tobaben & Honkela, equation (2.3)",
    hypotheses="Gaussian rounds with sum mu_i^2/2 = B*; epsilon > 0, 0 < delta < 1 for the bound 1/2 and the "
    "bound by mu; epsilon in [2^-10, 50], delta in [1e-30, 1/2] for the certified boxes",
    claim="The true delta at B* is less than half the promised one, always; on the box less than a fifth, "
    "and 5 % more budget would still be sound for Gaussians there, while 6 % would not at its point "
    "epsilon = 50, delta = e^-69",
    stated=(
        r"\frac{\delta_\mu(\varepsilon)}{\delta} = \frac{R(t) - R(t+\mu)}{\sqrt{2\pi}} < "
        r"\tfrac12,\quad \frac{\delta_\mu(\varepsilon)}{\delta} \le ",
        _BY_MU,
        r",\quad t = \sqrt{2\log(1/\delta)},\ \mu = \sqrt{2B^*}",
    ),
    uses=("Gaussian hockey-stick", "B*"),
    steps=(
        *beside("slack_half", "slack_by_mu"),
        Step(
            "At mu = sqrt(2 B*) the loss reaches epsilon at t = sqrt(2 log(1/delta)).",
            *identity(lambda: ((b**2 + 2 * b * m) / (SQRT2 * b) - SQRT2 * b / 2, SQRT2 * m)),
            r"\frac\varepsilon\mu - \frac\mu2 = t",
        ),
        Step(
            "The share of delta that is used is a difference of Mills ratios.",
            *identity(_ratio),
            r"\frac{\delta_\mu(\varepsilon)}{\delta} = \frac{R(t) - R(t+\mu)}{\sqrt{2\pi}},\quad"
            r" R(x) = \frac{1-\Phi(x)}{\varphi(x)}",
        ),
        Step(
            "The box in (epsilon, l) reaches delta = 1/2: 0.693 < log 2.",
            certified("log(2) - 693/1000"),
            {"0.694": certified("log(2) - 694/1000")},
            r"0.693 < \log 2",
        ),
        Step(
            "And delta = 1e-30: 30 log 10 < 69.08.",
            certified("6908/100 - 30*log(10)"),
            {"69": certified("69 - 30*log(10)")},
            r"30\log10 < 69.08",
        ),
        Step(
            "On the whole box less than a fifth of delta is used.",
            _on_the_box(_below("(1/5)")),
            {"less than 0.19": _on_the_box(_below("(19/100)"))},
            r"\delta_{\sqrt{2B^*}}(\varepsilon) < \delta/5",
        ),
        Step(
            "On the whole box Gaussians keep (epsilon, delta) even with 5 % more budget.",
            _on_the_box(_raised("(105/100)")),
            {"6 % more budget": _on_the_box(_raised("(106/100)"))},
            r"\delta_{\sqrt{2.1B^*}}(\varepsilon) < \delta",
        ),
        Step(
            "They do not with 6 % more: at epsilon = 50 and log(1/delta) = 69 the promise is broken.",
            certified(f"0 - ({_raised('(106/100)')})", e=(50, 50), l=(69, 69)),
            {"5 % more": certified(f"0 - ({_raised('(105/100)')})", e=(50, 50), l=(69, 69))},
            r"\delta_{\sqrt{2.12B^*}}(50) > e^{-69}",
        ),
    ),
)
