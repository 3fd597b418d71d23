"""Runs of simulations: games, paths, what keeps them, and what plays them in other processes."""

from filterproof.mc.engine.game import Game
from filterproof.mc.engine.paths import Paths
from filterproof.mc.runs.executors import LocalPool, cluster
from filterproof.mc.runs.play import Interrupted, Play, play
from filterproof.mc.runs.store import RunStore, StoreError
from filterproof.mc.runs.tally import Progress, Tally

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
