"""Confidence intervals of bounded values."""

from filterproof.mc.intervals.anytime import anytime_mean
from filterproof.mc.intervals.bernstein import empirical_bernstein
from filterproof.mc.intervals.betting import betting
from filterproof.mc.intervals.counts import clopper_pearson
from filterproof.mc.intervals.kl import kl_chernoff
from filterproof.mc.intervals.moments import Moments

__all__ = [
    "Moments",
    "anytime_mean",
    "betting",
    "clopper_pearson",
    "empirical_bernstein",
    "kl_chernoff",
]
