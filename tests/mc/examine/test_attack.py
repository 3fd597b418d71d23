"""The search finds the known failures by itself, nothing against sound filters, and says where nothing was tried."""

import json
import math
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import logsumexp

import filterproof as fp
from filters.catalogue import CATALOGUE
from mc.examine.admitted import Frontier
from mc.examine.attack import (
    Attack,
    _ladders,
    _largest_requests,
    _own_menu,
    _verified,
    attack,
    attacked,
    ratio_above,
    ratio_at,
    replied,
)
from mc.examine.replay import replayed
from mc.losses.too_large import TooLargeError
from mc.worst_case.plan import Plan
from tests.mc.examine.toys import OneFamily, Sum
from tests.mc.examine.witnesses import naive, natural
from tests.mc.worst_case.small_games import CountFilter, LossFilter
from theory.evidence import Evidence, Outcome
from theory.log_ratio import LogRatio
from theory.pairs import Erasure, Gaussian, RandomizedResponse


class ChecksAfterSpending(Sum):
    """A zCDP filter that looks at what was spent before, not at what is asked for now."""

    promise = fp.ApproxDP(1.0, 1e-5)

    def admits(self, state, request):
        return (state <= 0.0208) & np.isfinite(request.zcdp_rho)


class SumsEpsilons(Sum):
    """A zCDP filter that charges epsilon / 2 where epsilon^2 / 2 is due."""

    promise = fp.ZCDP(8.0)
    most = 8.0

    def cost(self, state, request):
        return request.pure_epsilon / 2


