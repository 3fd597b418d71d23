"""Mathematics: dominating pairs, guarantees, conversions between them, thresholds of filters, and proofs.

This package contains no filters, random generators or pictures. The packages that contain them import this one.
"""

if __name__ != "filterproof.theory":
    raise ImportError(f"a module has one name: import filterproof.theory, got the name {__name__!r}")

from filterproof.theory import pairs
from filterproof.theory.agreement import Agreement, AgreementOutcome, IntervalAndEnclosure
from filterproof.theory.conversions import (
    BUN_STEINKE,
    CKS,
    Conversion,
    gaussian_epsilon,
    max_gaussian_mu,
    renyi_epsilon,
)
from filterproof.theory.evidence import Evidence, Outcome, Verdict
from filterproof.theory.extremal import LargestDivergence
from filterproof.theory.guarantees import ZCDP, ApproxDP, GaussianDP, Guarantee, PureDP, RenyiDP
from filterproof.theory.pairs import *  # noqa: F403
from filterproof.theory.stopping_level import DeltaSplit, kappa, optimal_split

__all__ = [
    "BUN_STEINKE",
    "CKS",
    "ZCDP",
    "Agreement",
    "AgreementOutcome",
    "ApproxDP",
    "Conversion",
    "DeltaSplit",
    "Evidence",
    "GaussianDP",
    "Guarantee",
    "IntervalAndEnclosure",
    "LargestDivergence",
    "Outcome",
    "PureDP",
    "RenyiDP",
    "Verdict",
    "gaussian_epsilon",
    "kappa",
    "max_gaussian_mu",
    "optimal_split",
    "renyi_epsilon",
]
__all__ += pairs.__all__
