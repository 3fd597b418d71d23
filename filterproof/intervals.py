"""Confidence intervals and sequential tests of bounded values."""

from mc.intervals.anytime import BettingTest
from mc.intervals.bernstein import empirical_bernstein
from mc.intervals.betting import betting
from mc.intervals.counts import clopper_pearson
from mc.intervals.kl import kl_chernoff
from mc.intervals.moments import Moments

__all__ = [
    "BettingTest",
    "Moments",
    "betting",
    "clopper_pearson",
    "empirical_bernstein",
    "kl_chernoff",
]
