"""A witness is told round by round, in the filter's own terms, with the number that passes the promise and why."""

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

import filterproof as fp
from mc.examine.measure import Measure
from mc.examine.sequence import Sequence
from mc.examine.story import _fall, curve_of, state_words, story_of_plan, story_of_sequence
from mc.worst_case.plan import Plan
from tests.mc.examine import toys

D2, KOV = Measure.renyi(2.0), fp.KOV(1.0, 1e-3)


class Cheap(toys.WholeUnits):
    """The same of a promise that 400 free requests break."""

    promise = fp.ZCDP(0.02)


class Books(toys.Two):
    """Keeps rho, mu^2 and epsilon, each half of what is due for a Laplace, and denies nothing."""

    def start(self, n):
        return (np.zeros(n),) * 3

    def admits(self, state, request):
        return state[0] >= 0

    def spend(self, state, request):
        due = request.zcdp_rho, request.gdp_mu**2, request.pure_epsilon
        return tuple(
            held + due * (0.5 if isinstance(request, fp.Laplace) else 1.0)
            for held, due in zip(state, due, strict=True)
        )


class SumOfLosses(toys.Sum):
    """Denies nothing, and keeps what was lost."""

    def admits(self, state, request):
        return state == state

    def spend(self, state, request):
        return state

    def observe(self, state, loss):
        return state + loss


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
    assert not [*_fall(np.array([0.4]), np.array([-1.0]), 3)]  # nor is what a gauge of losses does
    (told_of_two,) = _fall(np.array([[1.0, 2.0]]), np.array([[0.1, 2.0]]), 3)
    assert told_of_two == "in round 3, number 1 of the state falls from 1 to 0.1"


def test_three_falls_are_told_and_none_that_comes_later() -> None:
    class Narrow(toys.ResetAfterTen):
        promise = fp.ZCDP(0.4)

    told = story_of_sequence(toys.ResetAfterTen(), Sequence(((fp.Gaussian(0.15), 60),)), D2)
    assert [why.split(",")[0] for why in told.why] == [f"in round {number}" for number in (10, 20, 30)]
    told = story_of_sequence(Narrow(), Sequence(((fp.Gaussian(0.31), 12),)), D2)
    assert (told.passed, told.why) == (9, ())


def test_a_long_play_is_cut_short_and_ends_with_its_last_turn() -> None:
    each = tuple((fp.Gaussian(mu), 1) for mu in (0.01, 0.02)) * 15
    told = story_of_sequence(toys.Sum(), Sequence(each), D2)
    assert [one.rounds for one in told.turns] == [*map(str, range(1, 25)), "30"]
    few = story_of_sequence(toys.Sum(), Sequence(((fp.Gaussian(0.01), 3), (fp.Gaussian(0.02), 40))), D2)
    assert [one.rounds for one in few.turns] == ["1-3", "4-43"]
    assert state_words(np.array(["x" * 60])) == "x" * 60


def test_what_costs_nothing_later_in_a_row_is_told_where_the_row_is_cut() -> None:
    class Once(toys.CountsFirstOnly):
        promise = fp.ZCDP(0.02)

    told = story_of_sequence(Once(), Sequence(((fp.Gaussian(0.1), 6),)), D2)
    # the fifth mu^2 passes 0.04
    assert told.why == ("after round 4 Gaussian(mu=0.1) leaves the state as it was: it cost nothing",)


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


@pytest.mark.parametrize(
    ("promise", "unit", "charge"),
    [
        (fp.ZCDP(0.02), "zCDP rho", "zcdp_rho"),
        (fp.GaussianDP(0.2), "GDP mu", "gdp_mu"),
        (fp.PureDP(0.2), "pure epsilon", "pure_epsilon"),
    ],
)
def test_of_several_currencies_that_of_the_promise_is_told(promise, unit: str, charge: str) -> None:
    filt, laplace = Books(), fp.Laplace(2.0)
    filt.promise = promise
    told = story_of_sequence(filt, Sequence(((laplace, 2),)), Measure.hockey_stick(0.1))
    least = laplace.least(charge)[0]
    paid = float(getattr(laplace, charge)) * (np.sqrt(0.5) if charge == "gdp_mu" else 0.5)
    assert told.why == (f"Laplace(b=2) was charged {paid:.4g}; its least {unit} is {least:.4g}",)


