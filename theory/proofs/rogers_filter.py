"""The filter of advanced composition of Rogers, Roth, Ullman and Vadhan, by the method of mixtures."""

from __future__ import annotations

import sympy as sp

from theory.proofs.engines import Sides, certified, in_kernel, nonnegative, zero
from theory.proofs.expressions import as_written
from theory.proofs.loss_supermartingale import kept_half
from theory.proofs.notations import Formula
from theory.proofs.theorem import Step, Theorem

__all__ = ["THEOREM", "mixed", "mixed_bound", "ville_at"]

# spread is H, squares is S, gain the loss less its conditional means; share the weight of the upper end.
e, spread, squares, k, past = sp.symbols("e H S k M", positive=True)
gain, x, u = sp.symbols("y x u", real=True)
over, bad, tail = sp.symbols("o D d", nonnegative=True)
log = sp.Symbol("l", positive=True)
c = sp.Symbol("c", positive=True)


def _convex(sign: int = 1) -> sp.Expr:
    return sign * sp.diff(sp.exp(k * x), x, 2)


def _cumulant() -> sp.Expr:
    # log of the mean of e^{u (X - mean)}, X 1 with odds c against 1, else 0: a loss of two values e and -e, u = 2 k e
    return sp.log((1 + c * sp.exp(u)) / (1 + c)) - u * c / (1 + c)


@as_written
def _starts(constant: int = 0) -> Sides:
    nothing = sp.Integer(0)
    return sp.log((1 + c * sp.exp(nothing)) / (1 + c)) - nothing * c / (1 + c), sp.Integer(constant)


def _slope(sign: int = -1) -> Sides:
    return sp.diff(_cumulant(), u), c * (sp.exp(u) + sign) / ((1 + c * sp.exp(u)) * (1 + c))


def _curvature(most: sp.Expr, sign: int = 1) -> tuple[sp.Expr, tuple[sp.Expr, ...]]:
    # 1/4 less the second derivative, a square
    z = c * sp.exp(u)
    return most - sp.diff(_cumulant(), u, 2), (sign * (1 - z) ** 2 / (4 * (1 + z) ** 2),)


def _drift(sign: int = 1) -> sp.Expr:
    # e (E - 1)/2 less e tanh(e/2) = e (E - 1)/(E + 1), E = e^e
    big = sp.exp(e)
    return sign * (e * (big - 1) / 2 - e * (big - 1) / (big + 1))


def mixed(factor: sp.Expr | int = 1) -> Sides:
    """The mixture of e^(k y - k^2 S/2) over k ~ N(0, 1/H), and its closed form."""
    at = sp.Symbol("z", real=True)
    inside = sp.exp(sp.expand(at * gain - at**2 * squares / 2 - spread * at**2 / 2))
    scale = sp.sqrt(spread) / sp.sqrt(2 * sp.pi)
    closed = sp.sqrt(spread / (squares + spread)) * sp.exp(gain**2 / (2 * (squares + spread)))
    return scale * sp.Integral(inside, (at, -sp.oo, sp.oo)), factor * closed


@as_written
def ville_at(share: sp.Expr) -> Sides:
    """log of the mixture where y^2 = 2 (S + H)(l + log(S/H + 1) share), and l."""
    square = 2 * (squares + spread) * (log + share * sp.log(squares / spread + 1))
    return (
        square / (2 * (squares + spread)) - sp.log(squares / spread + 1) / 2,
        log,
    )


@as_written
def mixed_bound(sign: int = 1) -> sp.Expr:
    """The square of the deviation in K less that of Ville's bound, at l = 1 + o: (S + H)(log(S/H + 1)) o."""
    ratio = squares / spread
    printed = 2 * (squares + spread) * (1 + sp.log(ratio + 1) / 2) * (1 + over)
    needed = 2 * (squares + spread) * ((1 + over) + sp.log(ratio + 1) / 2)
    return sign * (printed - needed)


