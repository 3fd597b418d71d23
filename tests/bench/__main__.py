"""`python -m tests.bench`: what a path-round costs beside the random number in it, and what estimators are worth.

Every ratio is taken in pairs, the engine and the raw generator in turn in one process, and its median is
printed: absolute times on a shared machine mean little. `--full` takes a million paths, and a thousand million
path-rounds for the memory.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.random import SFC64, Generator
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from filters import AllOrdersFilter, GaussianFilter, RenyiFilter, ZCDPFilter
from mc.engine.adversaries import Constant, LossChasing
from mc.engine.adversary import Adversary, View
from mc.engine.game import Game
from mc.engine.paths import Paths
from mc.engine.streams import TILE, Tile
from mc.engine.tiles import play_tile
from mc.estimate.candidates import choose
from mc.estimate.estimator import Estimator
from mc.estimate.functionals import HockeyStick
from mc.estimate.simulate import simulate
from mc.examine.attack import attack
from mc.runs.executors import LocalPool
from mc.runs.play import play
from mc.worst_case import worst_case
from mc.worst_case.calibrated_threshold import CalibratedThreshold
from theory.pairs import DominatingPair, Gaussian, Laplace, RandomizedResponse

ROUNDS = 100
PLAIN = HockeyStick(1.0)


@dataclass(frozen=True)
class UsersOwn(Adversary):
    """A loss-chasing adversary as a user writes it: the square of a level such as 0.07 is no double."""

    level: float = 0.07

    def request(self, view: View) -> DominatingPair:
        return Gaussian(self.level + self.level * (view.loss > 0))


class Releases:
    """The functional that counts releases, path-rounds that is."""

    def __call__(self, paths: Paths) -> NDArray[np.float64]:
        return np.array([paths.releases.sum()], dtype=np.float64)


GAMES: dict[str, Callable[[], Game]] = {
    "GDP filter, LossChasing": lambda: Game.between(
        GaussianFilter(mu=1.0), LossChasing(pace=ROUNDS), rounds=ROUNDS
    ),
    "zCDP filter, LossChasing": lambda: Game.between(
        ZCDPFilter(rho=0.5), LossChasing(pace=ROUNDS), rounds=ROUNDS
    ),
    "GDP filter, LossChasing to the end": lambda: Game.between(
        GaussianFilter(mu=1.0), LossChasing(pace=ROUNDS)
    ),
    "GDP filter, a user's three lines": lambda: Game.between(
        GaussianFilter(mu=1.0), UsersOwn(), rounds=ROUNDS
    ),
    "GDP filter, the same with levels of few bits": lambda: Game.between(
        GaussianFilter(mu=1.0), UsersOwn(0.0703125), rounds=ROUNDS
    ),
    "GDP filter, Constant": lambda: Game.between(
        GaussianFilter(mu=1.0), Constant(Gaussian(0.0999755859375)), rounds=ROUNDS
    ),
}

#: Rounds that leave some of the budget: what gets through is no closed form of what was granted.
LEAVING = {
    "1-GDP, two Gaussian levels": Game.between(
        GaussianFilter(mu=1.0), LossChasing(low=0.1, high=0.2), rounds=12
    ),
    "0.5-zCDP, two levels of randomised response": Game.between(
        ZCDPFilter(rho=0.5), LossChasing(low=0.05, high=0.15, family=RandomizedResponse), rounds=30
    ),
    "0.5-zCDP, a Laplace mechanism": Game.between(ZCDPFilter(rho=0.5), Constant(Laplace(8.0)), rounds=40),
}


def raw_seconds(draws: int) -> float:
    """Seconds for so many standard normals from NumPy's fastest generator, 8192 at a time."""
    generator = Generator(SFC64(1))
    began = time.perf_counter()
    for _ in range(max(draws // 8192, 1)):
        generator.standard_normal(8192)
    return (time.perf_counter() - began) * draws / (8192 * max(draws // 8192, 1))


def rates(paths: int, repeats: int) -> dict[str, tuple[float, float, float]]:
    """(median ratio, ns per path-round, path-rounds per path) for every game, in this process."""
    answer = {}
    for name, made in GAMES.items():
        game = made()
        rounds = int(play(game, Releases(), n=paths, workers=1).sums[0])
        pairs = []
        for repeat in range(repeats):
            before = raw_seconds(rounds // 2)
            began = time.perf_counter()
            play(game, PLAIN, n=paths, seed=repeat, workers=1)
            spent = time.perf_counter() - began
            pairs.append((spent / (before + raw_seconds(rounds - rounds // 2)), spent / rounds * 1e9))
        answer[name] = (
            statistics.median(ratio for ratio, _ in pairs),
            statistics.median(ns for _, ns in pairs),
            rounds / paths,
        )
    return answer


def in_a_process(fast: bool, paths: int, repeats: int) -> dict[str, tuple[float, float, float]]:
    """`rates` in a process of its own, with or without the compiled kernels."""
    command = [sys.executable, "-m", "tests.bench", "--rates", str(paths), str(repeats)]
    environment = os.environ | {"FILTERPROOF_FAST": "1" if fast else "0"}
    done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    answer: dict[str, tuple[float, float, float]] = json.loads(done.stdout)
    return answer


def scaling(paths: int, repeats: int) -> float:
    """How many times faster two workers are than one, both in pools that are warm."""
    game = GAMES["GDP filter, LossChasing"]()
    with LocalPool(1) as one, LocalPool(2) as two:
        for pool in (one, two):
            play(game, PLAIN, n=8 * TILE, executor=pool)
        gains = []
        for repeat in range(repeats):
            spent = []
            for pool in (one, two):
                began = time.perf_counter()
                play(game, PLAIN, n=paths, seed=repeat, executor=pool)
                spent.append(time.perf_counter() - began)
            gains.append(spent[0] / spent[1])
    return statistics.median(gains)


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


def efficiencies(game: Game, epsilon: float, paths: int, repeats: int) -> dict[str, float]:
    """Variance x time of plain simulation over that of each estimator; the variances from tilted paths."""
    methods = ("plain", "tilted", "martingale") if game.adversary.gaussian else ("plain", "tilted")
    spent: dict[str, float] = {}
    variances: dict[str, float] = {}
    for method in methods:
        (estimator,) = choose(game, (epsilon,), n=paths, failure=1e-6, method=method)  # type: ignore[arg-type]
        assert isinstance(estimator, Estimator)
        times = []
        for repeat in range(repeats):
            began = time.perf_counter()
            tally = play(estimator.game, estimator.measure, n=paths, seed=repeat, workers=1)
            times.append(time.perf_counter() - began)
        spent[method] = statistics.median(times)
        (moments,) = estimator.measure.moments(tally)
        scale = 1.0 if method != "martingale" else math.exp(estimator.log_ranges[0])
        variances[method] = moments.variance * scale**2
        if method == "tilted":  # plain paths seldom see what they are too few for
            drawn = play_tile(estimator.game, Tile(0, 0, TILE))
            paid = np.maximum(-np.expm1(epsilon - drawn.loss), 0.0)
            mean, square = (float(np.mean(np.exp(drawn.log_weight) * paid**power)) for power in (1, 2))
            variances["plain"] = square - mean**2
    return {
        method: variances["plain"] * spent["plain"] / (variances[method] * spent[method])
        for method in methods[1:]
    }


def solved_games() -> dict[str, float]:
    """Seconds of exact games: many charges of few levels and of many, a calibration, attacks."""
    step = 2.0**-8

    def game(levels: int, charges: int) -> Callable[[], object]:
        menu = [RandomizedResponse(step * k) for k in range(1, levels + 1)]
        return lambda: worst_case(ZCDPFilter(charges * step**2 / 2), menu, epsilon=1.0)

    work: dict[str, Callable[[], object]] = {
        "worst case, 1 level, 16384 charges": game(1, 16384),
        "worst case, 4 levels, 16384 charges": game(4, 16384),
        "worst case, 64 levels, 4096 charges": game(64, 4096),
        "calibration, 800 units": lambda: CalibratedThreshold.found(1.0, 1e-5, step=39 * 2.0**-12),
        "attack on (8, 1)-RDP": lambda: attack(RenyiFilter(8.0, 1.0)),
        "attack on three orders": lambda: attack(AllOrdersFilter((2.0, 8.0, 32.0), (0.25, 1.0, 4.0))),
    }
    answer = {}
    for name, done in work.items():
        began = time.perf_counter()
        done()
        answer[name] = time.perf_counter() - began
    return answer


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument(
        "--full", action="store_true", help="a million paths, and the memory of 10^9 path-rounds"
    )
    parser.add_argument("--rates", nargs=2, type=int, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.rates:
        print(json.dumps(rates(*chosen.rates)))
        return
    paths, repeats = (1_000_000, 7) if chosen.full else (8 * TILE, 5)
    console = Console()
    table = Table(
        title=f"A path-round beside one raw SFC64 normal: medians of {repeats} pairs, {paths:,} paths"
    )
    for heading in ("game", "rounds", "NumPy: ratio", "ns", "compiled: ratio", "ns"):
        table.add_column(heading, justify="left" if heading == "game" else "right")
    numpy, compiled = in_a_process(False, paths, repeats), in_a_process(True, paths, repeats)
    for name in GAMES:
        slow, quick = numpy[name], compiled[name]
        table.add_row(
            name, f"{slow[2]:.0f}", f"{slow[0]:.2f}", f"{slow[1]:.1f}", f"{quick[0]:.2f}", f"{quick[1]:.1f}"
        )
    console.print(table)
    console.print(f"two workers are {scaling(8 * paths, 3):.2f} times as fast as one")
    worth = Table(title="Variance x time of plain simulation over that of the estimator, budget left over")
    for heading in ("game", "delta", "tilted", "martingale"):
        worth.add_column(heading, justify="left" if heading == "game" else "right")
    for name, game in LEAVING.items():
        for delta in (1e-3, 1e-6, 1e-9):
            gains = efficiencies(game, tail(game, delta), 2 * TILE, 3)
            worth.add_row(name, f"{delta:.0e}", *(f"{gain:.3g}" for gain in gains.values()))
    console.print(worth)
    exact = Table(title="Exact games and attacks, once each")
    for heading in ("work", "seconds"):
        exact.add_column(heading, justify="left" if heading == "work" else "right")
    for name, seconds in solved_games().items():
        exact.add_row(name, f"{seconds:.2f}")
    console.print(exact)
    game = LEAVING["1-GDP, two Gaussian levels"]
    found = simulate(game.filter, game.adversary, epsilon=6.55, rounds=game.rounds, method="tilted")
    console.print(f"{found.relative_half_width:.2%} on either side at epsilon 6.55: {found}")
    if chosen.full:
        play(GAMES["GDP filter, LossChasing"](), PLAIN, n=10_500_000, workers=1)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        console.print(f"peak memory after 10^9 path-rounds: {peak:.0f} MB")


if __name__ == "__main__":
    main()
