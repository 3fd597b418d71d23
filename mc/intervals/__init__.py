"""Confidence intervals for means of bounded i.i.d. values: each states its failure probability."""

from mc.intervals.bernstein import empirical_bernstein
from mc.intervals.counts import clopper_pearson
from mc.intervals.moments import Moments

__all__ = ["Moments", "clopper_pearson", "empirical_bernstein"]
