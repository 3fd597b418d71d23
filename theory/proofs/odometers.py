"""Odometers: bounds on the privacy loss at all times at once, each from one supermartingale and Ville's inequality."""

from __future__ import annotations

import sympy as sp

from theory.claims.notations import Formula
from theory.claims.table import in_kernel
from theory.claims.theorem import Check, Step, Theorem
from theory.proofs.engines import certified, certified_each
from theory.proofs.expressions import as_written
from theory.proofs.loss_supermartingale import kept_half
from theory.proofs.rogers_steps import ROGERS
from theory.proofs.symbolic import Sides, nonnegative, signed, zero

__all__ = ["THEOREM"]

# log = log(1/delta), squares S = 2 sum rho, spread H; gain y is the loss less S/2.
k, log, squares, spread, gain, n, delta, v = sp.symbols("k l S H y n delta v", positive=True)
later, over, more, bad, tail = sp.symbols("a o p D d", nonnegative=True)
half = sp.Rational(1, 2)


@as_written
def _line(constant: sp.Expr | int = 1) -> Sides:
    # k L - k (k+1) S/2 where L is the line's bound, and l
    bound = (k + 1) * squares / 2 + constant * log / k
    return k * bound - k * (k + 1) * squares / 2, log


def _best() -> sp.Expr:
    # a line less the bound of its best exponent, a square
    return (k + 1) * squares / 2 + log / k - (squares / 2 + sp.sqrt(2 * log * squares))


@as_written
def _simple(factor: sp.Expr | int) -> Sides:
    # the best line at S = 2 rho, and the simple conversion
    rho = squares / 2
    exponent = sp.sqrt(2 * log / squares)
    return (exponent + 1) * squares / 2 + log / exponent, rho + factor * sp.sqrt(rho * log)


@as_written
def _rises() -> sp.Expr:
    # a line between S and S + a
    def line(at: sp.Expr) -> sp.Expr:
        return (k + 1) * at / 2 + log / k

    return line(squares + later) - line(squares)


def _half_mixture(factor: sp.Expr | int = 1) -> Sides:
    at = sp.Symbol("z", positive=True)
    total = squares + spread
    # the square of z - y/(S+H) is completed, so that an error function is seen
    inside = sp.exp(at * gain - at**2 * total / 2)
    closed = sp.exp(gain**2 / (2 * total)) * (1 + sp.erf(gain / sp.sqrt(2 * total)))
    scale = 2 * sp.sqrt(spread) / sp.sqrt(2 * sp.pi)
    return scale * sp.Integral(inside, (at, 0, sp.oo)), factor * sp.sqrt(spread / total) * closed


@as_written
def _ville_at(share: sp.Expr) -> Sides:
    # log of the mixture where y^2 = 2 (S + H)(l + log(S/H + 1) share), and l
    square = 2 * (squares + spread) * (log + share * sp.log(squares / spread + 1))
    return (
        square / (2 * (squares + spread)) - sp.log(squares / spread + 1) / 2,
        log,
    )


@as_written
def _half_enough() -> sp.Expr:
    # 2 Phi of a positive argument less 1
    return (1 + sp.erf(gain)) - 1


def _basel() -> sp.Expr:
    # 1/(n+1-1/2) - 1/(n+1+1/2) less 1/(n+1)^2, for the terms after the n-th
    j = n + 1
    return 1 / (j - half) - 1 / (j + half) - 1 / j**2


_BASEL_GAP = 1 / ((n + 1) ** 2 * (4 * (n + 1) ** 2 - 1))


def _zeta() -> sp.Expr:
    # how fast x^(-7/5) falls
    return -sp.diff(squares ** sp.Rational(-7, 5), squares)


@as_written
def _epoch(width: sp.Expr) -> Sides:
    # a line best at the middle of an epoch, at an end of it, over sqrt(2 S l): (sqrt c + 1/sqrt c)/2 at S = c middle
    middle = squares / width
    exponent = sp.sqrt(2 * log / middle)
    bound = exponent * squares / 2 + log / exponent
    quarter = sp.Rational(1, 4)
    return bound, (2**quarter + 1 / 2**quarter) / 2 * sp.sqrt(2 * squares * log)


@as_written
def _shares(base: sp.Expr) -> Sides:
    # 2 log2(n) lines at delta log 2/(8 log n) each
    x = sp.log(n + 1)
    return (2 * x / sp.log(base)) * (delta * sp.log(2) / (8 * x)), delta / 4


