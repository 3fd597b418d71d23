"""Confidence intervals for means of bounded i.i.d. values: each states its failure probability."""

from mc.intervals.bernstein import empirical_bernstein
from mc.intervals.betting import betting
from mc.intervals.choice import MomentsMethod, narrowest_for
from mc.intervals.counts import clopper_pearson
from mc.intervals.kl import kl_chernoff
from mc.intervals.moments import Moments

__all__ = [
    "Moments",
    "MomentsMethod",
    "betting",
    "clopper_pearson",
    "empirical_bernstein",
    "kl_chernoff",
    "narrowest_for",
]
