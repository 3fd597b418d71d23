"""Confidence intervals for means of bounded i.i.d. values, each with its failure probability."""

from filterproof.mc.intervals.bernstein import empirical_bernstein
from filterproof.mc.intervals.counts import clopper_pearson
from filterproof.mc.intervals.fixed_bets import FixedBets
from filterproof.mc.intervals.kl import kl_chernoff
from filterproof.mc.intervals.moments import Moments

__all__ = [
    "FixedBets",
    "Moments",
    "clopper_pearson",
    "empirical_bernstein",
    "kl_chernoff",
]
