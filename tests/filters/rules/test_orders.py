"""All orders hold the promise; some order does not."""

import math
from fractions import Fraction

import numpy as np
import pytest

import filters as fp
from filters.accounting.ledger import Budget
from theory.guarantees import RenyiDP
from theory.pairs import FinitePair, Gaussian, RandomizedResponse


def test_all_orders_admit_what_the_tightest_admits() -> None:
    filt = fp.AllOrdersFilter((2.0, 8.0, 32.0), (0.25, 1.0, 4.0))
    assert filt.affordable(filt.start(1), Gaussian)[0] == 0.5
    tight = fp.AllOrdersFilter((2.0, 32.0), (0.25, 1.0))
    assert tight.open().remaining() == pytest.approx(0.25, rel=1e-15)
    rng = np.random.default_rng(1)
    alone = [fp.RenyiFilter(2.0, 0.25), fp.RenyiFilter(8.0, 1.0), fp.RenyiFilter(32.0, 4.0)]
    states = [f.start(50) for f in alone]
    state = filt.start(50)
    for _ in range(8):
        pair = RandomizedResponse(rng.uniform(0, 0.5, 50))
        each = np.array([f.admits(s, pair) for f, s in zip(alone, states, strict=True)])
        assert np.array_equal(filt.admits(state, pair), each.all(axis=0))
        state = filt.spend(state, pair)
        states = [f.spend(s, pair) for f, s in zip(alone, states, strict=True)]
    assert not each.all()
    assert each.any()


def test_the_curve_promises_the_best_order() -> None:
    filt = fp.AllOrdersFilter((2.0, 32.0), (0.25, 4.0))
    for epsilon in (0.5, 4.0, 8.0):
        assert filt.promise.delta(epsilon) == min(
            float(RenyiDP(2.0, 0.25).delta(epsilon)), float(RenyiDP(32.0, 4.0).delta(epsilon))
        )


def hockey(epsilon: float, first: FinitePair, branches: list[FinitePair]) -> float:
    """H of first one pair, then the branch of its outcome."""
    total = 0.0
    for p, q, pair in zip(first.p, first.q, branches, strict=True):
        for a, b in zip(pair.p, pair.q, strict=True):
            total += max(float(p) * float(a) - math.exp(epsilon) * float(q) * float(b), 0.0)
    return total


def test_some_order_is_beaten_by_two_branches() -> None:
    with fp.knowingly():
        filt = fp.SomeOrderFilter(6.0, 0.01, (2.0, 32.0))
    keep = 1 / (1 + math.exp(-0.1))
    start = FinitePair((keep, 1 - keep), (1 - keep, keep))
    # a hair of the printed pairs is given back, for their last digits are rounded
    hair = 1e-7
    branches = [
        FinitePair((0.608430710 - hair, 0.391569290 + hair), (0.001614676 + hair, 0.998385324 - hair)),
        FinitePair(
            (0.0168334078 - hair, 0.9831665922 + hair), (1.88775534e-5 + hair, 1 - 1.88775534e-5 - hair)
        ),
    ]
    state = filt.start(1)
    assert filt.admits(state, RandomizedResponse(0.1))[0]
    state = filt.spend(state, RandomizedResponse(0.1))
    for pair in branches:
        assert filt.admits(state, pair)[0]
    assert hockey(6.0, start, branches) > 0.0139
    with fp.knowingly():
        one_order = [fp.SomeOrderFilter(6.0, 0.01, (order,)) for order in (2.0, 32.0)]
    within = [
        [bool(f.admits(f.spend(f.start(1), RandomizedResponse(0.1)), pair)[0]) for f in one_order]
        for pair in branches
    ]
    assert within == [[False, True], [True, False]] or within == [[True, False], [False, True]]
    # the older conversion refuses them
    older = fp.SomeOrderMarkovFilter(6.0, 0.01, (2.0, 32.0))
    assert older.sound is True
    later = older.spend(older.start(1), RandomizedResponse(0.1))
    assert [bool(older.admits(later, pair)[0]) for pair in branches] != [True, True]


def test_orders_are_checked() -> None:
    with pytest.raises(ValueError, match="orders must hold at least one"):
        fp.AllOrdersFilter((), ())
    with pytest.raises(ValueError, match="distinct"):
        fp.AllOrdersFilter((2.0, 2.0), (1.0, 1.0))
    with pytest.raises(ValueError, match="one budget per order"):
        fp.AllOrdersFilter((2.0, 3.0), (1.0,))
    with pytest.raises(ValueError, match="orders must hold one that can give"):
        fp.SomeOrderMarkovFilter(0.1, 1e-5, (2.0,))
    with pytest.raises(ValueError, match=r"orders must take at most all of delta=0\.01 .* got 1\.19 times"):
        fp.SomeOrderMarkovFilter(80.0, 0.01, (1.1, 1.3))  # where a game breaks the rule
    low = fp.SomeOrderMarkovFilter(1.0, 0.01, (1.1, 1.3, 9.0))
    assert low.usable == (9.0,)  # the others have no budget, and take nothing


def test_gaussians_are_charged_exactly_at_odd_orders() -> None:
    alpha, mu = 2.7, 0.1
    each = Fraction(alpha) * Fraction(mu) ** 2 / 2
    budget = float(each * 10)
    admitted = 10 if Fraction(budget) >= each * 10 else 9
    filt = fp.RenyiFilter(alpha, budget)
    state = filt.start(1)
    for round_ in range(10):
        assert filt.admits(state, Gaussian(mu))[0] == (round_ < admitted)
        state = filt.spend(state, Gaussian(mu))
    assert Budget.of(budget).high <= 4


def test_a_curve_of_many_orders_is_told_in_a_line_and_from_every_other() -> None:
    orders = tuple(map(float, range(2, 300)))
    curves = [fp.AllOrdersFilter(orders, (*[1.0] * 297, last)).promise for last in (1.0, 2.0)]
    assert str(curves[0]) == "(2, ..., 299)-RDP curve of 298 orders"
    assert repr(curves[0]) != repr(curves[1])
    assert all(len(repr(curve)) <= 220 for curve in curves)
