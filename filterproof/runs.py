"""Running simulations: games, finished runs, run stores, process pools and settings."""

from filterproof.mc.engine.finished_runs import FinishedRuns
from filterproof.mc.engine.game import Game
from filterproof.mc.runs.batch_sums import BatchSums, Progress
from filterproof.mc.runs.executors import LocalPool, cluster
from filterproof.mc.runs.play import Interrupted, SimulationSettings
from filterproof.mc.runs.store import RunStore, StoreError

__all__ = [
    "BatchSums",
    "FinishedRuns",
    "Game",
    "Interrupted",
    "LocalPool",
    "Progress",
    "RunStore",
    "SimulationSettings",
    "StoreError",
    "cluster",
]
