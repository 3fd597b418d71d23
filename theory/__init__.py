"""Mathematics: dominating pairs, guarantees, conversions between them, thresholds of filters, and proofs.

This package contains no filters, random generators or pictures. The packages that contain them import this one.
"""

if __name__ != "filterproof.theory":
    raise ImportError(f"a module has one name: import filterproof.theory, got the name {__name__!r}")

from filterproof.theory import pairs
from filterproof.theory.agreement import Accord, Agreement, TwoRoutes
from filterproof.theory.conversions import (
    CKS,
    SIMPLE,
    Conversion,
    gaussian_epsilon,
    gaussian_mu,
    renyi_epsilon,
)
from filterproof.theory.evidence import Evidence, Outcome, Verdict
from filterproof.theory.extremal import Extremal
from filterproof.theory.guarantees import ZCDP, ApproxDP, GaussianDP, Guarantee, PureDP, RenyiDP
from filterproof.theory.pairs import *  # noqa: F403
from filterproof.theory.realisation import Split, kappa, optimal_split

__all__ = [
    "CKS",
    "SIMPLE",
    "ZCDP",
    "Accord",
    "Agreement",
    "ApproxDP",
    "Conversion",
    "Evidence",
    "Extremal",
    "GaussianDP",
    "Guarantee",
    "Outcome",
    "PureDP",
    "RenyiDP",
    "Split",
    "TwoRoutes",
    "Verdict",
    "gaussian_epsilon",
    "gaussian_mu",
    "kappa",
    "optimal_split",
    "renyi_epsilon",
]
__all__ += pairs.__all__
