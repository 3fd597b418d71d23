"""The natural filter composes the mechanisms run so far as if they had been fixed; under adaptivity that is unsound."""

from __future__ import annotations

import sympy as sp

from theory.claims.notations import Formula
from theory.claims.table import in_kernel
from theory.claims.theorem import Step, Theorem
from theory.proofs.symbolic import Sides, signed, zero

__all__ = ["THEOREM"]


# -- two rounds, any (epsilon, delta) ---------------------------------------------------------------

# o, g, x: e^{e1}, e^epsilon, e^{eB}; delta is promised. On the branch "+" RR(eB) shall spend delta/p_+.
o, g, x, delta = sp.symbols("o g x delta", positive=True)
room, more = sp.symbols("room more", nonnegative=True)
_P_PLUS = o / (1 + o)


def _chosen() -> sp.Expr:
    share = delta / _P_PLUS
    return (g / o + share) / (1 - share)


def _solves(sign: int = 1) -> Sides:
    # H_{e^{epsilon - e1}}(RR(eB)) = (x - g/o)/(1 + x), and delta / p_+
    return ((x - g / o) / (1 + x)).subs(x, _chosen()), sign * delta / _P_PLUS


def _minus_plus() -> tuple[sp.Expr, tuple[sp.Expr, ...]]:
    # e^epsilon Q - P at the outcome "-" then "+", where x is below g o by `room`
    above = ((x + room) / o) * (o / (1 + o)) / (1 + x) - (1 / (1 + o)) * x / (1 + x)
    return above, (room / ((1 + o) * (1 + x)),)


def _plus_minus() -> tuple[sp.Expr, tuple[sp.Expr, ...]]:
    # e^epsilon Q - P at the outcome "+" then "-", where g is above o by `more` and x above 1 by `room`
    second = 1 + room
    above = (o + more) * second / ((1 + o) * (1 + second)) - o / ((1 + o) * (1 + second))
    return above, ((more + (o + more) * room) / ((1 + o) * (1 + second)),)


def _truth(factor: sp.Expr | int = 1) -> Sides:
    reached = _P_PLUS * ((x - g / o) / (1 + x)).subs(x, _chosen()) + (1 - _P_PLUS) * delta
    return reached, delta * (1 + factor / (1 + o))


_REACHED = Formula("delta*(1 + 1/(1 + exp(e1)))", delta=("1/1024", "1/4"), e1=("1/8", "3"))

THEOREM = Theorem(
    name="natural filter",
    title="The natural filter breaks its promise",
    source="this project; natural filters are also the subject of arXiv 2602.06756",
    hypotheses="the filter that admits while the mechanisms run so far, composed as if they had been fixed in "
    "advance, keep (epsilon, delta)-DP; two witnesses: three rounds of randomised response, two rounds at any "
    "epsilon >= e1 > 0 with delta (1 + e^-e1) < 1 and e^eB <= e^(epsilon + e1)",
    claim="It is not (epsilon, delta)-DP: an adaptive analyst reaches 1899/5915 against a promise of 45/169, and "
    "delta (1 + 1/(1 + e^e1)) against delta",
    stated=(r"H_{e^\varepsilon} = ", _REACHED, r" > \delta"),
    steps=(
        *in_kernel("natural_filter_fails", "no_strategy_more"),
        Step(
            'Two rounds: after RR(e1) says "+", the e_B with e^eB = (e^(epsilon-e1) + s)/(1 - s), '
            "s = delta/p_+, spends exactly delta/p_+ there.",
            zero(_solves),
            {"wrong sign": zero(lambda: _solves(-1))},
            r"H_{e^{\varepsilon-\varepsilon_1}}(\mathrm{RR}(\varepsilon_B)) = \frac{\delta}{p_+}",
        ),
        Step(
            'The filter, which composes as if nothing were chosen, sees delta there too: "-" and then "+" stays under '
            "epsilon while e^eB <= e^(epsilon + e1) ...",
            *signed(lambda: _minus_plus()[0], lambda: _minus_plus()[1], wrong="wrong sign"),
            r"e^\varepsilon q_-(1-k_B) - p_-k_B \ge 0",
        ),
        Step(
            '... and "+" and then "-" while e^epsilon >= e^e1 and e^eB >= 1: only "+" twice adds, p_+ delta/p_+.',
            *signed(lambda: _plus_minus()[0], lambda: _plus_minus()[1], wrong="wrong sign"),
            r"e^\varepsilon q_+k_B - p_+(1-k_B) \ge 0",
        ),
        Step(
            'Revealing the bit with probability delta after "-" adds p_- delta to the delta spent after "+".',
            zero(_truth),
            {"1 % less": zero(lambda: _truth(sp.Rational(99, 100)))},
            r"p_+\frac{\delta}{p_+} + p_-\delta = \delta\left(1 + \frac1{1+e^{\varepsilon_1}}\right)",
        ),
        Step(
            "That is more than delta.",
            *signed(
                lambda: delta * (1 + 1 / (1 + o)) - delta,
                lambda: (delta / (1 + o),),
                strict=True,
                wrong="less",
            ),
            r"\delta\left(1+\frac1{1+e^{\varepsilon_1}}\right) - \delta ="
            r" \frac{\delta}{1+e^{\varepsilon_1}} > 0",
        ),
    ),
)
