"""What a filter affords makes plays and menus, in one order."""

import math
from fractions import Fraction
from itertools import islice

import numpy as np
import pytest
from scipy import stats

import filterproof as fp
from filters.catalogue import CATALOGUE
from filters.contract.work import WorkLimit
from mc.examine.examination import PartialExamination
from mc.examine.measure import Measure
from mc.examine.stages.frontier import Affordable, _row_law, alternatives, inside, lasting
from mc.examine.stages.game_menus import alarms
from mc.examine.subject import Subject
from mc.examine.verify import examine
from tests.instruments.corpus.fifth.broken import AbstentionBonus, ByteCounter
from tests.instruments.corpus.fifth.sound import EqualShares
from tests.instruments.corpus.fourth.purses import AlternatingBlocks, PlanByFamily
from tests.instruments.corpus.third.ledgers import TokenBucket
from tests.instruments.corpus.third.sound import BucketInTheSum
from tests.mc.examine import toys
from tests.mc.examine.stages.test_stages import subject as asked_about

D2 = Measure.renyi(2.0)


def subject(filt: fp.PrivacyFilter, *names: str) -> Subject:
    return asked_about(filt, *(names or ("gaussian", "rr", "erasure")))


def test_what_is_afforded_is_granted_so_often_and_little_more_is_not() -> None:
    told = subject(fp.GaussianFilter(mu=1.0))
    frontier = Affordable(told, WorkLimit.of(2_400_000))
    for times in (1, 4, 16):
        size = frontier.afforded(frontier.fresh(), told.lines[0], times)
        assert frontier.fresh().ask(fp.Gaussian(size), times) == times
        assert size == pytest.approx(times**-0.5, rel=5e-3)


def test_the_same_plays_pass_a_rule_that_forgets_the_block_before_however_much_work_is_allowed() -> None:
    told = subject(AlternatingBlocks())
    plays = [[*islice(inside(told, WorkLimit.of(units)), 8)] for units in (24_000_000, 36_000_000)]
    assert plays[0] == plays[1]
    assert len(plays[0]) == 8
    assert all(played.admitted(told.filter) for played in plays[0])
    assert any(played.low(D2) > told.promised(D2) for played in plays[0])


def test_the_best_guess_is_another_family_after_yes_than_after_no() -> None:
    told = subject(PlanByFamily())
    goal = Measure.hockey_stick(1.0)
    share, menu = max(alternatives(told, (goal,), WorkLimit.of(2_400_000)), key=lambda one: one[0])
    solved = fp.worst_case(told.filter, menu.pairs, epsilon=1.0, rounds=menu.rounds)
    assert {type(pair) for pair in menu.pairs} == {fp.RandomizedResponse, fp.Gaussian, fp.Erasure}
    assert share == pytest.approx(solved.low / told.promised(goal), rel=0.02)
    assert solved.low > told.promised(goal)


def test_of_one_that_looks_at_losses_an_answer_of_loss_zero_is_guessed_and_its_game_solved() -> None:
    """`AbstentionBonus`: after silence 1.5 is affordable, so that silence is asked for first."""
    told = subject(AbstentionBonus(), "rr", "gaussian", "twopoint")
    found = [*islice(alternatives(told, (Measure.hockey_stick(1.0),), WorkLimit.of(2_400_000)), 3)]
    games = [menu for _, menu in found if all(pair.outputs is not None for pair in menu.pairs)]
    assert any(
        0.0 in [loss for loss, _ in menu.pairs[0].outputs]
        and fp.worst_case(told.filter, menu.pairs, epsilon=1.0, rounds=menu.rounds).low > 0.05
        for menu in games
    )


def test_a_row_of_a_thousand_passes_a_counter_of_a_byte_and_keeps_to_a_sum() -> None:
    for filt, refuted in ((ByteCounter(), True), (EqualShares(), False)):
        told, measure = subject(filt), Measure.hockey_stick(2.0)
        line = told.lines[0]
        played = [*lasting(Affordable(told, WorkLimit.of(2_400_000)), line, 1000)]
        assert played[0].rounds == 1000
        assert any(one.low(measure) > told.promised(measure) for one in played) is refuted


