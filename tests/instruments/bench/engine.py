"""What a path-round costs beside the random number in it, and what a simulation costs before its paths."""

from __future__ import annotations

import importlib
import statistics
import time
from collections.abc import Callable
from functools import _lru_cache_wrapper, partial
from typing import Any

import numpy as np
from numpy.random import SFC64, Generator
from numpy.typing import NDArray

from mc.engine.game import Game
from mc.engine.paths import Paths
from mc.estimate.functionals import HockeyStick
from mc.estimate.simulate import simulate
from mc.runs.play import play
from tests.instruments.bench.games import GAMES, STARTS

__all__ = ["PLAIN", "rates", "starts"]

PLAIN = HockeyStick(1.0)
#: Raw normals that a short simulation is timed beside: its own would be over before a clock ticks.
_DRAWS = 500_000


class Releases:
    """The functional that counts releases, path-rounds that is."""

    def __call__(self, paths: Paths) -> NDArray[np.float64]:
        return np.array([paths.releases.sum()], dtype=np.float64)


def _raw_seconds(draws: int) -> float:
    """Processor seconds for so many standard normals from NumPy's fastest generator, 8192 at a time."""
    generator, blocks = Generator(SFC64(1)), max(draws // 8192, 1)
    began = time.process_time()
    for _ in range(blocks):
        generator.standard_normal(8192)
    return (time.process_time() - began) * draws / (8192 * blocks)


def _beside(work: Callable[[], object], draws: int) -> tuple[float, float]:
    """Processor seconds for a work, and over those of so many raw normals, half of them before it and half after."""
    before = _raw_seconds(draws // 2)
    began = time.process_time()
    work()
    spent = time.process_time() - began
    return spent, spent / (before + _raw_seconds(draws - draws // 2))


def rates(paths: int, repeats: int) -> list[dict[str, Any]]:
    """The cost of a path-round of each game in raw normals and in ns, medians over pairs; how many a path has."""
    rows = []
    for name, game in GAMES.items():
        rounds = int(play(game, Releases(), n=paths, workers=1).sums[0])
        pairs = [
            _beside(partial(play, game, PLAIN, n=paths, seed=seed, workers=1), rounds)
            for seed in range(repeats)
        ]
        spent, ratio = (statistics.median(numbers) for numbers in zip(*pairs, strict=True))
        rows.append({"game": name, "ratio": ratio, "ns": spent / rounds * 1e9, "rounds": rounds / paths})
    return rows


def starts(repeats: int) -> list[dict[str, Any]]:
    """The cost of a first `simulate` with n paths in n x rounds raw normals, and in ms.

    The search for a level and the choice of an estimator are in it.
    """
    rows = []
    for name, (filt, adversary) in STARTS.items():
        for n in (1000, 10_000):
            rounds = int(play(Game.between(filt, adversary), Releases(), n=n, workers=1).sums[0])
            work = partial(simulate, filt, adversary, epsilon=4.0, n=n, workers=1)
            work()  # may compile
            pairs, draws = [], max(rounds, _DRAWS)
            for _ in range(repeats):
                _forget()
                pairs.append(_beside(work, draws))
            spent, ratio = (statistics.median(numbers) for numbers in zip(*pairs, strict=True))
            rows.append({"game": name, "n": n, "ratio": ratio * draws / rounds, "ms": spent * 1e3})
    return rows


def _forget() -> None:
    """Empty the caches of all functions of the engine and of what estimates."""
    for name in ("mc.engine.levels", "mc.estimate.pilot"):
        for value in vars(importlib.import_module(name)).values():
            if isinstance(value, _lru_cache_wrapper):
                value.cache_clear()
