"""The types of results that functions of Filterproof return."""

from filters.certified.certified_numbers import CertifiedNumbers
from mc.estimate.compare_filters import FilterChoice, FilterComparison
from mc.estimate.curve import Curve
from mc.estimate.survival import SurvivalCurve
from mc.evaluate.evaluation import Evaluation, Evaluations, NumericalEvaluation
from mc.examine.supremum import Supremum
from mc.intervals.anytime import Decision, Side
from mc.losses.composition import Bounds
from mc.worst_case.calibrate import CalibratedFilter
from mc.worst_case.calibrated import CalibratedThreshold
from theory.agreement import Accord, Agreement, TwoRoutes

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
    "NumericalEvaluation",
    "Side",
    "Supremum",
    "SurvivalCurve",
    "TwoRoutes",
]
