"""Estimates of divergences, survival and decisions from simulated paths, each with what its interval rests on.

Playing paths belongs to `mc.engine` and `mc.runs`, computing intervals to `mc.intervals`.
"""
