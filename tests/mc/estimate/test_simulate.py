"""What simulations say, against closed forms, exact enumeration and numerical integration."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, get_args

import numpy as np
import pytest
from scipy.special import ndtr, ndtri

from filters import (
    ApproximateDPFilter,
    BasicFilter,
    GaussianFilter,
    NaiveRealisationFilter,
    PrivacyFilter,
    RealisationFilter,
    RenyiFilter,
    ZCDPFilter,
    knowingly,
)
from mc.engine.adversaries import (
    Constant,
    EraserForever,
    LossAvoiding,
    LossChasing,
    ManySmall,
    OneShot,
    RandomSpender,
)
from mc.engine.adversary import Adversary, View
from mc.engine.game import Game
from mc.estimate import pilot
from mc.estimate.ceiling import log_weight_bound
from mc.estimate.estimator import Point, Term
from mc.estimate.functionals import HockeyStick
from mc.estimate.pilot import chosen, estimators
from mc.estimate.renyi import simulate_renyi
from mc.estimate.simulate import simulate
from mc.estimate.survival import survival
from mc.estimate.ways import Aim, plain
from mc.intervals import Choice, IntervalName, Moments
from tests.mc.engine.silent import Silent
from theory.confinement import confinement
from theory.conversions import CKS
from theory.guarantees import GaussianDP, RenyiDP
from theory.pairs import (
    KOV,
    DominatingPair,
    Erasure,
    FinitePair,
    Gaussian,
    Laplace,
    RandomizedResponse,
    Selection,
    SubsampledGaussian,
)
from theory.realisation import kappa, optimal_split

# Null of every containment below: the interval is valid, so it misses with probability at most 1e-6.
SURE = 1 - 1e-6

EXHAUSTING = [OneShot(), ManySmall(8), LossChasing(pace=8), LossAvoiding(pace=8), RandomSpender(pace=8)]


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 2.0, 4.0, 8.0])
@pytest.mark.parametrize("adversary", EXHAUSTING, ids=lambda a: type(a).__name__)
def test_the_gdp_filter_is_tight(adversary: Adversary, epsilon: float) -> None:
    truth = Gaussian(1.0).hockey_stick(epsilon)
    for method, n in (("tilted", 400_000), ("auto", 20_000)):
        estimate = simulate(
            GaussianFilter(mu=1.0), adversary, epsilon=epsilon, n=n, seed=1, confidence=SURE, method=method
        )
        assert truth in estimate
        assert estimate.relative_half_width < 0.02


def test_an_adversary_that_leaves_budget_stays_below_the_promise() -> None:
    """The control of the test above: the intervals are narrow enough to tell."""
    wasteful = Constant(Gaussian(0.6))  # two rounds, mu^2 = 0.72
    estimate = simulate(GaussianFilter(mu=1.0), wasteful, epsilon=2.0, n=100_000, seed=1)
    assert estimate.high < Gaussian(1.0).hockey_stick(2.0)
    assert Gaussian(math.sqrt(0.72)).hockey_stick(2.0) in estimate


@pytest.mark.parametrize("filt", [ZCDPFilter(rho=0.5), RenyiFilter(alpha=6.0, rho=3.0)], ids=str)
def test_filters_that_charge_squares_are_tight_on_gaussians_too(filt: PrivacyFilter) -> None:
    estimate = simulate(filt, LossChasing(pace=5), epsilon=3.0, n=100_000, seed=2)
    assert Gaussian(1.0).hockey_stick(3.0) in estimate


def test_plain_and_tilted_agree() -> None:
    filt, adversary = ZCDPFilter(rho=0.5), LossChasing(pace=5)
    plain, tilted = (
        simulate(filt, adversary, epsilon=1.0, n=100_000, seed=3, method=method)
        for method in ("plain", "tilted")
    )
    assert plain.method.startswith("plain")
    assert tilted.method.startswith("tilted")
    assert max(plain.low, tilted.low) < min(plain.high, tilted.high)


@dataclass(frozen=True)
class Tree(Adversary):
    """RR(0.4), then by outcome RR(0.8) or a skewed pair, then RR(0.2) or RR(0.6) by the sign of the total."""

    @property
    def horizon(self) -> int:
        return 3

    def request(self, view: View) -> DominatingPair:
        return TREE[view.round] if view.round == 0 else Selection(TREE[view.round], view.loss > 0)


SKEWED = FinitePair((0.7, 0.2, 0.1), (0.4, 0.35, 0.25))
TREE: Any = [
    RandomizedResponse(0.4),
    (SKEWED, RandomizedResponse(0.8)),
    (RandomizedResponse(0.6), RandomizedResponse(0.2)),
]


def outcomes(pair: DominatingPair, direction: str) -> list[tuple[float, float]]:
    """(log P/Q, probability under the law drawn from) of each outcome."""
    if pair is SKEWED:
        p, q = SKEWED.p, SKEWED.q
    else:
        assert isinstance(pair, RandomizedResponse)
        keep = 1 / (1 + math.exp(-float(pair.epsilon)))
        p, q = (keep, 1 - keep), (1 - keep, keep)
    return [(math.log(a / b), a if direction == "PQ" else b) for a, b in zip(p, q, strict=True)]  # type: ignore[misc]


def enumerate_tree(epsilon: float, direction: str) -> float:
    """H_{e^epsilon} of Tree's transcript by visiting every leaf."""
    sign = 1 if direction == "PQ" else -1
    total = 0.0
    for first, a in outcomes(TREE[0], direction):
        for second, b in outcomes(TREE[1][first > 0], direction):
            for third, c in outcomes(TREE[2][first + second > 0], direction):
                loss = sign * (first + second + third)
                total += a * b * c * max(0.0, 1 - math.exp(epsilon - loss))
    return total