def _all_failures() -> sp.Expr:
    # at most 2 y + 1 lines at 1/(8 y), the outer line at 1/(4 y), y = log2(n) = 3/2 + o: against 1/2
    y = sp.Rational(3, 2) + over
    return half - ((2 * y + 1) / (8 * y) + 1 / (4 * y))


def _outer() -> sp.Expr:
    ratio = squares / spread
    printed = 2 * (squares + spread) * (1 + sp.log(ratio + 1) / 2) * (1 + over)
    needed = 2 * (squares + spread) * ((1 + over) + sp.log(ratio + 1) / 2)
    return printed - needed


def _inner(slope: sp.Expr) -> sp.Expr:
    # log(110) + 1 > 57/10; with x = 1 + o: what the printed line has above the stitched one
    x = 1 + over
    return sp.Rational(57, 10) + 2 * x - slope * (x + sp.Rational(2447, 1000))


def _partial(power: str, last: int) -> str:
    return " + ".join(f"{j}**({power})" for j in range(1, last + 1))


def _three(square: str, constant: str, shift: str) -> Check:
    return certified_each(
        lambda: (
            f"{square} - ((2**(1/4) + 2**(-1/4))/2)**2",
            f"log(110) + 1 - {constant}",
            f"{shift} - log(8/log(2))",
        )
    )


_STITCHES = f"({_partial('-7/5', 20)} + (20**(-2/5) - 2100**(-2/5))*5/2)"
_DOUBLINGS = f"({' + '.join(f'1/{j**2}' for j in range(1, 21))} + 2/41 - 2/4201)"
_SLOPE = sp.Rational(10304, 10000)

_LINE = Formula(
    "(k + 1)*S/2 + l/k",
    rocq="(k + 1) * v + ln (1 / delta) / k",
    names={"v": "S/2", "delta": "exp(-l)"},
    k=("1/4", "4"),
    S=("1/16", "2"),
    l=("1", "12"),
)
_MIXTURE = Formula(
    "S/2 + sqrt(2*(S + H)*(l + log(S/H + 1)/2))", S=("1/16", "2"), H=("1/16", "2"), l=("1", "12")
)
_DOUBLING = Formula("rho + 2*sqrt(rho*l)", rho=("1/16", "2"), l=("1", "12"))
_ROGERS = Formula(
    "sqrt(2*S*(log(110) + 1 + 2*log(log(n)/delta)))",
    S=("1/16", "1"),
    n=("3", "1000"),
    delta=("1/1024", "1/4"),
)

