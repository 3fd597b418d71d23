"""The worst-case adversary against a filter, solved by Bellman's recursion exactly or within certified bounds.

The same positions, with a given strategy in place of the maximum, evaluate that strategy: `mc.evaluate.evaluate`.

Simulating adversaries belongs to `mc.estimate`, searching for a game that a filter loses to `mc.examine`.
"""

from mc.worst_case.result import WorstCase
from mc.worst_case.solve import worst_case

__all__ = ["WorstCase", "worst_case"]