@pytest.mark.parametrize(("direction", "method"), list(itertools.product(["PQ", "QP"], ["plain", "tilted"])))
def test_an_adaptive_tree_of_mixed_families_matches_exact_enumeration(direction: Any, method: Any) -> None:
    truth = enumerate_tree(0.3, direction)
    estimate = simulate(
        ZCDPFilter(rho=3.0), Tree(), epsilon=0.3, n=200_000, seed=4, direction=direction, method=method
    )
    assert truth in estimate
    assert estimate.relative_half_width < 0.1
    assert abs(enumerate_tree(0.3, "PQ") - enumerate_tree(0.3, "QP")) > 0.1 * truth  # the directions differ


def test_the_naive_filter_lets_the_eraser_through() -> None:
    with knowingly():
        filt = NaiveRealisationFilter(epsilon=1.0, delta=0.01)
    rounds = 100
    estimate = simulate(filt, EraserForever(), epsilon=1.0, n=50_000, seed=5, rounds=rounds)
    assert estimate.low > 0.01
    assert 1 - 0.99**rounds in estimate


def test_no_adversary_reaches_above_the_promise_of_the_approximate_filter() -> None:
    filt = ApproximateDPFilter(epsilon=1.0, delta=1e-5)
    for adversary in EXHAUSTING:
        estimate = simulate(filt, adversary, epsilon=1.0, n=40_000, seed=6)
        assert estimate.method.startswith("tilted")
        assert estimate.low > 0
        assert estimate.high < 1e-5


def test_survival_of_the_realisation_filter_matches_numerical_integration() -> None:
    rounds, sigma, epsilon, delta = 48, 2.0, 10.0, 1e-5
    filt = RealisationFilter(epsilon, delta, rounds, (Gaussian(1 / sigma),))
    curve = survival(filt, Constant(Gaussian(1 / sigma)), rounds=rounds, n=100_000, seed=7)
    split = optimal_split(rounds, delta)
    limit = float(kappa(epsilon, sigma, split.dhat, split.theta))
    inside = confinement(limit, drift=1 / (2 * sigma**2), scale=1 / sigma, steps=rounds)
    for t in range(2, rounds + 1):
        assert inside[t - 2] in curve[t]
    # deciding on one loss too many, the classic mistake, would show
    assert inside[47] not in curve[48]
    # these digits were computed independently, by another program
    np.testing.assert_allclose(inside[[6, 14, 30, 46]], [0.9997, 0.947, 0.602, 0.321], atol=5e-4)


def test_a_deterministic_stopping_time_is_seen_exactly() -> None:
    curve = survival(GaussianFilter(mu=1.0), Constant(Gaussian(0.3)), rounds=15, n=1000, seed=8)
    assert [curve[t].value for t in range(1, 16)] == [1.0] * 11 + [0.0] * 4
    with pytest.raises(IndexError, match=r"t must be in 1..15, got t=16"):
        curve[16]


