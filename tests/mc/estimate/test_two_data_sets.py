"""One person in or out of the data: beside the Gaussian that the sums amount to, and with code that is broken."""

import math

import numpy as np
import pytest

import filterproof as fp
from tests.mc.estimate.small_filters import Grants

PROMISE = fp.GaussianDP(1.0)


def by_filter(norms=(1.0, 2.0), **changed):
    """A run of simulate_person, short unless it is told otherwise."""
    how = {"sigma": 1.0, "epsilon": 1.0, "rounds": 1, "n": 10} | changed
    return fp.people.simulate_person(fp.GaussianFilter(1.0), norms, **how)


def test_one_round_is_one_gaussian():
    for direction in ("PQ", "QP"):
        estimate = by_filter([1.6, 1.0], n=20_000, direction=direction, epsilon=0.5, seed=1)
        assert fp.Gaussian(0.8).hockey_stick(0.5) in estimate
        assert estimate.high < fp.GaussianDP(1.0).delta(0.5)


@pytest.mark.parametrize("direction", ["PQ", "QP"])
def test_a_budget_spent_to_the_end_gives_what_the_filter_promises(direction):
    estimate = by_filter([1.0, 2.0, 0.5], sigma=4.0, rounds=72, n=10_000, seed=2, direction=direction)
    assert fp.Gaussian(1.0).hockey_stick(1.0) in estimate
    assert estimate.relative_half_width < 0.03


def test_one_in_a_hundred_people_overspent_for_is_seen_although_the_pilot_met_none():
    class Rarely(Grants):
        """Denies what would pass 1-GDP, but in 40 worlds of 4000, of which a pilot has none."""

        def admits(self, spent, request):
            lucky = np.repeat(np.arange(4000) < 40, len(spent) // 4000) if len(spent) >= 4000 else False
            return lucky | (spent + np.square(request.gdp_mu) <= 1.0)

        def spend(self, spent, request):
            return spent + np.square(request.gdp_mu)

    how = {"sigma": 1.0, "epsilon": 1.0, "rounds": 40, "n": 4000, "seed": 3}
    mine, sound = (
        fp.people.simulate_person(filt, [1.0, 1.0], **how)
        for filt in (Rarely(PROMISE), fp.GaussianFilter(1.0))
    )
    delta = fp.Gaussian(1.0).hockey_stick(1.0)
    assert delta in sound
    # one world in a hundred loses nearly all, which no martingale of a bound takes off
    assert 0.99 * delta + 0.01 * fp.Gaussian(math.sqrt(15)).hockey_stick(1.0) in mine
    assert mine.value > delta + 0.006


def test_an_analysis_of_slope_one_is_within_the_promise_and_a_steeper_one_is_found_out() -> None:
    def simulated(analysis):
        return by_filter(sigma=4.0, rounds=72, n=4000, seed=2, analysis=analysis)

    promised = fp.GaussianDP(1.0).delta(1.0)
    assert simulated(np.arctan).high < promised
    assert simulated(lambda sums: sums + 7.0).low == pytest.approx(simulated(np.positive).low, rel=1e-9)
    assert simulated(lambda sums: 2 * sums).low > promised
