"""Adversaries of the catalogue: what they ask for, that they spend everything, that any filter will do."""

from __future__ import annotations

import json
import math
import pickle
from typing import Any

import numpy as np
import pytest

from filters import (
    ApproximateDPFilter,
    GaussianFilter,
    PrivacyFilter,
    RealisationFilter,
    RenyiFilter,
    ZCDPFilter,
)
from filters.accounting import Budget
from filters.contract.checks import checked_admits
from mc.engine import levels
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
from mc.engine.encoding import decode, encode, nameable
from mc.engine.game import Game
from mc.engine.levels import even_level, largest
from mc.engine.streams import Tile
from mc.engine.tiles import play_tile
from theory.guarantees import PureDP
from theory.pairs import DominatingPair, Gaussian, RandomizedResponse


class Basic(PrivacyFilter):
    """Pure DP: the sum of pure epsilons stays within 1; a Gaussian has none and is never admitted."""

    promise = PureDP(1.0)

    def start(self, n: int) -> Any:
        return np.zeros(n)

    def admits(self, state: Any, request: DominatingPair) -> Any:
        return state + request.pure_epsilon <= 1.0

    def spend(self, state: Any, request: DominatingPair) -> Any:
        return state + request.pure_epsilon


PARAMETERLESS = [Constant(), OneShot(), ManySmall(), LossChasing(), LossAvoiding(), RandomSpender()]
FILTERS = [
    GaussianFilter(mu=1.0),
    GaussianFilter(mu=1e-6),
    ZCDPFilter(rho=0.3),
    RenyiFilter(alpha=3.0, rho=1.0),
    ApproximateDPFilter(epsilon=1.0, delta=1e-5),
    RealisationFilter(10.0, 1e-5, 20, (Gaussian(0.5),)),
    Basic(),
]


@pytest.mark.parametrize("filt", FILTERS, ids=lambda f: type(f).__name__)
@pytest.mark.parametrize("adversary", PARAMETERLESS, ids=lambda a: type(a).__name__)
def test_without_parameters_any_filter_will_do(filt: PrivacyFilter, adversary: Adversary) -> None:
    paths = play_tile(Game.between(filt, adversary, rounds=60), Tile(1, 0, 200))
    assert (paths.releases >= 1).all()
    assert np.isfinite(paths.loss).all()
    assert paths.loss.any()


@pytest.mark.parametrize("adversary", PARAMETERLESS[1:], ids=lambda a: type(a).__name__)
@pytest.mark.parametrize(
    "filt", [GaussianFilter(mu=1.0), ZCDPFilter(rho=0.5)], ids=lambda f: type(f).__name__
)
def test_budget_exhausting_adversaries_leave_nothing(filt: PrivacyFilter, adversary: Adversary) -> None:
    paths = play_tile(Game.between(filt, adversary).at(2.0), Tile(2, 0, 500))
    spent = paths.log_weight + paths.loss  # (s - 1) sum D_s = sum mu^2 at order s = 2
    np.testing.assert_allclose(spent, 1.0, rtol=1e-9)


def test_the_even_level_fits_so_often_and_no_oftener() -> None:
    for filt in (GaussianFilter(mu=1.0), ZCDPFilter(rho=0.3), Basic()):
        family = RandomizedResponse if isinstance(filt, Basic) else Gaussian
        level = even_level(filt, family, 10)

        def times(level: float, filt: PrivacyFilter = filt, family: Any = family) -> int:
            state, done = filt.start(1), 0
            while checked_admits(filt, state, family(level), 1)[0]:
                state, done = filt.spend(state, family(level)), done + 1
            return done

        assert times(level) == 10
        assert times(level * 1.0005) == 9


def test_the_even_level_of_a_filter_is_searched_for_once_and_of_another_budget_anew(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    filt, other = GaussianFilter(mu=1.0625), GaussianFilter(mu=1.0625)
    object.__setattr__(other, "budget", Budget.of(0.25))
    searched: list[PrivacyFilter] = []

    def noting(filt: PrivacyFilter, family: Any, rounds: int) -> float:
        searched.append(filt)
        return search(filt, family, rounds)

    search = levels._even_level
    monkeypatch.setattr(levels, "_even_level", noting)
    level = even_level(filt, Gaussian, np.int64(7))  # whatever class the number has
    assert even_level(GaussianFilter(mu=1.0625), Gaussian, 7) == level
    assert len(searched) == 1
    assert even_level(filt, Gaussian, 8) < level
    assert even_level(filt, RandomizedResponse, 7) != level
    assert even_level(other, Gaussian, 7) == pytest.approx(math.sqrt(0.25 / 7), rel=1e-3)
    for _ in range(2):  # a function may answer otherwise another time
        even_level(filt, lambda mu: Gaussian(mu), 7)
    assert len(searched) == 6


def test_nothing_affordable_is_one_sentence() -> None:
    with pytest.raises(ValueError, match=r"family must hold a pair that Basic admits, got .*Gaussian"):
        largest(Basic(), Gaussian)
    with pytest.raises(ValueError, match="p must be given against GaussianFilter"):
        Game.between(GaussianFilter(mu=1.0), EraserForever())


def view(loss: list[float], filt: PrivacyFilter) -> View:
    n = len(loss)
    return View(
        1,
        np.array(loss),
        np.zeros(n),
        filt.start(n),
        np.zeros(n, dtype=np.bool_),
        filt,
        np.random.default_rng(0),
    )


def test_chasing_raises_after_a_gain_and_avoiding_after_a_loss() -> None:
    filt = GaussianFilter(mu=1.0)
    for adversary, expected in (
        (LossChasing(0.1, 0.2), [0.1, 0.1, 0.2]),
        (LossAvoiding(0.1, 0.2), [0.2, 0.2, 0.1]),
    ):
        request = adversary.against(filt).request(view([-1.0, 0.0, 1.0], filt))
        assert isinstance(request, Gaussian)
        np.testing.assert_array_equal(request.mu, expected)


def test_the_random_spender_tosses_its_own_coins() -> None:
    filt = GaussianFilter(mu=1.0)
    adversary = RandomSpender(0.1).against(filt)
    mu = np.asarray(adversary.request(view([0.0] * 2000, filt)).gdp_mu)
    assert mu.min() > 0
    assert mu.max() <= 0.2
    assert abs(mu.mean() - 0.1) < 6 * 0.2 / np.sqrt(12 * 2000)  # beyond six deviations once in 10^9
    one, other = (play_tile(Game.between(filt, adversary), Tile(seed, 0, 50)).loss for seed in (1, 2))
    assert (one != other).all()


def test_a_number_means_a_gaussian() -> None:
    assert Constant(0.3) == Constant(Gaussian(0.3))
    with pytest.raises(ValueError, match=r"pair must be a single pair, got shape \(2,\)"):
        Constant(Gaussian(np.ones(2)))


@pytest.mark.parametrize("adversary", [*PARAMETERLESS, EraserForever(0.1)], ids=lambda a: type(a).__name__)
def test_adversaries_travel(adversary: Adversary) -> None:
    ready = adversary.against(GaussianFilter(mu=1.0))
    assert pickle.loads(pickle.dumps(ready)) == ready  # noqa: S301 - our own bytes
    assert ready.against(GaussianFilter(mu=1.0)) == ready
    known = nameable()
    assert decode(json.loads(json.dumps(encode(ready, known))), known) == ready
