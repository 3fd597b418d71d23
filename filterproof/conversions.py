"""Conversions between guarantees, and thresholds of filters."""

from filterproof.theory.conversions import Conversion, gaussian_epsilon, max_gaussian_mu, renyi_epsilon
from filterproof.theory.extremal import LargestDivergence
from filterproof.theory.proofs.threshold import (
    Ball,
    certified_delta,
    certified_split,
    gaussian_steps,
    threshold,
)
from filterproof.theory.stopping_level import DeltaSplit, kappa, optimal_split

__all__ = [
    "Ball",
    "Conversion",
    "DeltaSplit",
    "LargestDivergence",
    "certified_delta",
    "certified_split",
    "gaussian_epsilon",
    "gaussian_steps",
    "kappa",
    "max_gaussian_mu",
    "optimal_split",
    "renyi_epsilon",
    "threshold",
]
