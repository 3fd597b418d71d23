"""Odometers: bounds on the privacy loss at all times at once, each from one supermartingale and Ville's inequality."""

from __future__ import annotations

import sympy as sp

from theory.claims.notations import Formula
from theory.claims.table import in_kernel
from theory.claims.theorem import Step, Theorem
from theory.proofs.engines import certified
from theory.proofs.expressions import as_written
from theory.proofs.symbolic import Sides, signed, zero

__all__ = ["THEOREM"]

# log = log(1/delta), squares S = 2 sum rho
k, log, squares, n = sp.symbols("k l S n", positive=True)
later = sp.Symbol("a", nonnegative=True)
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


def _basel() -> sp.Expr:
    # 1/(n+1-1/2) - 1/(n+1+1/2) less 1/(n+1)^2, for the terms after the n-th
    j = n + 1
    return 1 / (j - half) - 1 / (j + half) - 1 / j**2


_BASEL_GAP = 1 / ((n + 1) ** 2 * (4 * (n + 1) ** 2 - 1))


def _zeta() -> sp.Expr:
    # how fast x^(-7/5) falls
    return -sp.diff(squares ** sp.Rational(-7, 5), squares)


def _partial(power: str, last: int) -> str:
    return " + ".join(f"{j}**({power})" for j in range(1, last + 1))


_STITCHES = f"({_partial('-7/5', 20)} + (20**(-2/5) - 2100**(-2/5))*5/2)"
_DOUBLINGS = f"({' + '.join(f'1/{j**2}' for j in range(1, 21))} + 2/41 - 2/4201)"

_LINE = Formula(
    "(k + 1)*S/2 + l/k",
    rocq="(k + 1) * v + ln (1 / delta) / k",
    names={"v": "S/2", "delta": "exp(-l)"},
    k=("1/4", "4"),
    S=("1/16", "2"),
    l=("1", "12"),
)
_DOUBLING = Formula("rho + 2*sqrt(rho*l)", rho=("1/16", "2"), l=("1", "12"))
THEOREM = Theorem(
    name="odometers",
    title="Odometers: the loss is below a bound at all times at once",
    source="Whitehouse, Ramdas, Rogers & Wu; Howard, Ramdas, McAuliffe & Sekhon; Lécuyer; derived here",
    hypotheses="mechanisms with finitely many outcomes, at most 2100 doublings of S, finitely many rounds chosen by "
    "the outputs so far; round t loses as a rho_t-zCDP one but for outcomes of probability at most xi_t, S = 2 sum "
    "rho_t, l = log(1/delta); no bound where sum xi_t > xi",
    claim="With probability at least 1 - delta - xi the loss is at all times at most the line (k + 1) S/2 + l/k for "
    "one k > 0; or the least of the lines best at first 2^(j+1/2), each at its share (j+1)^(-7/5)/zeta(7/5) of delta; "
    "or the line at S = 2 rho, rho = first 2^j, for the least such rho above sum rho_t, at its share 6/(pi (j+1))^2",
    stated=(r"L \le ", _LINE, r",\quad L \le ", _DOUBLING),
    uses=("loss supermartingale",),
    steps=(
        *in_kernel(
            "lines_odometer", "line_odometer", "stitched_odometer", "doubling_odometer", "lines_as_filter"
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
    ),
)
