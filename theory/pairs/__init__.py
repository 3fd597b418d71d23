"""Dominating pairs of the field's mechanisms."""

from theory.pairs.base import DominatingPair
from theory.pairs.gaussian import Gaussian

__all__ = ["DominatingPair", "Gaussian"]
