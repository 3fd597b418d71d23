"""What is left of the least budgets, where doubles have few digits, is rounded down too."""

from __future__ import annotations

from fractions import Fraction

import pytest

from filters.accounting.amounts import Square
from filters.accounting.ledger import Budget


@pytest.mark.parametrize("root", [1e-150, 3e-155, 7e-160])
def test_what_is_left_is_rounded_down_below_the_normal_doubles(root: float) -> None:
    budget = Budget.square_of(root)
    for share in (0.3, 1 - 2.0**-40, 1 - 2.0**-33):
        state = budget.add(budget.start(1), Square(root * share))
        spent = (Fraction(float(state[0][0])) + Fraction(float(state[1][0]))) * Fraction(4) ** budget.exponent
        left = Fraction(float(budget.left(state)[0]))
        assert 0 <= left <= Fraction(root) ** 2 - spent