def test_where_each_request_refills_as_many_are_asked_as_are_granted_at_all() -> None:
    for filt, goal, refuted in (
        (TokenBucket(), D2, True),
        (BucketInTheSum(), Measure.hockey_stick(1.0), False),
    ):
        told = subject(filt)
        played = [*islice(inside(told, WorkLimit.of(2_400_000)), 5)]
        assert max(one.rounds for one in played) == filt.rounds
        assert any(one.low(goal) > told.promised(goal) for one in played) is refuted


def test_after_ctrl_c_what_was_found_is_kept_and_says_that_it_is_partial() -> None:
    def stop(stage: str) -> None:
        if stage == "games":
            raise KeyboardInterrupt

    with pytest.raises(PartialExamination) as stopped:
        examine(toys.ByHand(), effort=0.03, mechanisms=["rr"], on_stage=stop)
    found = stopped.value.examination
    assert found.partial
    assert found.verdict.detail.startswith("stopped by Ctrl-C: nothing was found")
    assert {one.stage for one in found.findings} >= {"admission", "sequences"}


@pytest.mark.parametrize(("level", "times"), [(1e-3, 64), (0.3, 7), (2.0, 1000), (20.0, 64)])
def test_a_row_of_randomised_responses_has_a_binomial_number_of_high_losses(level: float, times: int) -> None:
    losses, masses = _row_law(level, times)
    ups = np.arange(times + 1)
    assert losses == pytest.approx(level * (2 * ups - times))
    assert masses == pytest.approx(stats.binom.pmf(ups, times, 1 / (1 + np.exp(-level))), rel=1e-9, abs=1e-12)


# -- alarms that nearly always keep silent, where a filter is shown what was lost -----------------------------


@pytest.mark.parametrize("rho", [0.2, 0.5, 2.0])
def test_squares_of_realised_losses_are_passed_by_silences_alone(rho):
    with fp.knowingly():
        filt = fp.SquaredLossFilter(rho)
    menu, goal = alarms(subject(filt, "rr", "twopoint"), WorkLimit.of(200_000))[0]
    (pair,) = menu.pairs
    silence = max(pair.p[0], pair.q[0]), min(pair.p[0], pair.q[0])
    alone = float(silence[0]) ** menu.rounds - math.exp(goal.at) * float(silence[1]) ** menu.rounds
    assert alone > filt.promise.delta(goal.at)
    # the filter's own code grants so many silences, and its game is worth no less than they are
    worst = fp.worst_case(filt, menu.pairs, epsilon=goal.at, rounds=menu.rounds)
    assert worst.low >= alone * (1 - 1e-12)


@pytest.mark.parametrize(
    "name", [name for name, entry in CATALOGUE.items() if entry.sound and entry.example().looks_at_losses]
)
def test_no_silence_passes_what_a_sound_filter_promises(name):
    """Fractions are the second route: silence after silence, as long as the filter's own code grants the alarm."""
    filt = CATALOGUE[name].example()
    for menu, goal in alarms(subject(filt, "rr", "twopoint"), WorkLimit.of(200_000)):
        (pair,) = menu.pairs
        more, less = sorted((Fraction(pair.p[0]), Fraction(pair.q[0])), reverse=True)
        alone = more**menu.rounds - Fraction(math.exp(goal.at)) * less**menu.rounds
        assert alone <= Fraction(filt.promise.delta(goal.at)) * (1 + Fraction(1, 10**9))


def test_a_filter_that_is_shown_no_losses_is_asked_for_no_alarm():
    assert alarms(subject(fp.ZCDPFilter(0.5), "rr", "twopoint"), WorkLimit.of(200_000)) == []
