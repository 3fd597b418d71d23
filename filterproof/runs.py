"""Runs of simulations: games, paths, what keeps them, and what plays them in other processes."""

from mc.engine.game import Game
from mc.engine.paths import Paths
from mc.runs.executors import LocalPool, cluster
from mc.runs.play import Interrupted, Play, play
from mc.runs.store import RunStore, StoreError
from mc.runs.tally import Progress, Tally

__all__ = [
    "Game",
    "Interrupted",
    "LocalPool",
    "Paths",
    "Play",
    "Progress",
    "RunStore",
    "StoreError",
    "Tally",
    "cluster",
    "play",
]
