"""A counterexample is told round by round, in the filter's own terms, with the number that passes the promise and
why."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import filterproof as fp
from filterproof.filters.contract.state import state_leaves
from filterproof.mc.examine.divergence import Divergence, certainly_exceeds
from filterproof.mc.examine.sequence import RequestSequence
from filterproof.mc.examine.trace import guarantee_and_play_curves, trace_of_plan, trace_of_sequence
from filterproof.mc.worst_case.plan import AdaptivePlan
from tests.mc.examine import example_filters

D2 = Divergence.renyi(2.0)
TWO = fp.RandomizedResponse.from_ratio(2)
ONCE_MORE = AdaptivePlan(TWO, (None, None))


class Once(example_filters.Sum):
    """Charges a Gaussian's mu once and for all: as often as one likes."""

    def spend(self, state: Any, request: Any) -> Any:
        return np.maximum(state, self.cost(state, request))


class Every(example_filters.Forgets):
    """Grants everything."""

    def admits(self, state: Any, request: Any) -> Any:
        return state == state


FILTERS = (example_filters.Sum, example_filters.Window, example_filters.ResetAfterTen, Once)
STEPS = st.lists(
    st.tuples(st.sampled_from((0.05, 0.3, 0.5)).map(fp.Gaussian), st.integers(1, 12)), min_size=1, max_size=4
)


def in_full(state: Any) -> str:
    """The numbers of a state with six digits."""
    rows = [np.asarray(leaf)[0] for leaf in state_leaves(state)]
    return ", ".join(
        f"({', '.join(f'{x:.6g}' for x in row)})" if np.ndim(row) else f"{row:.6g}" for row in rows
    )


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(FILTERS), STEPS)
def test_a_story_is_the_play_that_the_filters_own_methods_give(kind: Any, steps: Any) -> None:
    """The second route asks the filter round by round, and adds up mu^2, which is D of order 2 of Gaussians."""
    filt, state, states, revealed = kind(), kind().start(1), [], [0.0]
    for pair in (pair for pair, times in steps for _ in range(times)):
        assume(filt.admits(state, pair)[0])
        states.append(state)
        state, revealed = filt.spend(state, pair), [*revealed, revealed[-1] + pair.mu**2]
    states.append(state)
    trace = trace_of_sequence(filt, RequestSequence(tuple(steps)), D2)
    first = next((n for n, all_ in enumerate(revealed) if all_ > 1 + 2e-9), None)
    assert trace.passed == first
    ends = [0, *(int(row.rounds.partition("-")[2] or row.rounds) for row in trace.rows)]
    assert ends[-1] == len(states) - 1
    assert first is None or first - 1 in ends  # the turn that passes it begins with the round that does
    for begin, end, row in zip(ends, ends[1:], trace.rows, strict=False):
        assert row.rounds in (f"{begin + 1}-{end}", f"{end}")
        for shown, state in ((row.state_before, states[begin]), (row.state_after, states[end])):
            part = shown.removeprefix("... ").removesuffix(" ...")  # long states are cut around what changes
            assert part in in_full(state)
            assert part != shown or shown == in_full(state)
        assert row.reached == pytest.approx(revealed[end], rel=1e-9)
        assert row.promised == 1.0
    assert len(trace.why) <= 3
    for reason in trace.why:  # of a round until the promise is passed, and true
        number = int(reason.split(",")[0].removeprefix("in round "))
        assert number <= (first or 0)
        before, after = (
            [np.asarray(part) for part in state_leaves(state)] for state in states[number - 1 : number + 1]
        )
        same = all(map(np.array_equal, before, after))
        less = any(b.sum() < a.sum() for a, b in zip(before, after, strict=True))
        assert ("it is not charged" in reason, "falls" in reason) == (same, less)


def test_why_names_what_falls_and_the_first_round_of_what_is_free() -> None:
    played = RequestSequence(((fp.Gaussian(0.9), 1), (fp.Gaussian(0.01), 7), (fp.Gaussian(0.9), 1)))
    trace = trace_of_sequence(example_filters.Window(), played, D2)
    assert trace.why == ("in round 8, the sum of the state falls from 0.4053 to 0.00035",)
    free = type("Few", (Once,), {"promise": fp.ZCDP(0.02)})()
    trace = trace_of_sequence(free, RequestSequence(((fp.Gaussian(0.1), 6),)), D2)
    assert trace.why == ("in round 2, Gaussian(mu=0.1) does not change the state: it is not charged",)


