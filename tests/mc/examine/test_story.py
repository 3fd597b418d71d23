"""A witness is told round by round, in the filter's own terms, with the number that passes the promise and why."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

import filterproof as fp
from mc.examine.measure import Measure
from mc.examine.sequence import Sequence
from mc.examine.story import _fall, curve_of, story_of_plan, story_of_sequence
from mc.worst_case.plan import Plan
from tests.mc.examine import toys

D2 = Measure.renyi(2.0)


class Cheap(toys.WholeUnits):
    """The same of a promise that 400 free requests break."""

    promise = fp.ZCDP(0.02)


def test_each_turn_says_what_was_revealed_by_then() -> None:
    played = Sequence(((fp.Gaussian(0.9), 1), (fp.Gaussian(0.01), 7), (fp.Gaussian(0.9), 1)))
    told = story_of_sequence(toys.Window(), played, D2)
    # by hand: D of order 2 of Gaussians is the sum of mu^2
    by_hand = [0.81, 0.81 + 7e-4, 1.62 + 7e-4]
    assert [one.reached for one in told.turns] == pytest.approx(by_hand, rel=1e-12)
    assert [one.rounds for one in told.turns] == ["1", "2-8", "9"]
    assert told.passed == 9
    assert told.why[0] == "in round 8, the sum of the state falls from 0.4053 to 0.00035"
    assert [one.promised for one in told.turns] == [1.0, 1.0, 1.0]


def test_the_turns_hang_together_and_end_where_the_play_ends() -> None:
    played = Sequence(((fp.Gaussian(0.3), 40),))
    told = story_of_sequence(toys.ResetAfterTen(), played, D2)
    assert all(one.after == two.before for one, two in pairwise(told.turns))
    assert told.turns[-1].reached == pytest.approx(played.low(D2))
    # 12 x 0.09 is the first sum of mu^2 above 1
    assert told.passed == 12
    assert told.turns[1].rounds == "12"
    falls = [why for why in told.why if "falls" in why]  # and none after the promise is passed
    assert falls == ["in round 10, part 2 of the state falls from 0.405 to 0"]
    assert not [*_fall(np.array([0.4]), np.array([0.35]), 3)]  # a little less is no fall


def test_the_state_after_a_row_that_is_not_played_to_its_end_is_not_told_unless_a_request_leaves_it_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("mc.examine.story._PLAYED", 3)
    each, more = (fp.Gaussian(0.01), 5), (fp.Gaussian(0.02), 1)
    for kind, states in ((toys.Sum, ["0", "...", "..."]), (toys.Forgets, ["0", "0", "..."])):
        told = story_of_sequence(kind(), Sequence((each, more)), D2)
        assert [told.turns[0].before, *(one.after for one in told.turns)] == states
        assert told.turns[1].before == states[1]


def test_a_row_that_passes_the_promise_at_once_is_not_cut() -> None:
    played = Sequence(((fp.Gaussian(0.3), 11), (fp.Gaussian(0.31), 20)))
    told = story_of_sequence(toys.ResetAfterTen(), played, D2)
    assert told.passed == 12
    assert [one.rounds for one in told.turns] == ["1-11", "12-31"]


def test_why_names_the_charge_that_is_too_small_and_its_currency() -> None:
    played = Sequence(((fp.Laplace(2.0), 8),))
    told = story_of_sequence(toys.CheapLaplace(), played, D2)
    least = fp.Laplace(2.0).least("zcdp_rho")[0]
    assert told.why == (f"Laplace(b=2) was charged 0.0625; its least zCDP rho is {least:.4g}",)
    assert story_of_sequence(fp.ZCDPFilter(0.5), Sequence(((fp.Laplace(2.0), 2),)), D2).why == ()


def test_why_names_sums_that_are_kept_apart() -> None:
    played = Sequence(((fp.Gaussian(1.0), 1), (fp.RandomizedResponse(1.0), 1)))
    told = story_of_sequence(toys.PerFamily(), played, D2)
    assert told.why == (
        "Gaussian(mu=1) is charged to part 1 of the state; "
        "RandomizedResponse(epsilon=1) is charged to part 2 of the state",
    )


def test_why_is_silent_where_the_charge_is_right_and_on_what_comes_after_the_promise_is_passed() -> None:
    pays_with_a_delta = Sequence(((fp.KOV(1.0, 1e-3), 1), (fp.Erasure(2.5e-4), 1)))
    assert story_of_sequence(toys.Squares(), pays_with_a_delta, Measure.hockey_stick(1.0)).why == ()
    free = "Gaussian(mu=0.01) leaves the state as it was: it was charged nothing"
    dropped, small = (fp.Gaussian(1.1e-2), 400), (fp.Gaussian(0.01), 1)
    for steps, why in (((dropped, small), 0), ((small, dropped), 1)):
        # of either 400 are free: what comes first, and passes a zCDP of 0.02, explains it
        told = story_of_sequence(Cheap(), Sequence(steps), D2)
        assert told.passed is not None
        assert [free in told.why, len(told.why)] == [why == 1, 1 + why]


def test_why_says_which_world_an_answer_tells_for_and_that_nothing_was_charged_of_no_answer_that_was() -> (
    None
):
    pair = fp.RandomizedResponse.from_ratio(2)
    plan = Plan(pair, (None, Plan(pair, (None, None))))
    told = story_of_plan(toys.RunningLoss(), plan, Measure.hockey_stick(1.0, "QP"), Fraction(11, 4))
    assert told.passed == 2
    of = "RandomizedResponse.from_ratio(2) leaves the state as it was: it cost nothing"
    assert told.why == (f"after loss -0.693, which tells for Q, {of}",)


def test_an_adaptive_play_is_told_as_far_as_it_matters() -> None:
    pair = fp.RandomizedResponse.from_ratio(2)
    plan = Plan(pair, (Plan(pair, (None, None)), None))
    ratio, at = Fraction(11, 4), Measure.hockey_stick(1.0)
    told = story_of_plan(toys.AfterGain(), plan, at, ratio)
    assert [one.when for one in told.turns] == ["", "after loss +0.693"]
    # by hand: P has 2/3, then 4/9 and a loss of 2 log 2
    assert told.turns[1].reached == pytest.approx(4 / 9 - 2.75 / 9)
    assert told.passed == 2
    assert told.why == (
        "after loss +0.693 RandomizedResponse.from_ratio(2) leaves the state as it was: it cost nothing",
    )


@pytest.mark.parametrize("way", ["PQ", "QP"])
def test_a_play_that_goes_on_after_all_that_its_world_can_answer_stops_nowhere(way) -> None:
    erasure, bit = (
        fp.Erasure(1e-4, exact=Fraction(1, 10_000)),
        fp.RandomizedResponse.from_ratio(Fraction(5, 4)),
    )
    then = Plan(bit, (None, None))
    # of the answers that reveal a world one is possible in each
    for stops in range(3):
        plan = Plan(erasure, tuple(None if place == stops else then for place in range(3)))
        told = story_of_plan(toys.Squares(), plan, Measure.hockey_stick(1.0, way), Fraction(11, 4))
        never = stops == (2 if way == "PQ" else 0)
        assert told.turns[0].answered == f"granted, then go on below{'' if never else ', else stop'}"
        assert {turn.answered for turn in told.turns[1:]} == {"granted, then stop"}


def test_the_curve_is_that_of_the_composition() -> None:
    played = Sequence(((fp.Gaussian(0.9), 2),))
    told = story_of_sequence(toys.Window(), Sequence(((fp.Gaussian(0.5), 1),)), D2)
    points = list(curve_of(told, toys.Window.promise, played.low))
    assert len(points) > 5
    at_zero = replace(told, measure=Measure.hockey_stick(0.0))
    assert len({at for at, *_ in curve_of(at_zero, toys.Window.promise, played.low)}) == 13
    for epsilon, reached, promised in points:
        assert reached == pytest.approx(fp.GaussianDP(0.9 * np.sqrt(2)).delta(epsilon), rel=1e-6)
        assert promised == fp.ZCDP(0.5).delta(epsilon)
