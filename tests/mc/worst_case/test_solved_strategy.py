"""The solved strategy is an adversary: played out, it is worth what the game said."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from filters.catalogue import CATALOGUE
from mc.engine.adversary import View
from mc.losses import LogRatio
from mc.worst_case import worst_case
from tests.mc.worst_case.small_games import CountFilter, LossFilter, SquaresFilter, worth
from theory.evidence import Evidence
from theory.pairs import KOV, Erasure, RandomizedResponse

RATIO = Fraction(9, 8)
LEVELS = [RandomizedResponse.from_ratio(RATIO**k) for k in (1, 2, 3)]
ATOMS = [KOV.from_ratio(RATIO**2, Fraction(1, 1000)), Erasure(Fraction(1, 500))]
GAMES = {
    "squares": (SquaresFilter(math.log(9 / 8), 9), LEVELS),
    "rounds": (CountFilter(3), [*LEVELS, *ATOMS]),
    "losses": (LossFilter(0.3, 4), [*LEVELS, *ATOMS]),
}


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("direction", ["PQ", "QP"])
@pytest.mark.parametrize("rounds", [3, 5])
@pytest.mark.parametrize("evidence", [Evidence.EXACT, Evidence.CERTIFIED])
def test_played_out_it_is_worth_the_value(game, direction, rounds, evidence):
    filt, menu = GAMES[game]
    ratio = Fraction(5, 4)
    solved = worst_case(
        filt, menu, epsilon=LogRatio(ratio), rounds=rounds, direction=direction, evidence=evidence
    )
    reached = worth(solved.strategy, filt, ratio, rounds, direction)
    if solved.value is not None:
        assert reached == solved.value
    assert solved.low <= reached <= solved.high


def test_a_denied_run_that_may_ask_again_gains_nothing():
    filt = CATALOGUE["RealisationFilter"].example()
    menu = [RandomizedResponse(0.5), RandomizedResponse(1.5)]
    halt, retry = (worst_case(filt, menu, epsilon=8.0, on_denial=rule) for rule in ("halt", "retry"))
    assert (halt.low, halt.high) == (retry.low, retry.high)
    assert "retry" in retry.scope


def test_a_strategy_without_its_table_says_how_to_get_one():
    solved = worst_case(SquaresFilter(0.5, 4), RandomizedResponse(0.5), epsilon=0.5)
    view = View(0, np.zeros(1), np.zeros(1), np.zeros(1), solved.strategy.start(None, 1, None), None, None)
    with pytest.raises(RuntimeError, match="against"):
        solved.strategy.request(view)
