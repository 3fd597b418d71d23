"""The sparse vector technique: one noise for the threshold, one for each value, and only the first yes is paid for."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cache, partial
from itertools import product

import sympy as sp

from theory.claims.notations import Formula
from theory.claims.theorem import Step, Theorem
from theory.pairs.sparse_vector import stop_law
from theory.proofs.engines import Inequality, exact
from theory.proofs.expressions import as_written
from theory.proofs.symbolic import Sides, signed, zero

__all__ = ["THEOREM"]

r, s = sp.symbols("r s", positive=True)
j, w, a, b, more, later, higher = sp.symbols("j w a b x y z", nonnegative=True)

#: e^epsilon of each noise, and how far values are from the threshold, in the games that are enumerated.
_RATIO, _NEAR, _ROUNDS = Fraction(3), (-2, 0, 1), 3


@as_written
def _mass(power: sp.Expr) -> Sides:
    # the mass of k >= 0 is 1/r times that of k + 1
    return r**j, r ** (j + 1) * r**-power


@as_written
def _mass_below() -> sp.Expr:
    # k = -j - 1 below zero: 1/r times the mass of k + 1, less that of k, with r = 1/(1 + s)
    return (1 / (1 + s)) ** j * ((1 + s) - 1 / (1 + s))


@as_written
def _tail(power: sp.Expr) -> Sides:
    # P(noise >= m - 1) and P(noise >= m), m = j + 1
    return r**j / (1 + r), r ** (j + 1) / (1 + r) * r**-power


@as_written
def _tail_below() -> Sides:
    # m = -j: (1/r) P(noise >= m) - P(noise >= m - 1)
    at, before = 1 - r ** (1 + j) / (1 + r), 1 - r ** (2 + j) / (1 + r)
    return at / r - before, (1 - r) * (1 / r - r**j)


@as_written
def _product() -> sp.Expr:
    # the three factors at z + 1 on the other data set, with what each is above the one at z
    return (w + more) * (b + later) * (a + higher) - w * b * a


def _games(factors: int, *, monotone: bool) -> Iterator[Inequality]:
    """Each probability of the stop beside ratio^factors times that on the other data set."""
    steps = (0, 1) if monotone else (-1, 0, 1)
    law = cache(partial(stop_law, ratio=_RATIO))  # of the same values in many pairs of data sets
    for values in product(_NEAR, repeat=_ROUNDS):
        for differences in product(steps, repeat=_ROUNDS):
            others = tuple(value + step for value, step in zip(values, differences, strict=True))
            for one, other in zip(law(values), law(others), strict=True):
                yield one, "<=", _RATIO**factors * other
                yield other, "<=", _RATIO**factors * one


_THREE = Formula("3*epsilon", epsilon=("1/8", "2"))

THEOREM = Theorem(
    name="sparse vector",
    title="Stopping by the sparse vector technique",
    source="Dwork, Naor, Reingold, Rothblum & Vadhan; Lyu, Su & Li; named by Feldman & Zrnic, Section 5",
    hypotheses="whole values chosen by the answers so far, each at most one apart on two neighbouring data sets; "
    "two-sided geometric noise of e^epsilon, once on the threshold and anew on each value; any number of answers that "
    "it is not reached, and one that it is. The sum over the noise of the threshold is that of a series, in prose",
    claim="All answers together are 3 epsilon-DP, and 2 epsilon-DP where no value of one data set is below the other's",
    stated=(r"\log\frac{P(T=i)}{Q(T=i)} \le ", _THREE),
    steps=(
        Step(
            "The noise of the threshold has at k at most e^epsilon = 1/r that of k + 1: from 0 up exactly ...",
            zero(lambda: _mass(sp.Integer(1))),
            {"as much": zero(lambda: _mass(sp.Integer(0)))},
            r"r^k = \tfrac1r\, r^{k+1}",
        ),
        Step(
            "... and below 0 less.",
            *signed(_mass_below, lambda: ((1 / (1 + s)) ** j * s * (2 + s) / (1 + s),), wrong="more"),
            r"\tfrac1r\, r^j - r^{j+1} \ge 0",
        ),
        Step(
            "A value one higher reaches the threshold with at most e^epsilon times the probability: above the "
            "threshold's noise exactly ...",
            zero(lambda: _tail(sp.Integer(1))),
            {"as often": zero(lambda: _tail(sp.Integer(0)))},
            r"P(X \ge m-1) = \tfrac1r P(X \ge m),\ m \ge 1",
        ),
        Step(
            "... and below it less, as r < 1.",
            zero(_tail_below),
            {"1 - r forgotten": zero(lambda: (_tail_below()[0], 1 / r - r**j))},
            r"\tfrac1r P(X \ge -j) - P(X \ge -j-1) = (1-r)(\tfrac1r - r^j) \ge 0",
        ),
        Step(
            "On the other data set, at a threshold one higher: its mass w times e^epsilon, no value before the last "
            "more often above it (b), and the last, two nearer at most, above it (a) with e^(2 epsilon) times the "
            "probability. If no value of the other data set is above, the threshold stays where it is and one factor "
            "is enough; if none is below, the threshold moves and the last value is at most one nearer, so two are.",
            *signed(
                _product,
                lambda: (
                    more * b * a,
                    (w + more) * later * a,
                    (w + more) * (b + later) * higher,
                ),
                wrong="less",
            ),
            r"e^{\varepsilon}w'\, b'\, e^{2\varepsilon}a' \ge w\,b\,a",
        ),
        Step(
            "Exactly, for all values -2, 0, 1 of three rounds and all values at most one apart, at e^epsilon = 3.",
            exact(lambda: _games(3, monotone=False)),
            {"2 epsilon": exact(lambda: _games(2, monotone=False))},
            r"P(T=i) \le 27\, Q(T=i)",
        ),
        Step(
            "The same where no value of the other data set is below.",
            exact(lambda: _games(2, monotone=True)),
            {"epsilon": exact(lambda: _games(1, monotone=True))},
            r"P(T=i) \le 9\, Q(T=i)",
        ),
    ),
)
