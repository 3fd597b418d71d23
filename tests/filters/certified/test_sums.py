"""Sums in two doubles, charges and budgets beside fractions, wherever the doubles lie."""

import math
from fractions import Fraction
from typing import Any, cast

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from filterproof.filters.accounting.charge_kinds import LinearCharge, SquaredCharge
from filterproof.filters.accounting.charge_rules import gdp_charge, pure_charge, renyi_charge, zcdp_charge
from filterproof.filters.accounting.ledger import Budget, is_valid_sum
from filterproof.filters.certified.double_double import exact_charge_sum, exact_high_plus_low, exact_limit
from filterproof.theory.numerics.error_free import (
    add_double_double_round_up,
    add_error_round_up,
    quotient_round_up,
    square,
    two_product,
    two_sum,
)
from filterproof.theory.rounding import away_from_zero

DOUBLES = st.floats(-46.0, 23.0).map(math.exp)
LOST = Fraction(1, 2**100)


@given(DOUBLES, DOUBLES)
def test_sums_and_products_of_two_doubles_lose_nothing_or_are_rounded_up(a: float, b: float) -> None:
    x, y, tiny = Fraction(a), Fraction(b), b * 2.0**-55
    assert exact_high_plus_low(two_sum(a, b)) == x + y
    assert exact_high_plus_low(two_product(a, b)) == x * y
    assert exact_high_plus_low(square(a)) == x * x
    assert 0 <= Fraction(add_error_round_up(b, tiny)) - y - Fraction(tiny) <= y / 2**50
    assert Fraction(add_error_round_up(b, b * 2.0**-40)) >= y * (1 + Fraction(1, 2**40))
    assert add_error_round_up(b, -tiny) == b
    sums, exact = add_double_double_round_up(square(a), two_product(b, 1 / 3)), x * x + y * Fraction(1 / 3)
    assert is_valid_sum(sums)
    assert exact <= exact_high_plus_low(sums) <= exact * (1 + LOST)
    exact = x + Fraction(a * 2.0**-54) + y - Fraction(tiny)
    assert (
        exact
        <= exact_high_plus_low(add_double_double_round_up((a, a * 2.0**-54), (b, -tiny)))
        <= exact * (1 + LOST)
    )


@given(st.fractions(Fraction(1, 10**9), 10**20) | st.integers(2**53, 2**60))
def test_what_is_no_double_is_charged_more_and_budgeted_less(x: Any) -> None:
    exact = Fraction(x)
    assert (
        exact
        <= Fraction(away_from_zero(x))
        == -Fraction(away_from_zero(-x))
        <= exact * (1 + Fraction(1, 2**52))
    )
    assert exact <= Fraction(float(LinearCharge(x).x)) <= exact * (1 + Fraction(1, 2**51))
    assert exact * (1 - Fraction(1, 2**52)) <= Fraction(Budget.of(x).limit) <= exact
    if isinstance(x, int):
        wide: Any = np.array([x], dtype=np.int64)
        assert exact_high_plus_low(LinearCharge(wide).exact(1.0)) >= exact
        assert exact_high_plus_low(SquaredCharge(wide).exact(1.0)) >= exact**2


@given(DOUBLES, DOUBLES)
def test_a_quotient_is_the_least_double_that_is_no_less(x: float, y: float) -> None:
    (found,) = quotient_round_up(np.array([x]), y)
    assert Fraction(math.nextafter(found, 0.0)) < Fraction(x) / Fraction(y) <= Fraction(found)


@given(st.floats(-330.0, 330.0).map(math.exp), st.booleans(), st.sampled_from([1 / 7, 1 - 2.0**-40]))
def test_a_budget_is_its_number_to_the_last_bit(x: float, squared: bool, share: float) -> None:
    made, truth = (Budget.square_of, Fraction(x) ** 2) if squared else (Budget.of, Fraction(x))
    budget = made(x)
    assert exact_limit(budget) <= truth
    whole = exact_high_plus_low((budget.high, budget.low))
    assert (
        Fraction(budget.largest_double) <= whole <= Fraction(budget.largest_double) * (1 + Fraction(1, 2**51))
    )
    least = math.ulp(budget.high) * 2.0**-53
    for high, low, covered in (
        (budget.high, budget.low, True),
        (budget.high, budget.low + least, False),
        (budget.high, budget.low - least, True),
        (math.nextafter(budget.high, math.inf), 0.0, False),
        (math.nextafter(budget.high, 0.0), 0.0, True),
    ):
        assert bool(budget.covers((np.array([high]), np.array([low])))[0]) is covered
    if 1e-100 < x < 1e100:
        root = x if squared else math.sqrt(x)
        state = budget.add(budget.start(1), SquaredCharge(root * share))
        left = truth - exact_charge_sum(budget, state)
        # little is left of a sum in two doubles: the second one counts
        assert left * (1 - Fraction(1, 2**49)) <= Fraction(float(budget.left(state)[0])) <= left


@given(st.floats(-20.0, 20.0).map(math.exp))
def test_what_a_sum_of_charges_bounds_is_no_less_than_the_sum(total: float) -> None:
    x, rules = Fraction(total), (gdp_charge, zcdp_charge, pure_charge, renyi_charge.at(3.0))
    gaussian, concentrated, pure, renyi = (cast("Any", rule.guarantee_for(total)) for rule in rules)
    assert x <= Fraction(gaussian.mu) ** 2 <= x * (1 + Fraction(1, 2**50))
    assert (concentrated.rho, pure.epsilon, renyi.rho, renyi.alpha) == (total, total, total, 3.0)
