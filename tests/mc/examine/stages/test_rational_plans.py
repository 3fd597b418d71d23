"""Plans in rational numbers: their worth by another route, and what a search for replies finds and never finds."""

import json
from fractions import Fraction

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import logsumexp

import filterproof as fp
from filterproof.filters.catalogue import CATALOGUE
from filterproof.mc.examine.replay import replay_data
from filterproof.mc.examine.stages.games import chosen_targets
from filterproof.mc.examine.stages.rational_plans import (
    AdmissibleTwoOutputPairs,
    best_plan_counterexample,
    plans_with_best_second_requests,
    pruned_plan_record,
)
from filterproof.mc.worst_case.plan import GAIN_MARGIN, AdaptivePlan
from filterproof.theory.pairs import RandomizedResponse
from tests.mc.examine.example_filters import Sum
from tests.mc.examine.stages.test_stages import subject
from tests.slow_cases import slow_but

COIN = RandomizedResponse.from_ratio(9)


def total(plan, ratio, p=Fraction(1), q=Fraction(1)):
    """The worth of a written plan from its JSON alone, by arithmetic that knows no filter."""
    if plan is None:
        return max(p - ratio * q, Fraction(0))
    request = plan["request"]
    if request["type"] == "RandomizedResponse":
        keep = Fraction(request["ratio"]["fraction"]) / (1 + Fraction(request["ratio"]["fraction"]))
        masses = [(keep, 1 - keep), (1 - keep, keep)]
    elif request["type"] == "Erasure":
        erased = Fraction(request["exact"]["fraction"])
        masses = [(erased, Fraction(0)), (1 - erased, 1 - erased), (Fraction(0), erased)]
    else:
        first, second = ([Fraction(part["fraction"]) for part in request[name]] for name in ("p", "q"))
        masses = list(zip(first, second, strict=True))
    parts = zip(masses, plan["then"], strict=True)
    return sum((total(then, ratio, p * a, q * b) for (a, b), then in parts), Fraction(0))


class AllAfterALoss(Sum):
    """Grants what is small, and then all after a loss below zero, nothing after one above."""

    promise = fp.ApproxDP(1.0, 1e-5)

    def admits(self, state, request):
        return np.where(state == 0, self.cost(state, request) <= 0.01, state < 0)

    def spend(self, state, request):
        return state + 1

    def observe(self, state, loss):
        return np.sign(loss)


def some_order():
    with fp.suppress_unsound_warning():
        return CATALOGUE["SomeOrderFilter"].example()


@pytest.mark.parametrize(
    "make", slow_but([AllAfterALoss], [AllAfterALoss, some_order]), ids=["after a loss", "some order"]
)
def test_best_replies_refute_and_replay_to_what_other_arithmetic_gives(make):
    about = subject(make(), "rr", "twopoint")
    every = plans_with_best_second_requests(about, chosen_targets(about))
    refutation = next(each for each in every if each.value > each.promised)
    data = json.loads(json.dumps(refutation.to_data()))
    again = replay_data(data, filt=about.filter)
    assert again.refutes
    assert again.result == Fraction(data["value"]) == total(data["plan"], Fraction(data["ratio"]))
    if make is AllAfterALoss:
        assert [each is None for each in refutation.plan.then] == [True, False]


@pytest.mark.parametrize("name", slow_but(["BasicFilter"], ["BasicFilter", "RealisationFilter"]))
def test_best_replies_refute_no_sound_filter_and_say_how_near_they_come(name):
    about = subject(CATALOGUE[name].example(), "rr", "twopoint")
    for play in plans_with_best_second_requests(about, chosen_targets(about)):
        again = play.replay()
        assert not again.refutes
        assert 0 < again.result == total(play.data["plan"], Fraction(play.data["ratio"])) <= again.promised


def test_plan_refutes_beyond_the_margin_and_where_its_requests_are_granted():
    filt, plan, ratio = fp.BasicFilter(3.0, 0.01), AdaptivePlan(COIN, (None, None)), Fraction(3)
    worth = plan.value(filt, ratio)
    for above, refutes in ((-1, False), (0.5, False), (2, True)):
        promised = float(worth / (1 + Fraction(above) * GAIN_MARGIN))
        lax = type("Lax", (Sum,), {"promise": fp.ApproxDP(1.0, promised), "most": 99.0})()
        assert (best_plan_counterexample(lax, [COIN], 1, 1.0, ratio) is not None) is refutes
    assert pruned_plan_record(fp.BasicFilter(0.1), 1.0, ratio, "PQ", plan) is None  # which denies it


def rho_over_orders(a, b):
    """The largest D_order / order of (a, 1-a) against (b, 1-b), either way, over 200,000 orders."""
    t = np.geomspace(1e-5, 1e4, 200_000)
    both = [(np.log([a, 1 - a]), np.log([b, 1 - b])), (np.log([b, 1 - b]), np.log([a, 1 - a]))]
    moments = [logsumexp(p[:, None] + t * (p - q)[:, None], axis=0) for p, q in both]
    return max(float(np.max(moment / (t * (1 + t)))) for moment in moments)


def test_frontier_asks_nothing_twice_and_finds_what_root_finding_finds():
    requests = []

    class Asked(fp.ZCDPFilter):
        def admits(self, state, request):
            requests.append(request)
            return super().admits(state, request)

    filt, b = Asked(0.5), Fraction(1, 8)
    frontier = AdmissibleTwoOutputPairs(filt, filt.start(1))
    largest = frontier.largest_admitted_p_mass(b, 0.0, 1e-9)
    # charged the largest of its divergences over their orders, of which .5 is admitted
    assert largest == pytest.approx(brentq(lambda a: rho_over_orders(a, 1 / 8) - 0.5, 0.2, 0.9), rel=1e-6)
    first = len(requests)
    assert frontier.largest_admitted_p_mass(b, 0.0, 1e-9) == largest
    assert 0.999 * largest < frontier.largest_admitted_p_mass(b, largest / 2, 1e-3) <= largest
    assert frontier.largest_admitted_p_mass(b, 1.001 * largest, 1e-3) == 0.0
    assert len(requests) == first
    assert (
        AdmissibleTwoOutputPairs(filt, filt.start(1)).largest_admitted_p_mass(b, 1.001 * largest, 1e-3) == 0.0
    )
    assert len(requests) == first + 2
