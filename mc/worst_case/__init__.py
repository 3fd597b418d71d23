"""The worst-case adversary against a filter: Bellman's recursion, exact or with certified bounds."""

from filterproof.mc.worst_case.result import WorstCase
from filterproof.mc.worst_case.solve import worst_case

__all__ = ["WorstCase", "worst_case"]
