"""Games with final requests have the same bits with compiled kernels and without."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

import filters.accounting.fast.compiled
import theory.fast.gaussian
from filters import ApproximateDPFilter, GaussianFilter, RenyiFilter, ZCDPFilter
from mc.engine.adversaries import LossChasing, RandomSpender
from mc.engine.adversary import Adversary, View
from mc.engine.game import Game
from mc.engine.streams import TILE, Tile
from mc.engine.tiles import play_tile
from theory.fast.gaussian import kernels
from theory.pairs import DominatingPair, Gaussian


@dataclass(frozen=True)
class UsersOwn(Adversary):
    """Levels that are no multiples of anything, as a user writes them; then one more of 0.1."""

    def request(self, view: View) -> DominatingPair:
        return Gaussian(0.2 + 0.15 * (view.loss > 0))

    def final(self, view: View) -> DominatingPair:
        return Gaussian(np.where(view.last > 0, 0.1, 0.05))


GAMES = [
    Game.between(GaussianFilter(mu=1.0), LossChasing(pace=5)),
    Game.between(ZCDPFilter(rho=0.5), LossChasing(pace=5), direction="QP").at(1.5),
    Game.between(ZCDPFilter(rho=0.31), UsersOwn()).at(2.0),
    Game.between(GaussianFilter(mu=1.1), UsersOwn(), on_denial="retry"),
    Game.between(RenyiFilter(alpha=3.0, rho=1.0), RandomSpender(pace=5), rounds=60).at(1.5),
    Game.between(ApproximateDPFilter(epsilon=1.0, delta=1e-5), RandomSpender(pace=5), rounds=60),
]
games = pytest.mark.parametrize(
    "game",
    GAMES,
    ids=["chasing", "zCDP, tilted, QP", "off grid, tilted", "off grid, retry", "coins, Renyi", "coins, CKS"],
)


def without_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (filters.accounting.fast.compiled, theory.fast.gaussian):
        monkeypatch.setattr(module, "kernels", lambda: None)


@pytest.mark.skipif(kernels() is None, reason="numba, the extra [fast], is not installed")
@games
def test_kernels_or_none_make_the_same_final_requests(game: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = (20, 33, TILE)
    fast = [play_tile(game, Tile(4, 1, n)) for n in sizes]
    without_kernels(monkeypatch)
    for n, paths in zip(sizes, fast, strict=True):
        slow = play_tile(game, Tile(4, 1, n))
        for name in ("loss", "log_weight", "releases"):
            assert getattr(paths, name).tobytes() == getattr(slow, name).tobytes()
