"""The refutation that is shown is a plain one: each step of making it so is certified again, in a fixed order."""

import json
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import filterproof as fp
from filterproof.filters.catalogue import CATALOGUE
from filterproof.filters.contract.work import WorkLimit, activate_meter, count_work, stopping_at
from filterproof.mc.examine.counterexample import (
    CLEAR_FACTOR,
    Counterexample,
    menu_counterexample,
    sequence_counterexample,
)
from filterproof.mc.examine.divergence import Divergence
from filterproof.mc.examine.minimise import minimise
from filterproof.mc.examine.replay import replay_data
from filterproof.mc.examine.sequence import RequestSequence
from filterproof.mc.examine.stages.plays import ROUND_SIZES, simple_plays
from filterproof.mc.examine.stages.shrinking import (
    best_plan_over_rational_pairs,
    refutations_by_simple_plans,
    shrink,
)
from filterproof.theory.numerics.decimals import format_down
from tests.instruments.corpus.fifth.broken import AbstentionBonus
from tests.mc.examine import example_filters
from tests.mc.examine.counterexamples import sequence
from tests.mc.examine.example_filters import Forgets
from tests.mc.examine.stages.test_stages import LONG, subject

D2 = Divergence.renyi(2.0)
ODD = fp.FinitePair((0.132, 0.868), (0.125, 0.875))


def many(filt: fp.PrivacyFilter, *steps: tuple[fp.DominatingPair, int]) -> Counterexample:
    played = RequestSequence(steps)
    assert played.is_granted(filt)
    return sequence_counterexample(filt, played, D2, played.lower_bound(D2))


def shrunk(
    filt: fp.PrivacyFilter,
    *counterexamples: Counterexample,
    units: int = LONG,
    families=("gaussian", "rr", "laplace"),
):
    (finding,) = shrink(subject(filt, *families), counterexamples, WorkLimit.of(units))
    return finding


@pytest.fixture(scope="module")
def odd() -> Counterexample:
    """What nobody reads: many kinds, odd pairs, and a hair above the promise."""
    small = [
        (fp.FinitePair((a, 1 - a), (0.125, 0.875)), 1)
        for a in (0.1251, 0.1252, 0.1253, 0.1254, 0.1255, 0.1256)
    ]
    return many(example_filters.Window(), (fp.Gaussian(0.99), 1), *small, (ODD, 1), (fp.Gaussian(0.17), 1))


def test_a_counterexample_of_many_odd_kinds_becomes_a_few_known_ones(odd: Counterexample) -> None:
    assert odd.factor < 1.03
    finding = shrunk(example_filters.Window(), odd)
    best = finding.counterexample
    assert best.kind == "sequence"
    assert best.factor >= CLEAR_FACTOR
    assert {step["request"]["type"] for step in best.data["sequence"]} <= {"Gaussian", "RandomizedResponse"}
    assert len({str(step["request"]) for step in best.data["sequence"]}) <= 2
    assert best.rounds <= 30
    assert best.order < odd.order
    # anyone can play it again: the same certifier says so, and not the stage
    assert best.replay().refutes
    assert finding.verdict.detail == str(best) == finding.result
    assert (
        f"promised 1, {format_down(best.factor, 3)} times the promise" in finding.result
        or "delta at" in finding.result
    )


@pytest.mark.slow
def test_what_was_not_asked_for_is_not_told_either() -> None:
    with_laplace_noise = sequence(pair=fp.Laplace(5.0), times=40)
    finding = shrunk(Forgets(), with_laplace_noise, families=("laplace",))
    assert {step["request"]["type"] for step in finding.counterexample.data["sequence"]} == {"Laplace"}


def test_where_no_work_is_left_what_was_found_is_shown(odd: Counterexample) -> None:
    finding = shrunk(example_filters.Window(), odd, units=0)
    assert finding.counterexample is odd
    assert finding.trace.passed == odd.rounds
    assert finding.not_tried.endswith("its share of the work was used up")


def test_search_that_is_stopped_at_its_limit_keeps_its_result() -> None:
    """One bound on Laplace sums takes more than all units; the worker ends a stage two thirds beyond its limit."""
    wide = sequence_counterexample(
        Forgets(),
        RequestSequence(((fp.Laplace(3.0), 3), (fp.Laplace(2.0), 5))),
        Divergence.hockey_stick(1.0),
        0.2,
    )
    with activate_meter(), stopping_at(WorkLimit.of(5 / 3 * 1000)):
        assert shrunk(Forgets(), wide, units=1000).counterexample is wide


def test_few_rounds_come_before_many_and_known_pairs_before_odd_ones() -> None:
    filt = example_filters.PerFamily()
    plainest_first = [
        many(filt, (fp.Gaussian(1.0), 1), (fp.RandomizedResponse(1.0), 1)),
        many(filt, (fp.Gaussian(1.0), 1), (fp.Laplace(1.0), 1)),
        many(filt, (fp.Gaussian(0.5), 4), (fp.RandomizedResponse(1.0), 1)),
        many(filt, (fp.Gaussian(0.25), 16), (fp.RandomizedResponse(1.0), 1)),
        many(filt, (fp.Gaussian(1.0), 1), (fp.RandomizedResponse(0.25), 1)),
    ]
    assert all(simpler.order < two.order for simpler, two in pairwise(plainest_first))


