"""Estimates of divergences, survival and decisions from simulated paths, each with what its interval rests on.

How `simulate` goes about it, in the order to read, each file knowing only those before it: `spending` and `ceiling` say
what bounds a path, and why; `functionals` and `martingale` what is summed on it, and the interval of its mean; an
`estimator` adds terms, each a mean over paths of one game, and a pilot chooses among those that the game allows, with
the shares of the terms and the stakes; `simulate` plays what is chosen.
Playing paths belongs to `filterproof.mc.engine` and `filterproof.mc.runs`, computing intervals to
`filterproof.mc.intervals`.
"""
