"""What attacks: adversaries, the engine that plays them, estimators and intervals.

A function that has a module of its own name is had from there, `mc.simulate.simulate`, or as `fp.simulate`:
under its name here it would hide the module.
"""

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
from mc.anytime import BettingTest, Decision, SequentialRun, Side
from mc.attack import Attack, replay_attack
from mc.calibrate import CalibratedFilter
from mc.challenge import Challenge
from mc.coverage import Coverage, measure_coverage
from mc.engine import Game, Paths
from mc.estimate import Estimate
from mc.executors import LocalPool, cluster
from mc.intervals import Moments, clopper_pearson, empirical_bernstein, kl_chernoff
from mc.intervals.betting import betting
from mc.multiplicity import Family
from mc.privacy_profile import PrivacyProfile
from mc.renyi import simulate_renyi
from mc.rounds_bought import RoundsBought
from mc.runs import Interrupted, Progress, Tally, play
from mc.simulate import Curve
from mc.store import RunStore, StoreError
from mc.survival import SurvivalCurve
from mc.trade_off import TradeOff
from mc.witness import Witness, replay
from mc.worst_case import LogRatio, WorstCase

__all__ = [
    "Adversary",
    "Attack",
    "BettingTest",
    "CalibratedFilter",
    "Challenge",
    "Constant",
    "Coverage",
    "Curve",
    "Decision",
    "EraserForever",
    "Estimate",
    "Family",
    "Game",
    "Interrupted",
    "LocalPool",
    "LogRatio",
    "LossAvoiding",
    "LossChasing",
    "ManySmall",
    "Moments",
    "OneShot",
    "Paths",
    "PrivacyProfile",
    "Progress",
    "RandomSpender",
    "RoundsBought",
    "RunStore",
    "SequentialRun",
    "Side",
    "StoreError",
    "SurvivalCurve",
    "Tally",
    "TradeOff",
    "View",
    "Witness",
    "WorstCase",
    "betting",
    "clopper_pearson",
    "cluster",
    "empirical_bernstein",
    "kl_chernoff",
    "measure_coverage",
    "play",
    "replay",
    "replay_attack",
    "simulate_renyi",
]