def test_more_than_a_hair_above_the_promise_comes_first_and_what_is_far_out_on_a_curve_last() -> None:
    filt = example_filters.PerFamily()
    hair = many(filt, (fp.Gaussian(1.0), 1), (fp.RandomizedResponse(0.05), 1))
    some = many(filt, (fp.Gaussian(0.1), 99), (fp.RandomizedResponse(0.05), 30))
    far = sequence_counterexample(filt, hair.played, Divergence.hockey_stick(8.0), 3e-13)
    near = sequence_counterexample(filt, some.played, Divergence.hockey_stick(1.0), 0.9)
    assert 1 < hair.factor < 1.01 < some.factor < CLEAR_FACTOR < min(far.factor, near.factor)
    assert near.order < some.order < hair.order
    assert some.order < far.order


def test_a_menu_of_rational_pairs_is_told_as_a_plan_answer_by_answer() -> None:
    """`AbstentionBonus`: after silence half as much again."""
    silent = fp.FinitePair(
        (Fraction(7, 25), Fraction(1, 2), Fraction(11, 50)),
        (Fraction(11, 50), Fraction(1, 2), Fraction(7, 25)),
    )
    menu, filt, at = (
        (silent, fp.RandomizedResponse.from_ratio(Fraction(17, 5))),
        AbstentionBonus(),
        Divergence.hockey_stick(1.0),
    )
    solved = fp.worst_case(filt, menu, epsilon=1.0, rounds=2)
    shown = menu_counterexample(
        filt, menu, replace(at, direction=solved.direction), rounds=2, low=solved.low, high=solved.high
    )
    finding = shrunk(filt, shown, families=("gaussian", "twopoint"))
    assert finding.counterexample.kind == "plan"
    assert finding.counterexample.replay().refutes
    assert finding.counterexample.value == pytest.approx(shown.value, rel=1e-6)
    assert [(row.rounds, row.when) for row in finding.trace.rows] == [("1", ""), ("2", "after loss +0")]


def test_a_plan_is_written_out_at_the_ratio_that_the_filter_states() -> None:
    with fp.suppress_unsound_warning():
        filt = CATALOGUE["NonadaptiveCompositionFilter"].example()
    at = Divergence.hockey_stick(filt.epsilon)
    solved = fp.worst_case(filt, filt.menu, epsilon=at.at, rounds=3, direction="PQ")
    plan = best_plan_over_rational_pairs(
        filt, menu_counterexample(filt, filt.menu, at, rounds=3, low=solved.low, high=solved.high)
    )
    assert plan.data["ratio"] == "9/4"
    assert replay_data(json.loads(json.dumps(plan.to_data()))).refutes


def test_plain_plans_are_exact_and_few_rounds_come_first() -> None:
    filt = example_filters.AfterGain()
    best = next(refutations_by_simple_plans(subject(filt, "gaussian", "rr")))
    assert best.plan.rounds == 2
    assert best.replay().result == Fraction(best.data["value"])


def test_plain_plays_are_granted_and_of_sizes_that_people_write() -> None:
    filt = example_filters.PerFamily()
    for play in simple_plays(subject(filt, "gaussian", "rr"), WorkLimit.of(LONG)):
        assert play.is_granted(filt)
        sizes = [pair.mu if isinstance(pair, fp.Gaussian) else pair.epsilon for pair in play.counts]
        assert set(map(float, sizes)) <= set(ROUND_SIZES)


# -- delta debugging -------------------------------------------------------------------------------------------

ITEMS = st.lists(st.integers(0, 5), max_size=7)


def subsequences(items: tuple[int, ...]) -> list[tuple[int, ...]]:
    return [chosen for size in range(len(items) + 1) for chosen in combinations(items, size)]


@given(ITEMS, st.data())
def test_what_is_left_fails_is_a_subsequence_and_loses_no_single_item(items: list[int], data: Any) -> None:
    failing = {tuple(items)} | data.draw(st.sets(st.sampled_from(subsequences(tuple(items)))))
    minimal = minimise(items, failing.__contains__)
    assert minimal in failing
    assert minimal in subsequences(tuple(items))
    assert not any(minimal[:place] + minimal[place + 1 :] in failing for place in range(len(minimal)))
    assert minimise(items, failing.__contains__) == minimal


@given(st.integers(0, 60))
def test_the_work_allowed_decides_where_it_ends_and_nothing_else(units: int) -> None:
    tried: list[tuple[int, ...]] = []

    def fails(part: tuple[int, ...]) -> bool:
        tried.append(part)
        count_work(1)
        return {3, 50} <= set(part)

    assert minimise(range(64), fails) == (3, 50)
    all_of_it, tried = tried, []
    minimal = minimise(range(64), fails, limit=WorkLimit.of(units))
    assert tried == all_of_it[:units]
    assert minimal == next((part for part in tried[::-1] if {3, 50} <= set(part)), tuple(range(64)))
