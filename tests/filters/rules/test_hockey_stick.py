"""The hockey-stick filter: what a round is charged, and what all transcripts come to."""

import math
from fractions import Fraction

import numpy as np
import pytest

import filterproof as fp
from filterproof.filters.rules.hockey_stick import HockeyStickFilter
from filterproof.theory.pairs import Erasure, FinitePair, RandomizedResponse

COIN = FinitePair((Fraction(1, 2), Fraction(1, 2)), (Fraction(2, 5), Fraction(3, 5)))
SKEW = FinitePair(
    (Fraction(1, 10), Fraction(1, 2), Fraction(2, 5)), (Fraction(1, 5), Fraction(1, 5), Fraction(3, 5))
)


def spent(filt: HockeyStickFilter, state: tuple[np.ndarray, ...]) -> tuple[float, float]:
    """What was charged in each direction."""
    one, other = (filt._delta.value((state[k], state[k + 1])) for k in (2, 4))
    return float(one[0]), float(other[0])


@pytest.mark.parametrize("pair", [SKEW, SKEW.swapped, Erasure(0.25, exact=Fraction(1, 4))], ids=repr)
def test_a_round_is_charged_its_bracket_wherever_the_loss_is(pair):
    """H_{e^room}(P || Q) - (1 - e^room)_+ by its definition, room = epsilon -+ loss on both sides of zero."""
    filt = HockeyStickFilter(1.0, 0.999)
    for loss in np.linspace(-2.5, 2.5, 21):
        state = filt.observe(filt.start(1), np.array([loss]))
        for room, side, charged in zip(
            (1 - loss, 1 + loss), (pair, pair.swapped), spent(filt, filt.spend(state, pair)), strict=True
        ):
            at = Fraction(math.exp(room))
            mean = sum(max(p - at * q, Fraction(0)) for p, q in side.masses_as_fractions)
            bracket = float(mean - max(1 - at, Fraction(0)))
            assert bracket * (1 - 1e-12) - 1e-15 <= charged <= bracket * (1 + 1e-9) + 1e-9


def test_no_adversary_over_coins_and_erasures_reaches_delta_and_one_comes_near():
    menu = (COIN, Erasure(1 / 400, exact=Fraction(1, 400)))
    worst = fp.worst_case(HockeyStickFilter(0.5, 0.01), menu, rounds=8, epsilon=0.5)
    assert 0.0075 < worst.low <= worst.high <= 0.01


def test_what_rounding_may_have_done_to_the_loss_is_charged():
    filt, pair, spread = HockeyStickFilter(1.0, 0.5), RandomizedResponse(0.2), []
    for away in (0.0, 1e9, 1e12):  # of which the last has no digits below 1e-4
        state = filt.start(1)
        for loss in (away, -away, 0.9):
            state = filt.observe(state, np.array([loss]))
        spread.append(spent(filt, filt.spend(state, pair))[0])
    assert spread[0] < spread[1] < spread[2] == pytest.approx(float(pair.hockey_stick(0.0)), rel=1e-9)


def test_nothing_is_admitted_after_an_infinite_loss():
    filt = HockeyStickFilter(1.0, 0.5)
    for loss in (math.inf, -math.inf):
        state = filt.observe(filt.spend(filt.start(1), Erasure(0.1)), np.array([loss]))
        assert not filt.admits(state, RandomizedResponse(1e-6))[0]
        assert filt.remaining(state)[0] == 0
