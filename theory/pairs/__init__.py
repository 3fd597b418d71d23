"""The dominating pairs of common mechanisms, one class a file; what filters charge for them is computed here too."""

from theory.pairs.base import DominatingPair
from theory.pairs.erasure import Erasure
from theory.pairs.finite import ExactMasses, FinitePair
from theory.pairs.gaussian import Gaussian
from theory.pairs.kov import KOV
from theory.pairs.laplace import Laplace
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
