"""The checker of derivations accepts what follows by exact arithmetic, and nothing else."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from filterproof.mc.prove.certificate import (
    TINY,
    Derivation,
    Given,
    Line,
    Product,
    RoundedComparison,
    Rounding,
    RoundingError,
    Sum,
    check,
)
from filterproof.mc.prove.polynomials import Polynomial

x, y, v = map(Polynomial.atom, (0, 1, 2))
HALF = Fraction(1, 2)


def _sum_of_two() -> tuple[Derivation, list[tuple[Polynomial, bool]], Polynomial]:
    """x >= 1 and y >= 2 give x + 2 y >= 5."""
    given = [(x - 1, False), (y - 2, False)]
    lines = (
        Line(x - 1, False, Given(0)),
        Line(y - 2, False, Given(1)),
        Line(x + y * 2 - 5, False, Sum({0: Fraction(1), 1: Fraction(2)})),
    )
    return Derivation(lines), given, x + y * 2 - 5


def test_a_sum_of_multiples_is_accepted() -> None:
    proof, given, goal = _sum_of_two()
    assert check(proof, given, {}, goal)
    assert check(proof, given, {}, goal + 1)  # what is weaker


def test_a_stronger_goal_is_refused() -> None:
    proof, given, goal = _sum_of_two()
    assert not check(proof, given, {}, goal - Fraction(1, 10**30))
    assert not check(proof, given, {}, None)


@pytest.mark.parametrize(
    "reason",
    [
        Sum({0: Fraction(1), 1: Fraction(1)}),
        Sum({0: Fraction(3), 1: Fraction(-2)}),
        Sum({2: Fraction(1)}),
        Given(0),
    ],
)
def test_a_line_with_another_reason_is_refused(reason: Sum | Given) -> None:
    proof, given, goal = _sum_of_two()
    forged = (*proof.lines[:-1], replace(proof.lines[-1], reason=reason))
    assert not check(Derivation(forged), given, {}, goal)


def test_what_is_impossible_proves_every_goal() -> None:
    given = [(x, True), (-x, False)]
    lines = (
        Line(x, True, Given(0)),
        Line(-x, False, Given(1)),
        Line(Polynomial({}), True, Sum({0: Fraction(1), 1: Fraction(1)})),
    )
    assert check(Derivation(lines), given, {}, None)
    # without the strict line nothing is impossible
    weak = (replace(lines[0], strict=False), lines[1], replace(lines[2], strict=True))
    assert not check(Derivation(weak), given, {}, None)


def test_products_of_lines_are_lines() -> None:
    lines = (Line(x, False, Given(0)), Line(y - 1, False, Given(1)), Line(x * y - x, False, Product(0, 1)))
    assert check(Derivation(lines), [(x, False), (y - 1, False)], {}, x * y - x)
    wrong = (*lines[:2], Line(x * y, False, Product(0, 1)))
    assert not check(Derivation(wrong), [(x, False), (y - 1, False)], {}, x * y)


def test_the_rounding_of_a_sum_is_bounded_by_half_a_unit() -> None:
    # v is x + y rounded, x and y at least 0: |v - x - y| <= 2^-53 (x + y)
    given = [(x, False), (y, False)]
    exact = x + y
    base = (
        Line(x, False, Given(0)),
        Line(y, False, Given(1)),
        Line(exact * 2, False, Sum({0: Fraction(2), 1: Fraction(2)})),
        Line(Polynomial({}), False, Sum({})),
    )
    bound = exact * Fraction(1, 2**53) - (v - exact)
    proof = Derivation((*base, Line(bound, False, RoundingError(2, exact, 2, 3, 1))))
    assert check(proof, given, {2: Rounding(exact, of_sum=True)}, bound)
    smaller = exact * Fraction(1, 2**54) - (v - exact)
    forged = Derivation((*base, Line(smaller, False, RoundingError(2, exact, 2, 3, 1))))
    assert not check(forged, given, {2: Rounding(exact, of_sum=True)}, smaller)
    # a product may lie below the normal numbers, where more is lost
    assert not check(proof, given, {2: Rounding(exact, of_sum=False)}, bound)


def test_rounding_bounds_hold_of_doubles() -> None:
    rng = np.random.default_rng(1)
    for one, two in rng.lognormal(0, 20, (500, 2)):
        exact = Fraction(float(one)) * Fraction(float(two))
        error = abs(Fraction(float(one * two)) - exact)
        assert error <= exact * Fraction(1, 2**53) + TINY


def test_comparisons_with_a_double_survive_rounding() -> None:
    given = [(x - HALF, False)]
    lines = (Line(x - HALF, False, Given(0)), Line(v - HALF, False, RoundedComparison(2, 0.5, 0, 1)))
    assert check(Derivation(lines), given, {2: Rounding(x, of_sum=True)}, v - HALF)
    # not where the C library may miss by a unit
    assert not check(Derivation(lines), given, {2: Rounding(x, True, units=2)}, v - HALF)
