"""What attacks: adversaries, the engine that plays them, estimators and intervals."""

from mc.adversaries import (
    Constant,
    EraserForever,
    LossAvoiding,
    LossChasing,
    ManySmall,
    OneShot,
    RandomSpender,
)
from mc.adversary import Adversary, View
from mc.engine import Game, Paths
from mc.estimate import Estimate
from mc.estimators import PromiseBroken
from mc.executors import LocalPool, cluster
from mc.renyi import simulate_renyi
from mc.runs import Interrupted, Progress, Tally, play
from mc.simulate import Curve, simulate
from mc.store import RunStore, StoreError
from mc.survival import SurvivalCurve, survival
from mc.witness import Witness, replay, witness

__all__ = [
    "Adversary",
    "Constant",
    "Curve",
    "EraserForever",
    "Estimate",
    "Game",
    "Interrupted",
    "LocalPool",
    "LossAvoiding",
    "LossChasing",
    "ManySmall",
    "OneShot",
    "Paths",
    "Progress",
    "PromiseBroken",
    "RandomSpender",
    "RunStore",
    "StoreError",
    "SurvivalCurve",
    "Tally",
    "View",
    "Witness",
    "cluster",
    "play",
    "replay",
    "simulate",
    "simulate_renyi",
    "survival",
    "witness",
]
