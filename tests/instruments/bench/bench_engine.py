"""A path-round beside the random normal in it, a short simulation, two workers."""

import time
from typing import Any

import numpy as np
import pytest
from numpy.random import SFC64, Generator

from filterproof.mc.engine.finished_runs import FinishedRuns
from filterproof.mc.engine.streams import BATCH_SIZE
from filterproof.mc.estimate.functionals import HockeyStick
from filterproof.mc.estimate.simulate import simulate
from filterproof.mc.runs.executors import LocalPool
from filterproof.mc.runs.play import SimulationSettings
from tests.instruments.bench.games import GAMES, STARTS

PLAIN = HockeyStick(1.0)
PATHS = 8 * BATCH_SIZE


class Releases:
    """The functional that counts releases, path-rounds that is."""

    def __call__(self, paths: FinishedRuns) -> np.ndarray:
        return np.array([paths.releases.sum()], dtype=np.float64)


def raw_normals(draws: int) -> None:
    """So many standard normals from NumPy's fastest generator, 8192 at a time."""
    generator = Generator(SFC64(1))
    for _ in range(max(draws // 8192, 1)):
        generator.standard_normal(8192)


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("work", ["raw normals", "path-rounds"])
def bench_path_rounds(benchmark: Any, name: str, work: str) -> None:
    """A path-round in each game beside one raw normal."""
    game = GAMES[name]()
    rounds = int(SimulationSettings(n=PATHS, workers=1).sums(game, Releases()).sums[0])
    benchmark.group = f"{name}: {rounds / PATHS:.0f} rounds of {PATHS:,} paths"
    benchmark.extra_info["units"] = rounds
    if work == "raw normals":
        benchmark(raw_normals, rounds)
    else:
        benchmark(SimulationSettings(n=PATHS, workers=1).sums, game, PLAIN)


@pytest.mark.parametrize("name", STARTS)
@pytest.mark.parametrize("n", [1000, 10_000])
def bench_short_simulation(benchmark: Any, name: str, n: int) -> None:
    """A simulation of few paths, what the engine remembers from an earlier call included."""
    filt, adversary = STARTS[name]
    benchmark.group = f"simulation of few paths: {name}"
    benchmark(simulate, filt, adversary, epsilon=4.0, n=n, workers=1)


@pytest.mark.benchmark(group="one worker and two, by the clock", timer=time.perf_counter)
@pytest.mark.parametrize("workers", [1, 2])
def bench_workers(benchmark: Any, workers: int) -> None:
    """A run by one worker, and by a pool of two that stands ready."""
    game = GAMES["GDP filter, LossChasing"]()
    if workers == 1:
        benchmark(SimulationSettings(n=4 * PATHS, workers=1).sums, game, PLAIN)
        return
    with LocalPool(workers) as pool:
        SimulationSettings(n=PATHS, executor=pool).sums(game, PLAIN)
        benchmark(SimulationSettings(n=4 * PATHS, executor=pool).sums, game, PLAIN)
