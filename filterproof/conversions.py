"""Conversions between guarantees, and thresholds of filters."""

from filterproof.theory.conversions import Conversion, gaussian_epsilon, gaussian_mu, renyi_epsilon
from filterproof.theory.extremal import Extremal
from filterproof.theory.proofs.threshold import (
    Ball,
    certified_delta,
    certified_split,
    gaussian_steps,
    threshold,
)
from filterproof.theory.realisation import Split, kappa, optimal_split

__all__ = [
    "Ball",
    "Conversion",
    "Extremal",
    "Split",
    "certified_delta",
    "certified_split",
    "gaussian_epsilon",
    "gaussian_mu",
    "gaussian_steps",
    "kappa",
    "optimal_split",
    "renyi_epsilon",
    "threshold",
]
