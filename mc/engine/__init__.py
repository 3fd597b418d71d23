"""The engine: plays an adversary against a filter, one tile of paths at a time, by the filter's own code.

Estimators, intervals, worker processes and the run store are elsewhere in `mc`.
"""
