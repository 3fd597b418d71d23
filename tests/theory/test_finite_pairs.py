"""Pairs over finitely many outcomes: their exact masses, their losses, and what is no distribution."""

import math
from fractions import Fraction

import numpy as np
import pytest

from filterproof.theory.pairs import KOV, DiscreteLaplace, Erasure, FinitePair, PairPerRun, RandomizedResponse
from filterproof.theory.pairs.finite import FiniteOutcomesPair

EXACT: list[FiniteOutcomesPair] = [
    RandomizedResponse.from_ratio(Fraction(3, 2)),
    Erasure(Fraction(1, 10)),  # type: ignore[arg-type]
    KOV.from_ratio(2, Fraction(1, 100)),
    FinitePair(
        (Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)), (Fraction(1, 6), Fraction(1, 2), Fraction(1, 3))
    ),
    FinitePair((Fraction(1, 2), Fraction(1, 2), 0), (Fraction(1, 4), Fraction(1, 4), Fraction(1, 2))),
]


@pytest.mark.parametrize("pair", EXACT, ids=str)
def test_swapping_exchanges_the_exact_masses_up_to_the_names_of_outcomes(pair: FiniteOutcomesPair) -> None:
    exact, other = pair.exact_masses, pair.swapped.exact_masses  # type: ignore[attr-defined]
    assert exact is not None
    assert other is not None
    assert sorted(zip(exact.p, exact.q, strict=True)) == sorted(zip(other.q, other.p, strict=True))


def test_the_loss_of_an_erasure_is_harmless_exactly_up_to_its_probability() -> None:
    assert Erasure(0.01).loss_isf(0.01) == 0
    assert Erasure(0.01).loss_isf(0.00999) == math.inf
    assert KOV(1.0, 0.01).loss_isf(0.01) == 1
    assert RandomizedResponse(1.0).loss_isf(1.0) == -math.inf


@pytest.mark.parametrize(
    "pair", [*EXACT, DiscreteLaplace(2.0, 3), KOV(np.linspace(0.1, 2, 9000), 0.1)], ids=str
)
def test_a_draw_is_the_upper_quantile_of_one_uniform_number(pair: FiniteOutcomesPair) -> None:
    drawn = pair.sample(np.random.default_rng(3), 9000)
    assert np.array_equal(drawn, pair.loss_isf(np.random.default_rng(3).random(9000)))


@pytest.mark.parametrize("way", ["sample", "sample_finite"])
def test_runs_that_choose_from_a_menu_draw_as_one_pair_with_an_array_of_parameters(way: str) -> None:
    index, e, d = np.arange(9000) % 3, np.array([0.25, 0.5, 2.0]), np.array([0.125, 0.5, 0.0])
    menu = PairPerRun(tuple(KOV(*both) for both in zip(e, d, strict=True)), index)
    chosen, given = (
        getattr(pair, way)(np.random.default_rng(4), 9000, 2.5) for pair in (menu, KOV(e[index], d[index]))
    )
    assert np.array_equal(chosen, given)


def test_masses_may_be_arrays() -> None:
    p, q = np.array([0.5, 0.5]), np.array([0.125, 0.875])
    assert FinitePair(p, q) == FinitePair((0.5, 0.5), (0.125, 0.875))  # type: ignore[arg-type]
    exact = FinitePair(np.array([1, 0]), (np.int64(0), np.int64(1)))  # type: ignore[arg-type]
    assert exact.exact_masses == FinitePair((1, 0), (0, 1)).exact_masses
