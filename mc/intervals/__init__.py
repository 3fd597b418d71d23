"""Confidence intervals for means of bounded i.i.d. values: each states its failure probability."""

from mc.intervals.bernstein import empirical_bernstein
from mc.intervals.choice import Choice, Interval, IntervalName, MomentsMethod, choose_interval
from mc.intervals.counts import clopper_pearson
from mc.intervals.fixed_bets import FixedBets
from mc.intervals.kl import kl_chernoff
from mc.intervals.moments import Moments

__all__ = [
    "Choice",
    "FixedBets",
    "Interval",
    "IntervalName",
    "Moments",
    "MomentsMethod",
    "choose_interval",
    "clopper_pearson",
    "empirical_bernstein",
    "kl_chernoff",
]
