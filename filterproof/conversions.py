"""Conversions between guarantees, and thresholds of filters."""

from filterproof.theory.conversions import Conversion, gaussian_epsilon, gaussian_mu, renyi_epsilon
from filterproof.theory.extremal import Extremal
from filterproof.theory.proofs.threshold import Ball, threshold
from filterproof.theory.realisation import Split, kappa, optimal_split

__all__ = [
    "Ball",
    "Conversion",
    "Extremal",
    "Split",
    "gaussian_epsilon",
    "gaussian_mu",
    "kappa",
    "optimal_split",
    "renyi_epsilon",
    "threshold",
]
