"""Games that were once enumerated strategy by strategy on models of the rules, here on the filters' own code.

The six orders are those of the 723 strategies of three rounds; the rationals were found by that enumeration.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest

import filterproof as fp
from tests.mc.worst_case.small_games import play_out
from theory.evidence import Evidence

ORDERS = (Fraction(1, 2), Fraction(1), Fraction(3, 2), Fraction(2), Fraction(3), Fraction(4))
#: What is added to a budget so that it pays for the charges that make it up, rounded up.
PAYS = 1 + 1e-9
COINS = (
    fp.FinitePair((Fraction(2, 3), Fraction(1, 3)), (Fraction(1, 3), Fraction(2, 3))),
    fp.FinitePair((Fraction(1, 2), Fraction(1, 2)), (Fraction(1, 3), Fraction(2, 3))),
)
TURNED = tuple(pair.swapped for pair in COINS)
RESPONSES = (fp.RandomizedResponse.from_ratio(Fraction(3, 2)), fp.RandomizedResponse.from_ratio(Fraction(3)))


def worst(filt: fp.PrivacyFilter, menu: Sequence[fp.DominatingPair]) -> list[Fraction | None]:
    """The largest hockey-stick at each order, exact, in three rounds."""
    games = [fp.worst_case(filt, menu, epsilon=fp.LogRatio(g), rounds=3) for g in ORDERS]
    assert {game.evidence for game in games} == {Evidence.EXACT}
    return [game.value for game in games]


def test_the_gaussian_filter_on_two_responses_reaches_the_enumerated_values_below_its_curve() -> None:
    filt = fp.GaussianFilter(math.hypot(*(float(np.asarray(pair.gdp_mu)) for pair in RESPONSES)) * PAYS)
    found = worst(filt, RESPONSES)
    assert found == [
        Fraction(5, 8),
        Fraction(1, 2),
        Fraction(3, 8),
        Fraction(1, 4),
        Fraction(3, 20),
        Fraction(1, 20),
    ]
    shares = [
        float(value or 0) / float(filt.promise.delta(math.log(g)))
        for g, value in zip(ORDERS, found, strict=True)
        if g >= 1
    ]
    assert 0.94 < max(shares) < 1


@pytest.mark.parametrize("order", [2, 3, 5])
def test_the_renyi_filter_on_two_coins_reaches_the_enumerated_values(order: int) -> None:
    charges = [max(float(np.asarray(way.renyi(order))) for way in (pair, pair.swapped)) for pair in COINS]
    filt = fp.RenyiFilter(float(order), sum(charges) * PAYS)
    found = worst(filt, COINS)
    assert found == [Fraction(5, 9), Fraction(1, 3), Fraction(7, 36), Fraction(1, 9), Fraction(1, 72), 0]
    assert found == [max(play_out(filt, menu, g, 3) for menu in (COINS, TURNED)) for g in ORDERS]


def test_basic_composition_reaches_what_the_product_of_its_deltas_leaves() -> None:
    menu = (fp.KOV.from_ratio(Fraction(3, 2), Fraction(1, 6)), fp.Erasure(Fraction(1, 10)))
    filt = fp.BasicFilter(math.log(1.5) * PAYS, (1 / 6 + 1 / 10) * PAYS)
    found = dict(zip(ORDERS, worst(filt, menu), strict=True))
    assert found[Fraction(3, 2)] == 1 - Fraction(9, 10) * Fraction(5, 6)
    assert found == {g: play_out(filt, menu, g, 3) for g in ORDERS}
