"""Exact running sums of charges, never rounded in favour of a request.

`Budget` has the sums and decides. `LinearCharge`, `SquaredCharge` and `PerRunCharge` are charges. The charge rules,
which are called like functions, compute the charge of a mechanism. Authors of filters should use these instead of
floats.
"""
