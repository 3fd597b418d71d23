"""What size costs: a path, a tile in memory and in a store, a position of a game."""

from __future__ import annotations

import tempfile
import time
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

import filterproof as fp
from mc.engine.game import Game
from mc.engine.streams import TILE, tiles
from mc.runs.play import play
from mc.runs.run import Run
from mc.runs.store import RunStore
from tests.instruments.bench.engine import PLAIN
from tests.instruments.bench.games import lattice

__all__ = ["grown"]

#: A strategy that answers its losses, and the tiles of a run that is only laid out and kept.
_GAME, _LAID_OUT = Game.between(fp.GaussianFilter(mu=1.0), fp.LossChasing(pace=10), rounds=10), 20_000


def grown(largest: int) -> list[dict[str, Any]]:
    """Seconds and bytes a unit, None where not looked at: up to `largest` paths, a run's tiles, positions of games."""
    rows: list[dict[str, Any]] = []

    @contextmanager
    def timed(work: str, size: int = _LAID_OUT, traced: bool = False) -> Iterator[dict[str, Any]]:
        row = {"work": work, "size": size, "bytes": None}
        if traced:
            tracemalloc.start()
        began = time.perf_counter()
        yield row
        row["seconds"] = (time.perf_counter() - began) / row["size"]
        if traced:
            row["bytes"] = tracemalloc.get_traced_memory()[1] / row["size"]
            tracemalloc.stop()
        rows.append(row)

    play(_GAME, PLAIN, n=TILE, workers=1)
    n = min(10**6, largest)
    while n <= largest:
        with timed("paths of 10 rounds", n):
            play(_GAME, PLAIN, n=n, workers=1)
        n *= 10
    numbers = np.ones(PLAIN.numbers)
    with timed("tiles in memory", traced=True):
        work = list(tiles(1, _LAID_OUT * TILE))
        run = Run(_GAME, PLAIN, work, None, None)
        for tile in work:
            run.keep([tile], [numbers.copy()])
    with tempfile.TemporaryDirectory() as folder:
        place, description = Path(folder) / "runs.db", {"seed": 1, "work": "scale"}
        with timed("tiles kept in a store") as row, RunStore(place) as store:
            for first in range(0, _LAID_OUT, 10):  # a task of a quarter of a second holds about so many
                some = [(tile.index, tile.size, numbers) for tile in work[first : first + 10]]
                store.commit(description, some)
        row["bytes"] = place.stat().st_size / _LAID_OUT
        with timed("tiles loaded from a store"), RunStore(place) as again:
            assert len(again.load(description)) == _LAID_OUT
    for charges in (1024, 4096, 16384):  # four levels of randomised response
        with timed("positions of a game", traced=True) as row:
            row["size"] = fp.worst_case(*lattice(4, charges), epsilon=1.0).positions
    return rows
