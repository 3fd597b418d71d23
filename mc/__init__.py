"""Attacks on privacy filters: adversaries, the engine that plays them, estimates with intervals, the exact worst case.

This package does not export functions that have the name of their module. Use `fp.simulate`, or
`filterproof.mc.estimate.simulate.simulate`.
"""

if __name__ != "filterproof.mc":
    raise ImportError(f"a module has one name: import filterproof.mc, got the name {__name__!r}")

from filterproof.mc.engine.adversaries import (
    Constant,
    EraserForever,
    HighWhileLossPositive,
    ManySmall,
    MenuChasing,
    MenuRandom,
    OneShot,
    RandomSpender,
    Scripted,
)
from filterproof.mc.engine.adversary import Adversary, AdversaryView
from filterproof.mc.engine.finished_runs import FinishedRuns
from filterproof.mc.engine.game import Game
from filterproof.mc.estimate.answer_misses import answer_misses
from filterproof.mc.estimate.crossing import BoundApproaching
from filterproof.mc.estimate.curve import ProfileEstimate
from filterproof.mc.estimate.filter_ranking import FilterChoice, FilterComparison
from filterproof.mc.estimate.renyi_moment import simulate_renyi
from filterproof.mc.estimate.sequential_test import Decision, ThresholdSide
from filterproof.mc.estimate.survival import SurvivalCurve
from filterproof.mc.estimate.trade_off import TradeOff
from filterproof.mc.estimate.two_data_sets import simulate_person
from filterproof.mc.evaluate.evaluation import Evaluation, Evaluations, NumericalEvaluation
from filterproof.mc.examine.counterexample import Counterexample, replay
from filterproof.mc.examine.supremum import Supremum
from filterproof.mc.intervals import Moments, clopper_pearson, empirical_bernstein, kl_chernoff
from filterproof.mc.intervals.betting import betting
from filterproof.mc.intervals.estimate import Estimate
from filterproof.mc.losses.accountant_filter import AccountantFilter
from filterproof.mc.losses.composition import Bounds, Composition
from filterproof.mc.losses.individual_accountant import IndividualAccountant, PersonalBounds, PersonalRange
from filterproof.mc.runs.batch_sums import BatchSums, Progress
from filterproof.mc.runs.executors import LocalPool, cluster
from filterproof.mc.runs.play import Interrupted, SimulationSettings
from filterproof.mc.runs.store import RunStore, StoreError
from filterproof.mc.training.simulated_training import simulate_training
from filterproof.mc.training.training import LogisticTraining, Training, TrainingWithCanary
from filterproof.mc.training.training_audit import TrainingAudit, audit_training
from filterproof.mc.worst_case import WorstCase
from filterproof.mc.worst_case.calibrate import CalibratedFilter
from filterproof.mc.worst_case.calibrated_thresholds import CalibratedThreshold
from filterproof.theory.log_ratio import LogRatio

__all__ = [
    "AccountantFilter",
    "Adversary",
    "AdversaryView",
    "BatchSums",
    "BoundApproaching",
    "Bounds",
    "CalibratedFilter",
    "CalibratedThreshold",
    "Composition",
    "Constant",
    "Counterexample",
    "Decision",
    "EraserForever",
    "Estimate",
    "Evaluation",
    "Evaluations",
    "FilterChoice",
    "FilterComparison",
    "FinishedRuns",
    "Game",
    "HighWhileLossPositive",
    "IndividualAccountant",
    "Interrupted",
    "LocalPool",
    "LogRatio",
    "LogisticTraining",
    "ManySmall",
    "MenuChasing",
    "MenuRandom",
    "Moments",
    "NumericalEvaluation",
    "OneShot",
    "PersonalBounds",
    "PersonalRange",
    "ProfileEstimate",
    "Progress",
    "RandomSpender",
    "RunStore",
    "Scripted",
    "SimulationSettings",
    "StoreError",
    "Supremum",
    "SurvivalCurve",
    "ThresholdSide",
    "TradeOff",
    "Training",
    "TrainingAudit",
    "TrainingWithCanary",
    "WorstCase",
    "answer_misses",
    "audit_training",
    "betting",
    "clopper_pearson",
    "cluster",
    "empirical_bernstein",
    "kl_chernoff",
    "replay",
    "simulate_person",
    "simulate_renyi",
    "simulate_training",
]
