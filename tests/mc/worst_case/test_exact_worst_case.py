"""The game in rational arithmetic, against plain recursion over whole histories and against paper."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mc.losses import LogRatio
from mc.worst_case import worst_case
from tests.mc.worst_case.small_games import (
    CompositionFilter,
    CountFilter,
    LossFilter,
    SquaresFilter,
    play_out,
)
from theory.evidence import Evidence
from theory.pairs import Erasure, FinitePair, Gaussian, RandomizedResponse


@pytest.mark.parametrize(
    ("first", "second", "ratio"), [(2, 6, 3), (3, 20, 7), (Fraction(5, 4), Fraction(15, 8), Fraction(3, 2))]
)
def test_two_rounds_beat_the_natural_filter_by_the_chance_of_a_minus(first, second, ratio):
    first, second, ratio = Fraction(first), Fraction(second), Fraction(ratio)
    keep = first / (1 + first)
    delta = keep * (second - ratio / first) / (1 + second)
    menu = [
        RandomizedResponse.from_ratio(first),
        RandomizedResponse.from_ratio(second),
        FinitePair((delta, 1 - delta, Fraction(0)), (Fraction(0), 1 - delta, delta)),
    ]
    solved = worst_case(CompositionFilter(ratio, delta), menu, epsilon=LogRatio(ratio), rounds=2)
    assert solved.value == delta * (1 + 1 / (1 + first))


MASSES = (
    st.lists(st.integers(0, 5), min_size=3, max_size=3)
    .filter(sum)
    .map(lambda parts: tuple(Fraction(part, sum(parts)) for part in parts))
)
PAIRS = st.builds(FinitePair, MASSES, MASSES)


@settings(deadline=None)
@given(
    menu=st.lists(PAIRS, min_size=1, max_size=3),
    ratio=st.fractions(Fraction(1, 2), 4, max_denominator=8),
    rounds=st.integers(1, 3),
    direction=st.sampled_from(["PQ", "QP"]),
    watching=st.booleans(),
)
def test_merging_positions_changes_no_value(menu, ratio, rounds, direction, watching):
    filt = LossFilter(0.5, 2) if watching else CompositionFilter(ratio, Fraction(1, 2))
    solved = worst_case(filt, menu, epsilon=LogRatio(ratio), rounds=rounds, direction=direction)
    assert solved.value == play_out(filt, menu, ratio, rounds, direction)


def test_both_directions_are_looked_in_though_one_pair_of_the_menu_is_the_same_in_both():
    revealing = FinitePair((Fraction(0), Fraction(1)), (Fraction(1, 10), Fraction(9, 10)))
    menu = [RandomizedResponse.from_ratio(Fraction(9, 8)), revealing]
    solved = worst_case(CountFilter(1), menu, epsilon=LogRatio(2), rounds=1)
    assert (solved.value, solved.direction) == (Fraction(1, 10), "QP")


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"min_charge": 5.0}, "min_charge"),
        ({"menu": [RandomizedResponse(1.0)], "evidence": Evidence.EXACT}, "rational masses"),
        ({"epsilon": 1.0, "evidence": Evidence.EXACT}, "LogRatio"),
        ({"evidence": Evidence.STATISTICAL}, "evidence must be"),
    ],
)
def test_what_no_game_can_be_solved_for_is_refused(change, says):
    arguments = {"menu": [RandomizedResponse.from_ratio(2)], "epsilon": LogRatio(2), "rounds": 2} | change
    with pytest.raises(ValueError, match=says):
        worst_case(SquaresFilter(1.0, 4), arguments.pop("menu"), **arguments)


@pytest.mark.parametrize("epsilon", [1e4, 1e5, 1e300])
def test_an_epsilon_whose_exponential_is_no_ball_is_answered(epsilon):
    solved = worst_case(CountFilter(2), [RandomizedResponse.from_ratio(2)], epsilon=epsilon)
    assert solved.low == 0.0 <= solved.high < 1e-250


def test_a_least_charge_narrows_the_class():
    menu = [RandomizedResponse.from_ratio(Fraction(9, 8) ** k) for k in (1, 2)]
    filt, ratio = SquaresFilter(math.log(9 / 8), 5), Fraction(5, 4)
    wide = worst_case(filt, menu, epsilon=LogRatio(ratio))
    narrow = worst_case(filt, menu, epsilon=LogRatio(ratio), min_charge=0.02)
    assert narrow.value == play_out(filt, menu[1:], ratio, 1)
    assert narrow.value < wide.value == play_out(filt, menu, ratio, 5)
    assert "least charge 0.02" in narrow.scope


def test_a_filter_that_looks_at_losses_needs_finitely_many_of_them():
    with pytest.raises(ValueError, match="finitely many outputs"):
        worst_case(LossFilter(1.0, 1), [Gaussian(1.0), Erasure(0.1)], epsilon=1.0, rounds=1)
