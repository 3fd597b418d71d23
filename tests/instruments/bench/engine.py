"""What a path-round costs beside the random number in it, what a simulation costs before its paths, and two workers."""

import gc
import math
import statistics
import time
from collections.abc import Callable
from functools import _lru_cache_wrapper

import numpy as np
from numpy.random import SFC64, Generator
from numpy.typing import NDArray

from filters.privacy_filter import PrivacyFilter
from mc.engine.adversary import Adversary
from mc.engine.game import Game
from mc.engine.paths import Paths
from mc.engine.remembered import remembered
from mc.engine.streams import TILE
from mc.estimate.functionals import HockeyStick
from mc.estimate.simulate import simulate
from mc.runs.executors import LocalPool
from mc.runs.play import play
from tests.instruments.bench.games import GAMES, STARTS
from tests.instruments.bench.measured import Row, seconds

PLAIN = HockeyStick(1.0)
#: Seconds that one worker takes in a comparison with two, and the epsilon of short simulations.
LONG, EPSILON = 5.0, 4.0
#: Raw normals that a short simulation is timed beside: its own would be over before a clock ticks.
_DRAWS = 500_000


class Releases:
    """The functional that counts releases, path-rounds that is."""

    def __call__(self, paths: Paths) -> NDArray[np.float64]:
        return np.array([paths.releases.sum()], dtype=np.float64)


def raw_seconds(draws: int) -> float:
    """Processor seconds for so many standard normals from NumPy's fastest generator, 8192 at a time."""
    generator = Generator(SFC64(1))
    began = time.process_time()
    for _ in range(max(draws // 8192, 1)):
        generator.standard_normal(8192)
    return (time.process_time() - began) * draws / (8192 * max(draws // 8192, 1))


def rates(paths: int, repeats: int) -> list[Row]:
    """What a path-round costs in every game, in raw normals and in ns, and how many a path has; in this process."""
    answer = []
    for name, made in GAMES.items():
        game = made()
        rounds = int(play(game, Releases(), n=paths, workers=1).sums[0])
        ratios, ns = [], []
        for repeat in range(repeats):
            spent, raw = _beside(
                lambda g=game, seed=repeat: play(g, PLAIN, n=paths, seed=seed, workers=1), rounds
            )
            ratios.append(spent / raw)
            ns.append(spent / rounds * 1e9)
        row = {"ratio": statistics.median(ratios), "ns": statistics.median(ns), "rounds": rounds / paths}
        answer.append({"game": name} | row)
    return answer


def _beside(work: Callable[[], object], draws: int) -> tuple[float, float]:
    """Processor seconds for a work, and for so many raw normals, half of them before it and half after."""
    before = raw_seconds(draws // 2)
    return seconds(work, time.process_time), before + raw_seconds(draws - draws // 2)


def starts(repeats: int) -> list[Row]:
    """What simulations of n paths cost in n x rounds raw normals, and in ms, what comes before the paths included.

    again: the cost of a later call, which may remember what the first found out before its paths.
    """
    answers = []
    for name, (filt, adversary) in STARTS.items():
        for n in (1000, 10_000):
            rounds = int(play(Game.between(filt, adversary), Releases(), n=n, workers=1).sums[0])

            def work(n: int = n, filt: PrivacyFilter = filt, adversary: Adversary = adversary) -> object:
                return simulate(filt, adversary, epsilon=EPSILON, n=n, workers=1)

            work()  # may compile
            first, again = [], []
            for _ in range(repeats):
                _forget()
                first.append(_beside(work, max(rounds, _DRAWS)))
                again.append(_beside(work, max(rounds, _DRAWS)))
            scale = max(rounds, _DRAWS) / rounds
            ratios = [
                statistics.median(scale * spent / raw for spent, raw in each) for each in (first, again)
            ]
            ms = statistics.median(spent for spent, _ in first) * 1e3
            answers.append({"game": name, "n": n, "ratio": ratios[0], "ms": ms, "again": ratios[1]})
    return answers


def _forget() -> None:
    """Empty the caches of what the engine and the estimates remember."""
    for value in gc.get_objects():
        if isinstance(value, _lru_cache_wrapper) and value.__module__ == remembered.__module__:
            value.cache_clear()


def on_a_cluster(repeats: int) -> list[Row]:
    """A run by one worker of a local Dask cluster beside the same here; empty where Dask is not installed."""
    try:
        from distributed import Client, LocalCluster
    except ImportError:
        return []
    game, paths = GAMES["GDP filter, LossChasing"](), 16 * TILE
    with (
        LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):
        executor = client.get_executor(pure=False)

        def spent() -> float:
            return math.fsum(client.run(time.process_time).values())

        play(game, PLAIN, n=8 * TILE, seed=repeats, executor=executor)
        ratios, same = [], True
        for seed in range(repeats):
            before = spent()
            away = play(game, PLAIN, n=paths, seed=seed, executor=executor)
            worker = spent() - before
            began = time.process_time()
            here = play(game, PLAIN, n=paths, seed=seed, workers=1)
            spent_here = time.process_time() - began
            ratios.append(worker / spent_here * paths / (paths - TILE))  # the first is played here
            same &= away.sums.tobytes() == here.sums.tobytes()
    return [{"paths": paths, "ratio": statistics.median(ratios), "same": same}]


def scaling(repeats: int) -> list[Row]:
    """How many times faster than one worker two are, for a run of a few seconds: pools included, and warm."""
    game = GAMES["GDP filter, LossChasing"]()

    def taken(paths: int, seed: int, workers: int | None, pool: LocalPool | None = None) -> float:
        return seconds(lambda: play(game, PLAIN, n=paths, seed=seed, workers=workers, executor=pool))

    taken(TILE, 0, 1)
    paths = round(LONG / taken(4 * TILE, 1, 1)) * 4 * TILE
    cold, warm = [], []
    with LocalPool(2) as two:
        taken(8 * TILE, 0, None, two)
        for seed in range(repeats):
            one = taken(paths, seed, 1)
            warm.append(one / taken(paths, seed, None, two))
            cold.append(one / taken(paths, seed, 2))
    return [{"with_pool": statistics.median(cold), "warm": statistics.median(warm)}]
