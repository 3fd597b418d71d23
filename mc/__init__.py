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
from mc.anytime import BettingTest, Decision, Side
from mc.challenge import Challenge, challenge
from mc.decide import decide
from mc.engine import Game, Paths
from mc.estimate import Estimate
from mc.estimators import PromiseBroken
from mc.executors import LocalPool, cluster
from mc.intervals import Moments, betting, clopper_pearson, empirical_bernstein, kl_chernoff
from mc.privacy_profile import PrivacyProfile
from mc.renyi import simulate_renyi
from mc.runs import Interrupted, Progress, Tally, play
from mc.simulate import Curve, simulate
from mc.store import RunStore, StoreError
from mc.survival import SurvivalCurve, survival
from mc.trade_off import TradeOff
from mc.witness import Witness, replay, witness

__all__ = [
    "Adversary",
    "BettingTest",
    "Challenge",
    "Constant",
    "Curve",
    "Decision",
    "EraserForever",
    "Estimate",
    "Game",
    "Interrupted",
    "LocalPool",
    "LossAvoiding",
    "LossChasing",
    "ManySmall",
    "Moments",
    "OneShot",
    "Paths",
    "PrivacyProfile",
    "Progress",
    "PromiseBroken",
    "RandomSpender",
    "RunStore",
    "Side",
    "StoreError",
    "SurvivalCurve",
    "Tally",
    "TradeOff",
    "View",
    "Witness",
    "betting",
    "challenge",
    "clopper_pearson",
    "cluster",
    "decide",
    "empirical_bernstein",
    "kl_chernoff",
    "play",
    "replay",
    "simulate",
    "simulate_renyi",
    "survival",
    "witness",
]
