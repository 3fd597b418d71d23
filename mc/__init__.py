"""Attacks on privacy filters: adversaries, the engine that plays them, estimates with intervals, the exact worst case.

Plots and printing are in `reports`. A function that is named like its module is not exported here, where it would hide
the module: use `fp.simulate`, or `mc.estimate.simulate.simulate`.
"""

from mc.engine.adversaries import (
    Constant,
    EraserForever,
    LossAvoiding,
    LossChasing,
    ManySmall,
    MenuChasing,
    MenuRandom,
    OneShot,
    RandomSpender,
    Scripted,
)
from mc.engine.adversary import Adversary, View
from mc.engine.game import Game
from mc.engine.paths import Paths
from mc.estimate.answer_misses import answer_misses
from mc.estimate.compare_filters import FilterChoice, FilterComparison
from mc.estimate.crossing import Approaching
from mc.estimate.curve import Curve
from mc.estimate.renyi import simulate_renyi
from mc.estimate.survival import SurvivalCurve
from mc.estimate.trade_off import TradeOff
from mc.estimate.two_data_sets import simulate_person, simulate_queries
from mc.evaluate.evaluation import Evaluation, Evaluations, NumericalEvaluation
from mc.examine.supremum import Supremum
from mc.examine.witness import Witness, replay
from mc.intervals import Moments, clopper_pearson, empirical_bernstein, kl_chernoff
from mc.intervals.anytime import BettingTest, Decision, Side
from mc.intervals.betting import betting
from mc.intervals.estimate import Estimate
from mc.losses.accountant_filter import AccountantFilter
from mc.losses.composition import Bounds, Composition
from mc.losses.individual_accountant import IndividualAccountant, PersonalBounds, PersonalRange
from mc.runs.executors import LocalPool, cluster
from mc.runs.play import Interrupted, Play, play
from mc.runs.store import RunStore, StoreError
from mc.runs.tally import Progress, Tally
from mc.training.simulated_training import simulate_training
from mc.training.training import LogisticTraining, Training, WithCanary
from mc.training.training_audit import TrainingAudit, audit_training
from mc.worst_case import WorstCase
from mc.worst_case.calibrate import CalibratedFilter
from mc.worst_case.calibrated import CalibratedThreshold
from theory.log_ratio import LogRatio

__all__ = [
    "AccountantFilter",
    "Adversary",
    "Approaching",
    "BettingTest",
    "Bounds",
    "CalibratedFilter",
    "CalibratedThreshold",
    "Composition",
    "Constant",
    "Curve",
    "Decision",
    "EraserForever",
    "Estimate",
    "Evaluation",
    "Evaluations",
    "FilterChoice",
    "FilterComparison",
    "Game",
    "IndividualAccountant",
    "Interrupted",
    "LocalPool",
    "LogRatio",
    "LogisticTraining",
    "LossAvoiding",
    "LossChasing",
    "ManySmall",
    "MenuChasing",
    "MenuRandom",
    "Moments",
    "NumericalEvaluation",
    "OneShot",
    "Paths",
    "PersonalBounds",
    "PersonalRange",
    "Play",
    "Progress",
    "RandomSpender",
    "RunStore",
    "Scripted",
    "Side",
    "StoreError",
    "Supremum",
    "SurvivalCurve",
    "Tally",
    "TradeOff",
    "Training",
    "TrainingAudit",
    "View",
    "WithCanary",
    "Witness",
    "WorstCase",
    "answer_misses",
    "audit_training",
    "betting",
    "clopper_pearson",
    "cluster",
    "empirical_bernstein",
    "kl_chernoff",
    "play",
    "replay",
    "simulate_person",
    "simulate_queries",
    "simulate_renyi",
    "simulate_training",
]
