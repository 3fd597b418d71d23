"""Pairs over finitely many outcomes: their exact masses, their losses, and what is no law."""

import math
from fractions import Fraction

import numpy as np
import pytest

from theory.pairs import KOV, Erasure, FinitePair, Gaussian, Laplace, RandomizedResponse
from theory.pairs.finite import Finite

EXACT: list[Finite] = [
    RandomizedResponse.from_ratio(Fraction(3, 2)),
    Erasure(Fraction(1, 10)),  # type: ignore[arg-type]
    KOV.from_ratio(2, Fraction(1, 100)),
    FinitePair(
        (Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)), (Fraction(1, 6), Fraction(1, 2), Fraction(1, 3))
    ),
    FinitePair((Fraction(1, 2), Fraction(1, 2), 0), (Fraction(1, 4), Fraction(1, 4), Fraction(1, 2))),
]


@pytest.mark.parametrize("pair", EXACT, ids=str)
def test_swapping_exchanges_the_exact_masses_up_to_the_names_of_outcomes(pair: Finite) -> None:
    exact, other = pair.exact_masses, pair.swapped.exact_masses  # type: ignore[attr-defined]
    assert exact is not None
    assert other is not None
    assert sorted(zip(exact.p, exact.q, strict=True)) == sorted(zip(other.q, other.p, strict=True))


def test_the_loss_of_an_erasure_is_harmless_exactly_up_to_its_probability() -> None:
    assert Erasure(0.01).loss_quantile(0.01) == 0
    assert Erasure(0.01).loss_quantile(0.00999) == math.inf
    assert KOV(1.0, 0.01).loss_quantile(0.01) == 1
    assert RandomizedResponse(1.0).loss_quantile(1.0) == -math.inf


def test_masses_may_be_arrays() -> None:
    p, q = np.array([0.5, 0.5]), np.array([0.125, 0.875])
    assert FinitePair(p, q) == FinitePair((0.5, 0.5), (0.125, 0.875))  # type: ignore[arg-type]
    exact = FinitePair(np.array([1, 0]), (np.int64(0), np.int64(1)))  # type: ignore[arg-type]
    assert exact.exact_masses == FinitePair((1, 0), (0, 1)).exact_masses


def test_a_long_repr_is_a_line_that_tells_one_pair_from_another() -> None:
    whole = (1 / 4000,) * 4000
    moved = (1 / 8000, 3 / 8000, *whole[2:])
    ratios = [RandomizedResponse.from_ratio(Fraction(7**500, k)) for k in (3, 5)]
    arrays = [Laplace(np.arange(1.0, 5001.0) + shift) for shift in (0.0, 2.0**-40)]
    for pairs in ([FinitePair(whole, whole), FinitePair(whole, moved)], ratios, arrays):
        texts = [repr(pair) for pair in pairs]
        assert len(set(texts)) == 2
        assert all(len(text) <= 220 and "\n" not in text for text in texts)
    few = Gaussian(np.linspace(0.1, 1.2, 12))
    assert "\n" not in repr(few)
    assert repr(FinitePair((0.5, 0.5), (0.25, 0.75))) == "FinitePair(p=(0.5, 0.5), q=(0.25, 0.75))"
    assert repr(RandomizedResponse.from_ratio(2)) == repr(RandomizedResponse.from_ratio(Fraction(2)))
