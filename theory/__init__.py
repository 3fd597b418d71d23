"""The mathematics: dominating pairs, guarantees, conversions between them, thresholds of filters, and proofs.

No filter, no random generator and no picture is here; the rooms that have them import this one.
"""

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