@pytest.mark.parametrize(
    ("pair", "price", "why"),
    [
        # a delta may pay for what epsilon does not, and a KOV pair has an epsilon of its own
        (KOV, lambda pair: pair.epsilon / 2 if pair == KOV else pair.pure_epsilon, "pure epsilon is 1"),
        # few bits of a sum are no fault, and what every request costs is no currency
        (KOV, lambda pair: pair.epsilon * (1 - 5e-4) if pair == KOV else pair.pure_epsilon, ""),
        (fp.RandomizedResponse(1.0), lambda pair: 2.0**-13, ""),
    ],
)
def test_a_charge_is_told_where_it_is_a_currency_and_too_small(pair, price, why: str) -> None:
    class Priced(toys.Sum):
        promise, most = fp.ApproxDP(0.5, 1e-4), 9.0

        def cost(self, state, request):
            return state * 0 + price(request)

    told = story_of_sequence(Priced(), Sequence(((pair, 2),)), Measure.hockey_stick(0.5))
    assert told.passed == 1
    assert [text.endswith(why) for text in told.why] == [True] * bool(why)


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
    seven = tuple((fp.Gaussian(0.0112 + 1e-4 * place), 50) for place in range(7))
    told = story_of_sequence(Cheap(), Sequence(seven), D2)
    assert told.passed is not None
    assert told.passed > 300
    assert len(told.why) == 6  # of six kinds


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


@pytest.mark.parametrize(("way", "after"), [("PQ", "0.288"), ("QP", "0.288 (loss +0.288); -inf (loss -inf)")])
def test_an_answer_that_the_world_cannot_give_is_not_told(way: str, after: str) -> None:
    plan = Plan(fp.FinitePair((Fraction(0), Fraction(1)), (Fraction(1, 4), Fraction(3, 4))), (None, None))
    told = story_of_plan(SumOfLosses(), plan, Measure.hockey_stick(0.0, way), Fraction(1))
    assert told.turns[0].after.replace("0.287682", "0.288") == after


def test_a_plan_of_many_positions_is_told_round_by_round_as_far_as_there_is_room() -> None:
    pair, plan = fp.RandomizedResponse.from_ratio(2), None
    for _ in range(5):
        plan = Plan(pair, (plan, plan))
    told = story_of_plan(SumOfLosses(), plan, Measure.hockey_stick(0.0), Fraction(1))
    rounds = [int(one.rounds) for one in told.turns]
    assert len(rounds) == 24
    assert rounds == sorted(rounds)
    assert {one.answered for one in told.turns if one.rounds != "5"} == {"granted, then go on below"}
    assert {one.answered for one in told.turns if one.rounds == "5"} == {"granted, then stop"}


def test_why_speaks_of_the_round_in_which_the_promise_is_passed() -> None:
    first, second = (fp.RandomizedResponse.from_ratio(ratio) for ratio in (2, Fraction(5, 2)))
    plan = Plan(first, (Plan(second, (None, None)), None))
    told = story_of_plan(toys.AfterGain(), plan, Measure.hockey_stick(1.0), Fraction(11, 4))
    assert told.passed == 2
    assert len(told.why) == 2
    assert told.why[1].startswith("after loss +0.916 RandomizedResponse")
    assert told.turns[0].answered == "granted, then go on below, else stop"
    assert [*curve_of(told, toys.AfterGain.promise, lambda at: 0.0)][-1][0] == 2.0


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
