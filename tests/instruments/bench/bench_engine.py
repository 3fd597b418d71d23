"""A path-round beside the random normal in it, a short simulation, an estimator, two workers."""

import math
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from numpy.random import SFC64, Generator

from filterproof.mc.engine.batches import play_batch
from filterproof.mc.engine.finished_runs import FinishedRuns
from filterproof.mc.engine.game import Game
from filterproof.mc.engine.streams import BATCH_SIZE, Batch
from filterproof.mc.estimate.estimator import EstimatorSettings, estimators
from filterproof.mc.estimate.functionals import HockeyStick
from filterproof.mc.estimate.simulate import simulate
from filterproof.mc.runs.executors import LocalPool
from filterproof.mc.runs.play import SimulationSettings
from tests.instruments.bench.games import GAMES, LEAVING, STARTS

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


def tail(game: Game, delta: float) -> float:
    """The epsilon at which about so much gets through, by bisection on tilted estimates from the same paths."""
    low, high = 0.0, 64.0
    while high - low > 1e-3:
        middle = (low + high) / 2
        found = simulate(
            game.filter,
            game.adversary,
            epsilon=middle,
            n=20_000,
            rounds=game.rounds,
            method="tilted",
            workers=1,
        )
        low, high = (middle, high) if found.value > delta else (low, middle)
    return low


def _compared() -> Iterator[tuple[str, str]]:
    for name, game in LEAVING.items():
        for method in (
            ("plain", "tilted", "martingale")
            if game.adversary.requests_only_gaussians
            else ("plain", "tilted")
        ):
            yield name, method


@pytest.mark.parametrize("delta", [1e-3, 1e-6, 1e-9])
@pytest.mark.parametrize(("name", "method"), list(_compared()))
def bench_estimator(benchmark: Any, name: str, method: str, delta: float) -> None:
    """The time of an estimator; the smaller variance x time, the better: both are recorded."""
    game, paths = LEAVING[name], 2 * BATCH_SIZE
    epsilon = tail(game, delta)
    (estimator,) = estimators(game, (epsilon,), EstimatorSettings(paths, 1e-6, method))  # type: ignore[arg-type]
    (term,) = estimator.terms
    benchmark.group = f"estimators, {name}, delta {delta:.0e}"
    tally = benchmark(SimulationSettings(n=paths, workers=1).sums, term.game, term.joint)
    (functional,) = term.functionals
    variance = functional.moments(tally).unit_variance * math.exp(2 * functional.log_range)
    if method == "plain":  # its own paths seldom see what they are too few for
        (tilted,) = estimators(game, (epsilon,), EstimatorSettings(paths, 1e-6, "tilted"))
        drawn = play_batch(tilted.terms[0].game, Batch(0, 0, BATCH_SIZE))
        paid = np.maximum(-np.expm1(epsilon - drawn.loss), 0.0)
        mean, square = (float(np.mean(np.exp(drawn.log_weight) * paid**power)) for power in (1, 2))
        variance = square - mean**2
    benchmark.extra_info["variance"] = variance


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