THEOREM = Theorem(
    name="odometers",
    title="Odometers: the loss is below a bound at all times at once",
    source="Whitehouse, Ramdas, Rogers & Wu; Howard, Ramdas, McAuliffe & Sekhon; Lécuyer; Rogers, Roth, Ullman & "
    "Vadhan, Theorem 6.1; derived here",
    hypotheses="mechanisms with finitely many outcomes, at most 2100 doublings of S, finitely many rounds chosen by "
    "the outputs so far; a loss is infinite with probability at most xi_t, and over the finite ones E_P e^(k L) <= "
    "e^(k (k+1) rho_t) for each k > 0, S = 2 sum rho_t, l = log(1/delta); for Rogers et al. S = sum epsilon_t^2 of "
    "(epsilon_t, delta_t)-DP pairs like KOV, delta < 1/e, n >= 3 and sum delta_t <= delta/2",
    claim="With probability at least 1 - delta - sum xi_t the loss is at all times at most the line (k + 1) S/2 + l/k "
    "for one k, or the mixture for one H; or the least of the lines best at first 2^(j+1/2), each at its share (j+1)"
    "^(-7/5)/zeta(7/5) of delta; or the line at S = 2 rho, rho = first 2^j, for the least such rho above sum rho_t, at "
    "its share 6/(pi (j+1))^2. For Rogers et al. with probability at least 1 - delta, above the sum of drifts",
    stated=(
        r"L \le ",
        _LINE,
        r",\quad L \le ",
        _MIXTURE,
        r",\quad L \le ",
        _DOUBLING,
        r",\quad L - \textstyle\sum_t\varepsilon_t(e^{\varepsilon_t}-1)/2 \le ",
        _ROGERS,
    ),
    uses=("loss supermartingale", "Rogers filter"),
    steps=(
        *in_kernel(
            "lines_odometer", "line_odometer", "stitched_odometer", "doubling_odometer", "odometer_as_filter"
        ),
        Step(
            "The line: M = e^(k L - k (k+1) S/2) reaches 1/delta where L is at the line.",
            zero(_line),
            {"1 % less": zero(lambda: _line(sp.Rational(99, 100)))},
            r"k\left(\tfrac{(k+1)S}2 + \tfrac lk\right) - \tfrac{k(k+1)}2S = l",
        ),
        Step(
            "It is at least S/2 + sqrt(2 l S), by a square that is 0 where k^2 = 2 l/S: its k is best at the S that is "
            "the target.",
            *signed(_best, lambda: ((sp.sqrt(k * squares / 2) - sp.sqrt(log / k)) ** 2,), wrong="at most"),
            r"\tfrac{(k+1)S}2 + \tfrac lk - \left(\tfrac S2 + \sqrt{2lS}\right) = "
            r"\left(\sqrt{kS/2} - \sqrt{l/k}\right)^2 \ge 0",
        ),
        Step(
            "The mixture: over k >= 0 with twice the density of N(0, 1/H), y = L - S/2 > 0.",
            zero(_half_mixture),
            {"1 % more": zero(lambda: _half_mixture(sp.Rational(101, 100)))},
            r"\int_0^\infty e^{zy-z^2S/2}\,2\sqrt{\tfrac{H}{2\pi}}e^{-Hz^2/2}\,dz = "
            r"\sqrt{\tfrac{H}{S+H}}\,e^{y^2/(2(S+H))}\left(1 + \mathrm{erf}\tfrac{y}{\sqrt{2(S+H)}}\right)",
        ),
        Step(
            "Its last factor is at least 1; where L <= S/2 the bound holds anyway.",
            *signed(_half_enough, lambda: (sp.erf(gain),), wrong="at most"),
            r"1 + \mathrm{erf}\,y \ge 1,\quad y > 0",
        ),
        Step(
            "So it reaches 1/delta before y^2 is 2 (S + H)(l + log(S/H + 1)/2).",
            zero(lambda: _ville_at(half)),
            {"log(S/H + 1) in full": zero(lambda: _ville_at(sp.Integer(1)))},
            r"\log\left(\sqrt{\tfrac{H}{S+H}}\,e^{y^2/(2(S+H))}\right) = l",
        ),
        Step(
            "Stitching takes lines at shares of delta, and whichever are looked at, all hold but for the sum of their "
            "shares. The terms j^(-7/5) fall, so those after the 20th add to at most their integral: ...",
            *signed(
                _zeta,
                lambda: (sp.Rational(7, 5) * squares ** sp.Rational(-12, 5),),
                strict=True,
                wrong="rise",
            ),
            r"-\frac{d}{dx}x^{-7/5} = \tfrac75x^{-12/5} > 0",
        ),
        Step(
            "... 2100 of them add to less than 3.05, below zeta(7/5), so the shares to less than delta.",
            certified(f"61/20 - {_STITCHES}", precision=96),
            {"2.95": certified(f"59/20 - {_STITCHES}", precision=96)},
            r"\sum_{j\le20} j^{-7/5} + \tfrac52\left(20^{-2/5} - 2100^{-2/5}\right) < 3.05",
        ),
        Step(
            "zeta(7/5) is more than 3.05: 20 terms, and the integral from 21 on.",
            certified(f"{_partial('-7/5', 20)} + 21**(-2/5)*5/2 - 61/20", precision=96),
            {"3.15": certified(f"{_partial('-7/5', 20)} + 21**(-2/5)*5/2 - 63/20", precision=96)},
            r"\sum_{j\le20} j^{-7/5} + \tfrac52\,21^{-2/5} > 3.05",
        ),
        Step(
            "Doubling: the best line at S = 2 rho is the simple conversion at rho, ...",
            zero(lambda: _simple(2)),
            {"without the 2": zero(lambda: _simple(1))},
            r"\tfrac{(k+1)S}2 + \tfrac lk = \rho + 2\sqrt{\rho l},\quad k = \sqrt{2l/S},\ S = 2\rho",
        ),
        Step(
            "... and a line rises with S, so it holds up to there; the least rho = first 2^j above the sum is one line "
            "of the family.",
            *signed(_rises, lambda: (k * later / 2, later / 2), wrong="falls"),
            r"\tfrac{(k+1)(S+a)}2 - \tfrac{(k+1)S}2 = \tfrac{(k+1)a}2 \ge 0",
        ),
        Step(
            "The squares 1/j^2 after the n-th are below differences that telescope, ...",
            *signed(_basel, lambda: (_BASEL_GAP,), wrong="above"),
            r"\frac1{j-\frac12} - \frac1{j+\frac12} - \frac1{j^2} = \frac1{j^2(4j^2-1)} \ge 0,\quad j = n + 1",
        ),
        Step(
            "... so 2100 of them add to less than pi^2/6, and the shares to less than delta.",
            certified(f"pi**2/6 - {_DOUBLINGS}", precision=96),
            {"pi^2/6 less 1/100": certified(f"pi**2/6 - 1/100 - {_DOUBLINGS}", precision=96)},
            r"\sum_{j\le20}\frac1{j^2} + \frac{2}{41} - \frac{2}{4201} < \frac{\pi^2}6",
        ),
        Step(
            "An infinite loss in the first rounds puts M to 0; these cost their probability, D = sum xi_t, beside d.",
            *signed(kept_half, lambda: (bad * tail,), wrong="at least"),
            r"(D + d) - \left(1 - (1-D)(1-d)\right) = Dd \ge 0",
        ),
        *ROGERS,
        Step(
            "Rogers et al., S outside [1/n^2, 1]: the mixture of the Rogers filter with H = 1/n^2 at delta/(4 log2 n), "
            "with l = log(4 log2(n)/delta) = 1 + o.",
            *signed(
                _outer,
                lambda: ((squares + spread) * sp.log(squares / spread + 1) * over,),
                wrong="less than it",
            ),
            r"2(S+H)\left(1+\tfrac\lambda2\right)l - 2(S+H)\left(l+\tfrac\lambda2\right) = (S+H)\lambda(l-1) \ge 0",
        ),
        Step(
            "Inside, lines for the doublings of S from 1/n^2 to 1: best in the middle of an epoch, a line is at the "
            "epoch's upper end (2^(1/4) + 2^(-1/4))/2 times the best, ...",
            zero(lambda: _epoch(sp.sqrt(2))),
            {"an epoch of 4": zero(lambda: _epoch(sp.Integer(2)))},
            r"\tfrac{kS}2 + \tfrac lk = \tfrac{2^{1/4}+2^{-1/4}}2\sqrt{2Sl},\quad S = \sqrt2\,m,\ k = \sqrt{2l/m}",
        ),
        Step(
            "... and as much at the lower end.",
            zero(lambda: _epoch(1 / sp.sqrt(2))),
            {"an epoch of 4": zero(lambda: _epoch(sp.Integer(1) / 2))},
            r"\tfrac{kS}2 + \tfrac lk = \tfrac{2^{1/4}+2^{-1/4}}2\sqrt{2Sl},\quad S = m/\sqrt2",
        ),
        Step(
            "The square of this number is below 1.0304; log 110 + 1 is above 5.7; log(8/log 2) is below 2.447.",
            _three("10304/10000", "57/10", "2447/1000"),
            {
                "1.0303": _three("10303/10000", "57/10", "2447/1000"),
                "2.445": _three("10304/10000", "57/10", "2445/1000"),
            },
            r"\left(\tfrac{2^{1/4}+2^{-1/4}}2\right)^2 < 1.0304,\quad \log110 + 1 > 5.7,\quad \log\tfrac8{\log2} < "
            r"2.447",
        ),
        Step(
            "So with x = log(log(n)/delta) = 1 + o the stitched lines, at l = x + 2.447, stay below the printed one.",
            nonnegative(
                lambda: _inner(_SLOPE),
                lambda: (sp.Rational(57, 10) + 2 - _SLOPE * sp.Rational(3447, 1000), (2 - _SLOPE) * over),
            ),
            {
                "twice the slope": nonnegative(
                    lambda: _inner(3 * _SLOPE),
                    lambda: (
                        sp.Rational(57, 10) + 2 - 3 * _SLOPE * sp.Rational(3447, 1000),
                        (2 - 3 * _SLOPE) * over,
                    ),
                )
            },
            r"5.7 + 2x - 1.0304(x+2.447) \ge 0,\quad x \ge 1",
        ),
        Step(
            "2 log2(n) lines at delta log 2/(8 log n) each cost delta/4, ...",
            zero(lambda: _shares(sp.Integer(2))),
            {"log3": zero(lambda: _shares(sp.Integer(3)))},
            r"2\log_2 n\cdot\frac{\delta\log2}{8\log n} = \frac\delta4",
        ),
        Step(
            "... and with one more, where 2 log2(n) is no whole number, and the outer bound they cost at most delta/2, "
            "as log2(n) = 3/2 + o for n >= 3 (9 > 8).",
            *signed(_all_failures, lambda: (over / (4 * (sp.Rational(3, 2) + over)),), wrong="at least"),
            r"\tfrac12 - \left(\tfrac{2y+1}{8y} + \tfrac1{4y}\right) = \frac{o}{4y} \ge 0,\quad y = \log_2 n = "
            r"\tfrac32 + o",
        ),
    ),
)