_K = Formula(
    "e*(exp(e) - 1)/2 + sqrt(2*(S + H)*(1 + log(S/H + 1)/2)*log(2/delta))",
    rocq="drift l + sqrt (2 * (squares l + H) * (1 + ln (squares l / H + 1) / 2) * ln (2 / delta))",
    names={"drift l": "e*(exp(e) - 1)/2", "squares l": "S"},
    e=("1/16", "1"),
    S=("1/64", "1"),
    H=("1/64", "1"),
    delta=("1/1024", "1/4"),
)
_QUARTER = sp.Rational(1, 4)

THEOREM = Theorem(
    name="Rogers filter",
    title="The filter of advanced composition by a mixture of exponents",
    source="Rogers, Roth, Ullman & Vadhan, Theorem 5.1; derived here",
    hypotheses="epsilon > 0, 0 < delta < 1/e, any constant H > 0; mechanisms with finitely many outcomes, finitely "
    "many rounds chosen by the outputs so far, mechanism t (epsilon_t, delta_t)-DP both ways, S = sum epsilon_t^2; a "
    "filter that admits while K <= epsilon and sum delta_t <= delta/2 and decides before the release, K the value "
    "below with the first term summed over the rounds",
    claim="The transcript is (epsilon, delta)-DP",
    claim_latex=rf"K = {_K.latex} \text{{ for one round }} e = \varepsilon_1",
    formulas=(_K,),
    uses=("RR zCDP", "loss supermartingale", "good part", "approximate zCDP filter"),
    steps=(
        in_kernel("rogers_filter"),
        Step(
            "The mean of e^(k L) of a loss between -e and e is at most that of the two-valued loss with the same mean, "
            "for e^(k x) is convex: it stays below its chord.",
            nonnegative(_convex, lambda: (k**2 * sp.exp(k * x),), strict=True),
            {"concave": nonnegative(lambda: _convex(-1), lambda: (-(k**2) * sp.exp(k * x),), strict=True)},
            r"\frac{d^2}{dx^2}e^{kx} = k^2e^{kx} > 0",
        ),
        Step(
            "The log-mean of the two-valued loss less its mean, as a function of u = 2 k e, is 0 at u = 0, ...",
            zero(_starts),
            {"1": zero(lambda: _starts(1))},
            r"\psi(u) = \log\frac{1+ce^u}{1+c} - \frac{uc}{1+c},\quad \psi(0) = 0",
        ),
        Step(
            "... its slope has the factor e^u - 1, so it is 0 there, ...",
            zero(_slope),
            {"the factor e^u + 1": zero(lambda: _slope(1))},
            r"\psi'(u) = \frac{c(e^u-1)}{(1+ce^u)(1+c)}",
        ),
        Step(
            "... and its second derivative is at most 1/4: so it is at most u^2/8 = k^2 e^2/2 (Hoeffding's lemma), for "
            "negative u too.",
            nonnegative(lambda: _curvature(_QUARTER)[0], lambda: _curvature(_QUARTER)[1]),
            {"1/5": nonnegative(lambda: _curvature(sp.Rational(1, 5))[0], lambda: _curvature(_QUARTER)[1])},
            r"\tfrac14 - \psi''(u) = \left(\frac{1-ce^u}{2(1+ce^u)}\right)^2 \ge 0",
        ),
        Step(
            "The conditional mean of the loss of an e-DP round is at most e tanh(e/2) (RR zCDP), which is at most the "
            "drift e (e^e - 1)/2.",
            nonnegative(_drift, lambda: (e * (sp.exp(e) - 1) ** 2 / (2 * (sp.exp(e) + 1)),)),
            {
                "at least": nonnegative(
                    lambda: _drift(-1), lambda: (-e * (sp.exp(e) - 1) ** 2 / (2 * (sp.exp(e) + 1)),)
                )
            },
            r"\frac{e(E-1)}2 - \frac{e(E-1)}{E+1} = \frac{e(E-1)^2}{2(E+1)} \ge 0,\quad E = e^e",
        ),
        Step(
            "So e^(k y - k^2 S/2), y the loss less its conditional means, is a supermartingale for each real k. Its "
            "mixture over k with the law N(0, 1/H) is one too, and has a closed form.",
            zero(mixed),
            {"1 % more": zero(lambda: mixed(sp.Rational(101, 100)))},
            r"\int e^{ky-k^2S/2}\,\sqrt{\tfrac{H}{2\pi}}e^{-Hk^2/2}\,dk = "
            r"\sqrt{\tfrac{H}{S+H}}\,e^{y^2/(2(S+H))}",
        ),
        Step(
            "The mixture reaches e^l where y^2 is 2 (S + H)(l + log(S/H + 1)/2): by the induction of the loss "
            "supermartingale that happens with probability at most e^-l = delta/2, at any time, for l = log(2/delta).",
            zero(lambda: ville_at(sp.Rational(1, 2))),
            {"log(S/H + 1) in full": zero(lambda: ville_at(sp.Integer(1)))},
            r"\log\left(\sqrt{\tfrac{H}{S+H}}\,e^{y^2/(2(S+H))}\right) = l",
        ),
        Step(
            "K asks for more than that, as log(2/delta) = 1 + o with o >= 0 ...",
            nonnegative(mixed_bound, lambda: ((squares + spread) * sp.log(squares / spread + 1) * over,)),
            {
                "for less": nonnegative(
                    lambda: mixed_bound(-1),
                    lambda: (-(squares + spread) * sp.log(squares / spread + 1) * over,),
                )
            },
            r"2(S+H)\left(1+\tfrac{\lambda}2\right)l - 2(S+H)\left(l+\tfrac\lambda2\right) = "
            r"(S+H)\lambda(l-1) \ge 0,\quad \lambda = \log\left(\tfrac SH+1\right)",
        ),
        Step(
            "... for each delta from 1/10^30 to 1/2, beyond 1/e: log(2/delta) > 1.",
            certified("log(2/d) - 1", d=("1/" + "1" + "0" * 30, "1/2")),
            {"log(1/delta)": certified("log(1/d) - 1", d=("1/" + "1" + "0" * 30, "1/2"))},
            r"\log\tfrac2\delta > 1,\quad 10^{-30} \le \delta \le \tfrac12",
        ),
        Step(
            "An (epsilon_t, delta_t)-DP mechanism is 1 - delta_t times an epsilon_t-DP one plus a rest (good part); as "
            "in the filter of approximate zCDP a hockey-stick d of the good parts becomes D + (1 - D) d, D = sum "
            "delta_t: at most D + d = delta.",
            nonnegative(kept_half, lambda: (bad * tail,)),
            {"at least": nonnegative(lambda: kept_half(-1), lambda: (-bad * tail,))},
            r"(D + d) - \left(1 - (1-D)(1-d)\right) = Dd \ge 0",
        ),
        Step(
            "A round of randomised response on a box of its epsilon and k: the mean of e^(k L) is below e^(k m + k^2 "
            "e^2/2), m the mean of the loss.",
            certified(
                "exp(k*e*tanh(e/2) + k**2*e**2/2) - cosh((k + 1/2)*e)/cosh(e/2)",
                e=("3/4", 2),
                k=("1/2", 2),
                precision=53,
            ),
            {
                "25 % less": certified(
                    "exp(k*e*tanh(e/2) + 3*k**2*e**2/8) - cosh((k + 1/2)*e)/cosh(e/2)",
                    e=("1/2", 2),
                    k=("1/2", 2),
                )
            },
            r"\frac{\cosh((k+\frac12)e)}{\cosh(e/2)} < e^{ke\tanh(e/2)+k^2e^2/2},\quad"
            r" \tfrac34 \le e \le 2,\ \tfrac12 \le k \le 2",
        ),
    ),
)
