"""Dominating pairs of the field's mechanisms; `EXAMPLES` has a few of each, `PAIRS` is the list of them."""

from theory.pairs.base import DominatingPair, ExactMasses
from theory.pairs.erasure import Erasure
from theory.pairs.finite import FinitePair
from theory.pairs.gaussian import Gaussian
from theory.pairs.kov import KOV
from theory.pairs.laplace import Laplace
from theory.pairs.ours import EXAMPLES as EXAMPLES
from theory.pairs.ours import PAIRS as PAIRS
from theory.pairs.ours import is_ours as is_ours
from theory.pairs.randomized_response import RandomizedResponse
from theory.pairs.selection import Selection
from theory.pairs.subsampled_gaussian import SubsampledGaussian

__all__ = [
    "KOV",
    "DominatingPair",
    "Erasure",
    "ExactMasses",
    "FinitePair",
    "Gaussian",
    "Laplace",
    "RandomizedResponse",
    "Selection",
    "SubsampledGaussian",
]
