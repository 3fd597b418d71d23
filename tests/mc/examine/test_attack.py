"""The search finds the known failures by itself, and finds nothing against sound filters."""

from __future__ import annotations

import json
from fractions import Fraction

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import logsumexp

from filters import RealisationFilter, ZCDPFilter, knowingly
from filters.catalogue import CATALOGUE
from filters.rules.unsound import NaiveRealisationFilter, NaturalFilter, SomeOrderFilter
from mc.examine.admitted import Frontier
from mc.examine.attack import attack
from mc.examine.witness import replayed
from mc.worst_case.plan import Plan
from tests.mc.examine.sound import Sum
from theory.evidence import Evidence, Outcome
from theory.guarantees import ZCDP, ApproxDP
from theory.pairs import Erasure, Gaussian, RandomizedResponse


class ChecksAfterSpending(Sum):
    """A zCDP filter that looks at what was spent before, not at what is asked for now."""

    promise = ApproxDP(1.0, 1e-5)

    def admits(self, state, request):
        return (state <= 0.0208) & np.isfinite(request.zcdp_rho)


class SumsEpsilons(Sum):
    """A zCDP filter that charges epsilon / 2 where epsilon^2 / 2 is due."""

    promise = ZCDP(8.0)
    most = 8.0

    def cost(self, state, request):
        return request.pure_epsilon / 2


def _natural() -> NaturalFilter:
    menu = tuple(RandomizedResponse.from_ratio(Fraction(3, 2) ** k) for k in (1, 2, 3))
    return NaturalFilter.from_ratio(Fraction(9, 4), Fraction(45, 169), menu)


FAILURES = {
    "natural": (_natural, 3),
    "some order": (lambda: SomeOrderFilter(6.0, 0.01, (2.0, 32.0)), 2),
    "naive realisation": (lambda: NaiveRealisationFilter(1.0, 0.01), 2),
    "sums epsilons": (SumsEpsilons, 1),
    "checks after spending": (ChecksAfterSpending, 1),
}


def _total(plan, ratio, p=Fraction(1), q=Fraction(1)):
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
    return sum(
        (_total(then, ratio, p * a, q * b) for (a, b), then in zip(masses, plan["then"], strict=True)),
        Fraction(0),
    )


@pytest.mark.parametrize("failure", FAILURES)
def test_each_failure_is_found_and_its_witness_replays(failure):
    make, shortest = FAILURES[failure]
    with knowingly():
        filt = make()
    found = attack(filt)
    assert found.refuted
    assert found.plan.rounds == shortest
    assert found.value > Fraction(found.promised)
    verdict = found.verdict
    assert verdict.outcome is Outcome.REFUTED
    assert verdict.evidence is Evidence.EXACT
    data = json.loads(json.dumps(verdict.witness))
    assert replayed(data, filt=filt).result == found.value == _total(data["plan"], found.ratio)


def test_nothing_found_against_a_sound_filter_is_undecided():
    found = attack(RealisationFilter(2.0, 0.01, 4, (RandomizedResponse(0.25), Gaussian(0.25))), rounds=2)
    assert not found.refuted
    assert found.games > 3
    assert found.verdict.outcome is Outcome.UNDECIDED
    assert 0 <= found.value <= Fraction(found.promised)
    assert "the closest" in found.verdict.detail


@pytest.mark.slow
@pytest.mark.parametrize("name", CATALOGUE)
def test_of_the_catalogue_only_the_unsound_are_refuted(name):
    assert attack(CATALOGUE[name].example(), rounds=2).refuted <= (not CATALOGUE[name].sound)


def test_a_plan_is_pruned_to_what_pays():
    coin = RandomizedResponse.from_ratio(3)
    idle = Plan(Erasure(0.0, exact=Fraction(0)), (None,))
    plan = Plan(coin, (Plan(coin, (None, None)), idle))
    pruned = plan.pruned(Fraction(2))
    assert pruned.size == 2
    assert pruned.then[1] is None
    assert plan.pruned(Fraction(100)) is None


def rho_over_orders(a, b):
    """The largest D_order / order of (a, 1-a) against (b, 1-b), either way, over 200,000 orders."""
    t = np.geomspace(1e-5, 1e4, 200_000)
    both = [(np.log([a, 1 - a]), np.log([b, 1 - b])), (np.log([b, 1 - b]), np.log([a, 1 - a]))]
    moments = [logsumexp(p[:, None] + t * (p - q)[:, None], axis=0) for p, q in both]
    return max(float(np.max(one / (t * (1 + t)))) for one in moments)


def test_a_frontier_asks_nothing_twice_and_finds_what_bisection_finds():
    asked = []

    class Asked(ZCDPFilter):
        def admits(self, state, request):
            asked.append(request)
            return super().admits(state, request)

    filt, b = Asked(0.5), Fraction(1, 8)
    frontier = Frontier(filt, filt.start(1))
    largest = frontier.largest(b, 0.0, 1e-9)
    # charged the largest of its divergences over their orders, of which .5 is admitted
    assert largest == pytest.approx(brentq(lambda a: rho_over_orders(a, 1 / 8) - 0.5, 0.2, 0.9), rel=1e-6)
    first = len(asked)
    assert frontier.largest(b, 0.0, 1e-9) == largest
    assert 0.999 * largest < frontier.largest(b, largest / 2, 1e-3) <= largest
    assert frontier.largest(b, 1.001 * largest, 1e-3) == 0.0
    assert len(asked) == first
    other = Frontier(filt, filt.start(1))
    assert other.largest(b, 1.001 * largest, 1e-3) == 0.0
    assert len(asked) == first + 2
