"""Memory: what a tile frees is used again, whatever the environment tells the allocator."""

from __future__ import annotations

import os
import platform
import subprocess
import sys

_PLAY = """
import resource
from filters import GaussianFilter
from mc.engine.adversaries import LossChasing
from mc.engine.game import Game
from mc.engine.streams import TILE, Tile
from mc.engine.tiles import play_tile
game = Game.between(GaussianFilter(mu=1.0), LossChasing(pace=40))
play_tile(game, Tile(0, 0, TILE))
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
play_tile(game, Tile(0, 1, TILE))
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


def test_a_second_tile_asks_the_system_for_hardly_any_memory() -> None:
    told = {"MALLOC_TRIM_THRESHOLD_": "65536"}  # as Dask does
    done = subprocess.run(
        [sys.executable, "-c", _PLAY], env=os.environ | told, check=True, capture_output=True, text=True
    )
    # tens of thousands of pages where each array is asked for anew; other allocators are as they are
    assert int(done.stdout) < 5000 or platform.libc_ver()[0] != "glibc"
