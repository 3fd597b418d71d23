"""The tracker with blocks of several sizes, against fractions and against the tracker with one size."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import filterproof as fp
from filterproof.filters.accountants.trackers import MAX_BLOCKS


def in_fractions(sizes: list[float], costs: list[Fraction]) -> tuple[int, Fraction]:
    """Closed blocks and the sum in the open one: a cost that does not fit closes it, a large cost fills several."""
    closed, spent = 0, Fraction(0)

    def size(block: int) -> Fraction:
        return Fraction(sizes[min(block, len(sizes) - 1)])

    for cost in costs:
        if spent + cost <= size(closed):
            spent += cost
            continue
        closed += spent > 0
        if cost <= size(closed):
            spent = cost
            continue
        while cost > size(closed):
            cost -= size(closed)
            closed += 1
        spent = size(closed)
    return closed, spent


def total(sizes: list[float], blocks: int) -> Fraction:
    return sum((Fraction(sizes[min(k, len(sizes) - 1)]) for k in range(blocks)), Fraction(0))


SIZES = st.lists(st.sampled_from([0.25, 0.5, 0.75, 1.0, 3.0]), min_size=1, max_size=4)


@given(SIZES, st.lists(st.sampled_from([0.25, 0.5, 1.0, 1.5, 2.0, 4.0]), min_size=1, max_size=8))
@example([0.25, 0.75, 3.0], [1.0])
def test_blocks_and_value_are_those_of_fractions(sizes: list[float], mus: list[float]) -> None:
    tracker = fp.odometers.VaryingTracker(2.0, sizes)
    state = tracker.start(1)
    for k, mu in enumerate(mus, 1):
        state = tracker.spend(state, fp.Gaussian(mu))
        closed, _ = in_fractions(sizes, [Fraction(mu) ** 2 for mu in mus[:k]])
        assert state[0].tolist() == [closed]
        assert Fraction(float(tracker.value(state)[0])) == total(sizes, closed + 1)
        assert tracker.guarantee(closed + 1) == fp.RenyiDP(2.0, float(total(sizes, closed + 1)))
        assert sum(Fraction(mu) ** 2 for mu in mus[:k]) <= total(sizes, closed + 1)


@given(st.lists(st.floats(1e-3, 3.0), min_size=1, max_size=12), st.integers(1, 3))
def test_equal_sizes_are_the_tracker_of_that_size_for_people_too(mus: list[float], runs: int) -> None:
    fixed, varying = fp.odometers.RenyiTracker(4.0, 0.7), fp.odometers.VaryingTracker(4.0, [0.7] * runs)
    both = [tracker.start(3) for tracker in (fixed, varying)]
    for mu in mus:
        request = fp.Gaussian(mu * np.array([1.0, 0.5, 0.1]))
        both = [tracker.spend(state, request) for tracker, state in zip((fixed, varying), both, strict=True)]
        assert both[0][0].tolist() == both[1][0].tolist()
        assert varying.value(both[1]) == pytest.approx(fixed.value(both[0]), rel=1e-15)


def test_people_have_their_own_blocks() -> None:
    people = fp.odometers.IndividualTracker(fp.odometers.VaryingTracker(2.0, [1.0, 0.75]), people=3)
    for _ in range(2):
        people.spend(fp.gaussian_request(np.array([1.0, 0.5, 0.0]), sigma=1.25))
    assert people.values().made_public().tolist() == [1.75, 1.0, 1.0]


def test_what_is_no_charge_and_no_state_has_an_infinite_value() -> None:
    tracker = fp.odometers.VaryingTracker(2.0, [1.0, 0.5])
    assert tracker.value(tracker.spend(tracker.start(1), fp.Erasure(0.1))).tolist() == [math.inf]
    wrong = [(-1.0, 0.0), (0.5, 0.0), (math.nan, 0.0), (0.0, -1.0), (MAX_BLOCKS, 0.0)]
    for blocks, high in (*wrong, (1.0, 2.1)):  # in units of a quarter
        assert tracker.value((np.array([blocks]), np.array([high]), np.zeros(1))).tolist() == [math.inf]
