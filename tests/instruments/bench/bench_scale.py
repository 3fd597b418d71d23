"""What size costs: a path, a batch in memory and in a store, a position of a game."""

import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import filterproof as fp
from filterproof.mc.engine.game import Game
from filterproof.mc.engine.streams import BATCH_SIZE, split_into_batches
from filterproof.mc.estimate.functionals import HockeyStick
from filterproof.mc.runs.play import SimulationSettings
from filterproof.mc.runs.run import RunInProgress
from filterproof.mc.runs.store import RunStore

PLAIN = HockeyStick(1.0)
#: The batches of a run that is only laid out and kept.
TILES = 20_000
DESCRIPTION = {"seed": 1, "work": "scale"}


def _game() -> Game:
    return Game.between(fp.GaussianFilter(mu=1.0), fp.HighWhileLossPositive(pace=10), rounds=10)


@pytest.mark.benchmark(group="paths of ten rounds")
@pytest.mark.parametrize("paths", [10**6, 10**7])
def bench_paths(benchmark: Any, paths: int) -> None:
    """A strategy that answers its losses, in one process."""
    SimulationSettings(n=BATCH_SIZE, workers=1).sums(_game(), PLAIN)
    benchmark.extra_info["units"] = paths
    play = SimulationSettings(n=paths, workers=1)
    benchmark.pedantic(play.sums, (_game(), PLAIN), rounds=1)


def _laid_out() -> RunInProgress:
    work = list(split_into_batches(1, TILES * BATCH_SIZE))
    run = RunInProgress(_game(), PLAIN, work, None, None)
    for batch in work:
        run.record([batch], [np.ones(PLAIN.numbers)])
    return run


def _store_and_load(place: Path) -> None:
    with RunStore(place) as store:
        row = np.ones(PLAIN.numbers)
        work = list(split_into_batches(1, TILES * BATCH_SIZE))
        for first in range(0, TILES, 10):  # a task of a quarter of a second holds about so many
            store.commit(DESCRIPTION, [(batch.index, batch.size, row) for batch in work[first : first + 10]])


def _loaded(place: Path) -> None:
    with RunStore(place) as store:
        assert len(store.load(DESCRIPTION)) == TILES


@pytest.mark.benchmark(group=f"{TILES:,} batches")
@pytest.mark.parametrize("work", ["laid out and finished", "kept in a store", "loaded from a store"])
def bench_tiles(benchmark: Any, tmp_path: Path, work: str) -> None:
    """A run's own cost: in memory, in a store, and from it again."""
    benchmark.extra_info["units"] = TILES
    place = tmp_path / "runs.db"
    if work == "laid out and finished":
        benchmark.pedantic(_laid_out, rounds=1)
        return
    if work == "kept in a store":
        benchmark.pedantic(_store_and_load, (place,), rounds=1)
        return
    _store_and_load(place)
    benchmark.extra_info["bytes"] = place.stat().st_size
    benchmark.pedantic(_loaded, (place,), rounds=1)


@pytest.mark.benchmark(group="positions of a game")
@pytest.mark.parametrize("charges", [1024, 4096, 16384])
def bench_positions(benchmark: Any, charges: int) -> None:
    """Four levels of randomised response against ever more charges; the time is taken with tracemalloc off."""
    step = 2.0**-8
    menu = [fp.RandomizedResponse(step * k) for k in range(1, 5)]
    filt = fp.ZCDPFilter(charges * step**2 / 2)
    game = benchmark.pedantic(fp.worst_case, (filt, menu), {"epsilon": 1.0}, rounds=1)
    benchmark.extra_info["units"] = game.positions
    tracemalloc.start()
    fp.worst_case(filt, menu, epsilon=1.0)
    benchmark.extra_info["bytes"] = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
