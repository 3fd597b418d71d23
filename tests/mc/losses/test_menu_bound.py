"""One grid for all counts of a menu: beside the composition of each count, which cuts its own."""

from __future__ import annotations

import pytest

from mc.losses.composition import Composition
from mc.losses.menu_bound import menu_bound
from theory.pairs import Laplace, RandomizedResponse, SubsampledGaussian

SLOW, FAST, RARE = SubsampledGaussian(0.05, 1.0), SubsampledGaussian(0.1, 1.0), SubsampledGaussian(0.01, 1.0)


@pytest.mark.parametrize("swapped", [False, True], ids=["PQ", "QP"])
def test_where_delta_is_reached_it_lies_above_and_near(swapped):
    menu = tuple(pair.swapped if swapped else pair for pair in (SLOW, FAST, RARE))
    high = menu_bound(menu, 2.0, 1e-5, relative=2e-3)
    near = 0
    for counts in ((20, 0, 0), (12, 2, 3), (0, 12, 0), (110, 0, 0), (0, 32, 0), (55, 16, 50)):
        released = {pair: count for pair, count in zip(menu, counts, strict=True) if count}
        own = Composition(released).delta(2.0, relative=1e-4, direction="PQ")
        assert high(counts) >= own.low
        if 1e-6 < own.low < 1e-4:
            near += 1
            assert high(counts) <= own.high * (1 + 5e-3)
    assert near >= 2


def test_it_covers_far_more_uses_than_it_was_made_for():
    high = menu_bound((SLOW, FAST), 2.0, 1e-5, relative=2e-3)
    assert high((10**4, 10**4)) == 1.0 >= Composition({SLOW: 10**4, FAST: 10**4}).delta(2.0).low


@pytest.mark.parametrize("pair", [Laplace(2.0), RandomizedResponse(0.5)], ids=str)
def test_losses_with_a_mass_of_their_own_are_left_to_the_composition(pair):
    assert menu_bound((SLOW, pair), 2.0, 1e-5, relative=2e-3) is None
