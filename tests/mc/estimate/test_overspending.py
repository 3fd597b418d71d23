"""No answer assumes the promise that it tests: filters that overspend, with what then gets through known exactly.

Null of every count of misses: each interval misses, and each decision is wrong, with probability at most `FAILURE`.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from scipy import stats

from filters import BasicFilter, Holds, PrivacyFilter, RogersFilter, ZCDPFilter
from mc.engine.adversaries import LossAvoiding, LossChasing, OneShot
from mc.engine.adversary import Adversary
from mc.engine.game import Game
from mc.engine.guard import Guard
from mc.engine.streams import Tile
from mc.engine.tiles import play_tile
from mc.estimate import ceiling
from mc.estimate.decide import decide
from mc.estimate.privacy_profile import PrivacyProfile
from mc.estimate.reach import reached
from mc.estimate.renyi import simulate_renyi
from mc.estimate.simulate import simulate
from mc.estimate.trade_off import TradeOff
from mc.examine.challenge import challenge
from mc.examine.overspenders import OVERSPENDERS, Overspender
from mc.intervals.anytime import Side
from tests.mc.engine.silent import Silent
from theory.evidence import Outcome
from theory.guarantees import ZCDP, PureDP
from theory.pairs import Erasure, FinitePair, Gaussian, RandomizedResponse, Selection

FAILURE = 0.05
WAYS: Any = list(itertools.product(("plain", "tilted", "martingale", "auto"), (True, False)))
DIRECTIONS: Any = ("PQ", "QP")
BY_NAME = {case.name: case for case in OVERSPENDERS}


class TenTimes(PrivacyFilter):
    """Promises 0.02-zCDP and lets ten times as much through; only Gaussians."""

    promise = ZCDP(rho=0.02)

    def start(self, n: int) -> Any:
        return np.zeros(n)

    def admits(self, state: Any, request: Any) -> Any:
        if not isinstance(request, Gaussian):
            return np.zeros(len(state), dtype=np.bool_)
        return state + request.mu**2 / 2 <= 0.2

    def spend(self, state: Any, request: Any) -> Any:
        return state + request.mu**2 / 2


TRUTH = Gaussian(0.4**0.5)


@pytest.mark.parametrize("method", ["auto", "plain", "tilted", "martingale"])
@pytest.mark.parametrize("interval", ["auto", "empirical Bernstein", "KL-Chernoff", "betting"])
@pytest.mark.parametrize("adversary", [OneShot(family=Gaussian), LossChasing(), LossAvoiding()], ids=repr)
def test_ten_times_the_promise_is_seen_by_every_method_and_interval(
    adversary: Any, method: Any, interval: Any
) -> None:
    found = simulate(
        TenTimes(), adversary, epsilon=1.0, n=20_000, method=method, interval=interval, workers=1
    )
    assert TRUTH.hockey_stick(1.0) in found
    assert found.low > 1000 * TenTimes.promise.delta(1.0)


def test_ten_times_the_promise_is_decided_and_challenged_as_above_it() -> None:
    decision = decide(TenTimes(), OneShot(family=Gaussian), epsilon=1.0)
    assert decision.side is Side.ABOVE
    found = challenge(TenTimes(), [OneShot(family=Gaussian), LossChasing()], epsilons=[1.0, 2.0])
    assert found.verdict().outcome is Outcome.REFUTED
    assert len(found.refutations) == 8


def test_the_profile_and_the_trade_off_of_an_overspender_hold_its_true_ones() -> None:
    grid = [-1.0, -0.5, 0.0, 0.5, 1.0, 2.0]
    ahead, back = (
        simulate(TenTimes(), LossChasing(), epsilon=grid, n=50_000, direction=way, workers=1)
        for way in DIRECTIONS
    )
    profile, band = PrivacyProfile(ahead), TradeOff.of(ahead, back)
    for epsilon in np.linspace(-1.5, 3.0, 40):
        truth = float(TRUTH.hockey_stick(float(epsilon)))
        assert profile.low(epsilon) <= truth <= profile.high(epsilon)
    for alpha in (0.01, 0.1, 0.5):
        assert band.low(alpha) <= TRUTH.trade_off(alpha) <= band.high(alpha)
    assert profile.low(1.0) > TenTimes.promise.delta(1.0)


def test_the_renyi_divergence_of_an_overspender_is_its_own_and_not_the_promised_one() -> None:
    told = simulate_renyi(TenTimes(), LossChasing(), alpha=3.0, n=20_000, workers=1)
    assert 3 * 0.2 in told
    silent = simulate_renyi(TenTimes(), Silent(Gaussian(0.2)), alpha=3.0, n=20_000, workers=1)
    assert 3 * 0.2 in silent
    assert silent.low > 3 * 0.02
    assert silent.high == np.inf


@pytest.mark.parametrize("case", OVERSPENDERS, ids=lambda case: case.name)
def test_every_method_finds_what_an_overspender_lets_through(case: Overspender) -> None:
    """Null: each interval misses with probability 1e-6."""
    for direction, (method, telling) in itertools.product(DIRECTIONS, WAYS):
        adversary = case.adversary(telling=telling)
        if unserved(case, method, telling):
            continue
        found = simulate(
            *(case.filter, adversary),
            epsilon=case.epsilon,
            n=4000,
            rounds=case.rounds,
            method=method,
            direction=direction,
            workers=1,
        )
        assert case.truth(direction) in found


def unserved(case: Overspender, method: str, telling: bool) -> bool:
    """Whether a method has nothing to rest on, as nothing is known, or serves Gaussians only."""
    gaussian = case.adversary(telling=telling).gaussian
    return (case.filter.holds is None and not telling and method in ("tilted", "martingale")) or (
        method == "martingale" and not gaussian
    )


@pytest.mark.slow
@pytest.mark.parametrize("case", OVERSPENDERS, ids=lambda case: case.name)
def test_no_more_intervals_miss_an_overspender_than_their_failure_probability_allows(
    case: Overspender,
) -> None:
    """Of some 11,000 intervals in all. Each count exceeds its bound with probability at most 1e-7."""
    seeds = range(15 if case.rounds > 100 else 50)
    for method, telling in WAYS:
        if unserved(case, method, telling):
            continue
        filt, adversary = case.filter, case.adversary(telling=telling)
        misses = [
            case.truth(direction)
            not in simulate(
                *(filt, adversary),
                epsilon=case.epsilon,
                n=600,
                seed=seed,
                rounds=case.rounds,
                failure=FAILURE,
                method=method,
                direction=direction,
                workers=1,
            )
            for direction in DIRECTIONS
            for seed in seeds
        ]
        assert sum(misses) <= stats.binom.isf(1e-7, len(misses), FAILURE)


@pytest.mark.slow
@pytest.mark.parametrize("case", OVERSPENDERS, ids=lambda case: case.name)
def test_no_more_decisions_on_an_overspender_are_wrong_than_their_failure_probability_allows(
    case: Overspender,
) -> None:
    """Of 1,000 and more. Thresholds a hair beside the truth; a count exceeds its bound with probability 1e-7."""
    seeds = range(4 if case.rounds > 100 else 20)
    for telling in (True, False):
        wrong = [
            decide(
                *(case.filter, case.adversary(telling=telling)),
                epsilon=case.epsilon,
                delta=min(case.truth(direction) * near, 1.0),
                failure=FAILURE,
                most=4000,
                seed=seed,
                rounds=case.rounds,
                direction=direction,
                workers=1,
            ).side
            is side
            for direction in DIRECTIONS
            for near, side in ((1 - 1e-6, Side.BELOW), (1 + 1e-6, Side.ABOVE))
            for seed in seeds
        ]
        assert sum(wrong) <= stats.binom.isf(1e-7, len(wrong), FAILURE)


def test_what_a_guard_stops_and_what_it_marks_is_the_whole() -> None:
    """Path by path: a marked run is one that the guard stops, and no run that it lets alone is another."""
    case = BY_NAME["2 times, every path"]
    game = Game.between(case.filter, case.adversary(telling=False), rounds=case.rounds)
    guard = Guard.at(2.0, 2 * case.filter.rho, 0.0, "stop")
    for way in ("halt", "retry"):
        played = replace(game, on_denial=way)
        stopped = play_tile(played.at(1.0, guard), Tile(1, 0, 500))
        marked = play_tile(played.at(1.0, replace(guard, act="mark")), Tile(1, 0, 500))
        whole = play_tile(played, Tile(1, 0, 500))
        assert np.all(stopped.beyond)
        assert np.all(marked.beyond)
        assert set(stopped.releases) == {10}
        assert set(whole.releases) == {20}
        assert marked.loss.tobytes() == whole.loss.tobytes()


def test_a_guard_counts_infinite_losses_until_one_is_met() -> None:
    game = Game.between(TenTimesErased(), Silent(Erasure(0.5)), rounds=4)
    guard = Guard.at(2.0, 1.0, 0.8, "mark")
    paths = play_tile(game.at(1.0, guard), Tile(1, 0, 4000))
    # two rounds are within 0.8; a run that met an infinite loss in them pays anyway and is not beyond
    assert np.array_equal(paths.beyond, np.isfinite(paths.loss) | beyond_first(paths))
    assert 0.2 < np.mean(paths.beyond) < 0.3


def beyond_first(paths: Any) -> Any:
    """Runs whose first infinite loss, if any, came in the third round or the fourth."""
    return np.asarray(paths.beyond) & ~np.isfinite(paths.loss)


class TenTimesErased(PrivacyFilter):
    """Admits everything."""

    promise = ZCDP(rho=0.02)

    def start(self, n: int) -> Any:
        return np.zeros(n)

    def admits(self, state: Any, request: Any) -> Any:
        return np.ones(len(state), dtype=np.bool_)

    def spend(self, state: Any, request: Any) -> Any:
        return state


def test_a_subclass_of_a_rule_has_not_its_theorem() -> None:
    class Half(ZCDPFilter):
        def charge(self, request: Any) -> Any:
            return ZCDPFilter.charge(honest, Gaussian(request.mu / 2))

    honest = ZCDPFilter(0.02)
    game = Game.between(honest, Silent(Gaussian(0.1)))
    assert ceiling.certain(game, 1000) is not None
    assert ceiling.certain(replace(game, filter=Half(0.02)), 1000) is None
    found = simulate(Half(0.02), Silent(Gaussian(0.2)), epsilon=1.0, n=20_000, rounds=4, method="tilted")
    assert Gaussian(0.4).hockey_stick(1.0) in found  # four rounds, where one is due
    assert found.beyond > 0


def test_a_pair_of_ones_own_that_understates_its_charge_has_not_the_theorem() -> None:
    class Cheap(Gaussian):
        @property
        def zcdp_rho(self) -> Any:
            return 0.0

    filt = ZCDPFilter(0.02)
    told = simulate(
        *(filt, Silent(RandomizedResponse(0.1))), epsilon=0.1, n=2000, rounds=3, method="tilted", workers=1
    )
    assert "ledger" in told.rests_on
    foreign = simulate(*(filt, Silent(Cheap(0.2))), epsilon=1.0, n=2000, rounds=3, method="tilted", workers=1)
    assert "asked for Cheap, which the theorem does not know" in foreign.rests_on


def test_states_that_are_expanded_are_those_of_the_code_that_runs() -> None:
    game = Game.between(TenTimes(), LossChasing(low=0.1, high=0.2, family=Gaussian))
    spending = reached(game, 1000)
    assert spending is not None
    assert spending.squares == pytest.approx(0.4, rel=1e-12)
    assert spending.divergence(3.0) == pytest.approx(0.6, rel=1e-12)
    # a filter that looks at losses, and an adversary that does not say what it asks for, cannot be expanded
    lavish = BY_NAME["2 times, one path in 1e4"]
    assert reached(Game.between(lavish.filter, lavish.adversary(telling=True)), 1000) is None
    assert reached(Game.between(TenTimes(), Silent(Gaussian(0.1))), 1000) is None


class Moody(TenTimes):
    """Breaks the contract: its answers depend on how many runs it is asked about."""

    def admits(self, state: Any, request: Any) -> Any:
        most = 0.021 if len(state) < 10_000 else 0.2
        return state + request.mu**2 / 2 <= most


def test_a_run_beyond_what_was_expanded_takes_the_narrow_interval_away() -> None:
    found = simulate(Moody(), Fixed(), epsilon=1.0, n=20_000, rounds=20, method="tilted", workers=1)
    assert "a run was charged divergence" in found.rests_on
    assert Gaussian(0.2**0.5).hockey_stick(1.0) in found


class Fixed(Silent):
    """Asks for Gaussian(0.1) and says so."""

    def __init__(self) -> None:
        super().__init__(Gaussian(0.1))

    @property
    def asks(self) -> Any:
        return (self.pair,)

    def against(self, filt: Any) -> Any:
        return self


def test_the_word_of_a_filter_is_checked_as_data() -> None:
    for wrong, message in (
        (lambda: Holds(zcdp=-1.0), "zcdp must be finite and >= 0"),
        (lambda: Holds(infinite=1.5), r"infinite must be in \[0, 1\]"),
        (lambda: Holds(orders=((1.0, 2.0),)), "orders must be finite and > 1"),
        (lambda: Holds(orders=3.0), "orders must be pairs"),  # type: ignore[arg-type]
    ):
        with pytest.raises((ValueError, TypeError), match=message):
            wrong()

    class Wordy(TenTimes):
        holds = 0.02  # type: ignore[assignment]

    with pytest.raises(TypeError, match=r"Wordy\.holds must be a Holds or None, got 0\.02"):
        simulate(Wordy(), OneShot(family=Gaussian), epsilon=1.0, n=100)


def test_the_truth_about_an_overspender_agrees_with_plain_play_and_a_second_integral() -> None:
    for name in ("2 times, half of the paths", "4 times, under P rarely and under Q often"):
        case = BY_NAME[name]
        mu, each = float(case.first.gdp_mu), float(case.then.gdp_mu)
        # the first loss in steps, each with its exact mass
        for direction in DIRECTIONS:
            z = np.linspace(-12, 12, 400_001)
            mass = np.diff(stats.norm.cdf(z))
            loss = mu * mu / 2 + mu * (z[:-1] + z[1:]) / 2
            lavish = (loss if direction == "PQ" else -loss) < case.filter.below
            left = case.epsilon - loss
            total = 0.0
            for count, runs in ((case.granted, lavish), (case.due, ~lavish)):
                total += float(np.sum(mass[runs] * Gaussian(count**0.5 * each).hockey_stick(left[runs])))
            assert case.truth(direction) == pytest.approx(total, rel=1e-4)


class ChargesWhatItKnows(TenTimes):
    """Charges a pair that has a mu, and any other nothing: a choice from a menu passes for free."""

    def admits(self, state: Any, request: Any) -> Any:
        return state + getattr(request, "mu", 0.0) ** 2 / 2 <= 0.52

    def spend(self, state: Any, request: Any) -> Any:
        return state + getattr(request, "mu", 0.0) ** 2 / 2


@dataclass(frozen=True)
class Choosing(Adversary):
    """Asks for Gaussian(1), then for Gaussian(3) in the runs with a very low loss, as a choice from a menu."""

    @property
    def asks(self) -> Any:
        return Gaussian(1.0), Gaussian(0.01), Gaussian(3.0)

    @property
    def horizon(self) -> int:
        return 2

    def request(self, view: Any) -> Any:
        if view.round == 0:
            return Gaussian(1.0)
        return Selection((Gaussian(0.01), Gaussian(3.0)), view.loss < -3)


def test_states_are_expanded_for_every_way_to_ask_for_a_pair() -> None:
    free, paid = (
        reached(Game.between(filt, Choosing()), 1000) for filt in (ChargesWhatItKnows(), ZCDPFilter(0.52))
    )
    assert free is not None
    assert paid is not None
    assert free.squares >= 1 + 9
    assert paid.squares <= 1.04
    # truth: one integral over the first loss, N(1/2, 1)
    z = np.linspace(-12, 12, 200_001)
    mass, loss = np.diff(stats.norm.cdf(z)), 0.5 + (z[:-1] + z[1:]) / 2
    truth = sum(
        float(np.sum(mass[runs] * Gaussian(mu).hockey_stick(5.0 - loss[runs])))
        for mu, runs in ((3.0, loss < -3), (0.01, loss >= -3))
    )
    misses = [
        truth
        not in simulate(
            ChargesWhatItKnows(), Choosing(), epsilon=5.0, n=4000, seed=seed, failure=FAILURE, workers=1
        )
        for seed in range(40)
    ]
    assert sum(misses) <= stats.binom.isf(1e-7, len(misses), FAILURE)


class FourteenForTen(TenTimes):
    """Promises 10-DP, and grants one pair whose loss is 14."""

    promise = PureDP(10.0)  # type: ignore[assignment]

    def admits(self, state: Any, request: Any) -> Any:
        return state < 1

    def spend(self, state: Any, request: Any) -> Any:
        return state + 1


def test_a_word_about_single_losses_is_not_believed() -> None:
    """A guard keeps divergences of one order, which bound no loss; at epsilon 10 the word alone says 0."""
    assert ceiling.stated(Game.between(FourteenForTen(), Silent(Gaussian(0.1)))).pure == np.inf  # type: ignore[union-attr]
    assert ceiling.certain(Game.between(BasicFilter(1.0), Silent(Gaussian(0.1))), 10).pure == 1.0  # type: ignore[union-attr]
    p = 3e-3
    pair = FinitePair((p, 1 - p), (p * math.exp(-14), 1 - p * math.exp(-14)))
    truth = float(pair.hockey_stick(10.0))
    misses = [
        truth
        not in simulate(
            *(FourteenForTen(), Silent(pair)),
            epsilon=[5.0, 10.0],
            n=2000,
            seed=seed,
            rounds=1,
            failure=2 * FAILURE,
            method="tilted",
            workers=1,
        )[10.0]
        for seed in range(60)
    ]
    assert sum(misses) <= stats.binom.isf(1e-7, len(misses), FAILURE)


def test_losses_that_are_taken_for_epsilon_but_for_rounding_decide_nothing_below() -> None:
    """At epsilon 700 the allowance for rounding is 6e-10, more than the delta in question."""
    pair = RandomizedResponse(350 * (1 + 0.97 * 2.0**-40))
    decision = decide(
        ZCDPFilter(1e9), Twice(pair), epsilon=700.0, delta=1e-10, most=600_000, rounds=2, workers=1
    )
    assert decision.side is Side.UNDECIDED


class Twice(Silent):
    """Asks for one pair, and says so."""

    @property
    def asks(self) -> Any:
        return (self.pair,)


def test_nothing_is_above_a_delta_of_one() -> None:
    decision = decide(ZCDPFilter(1e9), OneShot(family=Gaussian), epsilon=700.0)
    assert decision.side is Side.UNDECIDED
    assert "nothing being above 1" in str(decision)


def test_few_paths_for_many_orders_are_played_plainly_or_refused_in_one_sentence() -> None:
    grid = [0.0, 1.0, 3.0, 6.0, 9.0, 20.0]
    curve = simulate(ZCDPFilter(0.5), Silent(Gaussian(0.5)), epsilon=grid, n=4, workers=1)
    assert len(curve.at) == 6
    with pytest.raises(ValueError, match="n must be at least"):
        simulate(ZCDPFilter(0.5), Silent(Gaussian(0.5)), epsilon=grid, n=4, method="tilted", workers=1)


@pytest.mark.parametrize("epsilon", [1e-300, 1e-160, 1e-20])
def test_the_smallest_budgets_of_the_rogers_filter_hold_every_path_to_nothing(epsilon: float) -> None:
    filt = RogersFilter(epsilon, 1e-5)
    assert filt.holds is not None
    assert filt.holds.zcdp <= epsilon
    assert simulate(filt, Silent(RandomizedResponse(0.1)), epsilon=0.1, n=100, workers=1).value == 0


def test_a_profile_beyond_the_doubles_is_still_a_band() -> None:
    curve = simulate(ZCDPFilter(0.5), Silent(Gaussian(0.5)), epsilon=[1.0, 720.0], n=1000, workers=1)
    profile = PrivacyProfile(curve)
    for epsilon in (0.5, 1.0, 500.0, 710.0, 800.0):
        assert 0 <= profile.low(epsilon) <= profile.high(epsilon) <= 1
