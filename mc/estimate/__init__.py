"""Estimates of divergences, survival and decisions from simulated paths, each with what its interval rests on.

How `simulate` goes about it, in the order to read: `functionals` and `martingale` say what is summed on a path;
`ceiling` what bounds it, from what a filter holds or a theorem says (`path_bound`) or from all that can be spent
(`spending`); `methods` puts both together, a few terms for each way to estimate; `pilot` chooses the way, the shares
of its terms and the intervals; an `estimator` is what is chosen, and says what its estimates rest on.
Playing paths belongs to `mc.engine` and `mc.runs`, computing intervals to `mc.intervals`.
"""