def test_a_long_play_is_cut_short_and_ends_with_its_last_turn() -> None:
    each = tuple((fp.Gaussian(mu), 1) for mu in (0.01, 0.02)) * 15
    trace = trace_of_sequence(example_filters.Sum(), RequestSequence(each), D2)
    assert [row.rounds for row in trace.rows] == [*map(str, range(1, 25)), "30"]
    # what is left by a row of which not all is played is known where a request leaves all as it was
    more = ((fp.Gaussian(1e-4), 5000), (fp.Gaussian(0.02), 1))
    for kind, states in (
        (example_filters.Sum, ["0", "...", "..."]),
        (example_filters.Forgets, ["0", "0", "..."]),
    ):
        trace = trace_of_sequence(kind(), RequestSequence(more), D2)
        assert [trace.rows[0].state_before, *(row.state_after for row in trace.rows)] == states


def test_round_that_exceeds_the_guarantee_is_found_in_a_play_of_any_length() -> None:
    class Forgets(example_filters.Forgets):
        promise = fp.ZCDP(0.5)

    # rho = 2**-71 a round: the sum exceeds 0.5 after 2**70 rounds; a margin of 1e-10 covers rounding
    trace = trace_of_sequence(Forgets(), RequestSequence(((fp.Gaussian(2.0**-35), 2**90),)), D2)
    assert 2**70 < trace.passed < 2**70 * (1 + 1e-9)
    assert not certainly_exceeds(trace.rows[0].reached, trace.rows[0].promised)
    assert certainly_exceeds(trace.rows[1].reached, trace.rows[1].promised)


@pytest.mark.parametrize(
    ("filt", "way", "then", "when"),
    [
        (example_filters.AfterGain(), "PQ", (ONCE_MORE, None), "after loss +0.693"),
        # a loss below zero tells for Q
        (example_filters.RunningLoss(), "QP", (None, ONCE_MORE), "after loss -0.693"),
    ],
)
def test_an_adaptive_play_is_told_as_far_as_it_matters(filt: Any, way: Any, then: Any, when: str) -> None:
    trace = trace_of_plan(filt, AdaptivePlan(TWO, then), Divergence.hockey_stick(1.0, way), Fraction(11, 4))
    assert [row.when for row in trace.rows] == ["", when]
    # by hand: the likelier has 2/3, then 4/9 and a loss of 2 log 2
    assert trace.rows[1].reached == pytest.approx(4 / 9 - 2.75 / 9)
    assert trace.passed == 2
    why = f"in round 1, {when}{', which is evidence for Q' if way == 'QP' else ''}, "
    assert trace.why == (
        f"{why}RandomizedResponse.from_ratio(2) does not change the state: it is not charged",
    )


@pytest.mark.parametrize("way", ["PQ", "QP"])
def test_a_play_that_goes_on_after_all_that_its_world_can_answer_stops_nowhere(way) -> None:
    erasure = fp.Erasure(1e-4, exact=Fraction(1, 10_000))
    then = AdaptivePlan(fp.RandomizedResponse.from_ratio(Fraction(5, 4)), (None, None))
    at = Divergence.hockey_stick(1.0, way)
    # of the answers that reveal a world one is possible in each
    for stops in range(3):
        plan = AdaptivePlan(erasure, tuple(None if place == stops else then for place in range(3)))
        trace = trace_of_plan(Every(), plan, at, Fraction(11, 4))
        never = stops == (2 if way == "PQ" else 0)
        assert trace.rows[0].answer == f"granted, then go on below{'' if never else ', else stop'}"
        assert {row.answer for row in trace.rows[1:]} == {"granted, then stop"}


def test_a_plan_of_many_positions_is_told_round_by_round_as_far_as_there_is_room() -> None:
    plan = None
    for _ in range(5):
        plan = AdaptivePlan(TWO, (plan, plan))
    trace = trace_of_plan(Every(), plan, Divergence.hockey_stick(0.0), Fraction(1))
    rounds = [int(row.rounds) for row in trace.rows]
    assert (len(rounds), rounds) == (24, sorted(rounds))
    assert {(row.answer, row.rounds == "5") for row in trace.rows} == {
        ("granted, then go on below", False),
        ("granted, then stop", True),
    }


def test_the_curve_is_that_of_the_composition() -> None:
    played, promise = RequestSequence(((fp.Gaussian(0.9), 2),)), example_filters.Window.promise
    trace = trace_of_sequence(example_filters.Window(), RequestSequence(((fp.Gaussian(0.5), 1),)), D2)
    points = list(guarantee_and_play_curves(trace, promise, played.lower_bound))
    assert len(points) > 5
    for epsilon, reached, promised in points:
        assert reached == pytest.approx(fp.GaussianDP(0.9 * np.sqrt(2)).delta(epsilon), rel=1e-6)
        assert promised == fp.ZCDP(0.5).delta(epsilon)
    at_zero = replace(trace, measure=Divergence.hockey_stick(0.0))
    assert len({at for at, *_ in guarantee_and_play_curves(at_zero, promise, played.lower_bound)}) == 13
