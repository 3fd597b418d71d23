"""What size costs: a path, a tile in memory and in a store, a position of a game, a filter of a report."""

import tempfile
import time
import tracemalloc
from functools import partial
from pathlib import Path

import numpy as np

import filterproof as fp
from mc.engine.game import Game
from mc.engine.streams import TILE, tiles
from mc.runs.play import play
from mc.runs.run import Run
from mc.runs.store import RunStore
from tests.instruments.bench.engine import PLAIN
from tests.instruments.bench.measured import Row, seconds

#: Ten rounds of a strategy that answers its losses, and the tiles of a run that is only laid out and kept.
_ROUNDS, _LAID_OUT = 10, 20_000


def _unit(work: str, size: int, spent: float, memory: float | None = None) -> Row:
    """Seconds and bytes a unit of work of this size; None for what was not looked at."""
    return {
        "work": work,
        "size": size,
        "seconds": spent / size,
        "bytes": None if memory is None else memory / size,
    }


def grown(largest: int) -> list[Row]:
    """Plays of growing size up to `largest` paths, a run of many tiles, exact games of growing size."""
    return [*_plays(largest), *_tiles(), *_games()]


def _game() -> Game:
    return Game.between(fp.GaussianFilter(mu=1.0), fp.LossChasing(pace=_ROUNDS), rounds=_ROUNDS)


def _plays(largest: int) -> list[Row]:
    """Seconds a path, one process, once each."""
    rows, n = [], min(10**6, largest)
    play(_game(), PLAIN, n=TILE, workers=1)
    while n <= largest:
        spent = seconds(partial(play, _game(), PLAIN, n=n, workers=1))
        rows.append(_unit(f"paths of {_ROUNDS} rounds", n, spent))
        n *= 10
    return rows


def _tiles() -> list[Row]:
    """A run's own cost a tile: laid out and finished in memory, committed to a store, loaded from it again."""
    row = np.ones(PLAIN.numbers)
    tracemalloc.start()
    began = time.perf_counter()
    work = list(tiles(1, _LAID_OUT * TILE))
    run = Run(_game(), PLAIN, work, None, None)
    for tile in work:
        run.keep([tile], [row.copy()])
    spent, (held, _) = time.perf_counter() - began, tracemalloc.get_traced_memory()
    tracemalloc.stop()
    rows = [_unit("tiles in memory", _LAID_OUT, spent, held)]
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "runs.db"
        store, description = RunStore(place), {"seed": 1, "work": "scale"}
        began = time.perf_counter()
        for first in range(0, _LAID_OUT, 10):  # a task of a quarter of a second holds about so many
            store.commit(description, [(tile.index, tile.size, row) for tile in work[first : first + 10]])
        kept = time.perf_counter() - began
        store.close()
        size = place.stat().st_size
        began = time.perf_counter()
        with RunStore(place) as again:
            assert len(again.load(description)) == _LAID_OUT
        loaded = time.perf_counter() - began
    return [
        *rows,
        _unit("tiles kept in a store", _LAID_OUT, kept, size),
        _unit("tiles loaded from a store", _LAID_OUT, loaded),
    ]


def _games() -> list[Row]:
    """Seconds and peak bytes a position: four levels of randomised response against ever more charges."""
    rows, step = [], 2.0**-8
    menu = [fp.RandomizedResponse(step * k) for k in range(1, 5)]
    for charges in (1024, 4096, 16384):
        filt = fp.ZCDPFilter(charges * step**2 / 2)
        tracemalloc.start()
        began = time.perf_counter()
        positions = fp.worst_case(filt, menu, epsilon=1.0).positions
        spent, (_, peak) = time.perf_counter() - began, tracemalloc.get_traced_memory()
        tracemalloc.stop()
        rows.append(_unit("positions of a game", positions, spent, peak))
    return rows
