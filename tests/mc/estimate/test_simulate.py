"""What simulations say, against closed forms, exact enumeration and numerical integration."""

import math
import sys
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import filterproof as fp
from mc.engine.guard import Exceeded
from mc.engine.tiles import play_tile
from mc.estimate import estimator as choosing
from mc.estimate.ceiling import log_weight_bound
from mc.estimate.estimator import Aim, Estimator, allowed, estimators
from mc.estimate.functionals import UnitFunctional
from mc.estimate.martingale import WeightedSlack
from tests.mc.estimate.ten_times import Silent, TenTimes
from theory.realisation import kappa_survival

chosen: Any = estimators.__wrapped__  # type: ignore[attr-defined]

# Null of every containment below: the interval is valid, so it misses with probability at most 1e-6.


def test_survival_of_the_realisation_filter_matches_numerical_integration() -> None:
    rounds, sigma, epsilon, delta = 48, 2.0, 10.0, 1e-5
    filt = fp.RealisationFilter(epsilon, delta, rounds, (fp.Gaussian(1 / sigma),))
    curve = fp.survival(filt, fp.Constant(fp.Gaussian(1 / sigma)), rounds=rounds, n=100_000, seed=7)
    split = fp.conversions.optimal_split(rounds, delta)
    limit = float(fp.conversions.kappa(epsilon, sigma, split.dhat, split.theta))
    left = kappa_survival(limit, sigma=sigma, rounds=rounds + 2)
    for t in range(1, rounds + 1):
        assert left[t - 1] in curve[t]
    # deciding on one loss too many, the classic mistake, would show
    assert left[48] not in curve[48]
    # these digits were computed independently, by another program
    np.testing.assert_allclose(left[[7, 15, 31, 47]], [0.9997, 0.947, 0.602, 0.321], atol=5e-4)


def test_a_deterministic_stopping_time_is_seen_exactly() -> None:
    curve = fp.survival(fp.GaussianFilter(mu=1.0), fp.Constant(fp.Gaussian(0.3)), rounds=15, n=1000, seed=8)
    assert [curve[t].value for t in range(1, 16)] == [1.0] * 11 + [0.0] * 4
    with pytest.raises(IndexError, match=r"t must be in 1..15, got t=16"):
        curve[16]
    for rounds in (10**6 + 1, 10**13):
        with pytest.raises(
            ValueError, match=rf"rounds must be at most 1,000,000 .*, got rounds={rounds}; pass fewer"
        ):
            fp.survival(fp.GaussianFilter(mu=1.0), fp.Constant(fp.Gaussian(0.3)), rounds=rounds, n=1000)


def test_the_bound_on_weights_is_attained() -> None:
    """max over L of e^{(s-1)(s rho - L)} (1 - e^{eps - L}) is M_s, on a grid around its argmax."""
    order, rho, epsilon = 3.7, 0.6, 2.0
    loss = epsilon + np.linspace(1e-3, 3, 200_001)
    largest = np.log(np.max(np.exp((order - 1) * (order * rho - loss)) * -np.expm1(epsilon - loss)))
    assert log_weight_bound(order, order * rho, epsilon) == pytest.approx(largest, abs=1e-9)
    assert math.exp(log_weight_bound(order, order * rho, epsilon)) == pytest.approx(
        float(fp.RenyiDP(order, order * rho).delta(epsilon)), rel=1e-12
    )


def test_one_call_answers_a_grid_with_bands_that_hold_together() -> None:
    grid = [0.0, 0.5, 1.0, 2.0, 4.0, 8.0]
    curve = fp.simulate(fp.GaussianFilter(mu=1.0), fp.LossChasing(pace=5), epsilon=grid, n=60_000, seed=11)
    assert curve.epsilons == tuple(grid)
    for epsilon, estimate in curve:
        assert fp.Gaussian(1.0).hockey_stick(epsilon) in estimate
        assert estimate.relative_half_width < 0.02
        assert estimate.failure == pytest.approx(curve.failure / 6)
    assert sum({one.method: one.n for _, one in curve}.values()) == 60_000
    lines = str(curve).splitlines()
    assert lines[-1] == f"epsilon=8: {curve[8.0]}"
    assert len(lines) == 6
    assert curve[2.0] == curve.at[3]
    with pytest.raises(KeyError, match="epsilon must be one of"):
        curve[3.0]


def test_a_bound_beyond_the_doubles_is_passed_over() -> None:
    estimate = fp.simulate(
        fp.RenyiFilter(alpha=4.0, rho=2000.0), Silent(fp.Gaussian(1.0)), epsilon=1.0, n=1000, rounds=2
    )
    assert estimate.method.startswith("plain")


def test_a_pilot_that_saw_no_heavy_weight_does_not_choose_an_order_that_has_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def sure(self: Any, pilot: Any, n: int, failure: float, interval: Any) -> Any:
        form, guess = planned(self, pilot, n, failure, interval)
        return form, replace(guess, low=guess.value, high=guess.value)

    planned = UnitFunctional.planned
    monkeypatch.setattr(UnitFunctional, "planned", sure)
    game = fp.runs.Game.between(fp.GaussianFilter(mu=1.0), fp.Constant(0.3))
    first, second = chosen(game, (0.0, 6.0), Aim(10_000, 1e-6, "tilted"))
    # every width is zero, so either order would answer both: at epsilon=0 that of 6 has weights up to e^9
    assert {first.epsilons, second.epsilons} == {(0.0,), (6.0,)}
    for estimator in (first, second):
        (epsilon,) = estimator.epsilons
        least = min(log_weight_bound(s, s / 2, epsilon) for s in np.linspace(1.01, 9, 10_000))
        assert estimator.terms[0].functionals[0].log_range == pytest.approx(least, abs=1e-5)


