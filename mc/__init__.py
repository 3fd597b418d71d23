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
from mc.anytime import BettingTest, Decision, SequentialRun, Side
from mc.attack import Attack, attack, replay_attack
from mc.calibrate import CalibratedFilter, calibrate
from mc.challenge import Challenge, challenge
from mc.coverage import Coverage, measure_coverage
from mc.decide import decide
from mc.engine import Game, Paths
from mc.estimate import Estimate
from mc.executors import LocalPool, cluster
from mc.intervals import Moments, betting, clopper_pearson, empirical_bernstein, kl_chernoff
from mc.multiplicity import Family
from mc.privacy_profile import PrivacyProfile
from mc.renyi import simulate_renyi
from mc.rounds_bought import RoundsBought, rounds_bought
from mc.runs import Interrupted, Progress, Tally, play
from mc.simulate import Curve, simulate
from mc.store import RunStore, StoreError
from mc.survival import SurvivalCurve, survival
from mc.trade_off import TradeOff
from mc.witness import Witness, replay, witness
from mc.worst_case import LogRatio, WorstCase, worst_case

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
    "attack",
    "betting",
    "calibrate",
    "challenge",
    "clopper_pearson",
    "cluster",
    "decide",
    "empirical_bernstein",
    "kl_chernoff",
    "measure_coverage",
    "play",
    "replay",
    "replay_attack",
    "rounds_bought",
    "simulate",
    "simulate_renyi",
    "survival",
    "witness",
    "worst_case",
]
