"""What estimators are worth: their variance times time beside that of plain simulation."""

import math
import statistics
import time

import numpy as np

from mc.engine.game import Game
from mc.engine.streams import TILE, Tile
from mc.engine.tiles import play_tile
from mc.estimate.estimator import Aim, estimators
from mc.estimate.simulate import simulate
from mc.runs.play import play
from tests.instruments.bench.games import LEAVING
from tests.instruments.bench.measured import Row


def worth(repeats: int) -> list[Row]:
    """Every estimator in every game that leaves some of the budget."""
    return [
        {
            "game": name,
            "delta": delta,
            "gains": efficiencies(game, tail(game, delta), 2 * TILE, repeats),
        }
        for name, game in LEAVING.items()
        for delta in (1e-3, 1e-6, 1e-9)
    ]


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
        (estimator,) = estimators(game, (epsilon,), Aim(paths, 1e-6, method))  # type: ignore[arg-type]
        (term,) = estimator.terms
        times = []
        for repeat in range(repeats):
            began = time.perf_counter()
            tally = play(term.game, term.joint, n=paths, seed=repeat, workers=1)
            times.append(time.perf_counter() - began)
        spent[method] = statistics.median(times)
        (functional,) = term.functionals
        variances[method] = functional.moments(tally).unit_variance * math.exp(2 * functional.log_range)
        if method == "tilted":  # plain paths seldom see what they are too few for
            drawn = play_tile(term.game, Tile(0, 0, TILE))
            paid = np.maximum(-np.expm1(epsilon - drawn.loss), 0.0)
            mean, square = (float(np.mean(np.exp(drawn.log_weight) * paid**power)) for power in (1, 2))
            variances["plain"] = square - mean**2
    return {
        method: variances["plain"] * spent["plain"] / (variances[method] * spent[method])
        for method in methods[1:]
    }
