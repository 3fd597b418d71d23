"""All orders hold the promise; some order does not."""

from fractions import Fraction

import pytest

import filters as fp
from filters.accounting.ledger import Budget
from theory.pairs import Gaussian


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
