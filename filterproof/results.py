"""The types of results that functions of Filterproof return."""

from filterproof.filters.certified.certified_numbers import CertifiedNumbers
from filterproof.mc.estimate.audit_mechanism import MechanismAudit
from filterproof.mc.estimate.compare_filters import FilterChoice, FilterComparison
from filterproof.mc.estimate.curve import Curve
from filterproof.mc.estimate.survival import SurvivalCurve
from filterproof.mc.evaluate.evaluation import Evaluation, Evaluations, NumericalEvaluation
from filterproof.mc.examine.supremum import Supremum
from filterproof.mc.intervals.anytime import Decision, Side
from filterproof.mc.losses.composition import Bounds
from filterproof.mc.worst_case.calibrate import CalibratedFilter
from filterproof.mc.worst_case.calibrated_thresholds import CalibratedThreshold
from filterproof.theory.agreement import Accord, Agreement, TwoRoutes

__all__ = [
    "Accord",
    "Agreement",
    "Bounds",
    "CalibratedFilter",
    "CalibratedThreshold",
    "CertifiedNumbers",
    "Curve",
    "Decision",
    "Evaluation",
    "Evaluations",
    "FilterChoice",
    "FilterComparison",
    "MechanismAudit",
    "NumericalEvaluation",
    "Side",
    "Supremum",
    "SurvivalCurve",
    "TwoRoutes",
]