def test_a_bound_on_infinite_losses_hides_no_heavy_weight_of_the_term_beside_it() -> None:
    game = fp.runs.Game.between(fp.RogersFilter(1.0, 1e-5), fp.Constant(fp.KOV(0.15, 1e-6)), rounds=12)
    grid, aim = (-0.5, 0.0, 1.0, 2.0, 4.0), Aim(4000, 1e-6)
    offered = [terms[-1].functionals for terms in allowed(game, grid, aim)]
    least = {
        epsilon: min(sums.log_range for sums in each)
        for epsilon, each in zip(grid, zip(*offered, strict=True), strict=True)
    }
    for estimator in chosen(game, grid, aim):
        for epsilon, sums in zip(estimator.epsilons, estimator.terms[-1].functionals, strict=True):
            assert sums.log_range <= least[epsilon] + choosing._RANGE


def test_a_martingale_is_expected_to_be_no_wider_than_with_coefficient_one() -> None:
    game = fp.runs.Game.between(fp.ApproximateDPFilter(1.0, 1e-3), fp.LossChasing(), rounds=12)
    grid, aim = (0.0, 1.0, 2.0), Aim(1000, 0.01, "martingale")
    for terms in allowed(game, grid, aim):
        _, widths = choosing._piloted(Estimator(grid, terms), aim, {})
        paths = play_tile(terms[-1].game, choosing.pilot_tile(aim.n))
        for slack, width in zip(terms[-1].functionals, widths, strict=True):
            assert isinstance(slack, WeightedSlack)
            whole = replace(slack, beta=1.0)
            seen = fp.intervals.Moments.of(whole.mix(*whole.terms(paths)))
            _, guess = whole.planned(seen, aim.n, aim.failure, aim.interval)
            assert width <= (guess.high - guess.low) * (1 + 1e-12)


@pytest.mark.parametrize("epsilons", [(4.0,), (0.25,), (0.0, 1.0, 6.0)])
@pytest.mark.parametrize(
    ("filt", "adversary", "rounds"),
    [
        (fp.ZCDPFilter(rho=0.5), fp.LossChasing(), None),
        (fp.ZCDPFilter(rho=0.5), fp.Constant(0.3), None),
        (fp.ZCDPFilter(rho=0.5), fp.Constant(fp.Laplace(4.0)), None),
        # leaves some of the budget: tilted beats the martingale
        (fp.ZCDPFilter(rho=0.5), fp.LossChasing(low=0.1, high=0.2), 12),
        (fp.BasicFilter(1.3, 0.1), fp.Constant(fp.KOV(0.125, 1 / 128)), 10),  # infinite losses, weighed
        (TenTimes(), Silent(fp.Gaussian(0.1)), 20),  # nothing is known
    ],
)
@pytest.mark.parametrize("n", [600, 20_000])
def test_the_choice_is_the_same_as_if_every_candidate_had_a_pilot(
    filt: fp.PrivacyFilter,
    adversary: fp.Adversary,
    rounds: int | None,
    epsilons: tuple[float, ...],
    n: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pilots: list[float] = []

    def noting(self: Any, aim: Aim, played: Any) -> Any:
        pilots.append(self.terms[0].game.order)
        estimator, widths = piloted(self, aim, played)
        assert (estimator, widths) == piloted(self, aim, {})  # what is shared is what it would have played
        least = floors(self, aim)
        assert all(floor <= width * (1 + 1e-12) for floor, width in zip(least, widths, strict=True))
        return estimator, widths

    piloted, floors = choosing._piloted, Estimator.floors
    monkeypatch.setattr(choosing, "_piloted", noting)
    game = fp.runs.Game.between(filt, adversary, rounds=rounds)
    few = chosen(game, epsilons, Aim(n, 1e-6))
    after = len(pilots)
    monkeypatch.setattr(Estimator, "floors", lambda self, aim: (0.0,) * len(epsilons))
    assert chosen(game, epsilons, Aim(n, 1e-6)) == few
    assert 0 < after <= len(pilots) - after
    plain_played = 1.0 in pilots[:after]
    if epsilons == (4.0,) and isinstance(
        filt, fp.ZCDPFilter
    ):  # plain paths are hopeless there, and have no pilot
        assert not plain_played


def test_what_is_told_after_a_bound_was_exceeded_has_half_of_the_failure(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Which of the two that rest on no bound is told depends on the draws, so that both may be wrong."""
    module, tried = sys.modules["mc.estimate.simulate"], []
    played = module._estimates

    def exceeding(game: Any, epsilons: Any, play: Any, aim: Aim, progress: Any) -> Any:
        tried.append((aim.method, aim.trusting, aim.failure))
        if len(tried) < 3:
            raise Exceeded("a path")
        return played(game, epsilons, play, aim, progress)

    monkeypatch.setattr(module, "_estimates", exceeding)
    estimate = fp.simulate(fp.GaussianFilter(1.0), fp.OneShot(), epsilon=1.0, n=100, failure=1e-6, workers=1)
    assert tried == [("auto", True, 1e-6), ("auto", False, 5e-7), ("plain", False, 5e-7)]
    assert estimate.failure == 5e-7
    assert estimate.rests_on.endswith(", for a path")
