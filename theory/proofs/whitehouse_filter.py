"""The filter of advanced composition of Whitehouse, Ramdas, Rogers and Wu: one Markov bound at the best exponent."""

from __future__ import annotations

import sympy as sp

from theory.proofs.engines import Sides, certified, in_kernel, nonnegative, zero
from theory.proofs.expressions import as_written
from theory.proofs.loss_supermartingale import kept_half
from theory.proofs.notations import Formula
from theory.proofs.theorem import Step, Theorem

__all__ = ["THEOREM"]

# log = log(1/d'); root is the square root of S.
log, eps, root = sp.symbols("l epsilon s", positive=True)
left, bad, tail, weight = sp.symbols("left D d w", nonnegative=True)
k, squares, v = sp.symbols("k S v", positive=True)


@as_written
def _limit(factor: sp.Expr) -> Sides:
    # sqrt(2 log S) + S/2 at S = factor B*, with sqrt(S) = sqrt(factor) (sqrt(log + eps) - sqrt(log))
    difference = sp.sqrt(log + eps) - sp.sqrt(log)
    return sp.sqrt(2 * log) * sp.sqrt(factor) * difference + factor * difference**2 / 2, eps


@as_written
def _rises(sign: int = 1) -> sp.Expr:
    # in sqrt(S): a larger root by `left` costs more
    now, larger = (
        sp.sqrt(2 * log) * root + root**2 / 2,
        sp.sqrt(2 * log) * (root + left) + (root + left) ** 2 / 2,
    )
    return sign * (larger - now)


@as_written
def _markov(exponent: sp.Expr) -> Sides:
    # k epsilon - k (k+1) S/2 at epsilon = sqrt(2 log S) + S/2
    spent = root**2
    epsilon = sp.sqrt(2 * log) * root + spent / 2
    return exponent * epsilon - exponent * (exponent + 1) * spent / 2, log


def _less(sign: int = 1) -> sp.Expr:
    # what M is divided by at the stop, S = squares of S + left, against the whole of it
    whole = sp.exp(-k * (k + 1) * squares / 2)
    return sign * (whole * sp.exp(k * (k + 1) * left / 2) - whole)


def _less_terms(sign: int = 1) -> tuple[sp.Expr, ...]:
    whole = sp.exp(-k * (k + 1) * squares / 2)
    return (sign * whole * sp.Integral(sp.exp(v), (v, 0, k * (k + 1) * left / 2)),)


@as_written
def _weighted(sign: int = 1) -> sp.Expr:
    # d' and the deltas themselves against d' and their weighted sum, weight 1 + w
    return sign * ((tail + (1 + weight) * bad) - (tail + bad))


_CONDITION = Formula(
    "sqrt(2*l*S) + S/2",
    rocq="sqrt (2 * ln (/ tail) * squares) + squares / 2",
    names={"tail": "exp(-l)", "squares": "S"},
    l=("1", "12"),
    S=("1/64", "1"),
)

