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
from mc.engine import Game, Paths, Tally, play
from mc.estimate import Estimate
from mc.estimators import PromiseBroken
from mc.simulate import SurvivalCurve, simulate, survival
from mc.witness import Witness, replay, witness

__all__ = [
    "Adversary",
    "Constant",
    "EraserForever",
    "Estimate",
    "Game",
    "LossAvoiding",
    "LossChasing",
    "ManySmall",
    "OneShot",
    "Paths",
    "PromiseBroken",
    "RandomSpender",
    "SurvivalCurve",
    "Tally",
    "View",
    "Witness",
    "play",
    "replay",
    "simulate",
    "survival",
    "witness",
]
