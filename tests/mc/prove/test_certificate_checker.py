"""The checker of derivations accepts what follows by exact arithmetic, and nothing else."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from filterproof.mc.prove.certificate_checker import TINY, ProofLine, RoundedPolynomial, is_valid_derivation
from filterproof.mc.prove.polynomials import Polynomial

x, y, v = map(Polynomial.atom, (0, 1, 2))
HALF = Fraction(1, 2)
#: x >= 1 and y >= 2 give x + 2 y >= 5.
GIVEN = [(x - 1, False), (y - 2, False)]
GOAL = x + y * 2 - 5


def given(*inequalities: tuple[Polynomial, bool]) -> list[ProofLine]:
    """The lines that say what is given."""
    return [ProofLine(*one, "given", data=number) for number, one in enumerate(inequalities)]


SUM = [*given(*GIVEN), ProofLine(GOAL, False, "sum", (0, 1), (Fraction(1), Fraction(2)))]


def test_a_sum_of_multiples_is_accepted() -> None:
    assert is_valid_derivation(SUM, GIVEN, {}, GOAL)
    assert is_valid_derivation(SUM, GIVEN, {}, GOAL + 1)  # what is weaker


def test_a_stronger_goal_is_refused() -> None:
    assert not is_valid_derivation(SUM, GIVEN, {}, GOAL - Fraction(1, 10**30))
    assert not is_valid_derivation(SUM, GIVEN, {}, None)
    assert not is_valid_derivation([], GIVEN, {}, GOAL)


@pytest.mark.parametrize(
    "change",
    [
        {"data": (Fraction(1), Fraction(1))},
        {"uses": (0, 0, 1, 1), "data": (Fraction(3), Fraction(-2), Fraction(1), Fraction(1))},
        {"uses": (2,), "data": (Fraction(1),)},
        {"uses": (-1,), "data": (Fraction(1),)},
        {"uses": (0,), "data": (Fraction(1), Fraction(2))},
        {"rule": "given", "uses": (), "data": 0},
        {"rule": "product", "data": None},
        {"strict": True},
    ],
)
def test_a_line_with_another_reason_is_refused(change: dict) -> None:
    assert not is_valid_derivation([*SUM[:-1], replace(SUM[-1], **change)], GIVEN, {}, GOAL)


def test_what_is_impossible_proves_every_goal() -> None:
    facts = [(x, True), (-x, False)]
    lines = [*given(*facts), ProofLine(Polynomial({}), True, "sum", (0, 1), (Fraction(1), Fraction(1)))]
    assert is_valid_derivation(lines, facts, {}, None)
    assert is_valid_derivation(lines, facts, {}, GOAL)
    # without the strict line nothing is impossible
    assert not is_valid_derivation([replace(lines[0], strict=False), *lines[1:]], facts, {}, None)


def test_products_of_lines_are_lines() -> None:
    facts = [(x, False), (y - 1, False)]
    product = ProofLine(x * y - x, False, "product", (0, 1))
    assert is_valid_derivation([*given(*facts), product], facts, {}, x * y - x)
    assert not is_valid_derivation([*given(*facts), replace(product, polynomial=x * y)], facts, {}, x * y)
    assert not is_valid_derivation([*given(*facts), replace(product, strict=True)], facts, {}, x * y - x)


def test_the_rounding_of_a_sum_is_bounded_by_half_a_unit() -> None:
    # v is x + y rounded, x and y at least 0: |v - x - y| <= 2^-53 (x + y)
    facts, exact = [(x, False), (y, False)], x + y
    base = [
        *given(*facts),
        ProofLine(exact * 2, False, "sum", (0, 1), (Fraction(2), Fraction(2))),
        ProofLine(Polynomial({}), False, "sum", (), ()),
    ]
    bound = exact * Fraction(1, 2**53) - (v - exact)
    last = ProofLine(bound, False, "error", (2, 3), (2, exact, 1))
    assert is_valid_derivation([*base, last], facts, {2: RoundedPolynomial(exact, of_sum=True)}, bound)
    smaller = exact * Fraction(1, 2**54) - (v - exact)
    assert not is_valid_derivation(
        [*base, replace(last, polynomial=smaller)], facts, {2: RoundedPolynomial(exact, True)}, smaller
    )
    # a product may lie below the normal numbers, where more is lost
    assert not is_valid_derivation([*base, last], facts, {2: RoundedPolynomial(exact, of_sum=False)}, bound)
    # the size must be bounded from both sides, and the atom be rounded
    assert not is_valid_derivation(
        [*base, replace(last, uses=(2, 2))], facts, {2: RoundedPolynomial(exact, True)}, bound
    )
    assert not is_valid_derivation([*base, last], facts, {}, bound)


def test_rounding_bounds_hold_of_doubles() -> None:
    rng = np.random.default_rng(1)
    for one, two in rng.lognormal(0, 20, (500, 2)):
        exact = Fraction(float(one)) * Fraction(float(two))
        error = abs(Fraction(float(one * two)) - exact)
        assert error <= exact * Fraction(1, 2**53) + TINY


@pytest.mark.parametrize(
    ("bound", "units", "direction", "doubles", "accepted"),
    [
        (Polynomial.constant(HALF), 1, 1, set(), True),
        (Polynomial.constant(HALF), 2, 1, set(), False),  # the C library may miss by a unit
        (Polynomial.constant(HALF), 1, -1, set(), False),
        (Polynomial.constant(Fraction(1, 3)), 1, 1, set(), False),
        (y, 1, 1, set(), False),
        (y, 1, 1, {1}, True),
    ],
)
def test_comparison_survives_rounding_where_the_bound_is_a_double(
    bound: Polynomial, units: int, direction: int, doubles: set[int], accepted: bool
) -> None:
    facts = [(x - bound, False)]
    lines = [*given(*facts), ProofLine(v - bound, False, "monotone", (0,), (2, bound, direction))]
    rounded = RoundedPolynomial(x, of_sum=True, units=units)
    assert is_valid_derivation(lines, facts, {2: rounded}, v - bound, doubles=doubles) is accepted
