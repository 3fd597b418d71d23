"""What a path-round costs beside the random number in it, what a simulation costs before its paths, and two workers."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.random import SFC64, Generator
from numpy.typing import NDArray

from mc.engine.game import Game
from mc.engine.paths import Paths
from mc.engine.streams import TILE
from mc.estimate.functionals import HockeyStick
from mc.estimate.simulate import simulate
from mc.runs.executors import LocalPool
from mc.runs.play import play
from tests.instruments.bench.games import GAMES, STARTS

__all__ = ["PLAIN", "Rate", "Start", "in_a_process", "rates", "scaling", "starts"]

PLAIN = HockeyStick(1.0)
#: Seconds that one worker takes in a comparison with two, and the epsilon of short simulations.
LONG, EPSILON = 5.0, 4.0


@dataclass(frozen=True, slots=True)
class Rate:
    """A path-round: its cost in raw normals, in ns, and how many a path has. Medians over pairs."""

    ratio: float
    ns: float
    rounds: float


@dataclass(frozen=True, slots=True)
class Start:
    """A call of `simulate` with n paths: its cost in those of n x rounds raw normals, and in ms."""

    game: str
    n: int
    ratio: float
    ms: float


class Releases:
    """The functional that counts releases, path-rounds that is."""

    def __call__(self, paths: Paths) -> NDArray[np.float64]:
        return np.array([paths.releases.sum()], dtype=np.float64)


def raw_seconds(draws: int) -> float:
    """Seconds for so many standard normals from NumPy's fastest generator, 8192 at a time."""
    generator = Generator(SFC64(1))
    began = time.perf_counter()
    for _ in range(max(draws // 8192, 1)):
        generator.standard_normal(8192)
    return (time.perf_counter() - began) * draws / (8192 * max(draws // 8192, 1))


def rates(paths: int, repeats: int) -> dict[str, Rate]:
    """What a path-round costs in every game, in this process."""
    answer = {}
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
        answer[name] = Rate(statistics.median(ratios), statistics.median(ns), rounds / paths)
    return answer


def _beside(work: Callable[[], object], draws: int) -> tuple[float, float]:
    """Seconds for a work, and for so many raw normals, half of them before it and half after."""
    before = raw_seconds(draws // 2)
    began = time.perf_counter()
    work()
    spent = time.perf_counter() - began
    return spent, before + raw_seconds(draws - draws // 2)


def in_a_process(fast: bool, paths: int, repeats: int) -> dict[str, Rate]:
    """`rates` in a process of its own, with or without the compiled kernels."""
    command = [sys.executable, "-m", "tests.instruments.bench", "--rates", str(paths), str(repeats)]
    environment = os.environ | {"FILTERPROOF_FAST": "1" if fast else "0"}
    done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    return {name: Rate(**rate) for name, rate in json.loads(done.stdout).items()}


def starts(repeats: int) -> list[Start]:
    """What simulations of few paths cost, the search for a level and the choice of an estimator included."""
    found = []
    for name, (filt, adversary) in STARTS.items():
        for n in (1000, 10_000):
            rounds = int(play(Game.between(filt, adversary), Releases(), n=n, workers=1).sums[0])
            pairs = [
                _beside(
                    lambda f=filt, a=adversary, m=n: simulate(f, a, epsilon=EPSILON, n=m, workers=1), rounds
                )
                for _ in range(repeats + 1)
            ][1:]  # the first may compile
            ratio = statistics.median(spent / raw for spent, raw in pairs)
            found.append(Start(name, n, ratio, statistics.median(spent for spent, _ in pairs) * 1e3))
    return found


def scaling(repeats: int) -> tuple[float, float]:
    """How many times faster than one worker two are, for a run of a few seconds: pools included, and warm."""
    game = GAMES["GDP filter, LossChasing"]()

    def seconds(paths: int, seed: int, workers: int | None, pool: LocalPool | None = None) -> float:
        began = time.perf_counter()
        play(game, PLAIN, n=paths, seed=seed, workers=workers, executor=pool)
        return time.perf_counter() - began

    seconds(TILE, 0, 1)
    paths = round(LONG / seconds(4 * TILE, 1, 1)) * 4 * TILE
    cold, warm = [], []
    with LocalPool(2) as two:
        seconds(8 * TILE, 0, None, two)
        for seed in range(repeats):
            one = seconds(paths, seed, 1)
            warm.append(one / seconds(paths, seed, None, two))
            cold.append(one / seconds(paths, seed, 2))
    return statistics.median(cold), statistics.median(warm)
