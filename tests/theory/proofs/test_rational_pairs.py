"""Rational pairs: what is no pair of laws is refused, and moments by the library's own pairs."""

from fractions import Fraction
from math import log

import numpy as np
import pytest

from theory.pairs import RandomizedResponse
from theory.proofs.rational_pairs import RationalPair, bernoulli

HALF = Fraction(1, 2)
COIN = bernoulli("2/3", "1/3")


@pytest.mark.parametrize(
    ("p", "q"),
    [
        ((HALF, HALF, HALF), (HALF, HALF, Fraction(0))),
        ((HALF,), (Fraction(1),)),
        ((Fraction(3, 2), -HALF), (HALF, HALF)),
        ((HALF, HALF), (Fraction(1),)),
        ((), ()),
        ((0.5, 0.5), (0.5, 0.5)),
    ],
)
def test_a_pair_that_is_not_two_laws_is_an_error(p: tuple[Fraction, ...], q: tuple[Fraction, ...]) -> None:
    with pytest.raises(ValueError, match="must"):
        RationalPair(p, q)


@pytest.mark.parametrize("order", [0, -1])
def test_a_moment_below_order_one_is_an_error(order: int) -> None:
    with pytest.raises(ValueError, match="order must be"):
        COIN.moment(order)


def test_a_mass_that_only_p_has_makes_a_moment_infinite_and_is_an_error() -> None:
    leak = RationalPair((HALF, HALF), (Fraction(0), Fraction(1)))
    assert leak.moment(1) == 1
    with pytest.raises(ValueError, match="infinite"):
        leak.moment(2)
    assert leak.swapped.moment(2) == 2


def test_outcomes_of_no_mass_on_either_side_add_nothing() -> None:
    assert RationalPair((*COIN.p, Fraction(0)), (*COIN.q, Fraction(0))).moment(3) == COIN.moment(3)


@pytest.mark.parametrize("order", [2, 3, 7])
def test_a_moment_is_that_of_the_library_of_pairs(order: int) -> None:
    pair = RandomizedResponse(log(2.0))
    assert log(float(COIN.moment(order))) / (order - 1) == pytest.approx(float(np.asarray(pair.renyi(order))))


@pytest.mark.parametrize("order", [Fraction(1, 2), Fraction(1), Fraction(3, 2), Fraction(3)])
def test_a_hockey_stick_is_that_of_the_library_of_pairs(order: Fraction) -> None:
    pair = RandomizedResponse(log(2.0))
    assert float(COIN.hockey_stick(order)) == pytest.approx(float(pair.hockey_stick(log(order))), abs=1e-15)
