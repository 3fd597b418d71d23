"""Confidence intervals for means of bounded i.i.d. values: each states its failure probability."""

from mc.intervals.bernstein import empirical_bernstein
from mc.intervals.choice import Interval, IntervalName, MomentsMethod, Plan, plan
from mc.intervals.counts import clopper_pearson
from mc.intervals.fixed_bets import FixedBets
from mc.intervals.kl import kl_chernoff
from mc.intervals.moments import Moments

__all__ = [
    "FixedBets",
    "Interval",
    "IntervalName",
    "Moments",
    "MomentsMethod",
    "Plan",
    "clopper_pearson",
    "empirical_bernstein",
    "kl_chernoff",
    "plan",
]
