"""The types of results that functions of Filterproof return."""

from filterproof.filters.certified.certified_numbers import CertifiedNumbers
from filterproof.mc.estimate.audit_mechanism import MechanismAudit
from filterproof.mc.estimate.curve import ProfileEstimate
from filterproof.mc.estimate.filter_ranking import FilterChoice, FilterComparison
from filterproof.mc.estimate.sequential_test import Decision, ThresholdSide
from filterproof.mc.estimate.survival import SurvivalCurve
from filterproof.mc.evaluate.evaluation import Evaluation, Evaluations, NumericalEvaluation
from filterproof.mc.examine.supremum import Supremum
from filterproof.mc.losses.composition import Bounds
from filterproof.mc.worst_case.calibrate import CalibratedFilter
from filterproof.mc.worst_case.calibrated_thresholds import CalibratedThreshold

__all__ = [
    "Bounds",
    "CalibratedFilter",
    "CalibratedThreshold",
    "CertifiedNumbers",
    "Decision",
    "Evaluation",
    "Evaluations",
    "FilterChoice",
    "FilterComparison",
    "MechanismAudit",
    "NumericalEvaluation",
    "ProfileEstimate",
    "Supremum",
    "SurvivalCurve",
    "ThresholdSide",
]
