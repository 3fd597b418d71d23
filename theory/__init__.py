"""What is true: pairs, guarantees, conversions, thresholds and their proofs."""

from theory.conversions import CKS, SIMPLE, Conversion, gaussian_epsilon, gaussian_mu
from theory.evidence import Evidence, Outcome, Verdict
from theory.guarantees import ZCDP, ApproxDP, GaussianDP, Guarantee, PureDP, RenyiDP
from theory.pairs import (
    KOV,
    DominatingPair,
    Erasure,
    ExactMasses,
    FinitePair,
    Gaussian,
    Laplace,
    RandomizedResponse,
    Selection,
    SubsampledGaussian,
)
from theory.realisation import Split, kappa, optimal_split

__all__ = [
    "CKS",
    "KOV",
    "SIMPLE",
    "ZCDP",
    "ApproxDP",
    "Conversion",
    "DominatingPair",
    "Erasure",
    "Evidence",
    "ExactMasses",
    "FinitePair",
    "Gaussian",
    "GaussianDP",
    "Guarantee",
    "Laplace",
    "Outcome",
    "PureDP",
    "RandomizedResponse",
    "RenyiDP",
    "Selection",
    "Split",
    "SubsampledGaussian",
    "Verdict",
    "gaussian_epsilon",
    "gaussian_mu",
    "kappa",
    "optimal_split",
]