THEOREM = Theorem(
    name="Whitehouse filter",
    title="The filter of advanced composition with one exponent",
    source="Whitehouse, Ramdas, Rogers & Wu, Theorem 1 of arXiv 2203.05481; derived here",
    hypotheses="epsilon > 0, 0 < d' <= delta < 1, weight at least 1; mechanisms with finitely many outcomes, finitely "
    "many rounds chosen by the outputs so far, mechanism t (epsilon_t, delta_t)-DP both ways, S = sum epsilon_t^2; a "
    "filter that admits while the value below is at most epsilon, l = log(1/d'), and d' + weight sum delta_t <= delta, "
    "and decides before the release",
    claim="The transcript is (epsilon, delta)-DP; the condition on S reads S <= 2 B*, B* the simple budget at "
    "(epsilon, d')",
    claim_latex=rf"{_CONDITION.latex} \le \varepsilon \iff S \le 2B^*(\varepsilon, d')",
    formulas=(_CONDITION,),
    uses=("loss supermartingale", "RR zCDP", "B*", "good part", "approximate zCDP filter"),
    steps=(
        in_kernel("whitehouse_filter"),
        in_kernel("whitehouse_threshold"),
        Step(
            "At S = 2 B* the condition is an equality.",
            zero(lambda: _limit(sp.Integer(2))),
            {"S = B*": zero(lambda: _limit(sp.Integer(1)))},
            r"\sqrt{2lS} + \tfrac S2 = \varepsilon,\quad S = 2\left(\sqrt{l+\varepsilon}-\sqrt l\right)^2",
        ),
        Step(
            "Its left side rises with S, so it holds exactly for S up to 2 B*.",
            nonnegative(_rises, lambda: (sp.sqrt(2 * log) * left, root * left, left**2 / 2)),
            {
                "falls": nonnegative(
                    lambda: _rises(-1), lambda: (-sp.sqrt(2 * log) * left, -root * left, -(left**2) / 2)
                )
            },
            r"\sqrt{2l}\,a + sa + \tfrac{a^2}2 \ge 0,\quad s = \sqrt S",
        ),
        Step(
            "At the exponent k = sqrt(2 l/S) the bound M reaches 1/d' where the loss is epsilon.",
            zero(lambda: _markov(sp.sqrt(2 * log) / root)),
            {
                "half the exponent": zero(lambda: _markov(sp.sqrt(2 * log) / (2 * root))),
                "1 % more": zero(lambda: _markov(sp.Rational(101, 100) * sp.sqrt(2 * log) / root)),
            },
            r"k\varepsilon - \tfrac{k(k+1)}2 S = \log\tfrac1{d'},\quad k = \sqrt{2l/S}",
        ),
        Step(
            "A path may stop with `left` unspent; M is then larger still where the loss is epsilon. So by the loss "
            "supermartingale, with epsilon_t-DP rounds charged epsilon_t^2/2, the loss exceeds epsilon with "
            "probability at most d'.",
            nonnegative(_less, _less_terms),
            {"smaller": nonnegative(lambda: _less(-1), lambda: _less_terms(-1))},
            r"e^{-k(k+1)S/2}\left(e^{k(k+1)a/2} - 1\right) \ge 0",
        ),
        Step(
            "An (epsilon_t, delta_t)-DP mechanism is 1 - delta_t times an epsilon_t-DP one plus a rest (good part); as "
            "in the filter of approximate zCDP a hockey-stick d' of the good parts becomes D + (1 - D) d', D = sum "
            "delta_t: at most D + d' ...",
            nonnegative(kept_half, lambda: (bad * tail,)),
            {"at least": nonnegative(lambda: kept_half(-1), lambda: (-bad * tail,))},
            r"(D + d') - \left(1 - (1-D)(1-d')\right) = D d' \ge 0",
        ),
        Step(
            "... and a weight of 1 + w on them only lowers what is admitted.",
            nonnegative(_weighted, lambda: (weight * bad,)),
            {"raises": nonnegative(lambda: _weighted(-1), lambda: (-weight * bad,))},
            r"d' + (1+w)D - (d' + D) = wD \ge 0",
        ),
        Step(
            "Instances on a box: with S at the limit the exact curve of Gaussian(sqrt(S)), as which many small rounds "
            "act, stays below half of d', for l = log(1/d') from 4 to 12 and sqrt(S) from 1/10 to 1.",
            certified(
                "exp(-l)/2 - tail(sqrt(2*l)) + exp(sqrt(2*l)*s + s**2/2)*tail(sqrt(2*l) + s)",
                l=(4, 12),
                s=("1/10", 1),
                precision=96,
            ),
            {
                "a hundredth of d'": certified(
                    "exp(-l)/100 - tail(sqrt(2*l)) + exp(sqrt(2*l)*s + s**2/2)*tail(sqrt(2*l) + s)",
                    l=(4, 12),
                    s=("1/10", 1),
                )
            },
            r"\delta_{\sqrt S}\left(\sqrt{2lS}+\tfrac S2\right) < \tfrac{d'}2,\quad 4 \le l \le 12,\ "
            r"\tfrac1{10} \le \sqrt S \le 1",
        ),
    ),
)
