"""What bounds the two terms of estimates that weigh infinite losses, and how they are played."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from filters import (
    ApproximateZCDPFilter,
    BasicFilter,
    PrivacyFilter,
    RogersFilter,
    WhitehouseFilter,
    ZCDPFilter,
)
from filters.accounting.charges import approximate_zcdp_charge
from mc.engine.adversaries import Constant, RandomSpender
from mc.engine.game import Game
from mc.engine.streams import Tile
from mc.engine.tiles import play_tile
from mc.estimate.ceiling import Ceiling, certain
from mc.estimate.decide import decide
from mc.estimate.simulate import simulate
from tests.mc.engine.silent import Silent
from tests.mc.estimate.erasing import FILTERS, composed
from theory.pairs import (
    KOV,
    DominatingPair,
    Gaussian,
    RandomizedResponse,
)


def ceiling_of(filt: PrivacyFilter) -> Ceiling | None:
    """What holds every path against an adversary that does not say what it asks for."""
    return certain(Game.between(filt, RandomSpender(family=RandomizedResponse, level=0.01)), 1000)


@pytest.mark.parametrize("filt", FILTERS, ids=lambda f: type(f).__name__)
@pytest.mark.parametrize("epsilon", [0.3, 1.0])
def test_both_integrands_stay_within_their_bounds(filt: PrivacyFilter, epsilon: float) -> None:
    caps = ceiling_of(filt)
    assert caps is not None
    order = caps.order(epsilon)
    # one large round is what the bound of basic composition is for, many small ones what the others are for
    pair = KOV(1.25, 0.07) if isinstance(filt, BasicFilter) else KOV(0.125, 1 / 128)
    game = replace(Game.between(filt, Constant(pair), rounds=40), erasures="weighed")
    paths = play_tile(game.at(order), Tile(3, 0, 20_000))
    assert np.isfinite(paths.loss).all()
    lost = -np.expm1(paths.log_kept)
    assert 0 < lost.min() <= lost.max() <= caps.infinite
    assert lost.max() > 0.5 * caps.infinite
    gain = np.exp(paths.log_weight + paths.log_kept) * -np.expm1(np.minimum(epsilon - paths.loss, 0.0))
    most = math.exp(caps.log_bound(order, epsilon))
    assert 0.1 * most < gain.max() <= most  # a bound ten times lower would be broken


def test_without_deltas_kov_is_tilted_as_randomised_response_is() -> None:
    filt = ApproximateZCDPFilter(rho=0.1, xi=1e-3)
    one, other = (
        simulate(filt, Silent(pair), epsilon=0.8, n=20_000, rounds=10, method="tilted", seed=2)
        for pair in (KOV(0.125, 0.0), RandomizedResponse(0.125))
    )
    assert one.value == pytest.approx(other.value, rel=1e-9)
    assert one.method == other.method
    # the loss of 1 - K = 0 is known up to xi log(1/failure) / n
    zcdp = simulate(ZCDPFilter(rho=0.1), Constant(KOV(0.125, 0.0)), epsilon=0.8, n=20_000, rounds=10)
    assert max(one.low, zcdp.low) < min(one.high, zcdp.high)


def test_paths_that_meet_no_infinite_loss_are_the_same_weighed_and_drawn() -> None:
    drawn = Game.between(ZCDPFilter(rho=0.5), Constant(Gaussian(0.2)))
    for order in (1.0, 3.0):
        one, other = (
            play_tile(game.at(order), Tile(1, 0, 500)) for game in (drawn, replace(drawn, erasures="weighed"))
        )
        assert one.loss.tobytes() == other.loss.tobytes()
        assert one.log_weight.tobytes() == other.log_weight.tobytes()
        assert one.log_kept == 0.0
        assert not np.any(other.log_kept)
    with pytest.raises(ValueError, match="erasures must be one of"):
        replace(drawn, erasures="none")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "filt",
    [
        BasicFilter(1.0, 0.1, at=0.2),
        WhitehouseFilter(1.0, 0.1, at=0.2),
        RogersFilter(1.0, 0.1, at=0.2),
    ],
    ids=repr,
)
def test_mechanisms_declared_at_one_epsilon_bound_no_weight(filt: PrivacyFilter) -> None:
    adversary = RandomSpender(family=lambda e: KOV(e, 1e-3), level=0.1)
    assert filt.holds is None
    assert ceiling_of(filt) is None
    with pytest.raises(ValueError, match="nothing is known that bounds a likelihood-ratio weight"):
        simulate(filt, adversary, epsilon=0.5, n=1000, rounds=5, method="tilted")
    estimate = simulate(filt, adversary, epsilon=0.5, n=1000, rounds=2)
    assert estimate.method.startswith("plain")
    # what the adversary can ask for bounds it all the same
    bounded = simulate(filt, Constant(KOV(0.1, 1e-3)), epsilon=0.15, n=20_000, rounds=2)
    assert composed(KOV(0.1, 1e-3), 2, 0.15) in bounded
    assert "all that the adversary can ask for, 2 rounds of KOV" in bounded.rests_on


class Forgetful(ApproximateZCDPFilter):
    """Charges nothing for infinite losses."""

    def admits(self, state: Any, request: DominatingPair) -> Any:
        return self._rho.fits(state[:2], approximate_zcdp_charge(request)[0])


class Careless(ApproximateZCDPFilter):
    """Charges nothing for finite losses."""

    def admits(self, state: Any, request: DominatingPair) -> Any:
        return self._xi.fits(state[2:], approximate_zcdp_charge(request)[1])


@pytest.mark.parametrize("method", ["plain", "tilted", "auto"])
def test_what_a_filter_admits_beyond_its_promise_is_measured(method: Any) -> None:
    """Null: the interval is valid, so it misses with probability at most 1e-6."""
    forgetful, careless = Forgetful(0.5, 0.02), Careless(0.02, 0.2)
    games = ((forgetful, KOV(0.1, 0.01), 3, 0.02), (careless, KOV(0.5, 0.01), 9, careless.promise.delta(1.0)))
    for filt, pair, rounds, promised in games:
        found = simulate(filt, Constant(pair), epsilon=1.0, n=200_000, rounds=rounds, method=method)
        assert composed(pair, rounds, 1.0) in found
        assert found.low > promised
        # an adversary that does not say what it asks for leaves it to a guard
        silent = simulate(filt, Silent(pair), epsilon=1.0, n=200_000, rounds=rounds, method=method)
        assert composed(pair, rounds, 1.0) in silent
        assert silent.low > promised
        if method == "tilted":
            assert silent.beyond > 0
            assert "a guard at zCDP" in str(silent)


def test_no_round_of_pure_mechanisms_splits_a_budget_to_a_larger_divergence() -> None:
    rng = np.random.default_rng(5)
    for order in (1.2, 2.0, 5.0, 40.0):
        for _ in range(20):
            whole = float(rng.uniform(0.1, 4.0))
            parts = whole * rng.dirichlet(np.ones(4))
            most = ceiling_of(BasicFilter(whole, 0.1))
            assert most is not None
            spent = sum(float(RandomizedResponse(float(e)).renyi(order)) for e in parts)
            assert spent <= most.divergence(order)


def test_the_second_play_goes_on_where_the_first_one_ended() -> None:
    seen: list[tuple[int, Any]] = []
    estimate = simulate(
        ApproximateZCDPFilter(rho=0.1, xi=0.1),
        Constant(KOV(0.125, 1 / 128)),
        epsilon=0.5,
        n=200_000,
        rounds=10,
        method="tilted",
        progress=lambda progress, so_far: seen.append((progress.done, so_far)),
    )
    done = [paths for paths, _ in seen]
    assert done == sorted(done)
    assert done[-1] == estimate.n == 200_000
    assert seen[-1][1] == (estimate,)
    assert seen[0][1] is None


def test_workers_give_the_same_bits() -> None:
    one, two = (
        simulate(
            ApproximateZCDPFilter(rho=0.1, xi=0.1),
            Constant(KOV(0.125, 1 / 128)),
            epsilon=0.5,
            n=150_000,
            rounds=3,
            method="tilted",
            workers=workers,
        )
        for workers in (1, 2)
    )
    assert one == two


def test_a_decision_on_a_filter_with_infinite_losses_is_made_on_plain_paths() -> None:
    filt = ApproximateZCDPFilter(rho=0.1, xi=0.1)
    truth = composed(KOV(0.125, 1 / 128), 10, 0.5)
    for delta, side in ((0.8 * truth, "above"), (1.2 * truth, "below")):
        decision = decide(filt, Constant(KOV(0.125, 1 / 128)), epsilon=0.5, delta=delta, rounds=10)
        assert side in decision.side.value


def test_few_paths_are_refused_or_left_to_the_plain_estimator() -> None:
    filt, adversary = ApproximateZCDPFilter(rho=0.1, xi=0.1), Constant(KOV(0.125, 1 / 128))
    assert simulate(filt, adversary, epsilon=0.5, n=2, rounds=2).method.startswith("plain")
    with pytest.raises(ValueError, match="n must be at least 4 where 2 terms are added, got n=2"):
        simulate(filt, adversary, epsilon=0.5, n=2, rounds=2, method="tilted")
    assert simulate(filt, adversary, epsilon=0.5, n=4, rounds=2, method="tilted").n == 4