#: How each is made -> the rounds of the shortest witness.
FAILURES = {
    "natural": (natural, 3),
    "some order": (lambda: fp.SomeOrderFilter(6.0, 0.01, (2.0, 32.0)), 2),
    "naive realisation": (naive, 2),
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
    with fp.knowingly():
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
    found = attack(fp.RealisationFilter(2.0, 0.01, 4, (RandomizedResponse(0.25), Gaussian(0.25))), rounds=2)
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

    class Asked(fp.ZCDPFilter):
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


COIN = RandomizedResponse.from_ratio(9)


def shared(share, filt=None, plan=None):
    """What a game gave that is worth such a share of a promise of a hundredth."""
    value = Fraction(0.01) * Fraction(share)
    return Attack(filt or fp.BasicFilter(1.0, 0.01), 1.0, Fraction(3), 0.01, value, "PQ", plan, 1)


def test_a_plan_refutes_beyond_the_rounding_of_the_promise_and_if_its_requests_are_granted():
    plan = Plan(COIN, (None, None))
    for more in (0.0, 1e-12, 1e-8):
        assert shared(1 + more, plan=plan).refuted is (more > 1e-9)
    wrong = _verified(shared(2.0, fp.BasicFilter(0.1)), plan)  # which denies it
    assert (wrong.refuted, wrong.plan, wrong.value) == (False, None, 0)


def test_of_games_within_the_promise_the_closest_is_told_and_of_others_the_shortest(monkeypatch):
    two = Plan(COIN, (Plan(COIN, (None, None)), None))
    games = {"_own_menu": [shared(0.2), shared(0.9), shared(0.5)], "_largest_requests": [], "_ladders": []}
    for last, best in (([], 0), ([shared(3.0, plan=two), shared(2.0, plan=Plan(COIN, (None, None)))], 1)):
        for stage, found in (games | {"_ladders": last}).items():
            monkeypatch.setattr(f"mc.examine.attack.{stage}", lambda filt, rounds, found=found: iter(found))
        monkeypatch.setattr("mc.examine.attack._best_replies", lambda filt, rounds: iter(()))
        found = attacked(fp.BasicFilter(1.0, 0.01))
        assert found.games == 3 + len(last)
        assert found.refuted is bool(last)
        assert found == (replace(last[best], games=5) if last else replace(games["_own_menu"][1], games=3))


def test_each_kind_of_game_is_played_to_the_last_round_that_was_asked_for(monkeypatch):
    played = {}

    def solved(filt, menu, rounds, epsilon, ratio):
        played.setdefault(type(menu[0]), set()).add(rounds)
        return rounds, shared(0.5)

    monkeypatch.setattr("mc.examine.attack.solved_game", solved)
    basic, response, erasure = fp.BasicFilter(1.0, 0.1), {1, 2, 4, 8}, {1, 2, 4, 8, 16, 32}
    for stage, filt, lengths in (
        (_own_menu, natural(), {RandomizedResponse: {1, 2, 3, 4}}),
        (_ladders, basic, {RandomizedResponse: {2, 3, 4}}),
        (_largest_requests, basic, {RandomizedResponse: response, Erasure: erasure}),
    ):
        played.clear()
        assert [*stage(filt, 4)]
        assert played == lengths


class AllAfterALoss(Sum):
    """Grants what is small, and then all after a loss below zero, nothing after one above."""

    promise = fp.ApproxDP(1.0, 1e-5)

    def admits(self, state, request):
        return np.where(state == 0, self.cost(state, request) <= 0.01, state < 0)

    def spend(self, state, request):
        return state + 1

    def observe(self, state, loss):
        return np.sign(loss)


def test_the_best_reply_to_an_answer_is_of_the_state_after_it():
    found = replied(AllAfterALoss())
    assert [one is None for one in found.plan.then] == [True, False]
    assert found.value == found.plan.worth(found.filter, found.ratio)


def test_a_ratio_that_a_filter_states_is_taken_at_its_own_logarithm_alone():
    filt = natural()
    assert ratio_at(filt, filt.epsilon) == filt.ratio
    assert ratio_at(filt, 2.0) == ratio_above(2.0)


# -- what was not tried ----------------------------------------------------------------------------------------


FEW = fp.ApproxDP(1.0, 1e-3)


@dataclass(frozen=True)
class Between(fp.PrivacyFilter):
    """CONT for any number of requests whose pure epsilon lies in [low, high]; promises far less."""

    low: float = 0.9
    high: float = 1.1
    promise: fp.Guarantee = FEW

    def start(self, n):
        return np.zeros(n)

    def admits(self, state, request):
        asked = np.broadcast_to(request.pure_epsilon, state.shape)
        return (self.low <= asked) & (asked <= self.high)

    def spend(self, state, request):
        return state + 1


class OnlyItsMenu(Between):
    """CONT for the members of its menu alone, told by their doubles."""

    menu = (RandomizedResponse(0.7071067811865476),)

    def admits(self, state, request):
        return np.full(len(state), float(request.pure_epsilon) == self.menu[0].pure_epsilon)


class OnlyGaussians(OneFamily):
    """The same of another promise."""

    promise = fp.ZCDP(0.5)


BIT = RandomizedResponse.from_ratio(2)


@pytest.mark.parametrize("epsilon", [LogRatio(Fraction(2)), 0.5])
@pytest.mark.parametrize("rounds", [None, 3])
@pytest.mark.parametrize("evidence", [None, Evidence.CERTIFIED])
def test_a_menu_of_which_nothing_is_admitted_is_said_to_be_untried(epsilon, rounds, evidence):
    for filt, pair in (
        (CountFilter(0), BIT),
        (LossFilter(-1.0, 3), BIT),
        (fp.BasicFilter(1.0), Gaussian(1.0)),
    ):
        solved = fp.worst_case(filt, [pair], epsilon=epsilon, rounds=rounds, evidence=evidence)
        assert (solved.tried, solved.rounds) == (False, 0)
        assert "admits none of these" in solved.scope
        assert "nothing was tried" in str(solved)


def test_a_calibrated_filter_that_admits_nothing_says_so():
    small, large = RandomizedResponse(0.25), RandomizedResponse(3.0)
    found = fp.calibrate(fp.ZCDPFilter, 1.0, 1e-9, menu=[large])
    assert not found.admits(found.start(1), large)[0]
    assert not found.certificate.tried
    assert "nothing was tried" in found.scope
    assert "nothing was tried" not in fp.calibrate(fp.ZCDPFilter, 1.0, 1e-2, menu=[small]).scope
    with pytest.raises(ValueError, match="family must admit something"):
        fp.calibrate(lambda t: fp.BasicFilter(t, 0.0), 1.0, 1e-3, menu=[Gaussian(1.0)])


@pytest.mark.parametrize("low", [2.0**-12, 0.9, 20.0])
def test_levels_admitted_in_the_middle_alone_are_found(low):
    assert attack(Between(low, 1.1 * low, fp.ApproxDP(low / 2, 1e-7))).refuted


def test_a_menu_of_doubles_is_attacked_by_rational_pairs_of_the_same_doubles():
    filt = OnlyItsMenu(promise=fp.ApproxDP(0.5, 1e-3))
    found = attack(filt)
    assert found.refuted
    assert found.plan.request.epsilon == filt.menu[0].epsilon
    assert found.plan.request.exact_masses is not None


class Coin(RandomizedResponse):
    """A pair of one's own, which no witness can name."""


@pytest.mark.parametrize("menu", [("soup", 1), lambda self: "soup", (Coin(0.25),)])
def test_a_menu_of_something_else_is_none(menu):
    assert attacked(type("Fed", (Between,), {"menu": menu})(), rounds=1).refuted


def large_games(*_, **__):
    raise TooLargeError("the game has too many positions")


@pytest.mark.parametrize("kind", [OneFamily, OnlyGaussians, partial(fp.BasicFilter, 1.0)])
def test_an_attack_without_games_never_looks_like_one_that_found_nothing(kind, monkeypatch):
    filt = kind()
    monkeypatch.setattr("mc.examine.attack.solved_case", large_games)
    found = attacked(filt, rounds=1)
    assert found.games == 0
    verdict = found.verdict
    assert verdict.outcome is Outcome.UNDECIDED
    assert "nothing was tried" in verdict.scope
    assert "among 0 games" not in str(verdict)
    assert "no game could be tried" in verdict.detail
    assert "none of the requests" in verdict.detail
    with pytest.raises(ValueError, match="plan must exist"):
        _ = found.witness


EXTREME = {
    "zcdp 1e300": (fp.ZCDPFilter, 1e300),
    "zcdp 1e-300": (fp.ZCDPFilter, 1e-300),
    "gdp 1e100": (fp.GaussianFilter, 1e100),
    "renyi small": (fp.RenyiFilter, 1e4, 1e-12),
    "basic beyond": (fp.BasicFilter, 1e300, 0.5),
    "basic tiny": (fp.BasicFilter, 1e-9, 1e-300),
    "pure middle": (Between, 0.9, 1.1, fp.PureDP(0.5)),
    "pure infinite": (Between, 0.9, 1.1, fp.PureDP(1e308)),
}


@pytest.mark.parametrize("name", EXTREME)
def test_extreme_parameters_end_in_a_verdict(name):
    kind, *given = EXTREME[name]
    found = attack(kind(*given), rounds=2)
    assert found.verdict.outcome is (Outcome.REFUTED if name == "pure middle" else Outcome.UNDECIDED)
    assert ("nothing was tried" in str(found.verdict)) == (found.games == 0)
    assert not math.isnan(found.share)