class Overcharged(PrivacyFilter):
    """Promises 0.5-GDP and admits one Gaussian(1)."""

    promise = GaussianDP(0.5)

    def start(self, n: int) -> Any:
        return np.zeros(n)

    def admits(self, state: Any, request: DominatingPair) -> Any:
        return state + request.gdp_mu <= 1.0

    def spend(self, state: Any, request: DominatingPair) -> Any:
        return state + request.gdp_mu


@pytest.mark.parametrize("method", ["auto", "plain", "tilted", "martingale"])
def test_a_filter_that_admits_more_than_it_promises_is_seen_above_its_promise(method: Any) -> None:
    found = simulate(Overcharged(), Constant(Gaussian(1.0)), epsilon=1.0, n=20_000, seed=9, method=method)
    assert Gaussian(1.0).hockey_stick(1.0) in found
    assert found.low > Gaussian(0.5).hockey_stick(1.0)


def test_the_bound_on_weights_is_attained() -> None:
    """max over L of e^{(s-1)(s rho - L)} (1 - e^{eps - L}) is M_s, on a grid around its argmax."""
    order, rho, epsilon = 3.7, 0.6, 2.0
    loss = epsilon + np.linspace(1e-3, 3, 200_001)
    largest = np.log(np.max(np.exp((order - 1) * (order * rho - loss)) * -np.expm1(epsilon - loss)))
    assert log_weight_bound(order, order * rho, epsilon) == pytest.approx(largest, abs=1e-9)
    assert math.exp(log_weight_bound(order, order * rho, epsilon)) == pytest.approx(
        float(RenyiDP(order, order * rho).delta(epsilon)), rel=1e-12
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"epsilon": math.nan}, "epsilon must be finite, got epsilon=nan"),
        ({"epsilon": math.inf}, "epsilon must be finite"),
        ({"n": 0}, "n must be an integer >= 2, got n=0"),
        ({"n": 1.5}, "n must be an integer >= 2, got n=1.5"),
        ({"seed": -1}, "seed must be an integer >= 0, got seed=-1"),
        ({"rounds": 0}, "rounds must be an integer >= 1"),
        ({"confidence": 1.0}, r"confidence must be in \(0, 1\), got confidence=1.0"),
        ({"method": "magic"}, "method must be auto, plain, tilted or martingale, got method='magic'"),
    ],
)
def test_arguments_out_of_range_are_refused_in_one_sentence(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        simulate(GaussianFilter(mu=1.0), OneShot(), **{"epsilon": 1.0, "n": 100, **arguments})


def test_tilting_needs_something_that_bounds_the_weights() -> None:
    with knowingly():
        filt = NaiveRealisationFilter(epsilon=1.0, delta=0.01)
    with pytest.raises(ValueError, match="nothing is known that bounds a likelihood-ratio weight"):
        simulate(filt, Silent(Erasure(0.01)), epsilon=1.0, n=100, method="tilted")


def test_one_call_answers_a_grid_with_bands_that_hold_together() -> None:
    grid = [0.0, 0.5, 1.0, 2.0, 4.0, 8.0]
    curve = simulate(GaussianFilter(mu=1.0), LossChasing(pace=5), epsilon=grid, n=60_000, seed=11)
    assert curve.epsilons == tuple(grid)
    for epsilon, estimate in curve:
        assert Gaussian(1.0).hockey_stick(epsilon) in estimate
        assert estimate.relative_half_width < 0.02
        assert estimate.failure == pytest.approx(curve.failure / 6)
    assert sum({one.method: one.n for _, one in curve}.values()) == 60_000
    assert curve[2.0] == curve.at[3]
    with pytest.raises(KeyError, match="epsilon must be one of"):
        curve[3.0]
    # the floor under type II errors against the exact trade-off function Phi(PhiInv(1 - alpha) - mu)
    for alpha in (0.001, 0.05, 0.2):
        exact = float(ndtr(-ndtri(alpha) - 1.0))
        assert 0.9 * exact - 0.02 < curve.type_two_floor(alpha) <= exact


def test_the_other_direction_comes_from_the_same_paths() -> None:
    filt = ZCDPFilter(rho=3.0)
    curve = simulate(filt, Tree(), epsilon=[-0.3, 0.3], n=100_000, seed=12, method="plain")
    assert enumerate_tree(0.3, "PQ") in curve[0.3]
    mirrored = curve.swapped
    assert mirrored.epsilons == (-0.3, 0.3)
    assert enumerate_tree(0.3, "QP") in mirrored[0.3]
    assert mirrored[0.3].relative_half_width < 0.1


def test_a_grid_needs_a_value() -> None:
    with pytest.raises(ValueError, match="epsilon must name at least one value"):
        simulate(GaussianFilter(mu=1.0), OneShot(), epsilon=[])


@pytest.mark.parametrize(("alpha", "direction"), [(1.7, "PQ"), (1.7, "QP"), (3.0, "PQ")])
def test_renyi_divergences_match_exact_enumeration(alpha: float, direction: Any) -> None:
    moment = 0.0
    sign = 1 if direction == "PQ" else -1
    for first, a in outcomes(TREE[0], direction):
        for second, b in outcomes(TREE[1][first > 0], direction):
            for third, c in outcomes(TREE[2][first + second > 0], direction):
                moment += a * b * c * math.exp((alpha - 1) * sign * (first + second + third))
    truth = math.log(moment) / (alpha - 1)
    filt = RenyiFilter(alpha, {1.7: 1.0, 3.0: 1.3}[alpha])
    estimate = simulate_renyi(filt, Tree(), alpha=alpha, n=100_000, seed=13, direction=direction)
    assert truth in estimate
    assert estimate.high - estimate.low < 0.2 * truth


def test_an_exhausted_budget_has_exactly_the_promised_renyi_divergence() -> None:
    estimate = simulate_renyi(RenyiFilter(alpha=6.0, rho=3.0), LossChasing(pace=5), alpha=6.0, n=10_000)
    assert estimate.value == pytest.approx(3.0, rel=1e-8)
    assert estimate.high <= 3.0 * (1 + 2e-9)


def test_tilting_serves_the_subsampled_gaussian() -> None:
    """Two routes to one number: the tilted interval lies inside the plain one and is a quarter as wide."""
    pair = SubsampledGaussian(0.1, 1.0)
    filt = RenyiFilter(alpha=4.0, rho=10.001 * float(pair.renyi(4.0)))
    plain, tilted = (
        simulate(filt, Constant(pair), epsilon=1.0, n=200_000, seed=1, method=method)
        for method in ("plain", "tilted")
    )
    assert plain.low < tilted.low < tilted.high < plain.high
    assert tilted.high - tilted.low < 0.25 * (plain.high - plain.low)


def test_infinite_losses_of_the_kov_pair_are_counted() -> None:
    epsilon, delta, rounds = 0.3, 0.05, 3
    keep = 1 / (1 + math.exp(-epsilon))
    finite = sum(
        math.comb(rounds, k)
        * keep**k
        * (1 - keep) ** (rounds - k)
        * max(0.0, -math.expm1(0.4 - (2 * k - rounds) * epsilon))
        for k in range(rounds + 1)
    )
    truth = 1 - (1 - delta) ** rounds * (1 - finite)
    filt = BasicFilter(epsilon=1.0, delta=0.2)
    plain, weighed = (
        simulate(filt, Constant(KOV(epsilon, delta)), epsilon=0.4, n=200_000, seed=14, method=method)
        for method in ("plain", "auto")
    )
    assert truth in plain
    assert truth in weighed
    assert plain.method.startswith("plain")
    assert weighed.method.startswith("weighed erasures")
    assert weighed.relative_half_width < 0.5 * plain.relative_half_width < 0.015


def test_a_bound_beyond_the_doubles_is_passed_over() -> None:
    estimate = simulate(
        RenyiFilter(alpha=4.0, rho=2000.0), Silent(Gaussian(1.0)), epsilon=1.0, n=1000, rounds=2
    )
    assert estimate.method.startswith("plain")


def test_a_curve_is_printed_a_line_an_epsilon_with_its_interval() -> None:
    curve = simulate(GaussianFilter(mu=1.0), OneShot(), epsilon=[1.0, 2.0], n=2000, seed=3)
    lines = str(curve).splitlines()
    assert [line.split(":")[0] for line in lines] == ["epsilon=1", "epsilon=2"]
    assert all(str(one) in line for (_, one), line in zip(curve, lines, strict=True))


def test_a_pilot_that_saw_no_heavy_weight_does_not_choose_an_order_that_has_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def sure(*args: Any, **kwargs: Any) -> Choice:
        plan = planned(*args, **kwargs)
        return replace(plan, guess=replace(plan.guess, low=plan.guess.value, high=plan.guess.value))

    planned = pilot.choose_interval
    monkeypatch.setattr(pilot, "choose_interval", sure)
    game = Game.between(GaussianFilter(mu=1.0), Constant(0.3))
    first, second = chosen(game, (0.0, 6.0), Aim(10_000, 1e-6, "tilted"))
    # every width is zero, so either order would answer both: at epsilon=0 that of 6 has weights up to e^9
    assert {first.epsilons, second.epsilons} == {(0.0,), (6.0,)}
    for estimator in (first, second):
        (epsilon,) = estimator.epsilons
        least = min(log_weight_bound(s, s / 2, epsilon) for s in np.linspace(1.01, 9, 10_000))
        assert estimator.log_ranges[0] == pytest.approx(least, abs=1e-5)


def test_a_long_grid_tries_some_orders_spread_over_all(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[float] = []

    def noting(candidates: Sequence[tuple[Term, ...]], aim: Any) -> Any:
        tried.extend(terms[0].game.order for terms in candidates)
        return offers(candidates, aim)

    offers = pilot._offers
    monkeypatch.setattr(pilot, "_offers", noting)
    game = Game.between(GaussianFilter(mu=1.0), Constant(0.3))
    grid = tuple(np.linspace(0.5, 8.0, 40).tolist())
    parts = chosen(game, grid, Aim(10_000, 1e-6, "tilted"))
    assert len(tried) == len(set(tried)) == 9
    assert tried[0] == pytest.approx(float(CKS.order(0.5, 0.5)))
    assert tried[-1] == pytest.approx(float(CKS.order(0.5, 8.0)))
    assert sorted(e for part in parts for e in part.epsilons) == list(grid)


@pytest.mark.parametrize("epsilons", [(4.0,), (0.25,), (0.0, 1.0, 6.0)])
@pytest.mark.parametrize(
    ("adversary", "rounds"),
    [
        (LossChasing(), None),
        (Constant(0.3), None),
        (Constant(Laplace(4.0)), None),
        (LossChasing(low=0.1, high=0.2), 12),  # leaves some of the budget: tilted beats the martingale
    ],
)
@pytest.mark.parametrize("n", [600, 20_000])
def test_the_choice_is_the_same_as_if_every_candidate_had_a_pilot(
    adversary: Adversary,
    rounds: int | None,
    epsilons: tuple[float, ...],
    n: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pilots: list[float] = []

    def noting(terms: tuple[Term, ...], aim: Any) -> Any:
        pilots.append(terms[0].game.order)
        return piloted(terms, aim)

    piloted = pilot._piloted
    monkeypatch.setattr(pilot, "_piloted", noting)
    game = Game.between(ZCDPFilter(rho=0.5), adversary, rounds=rounds)
    few = chosen(game, epsilons, Aim(n, 1e-6))
    after = len(pilots)
    monkeypatch.setattr(pilot, "_floors", lambda terms, aim: (0.0,) * len(epsilons))
    assert chosen(game, epsilons, Aim(n, 1e-6)) == few
    assert 0 < after <= len(pilots) - after
    if epsilons == (4.0,):  # plain paths are hopeless there, and have no pilot
        assert 1.0 in pilots[after:]
        assert 1.0 not in pilots[:after]


@pytest.mark.parametrize(
    ("adversary", "rounds", "n", "pilots"),
    [
        (LossChasing(), None, 1000, 1),
        (LossChasing(low=0.1, high=0.2), 12, 100_000, 2),  # leaves some of the budget
    ],
)
def test_a_candidate_that_can_be_no_narrower_than_another_has_no_pilot(
    adversary: Adversary, rounds: int | None, n: int, pilots: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    widths: list[tuple[float, ...]] = []

    def noting(terms: tuple[Term, ...], aim: Any) -> Any:
        estimator = piloted(terms, aim)
        widths.append(estimator.widths)
        return estimator

    piloted = pilot._piloted
    monkeypatch.setattr(pilot, "_piloted", noting)
    game = Game.between(GaussianFilter(mu=1.0), adversary, rounds=rounds)
    (narrowest,) = chosen(game, (4.0,), Aim(n, 1e-6))
    assert len(widths) == pilots
    monkeypatch.setattr(pilot, "ENOUGH", 0.0)
    chosen(game, (4.0,), Aim(n, 1e-6))
    assert len(widths) == pilots + 2
    assert narrowest.widths[0] <= 1.01 * min(widths)[0]


def test_a_choice_is_remembered_by_all_that_it_depends_on(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Game] = []

    def noting(game: Game, epsilons: tuple[float, ...], aim: Aim) -> Any:
        asked.append(game)
        return chosen(game, epsilons, aim)

    monkeypatch.setattr(pilot, "chosen", noting)
    pilot._remembered.cache_clear()
    filt = GaussianFilter(mu=1.0)
    aim, game = Aim(1000, 1e-6), Game.between(filt, LossChasing())
    first = estimators(game, (4.0,), aim)
    assert first == chosen(game, (4.0,), aim)
    assert estimators(Game.between(GaussianFilter(mu=1.0), LossChasing()), (4.0,), aim) is first
    assert len(asked) == 1
    others: list[dict[str, Any]] = [{"n": 1001}, {"failure": 1e-5}, {"method": "plain"}, {"trusting": False}]
    for other in [*others, {"interval": "betting"}]:
        changed = replace(aim, **other)
        assert estimators(game, (4.0,), changed) == chosen(game, (4.0,), changed)
    estimators(game, (4.5,), aim)
    estimators(Game.between(filt, LossAvoiding()), (4.0,), aim)
    assert len(asked) == 8
    # what is remembered plays a game of its own: whatever becomes of the filter that it was asked for
    assert all(remembered is not game for remembered in asked)
    object.__setattr__(filt, "budget", ZCDPFilter(rho=8.0).budget)
    assert estimators(Game.between(GaussianFilter(mu=1.0), LossChasing()), (4.0,), aim) is first
    assert first[0].terms[0].game.filter.budget == GaussianFilter(mu=1.0).budget  # type: ignore[attr-defined]
    assert estimators(game, (4.0,), aim) is not first
    assert len(asked) == 9

    @dataclass(frozen=True)
    class Own(Adversary):
        def request(self, view: View) -> DominatingPair:
            return Gaussian(0.25)

    # a game of one's own has a choice made anew
    own = Game.between(GaussianFilter(mu=1.0), Own(), rounds=4)
    assert estimators(own, (1.0,), aim) == estimators(own, (1.0,), aim)
    assert len(asked) == 11


@pytest.mark.parametrize("interval", get_args(IntervalName))
@pytest.mark.parametrize("n", [2, 50, 100_000])
def test_no_interval_is_narrower_than_the_floor_whatever_the_pilot_saw(
    interval: IntervalName, n: int
) -> None:
    aim = Aim(n, 1e-6, interval=interval)
    game = Game.between(GaussianFilter(mu=1.0), Constant(0.3))
    tilted = replace(plain(game, (1.0,)), points=(Point(1.0, HockeyStick(1.0, -2.5)),))
    rng = np.random.default_rng(7)
    pilots = [np.full(64, level) for level in (0.0, 1e-9, 0.3, 1 - 1e-9, 1.0)]
    pilots += [rng.random(64), rng.random(64) < 0.05, (rng.random(64) < 0.5) * 0.01]
    for term, scale in ((plain(game, (1.0,)), 1.0), (tilted, math.exp(-2.5))):
        (floor,) = pilot._floors([term], aim)
        assert floor > 0
        for seen in pilots:
            moments = replace(Moments.of(seen), upper=scale)
            (point,) = pilot._planned(term, [[(term.points[0].functional, moments)]], aim).points
            assert point.width >= floor * (1 - 1e-12)
    assert pilot._floors([tilted, tilted], aim) == (0.0,)
    above = replace(tilted, points=(Point(1.0, HockeyStick(1.0, 0.5)),))
    assert pilot._floors([above], aim) == (0.0,)
