"""What is no double is charged as the next one above, and budgeted as the next one below; a hint grants nothing."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import filters as fp
from filters.accounting.amounts import Mixed
from filters.contract import parameters


@pytest.mark.parametrize("n", [1, 2, 40])
@pytest.mark.parametrize(
    ("budget", "charge", "fits"),
    [
        (fp.Budget.of(1.0), fp.Plain(1 + Fraction(1, 10**30)), False),
        (fp.Budget.of(2.0**53), fp.Plain(2**53 + 1), False),
        (fp.Budget.of(Fraction(1, 10)), fp.Plain(0.1), False),
        (fp.Budget.of(np.float32(0.1)), fp.Plain(float(np.float32(0.1)) * (1 + 2.0**-30)), False),
        (fp.Budget.of(np.float32(0.1)), fp.Plain(np.float32(0.1)), True),
        (fp.Budget.of(1.0), fp.Square(1 + Fraction(1, 10**30)), False),
        (fp.Budget.of(0.5), fp.Square(1 + 2.0**-30, np.float32(0.5)), False),  # type: ignore[arg-type]
        (fp.Allowance(Fraction(1, 10)), fp.Plain(0.1), False),  # type: ignore[arg-type]
    ],
)
def test_nothing_gains_by_its_type(budget: Any, charge: Any, fits: bool, n: int) -> None:
    assert budget.fits(budget.start(n), charge).tolist() == [fits] * n


@pytest.mark.parametrize("given", [Fraction, lambda x: np.array(x, dtype=object)])
@pytest.mark.parametrize("name", [name for name in parameters.__all__ if name.startswith("one_")])
def test_a_parameter_that_is_no_double_is_the_largest_one_below_it(name: str, given: Any) -> None:
    value = Fraction(3 if "order" in name else 1, 2) - Fraction(1, 2**80)
    kept = getattr(parameters, name)("it", given(value))
    assert Fraction(kept) < value < Fraction(np.nextafter(kept, 9.0))


@pytest.mark.parametrize("dtype", [np.int64, np.longdouble, object])
def test_arrays_of_other_numbers_are_charged_one_by_one(dtype: Any) -> None:
    x = np.array([2**53 + 1, 2**53], dtype=dtype)
    budget = fp.Budget.of(2.0**53)
    assert budget.fits(budget.start(2), fp.Plain(x)).tolist() == [False, True]


def test_a_choice_told_by_booleans_is_a_choice() -> None:
    budget = fp.Budget.of(1.0)
    mixed = Mixed((fp.Plain(np.zeros(2)), fp.Plain(np.full(2, 3.0))), np.array([True, False]))
    assert budget.fits(budget.start(2), mixed).tolist() == [False, True]


def test_the_least_square_keeps_its_second_double() -> None:
    x = 2.0**-480 * (1 + 2.0**-30)
    high, low = fp.Square(x, 2.0**-8).exact(1.0)
    assert Fraction(high) + Fraction(low) == Fraction(x) ** 2 * Fraction(1, 2**8)
