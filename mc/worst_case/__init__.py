"""The worst adversary against a filter, solved rather than searched for."""

from mc.worst_case.log_ratio import Epsilon, LogRatio
from mc.worst_case.result import WorstCase
from mc.worst_case.solve import worst_case

__all__ = ["Epsilon", "LogRatio", "WorstCase", "worst_case"]
