"""Granularity against exact rationals: what is said to be a multiple is one, and little that is one goes unsaid."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from filters.accounting.amounts import Mixed, Plain, Square
from filters.accounting.granularity import (
    GRID,
    GRID_END,
    even_squares,
    granularity,
    granularity_of_few,
    granularity_of_one,
    shared_granularity,
)

positive = st.floats(min_value=5e-324, allow_nan=False, allow_infinity=False)
few_bits = st.builds(math.ldexp, st.integers(1, 2**12).map(float), st.integers(-1074, 1011))
numbers = st.one_of(positive, few_bits)


def two_to(e: int) -> Fraction:
    return Fraction(2) ** e


def odd_part(x: float) -> tuple[int, int]:
    """(m, k) with x = m 2^k and m odd, from Python's integers."""
    top, bottom = x.as_integer_ratio()
    zeros = (top & -top).bit_length() - 1
    return top >> zeros, zeros - (bottom.bit_length() - 1)


@given(numbers)
@example(5e-324)
@example(2.2250738585072009e-308)
@example(1.7976931348623157e308)
def test_the_granularity_of_one_number_leaves_an_odd_integer(x: float) -> None:
    e = granularity_of_one(x)
    assert e is not None
    assert (Fraction(x) / two_to(e)).denominator == 1
    assert Fraction(x) / two_to(e) % 2 == 1


@settings(max_examples=300)
@given(st.lists(numbers, min_size=1, max_size=40))
@example([5e-324] * 32)
@example([5e-324, 1.5, 2.0**-1040])
@example([4.0, 4.0, 8.0])
@example([1.0, 1.0 + 2.0**-52])
def test_all_numbers_are_multiples_of_their_granularity(xs: list[float]) -> None:
    e = granularity(np.array(xs))
    assert e is not None
    assert all((Fraction(x) / two_to(e)).denominator == 1 for x in xs)
    # nor is it finer than the least number with the longest mantissa would be
    if min(xs) >= 2.0**-1022:
        longest = max(odd_part(x)[0].bit_length() for x in xs)
        assert e == math.frexp(min(xs))[1] - longest
    few = granularity_of_few(tuple(xs))
    assert few == min(odd_part(x)[1] for x in xs)


@pytest.mark.parametrize("bad", [0.0, -0.0, -1.0, math.nan, -math.nan, -math.inf, -5e-324])
def test_what_is_no_charge_has_no_granularity(bad: float) -> None:
    assert granularity(bad) is None
    assert granularity(np.array(bad)) is None
    assert granularity_of_one(bad) is None
    assert granularity_of_few((1.0, bad)) is None
    for xs in ([bad], [1.0, bad], [bad, 0.5, 2.0]):
        assert granularity(np.array(xs)) is None


def test_nothing_and_infinity_have_no_granularity() -> None:
    assert granularity(np.empty(0)) is None
    assert granularity(math.inf) is None
    assert granularity(np.array([math.inf, math.inf])) is None
    assert granularity_of_few((1.0, math.inf)) is None


def test_strides_do_not_matter() -> None:
    xs = np.array([0.25, 0.1, 0.75, 0.3, 1.5, 0.7])
    assert granularity(xs[::2]) == -3
    assert granularity(xs[::-2]) == granularity(xs[1::2].copy())
    assert granularity(np.broadcast_to(0.375, 7)) == -3


@settings(max_examples=400)
@given(
    st.one_of(st.integers(-30, -20), st.integers(-600, 600)),
    st.one_of(st.sampled_from([1.0, 0.5, 1.25, 3.0, 2.0**100, 2.0**-100, 2.0**201, 2.0**-201]), numbers),
    st.integers(-1000, 1023),
)
def test_even_squares_are_multiples_of_the_grid(g: int, scale: float, exponent: int) -> None:
    if abs(g) <= 30:  # as often as not next to the edge, or at it
        g += exponent
    moderate = abs(exponent) <= 400 and 2.0**-200 <= scale <= 2.0**200
    charge = Fraction(scale) * two_to(2 * g)  # of 2^g; that of m 2^g is m^2 as much
    multiple = (charge / two_to(2 * exponent + GRID)).denominator == 1
    assert even_squares(g, scale, exponent) == (multiple and moderate)


@settings(max_examples=400)
@given(
    st.lists(
        st.one_of(
            st.builds(lambda k, j: k * 2.0**-j, st.integers(1, 60), st.integers(0, 30)), st.floats(0, 4)
        ),
        min_size=1,
        max_size=4,
    ),
    st.sampled_from([1.0, 0.5, 1.25, 3.0, 2.0**-30, 2.0**190, 2.0**-190]),
    st.sampled_from([0, 1, -1, 57, -57, 399, 400, -399, -400]),
    st.booleans(),
)
def test_even_charges_are_the_exact_ones_in_budget_units(
    xs: list[float], scale: float, exponent: int, named: bool
) -> None:
    x = np.ldexp(np.array(xs), exponent - round(math.log2(scale) / 2))
    unit = two_to(2 * exponent)
    square = Square(x, scale, tuple(x.tolist()) if named else None)
    for charge, exact in (
        (square, [Fraction(scale) * Fraction(v) ** 2 / unit for v in x.tolist()]),
        (Plain(x), [Fraction(v) / unit for v in x.tolist()]),
        (Mixed((Square(float(x[0]), scale), square), np.arange(len(x)) % 2), None),
    ):
        even = charge.even(exponent)
        if even is None:
            continue
        assert even is not x
        if exact is None:
            exact = [Fraction(scale) * Fraction(float(x[i * (i % 2)])) ** 2 / unit for i in range(len(x))]
        for got, true in zip(np.broadcast_to(even, len(x)).tolist(), exact, strict=True):
            # a charge of GRID_END or more is never used: its sum is seen to be out of range
            assert got == true if true < GRID_END else got >= GRID_END
            assert (true / two_to(GRID)).denominator == 1


def test_powers_of_two_are_even_wherever_they_can_be() -> None:
    for exponent in (-400, -3, 0, 5, 400):
        for x, even in ((2.0**-25, True), (2.0**-26, False), (1.5, True), (0.1, False)):
            root = math.ldexp(x, exponent)
            for charge in (Square(root), Square(np.array([root, math.ldexp(1.0, exponent)]))):
                assert (charge.even(exponent) is not None) == even
    assert shared_granularity(1.0, 0x3FF0000000000000) == 0


@pytest.mark.parametrize("kind", [np.int64, np.int32, np.uint8, np.float32, np.float16, ">f8"])
def test_integers_and_short_floats_are_charged_as_the_doubles_they_are(kind: str) -> None:
    declared = np.array([1, 2, 3, 5, 7], dtype=kind) / (1 if np.dtype(kind).kind in "iu" else 8)
    declared = declared.astype(kind)
    doubles = [float(v) for v in declared]
    for charge in (Square(declared), Plain(declared)):
        assert isinstance(charge.x, np.ndarray)
        assert charge.x.dtype == np.float64
        np.testing.assert_array_equal(charge.x, doubles)
    for value in (declared[2], np.array(declared[2])):
        assert type(Square(value).x) in (float, np.float64)
        assert Square(value).even(0) == doubles[2] ** 2
