"""Games of several filters that are one graph of states: each is worth what it is alone."""

from __future__ import annotations

import pytest

from filters import ZCDPFilter
from mc.worst_case import worst_case
from theory.pairs import RandomizedResponse

STEP = 2.0**-5
MENU = [RandomizedResponse(STEP * k) for k in (1, 2, 3)]


@pytest.mark.parametrize("rounds", [None, 5])
def test_known_games_are_worth_what_they_are_alone(rounds):
    known = {}
    for budget in (40, 20, 20.5, 33, 50, 33.2):
        filt = ZCDPFilter(budget * STEP**2 / 2)
        alone = worst_case(filt, MENU, epsilon=0.25, rounds=rounds)
        again = worst_case(filt, MENU, epsilon=0.25, rounds=rounds, known=known)
        assert (again.low, again.high) == (alone.low, alone.high)
        assert (again.rounds, again.positions) == (alone.rounds, alone.positions)
    # 20.5 has the graph of 20, and 33.2 that of 33
    assert len(known) == 4
