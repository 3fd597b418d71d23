"""The worst-case adversary against a filter, solved by Bellman's recursion exactly or within certified bounds.

The same positions, with a given strategy in place of the maximum, evaluate that strategy:
`filterproof.mc.evaluate.evaluate`.

Simulating adversaries belongs to `filterproof.mc.estimate`, searching for a game that a filter loses to
`filterproof.mc.examine`.
"""

from filterproof.mc.worst_case.result import WorstCase
from filterproof.mc.worst_case.solve import worst_case

__all__ = ["WorstCase", "worst_case"]
