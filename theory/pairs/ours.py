"""Which pairs are the library's own: what the theorems say of a charge, they say of these."""

from __future__ import annotations

from theory.pairs.base import DominatingPair
from theory.pairs.erasure import Erasure
from theory.pairs.finite import FinitePair
from theory.pairs.gaussian import Gaussian
from theory.pairs.kov import KOV
from theory.pairs.laplace import Laplace
from theory.pairs.randomized_response import RandomizedResponse
from theory.pairs.selection import Selection
from theory.pairs.subsampled_gaussian import SubsampledGaussian

__all__ = ["PAIRS", "is_ours"]

#: Every pair of one mechanism. Their charges are those that the theorems are about.
PAIRS: tuple[type[DominatingPair], ...] = (
    Gaussian,
    RandomizedResponse,
    Laplace,
    SubsampledGaussian,
    Erasure,
    KOV,
    FinitePair,
)


def is_ours(pair: DominatingPair) -> bool:
    """Whether a pair is of a class of this library (no subclass), whose charges the theorems are about."""
    return type(pair) in PAIRS or (type(pair) is Selection and all(map(is_ours, pair.members)))
