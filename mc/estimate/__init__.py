"""Estimates of divergences, survival and decisions from simulated paths, each with what its interval rests on.

How `simulate` goes about it, in the order to read, each file knowing only those before it: `functionals` and
`martingale` say what is summed on a path; `spending` and `ceiling` what bounds it, and why; an `estimator` adds terms,
each a sum over paths of its own with its interval; `ways` are the estimators that a game allows; `pilot` chooses among
them, with the shares of the terms and the intervals, and `simulate` plays what is chosen.
Playing paths belongs to `mc.engine` and `mc.runs`, computing intervals to `mc.intervals`.
"""
