"""Games with final requests have the same bits for any number of workers, with compiled kernels and without."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import pytest
from numpy.typing import NDArray

import filters.accounting.fast.compiled
import theory.fast.gaussian
from filters import ApproximateDPFilter, GaussianFilter, RenyiFilter, ZCDPFilter
from mc.engine.adversaries import LossChasing, RandomSpender
from mc.engine.adversary import Adversary, View
from mc.engine.game import Game
from mc.engine.paths import Paths
from mc.engine.streams import TILE, Tile
from mc.engine.tiles import play_tile
from mc.runs.play import play
from theory.fast.gaussian import kernels
from theory.pairs import DominatingPair, Gaussian


@dataclass(frozen=True)
class UsersOwn(Adversary):
    """Levels that are no multiples of anything, as a user writes them; then one more of 0.1."""

    def request(self, view: View) -> DominatingPair:
        return Gaussian(0.2 + 0.15 * (view.loss > 0))

    def final(self, view: View) -> DominatingPair:
        return Gaussian(np.where(view.last > 0, 0.1, 0.05))


@dataclass(frozen=True)
class Everything:
    """Sums that tell one order of paths, and one bit of any of them, from another."""

    def __call__(self, paths: Paths) -> NDArray[np.float64]:
        place = np.arange(1.0, len(paths.loss) + 1)
        each = (paths.loss, paths.log_weight, paths.releases.astype(np.float64))
        words = [np.bitwise_xor.reduce(x.view(np.int64) * (2 * place.astype(np.int64) + 1)) for x in each]
        return np.array([*((x * place).sum() for x in each), *(float(word % 2**53) for word in words)])


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


@games
def test_any_number_of_workers_makes_the_same_final_requests(game: Game) -> None:
    n = 2 * TILE + 1000
    alone = play(game, Everything(), n=n, seed=7, workers=1).rows.tobytes()
    for workers in (2, 7):
        with ThreadPoolExecutor(workers) as threads:
            assert play(game, Everything(), n=n, seed=7, executor=threads).rows.tobytes() == alone
    assert play(game, Everything(), n=n, seed=8, workers=1).rows.tobytes() != alone


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
